// SPDX-License-Identifier: GPL-3.0-or-later
// The training run: days, money and energy of a training run with its failures, checkpoints, spares and pauses.
#pragma once

#include "core/insight/insight.h"
#include "core/job/jobanswer.h"

#include <string>

namespace prism {

/// Samples the whole run. Errors: invalid scenario, no tokens to train, values out of range, a job that does not end within a hundred
/// times its undisturbed time or would take hours to sample, cancelled. Any thread; the same bits on any number of threads.
[[nodiscard]] Result<JobReport> trainingRun(Evaluator& evaluator, const Scenario& scenario, const JobConfig& config, const JobQuery& query,
                                            const InsightOptions& options = {});

[[nodiscard]] std::string toJson(const JobReport& report);
[[nodiscard]] std::string toCsv(const JobReport& report, TableText texts = TableText::forSheets);

} // namespace prism
