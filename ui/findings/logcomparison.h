// SPDX-License-Identifier: GPL-3.0-or-later
// A log of steps compared with a scenario: what was recognised and omitted, the error of the prediction, changes by a fit.
#pragma once

#include "core/calibrate/runfit.h"
#include "core/insight/curve.h"
#include "core/insight/insight.h"
#include "core/insight/validate/stepseries.h"
#include "core/measured/steplog.h"

#include <QString>

namespace prism::ui {

/// One step of the series as it is drawn.
struct SeriesStep {
    enum class Kind { compared, warmUp, afterPause, stall };
    double number = 0; ///< as logged, or counted over all runs
    double seconds = 0;
    Kind kind = Kind::compared;
};

/// A quantile of both.
struct QuantilePair {
    double probability = 0, predicted = 0, measured = 0;
};

struct LogComparison {
    StepLog log;
    std::vector<RunShape> shapes;
    SeriesComparison comparison;
    std::shared_ptr<const SystemsRange> systems;
    SpreadCauses causes; ///< of the measured steps alone
    CountRange expectedStalls;
    std::vector<SeriesStep> series;
    std::vector<double> shiftNumbers;            ///< where a level shift begins
    std::vector<CurvePoint> measured, predicted; ///< seconds; predicted of one median job
    std::vector<QuantilePair> quantiles;
    double predictedP5 = 0, predictedP95 = 0; ///< seconds, of one median job
    int excluded[3] = {0, 0, 0};              ///< warm-up, after pauses, stalls
    std::uint64_t seed = 1;
};

/// Parts that are removed before steps are compared, as selected by the user.
struct ExcludedSteps {
    bool warmUp = true, pauses = true, shifts = false;
};

/// Whether the beginning of a text is a log of training steps: at least kMinSteps in its first lines.
[[nodiscard]] bool looksLikeStepLog(std::string_view text);
/// Compares a log with one median job of the scenario. Errors: no steps in the text, the scenario's diagnostics, cancelled. Blocks.
[[nodiscard]] Result<LogComparison> logComparison(Evaluator& evaluator, const Scenario& scenario, const std::string& text,
                                                  const ExcludedSteps& leave, const InsightOptions& options);
/// The fit of the scenario to the same log (core's), for "Calibrate to this". Blocks.
[[nodiscard]] Result<RunFit> fitOf(Evaluator& evaluator, const Scenario& scenario, const std::string& text, const InsightOptions& options);

/// One row of the verdict table.
struct Judged {
    enum class Verdict { right, within, low, high };
    QString name, measured, predicted, error, interval, floor;
    QString words, explained; ///< in few words, and in a sentence
    Verdict verdict = Verdict::right;
};
/// p50, p95 and p99 over the median, share beyond 1.05, KS: each error with its interval and split-half variability, judged in words.
[[nodiscard]] QList<Judged> judgements(const LogComparison& held);
/// Whether the model was right, in one sentence.
[[nodiscard]] QString verdictSentence(const LogComparison& held);

} // namespace prism::ui
