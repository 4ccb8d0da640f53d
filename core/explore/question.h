// SPDX-License-Identifier: GPL-3.0-or-later
// A study of the library: a question, the scenarios that answer it, published results, and the results here.
#pragma once

#include "core/insight/insight.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace prism {

/// One scenario of a study.
struct QuestionRow {
    std::string label;
    Scenario scenario;
};

struct Question {
    std::string name, title, question;
    std::string published, source; ///< published result and its source; empty where there is none
    std::vector<QuestionRow> rows; ///< the first is what the others are compared with
};

/// Reads a study of presets/studies: {"title", "question", "published", "source", "scenario", "rows": [{"label", "scenario", "set": {ID:
/// TEXT}, "scale": {ID: FACTOR}, "slow": [{"node", "compute", "link"}]}]}. A scenario is the name of a preset or
/// a scenario itself; `scale` multiplies a number of it. Errors: everything
/// that is wrong, with its row.
[[nodiscard]] Result<Question> questionFromJson(std::string_view text, const std::string& name);

/// What sampling a row gave. Seconds.
struct QuestionAnswerRow {
    std::string label;
    double noiseFreeSeconds = 0, peakMemoryGib = 0;
    bool fits = true;
    DistributionSummary step;
    Estimate p50Ratio, p95Ratio; ///< over the first row, per token, paired
};

struct QuestionAnswer {
    Question question;
    std::vector<QuestionAnswerRow> rows;
    std::vector<std::string> findings; ///< sentences with values, from the rows alone
    int samples = 0;
    std::uint64_t seed = 1;
    double elapsedSeconds = 0;
};

/// Samples every row with the same random numbers. Default 2,000 samples. Errors: cancelled. Any thread.
[[nodiscard]] Result<QuestionAnswer> answered(Evaluator& evaluator, const Question& question, const InsightOptions& options = {});

[[nodiscard]] std::string toJson(const QuestionAnswer& answer);
[[nodiscard]] std::string toCsv(const QuestionAnswer& answer, TableText texts = TableText::forSheets);

} // namespace prism
