// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/findings/logcomparison.h"

#include "core/calibrate/stallsteps.h"
#include "core/stats/moments.h"

#include <algorithm>

namespace prism::ui {

namespace {

constexpr int kCurvePoints = 200, kSniffedLines = 4'000;
constexpr std::size_t kMaxDrawn = 20'000; ///< steps of the series; longer ones are thinned evenly

/// Steps of a run that are drawn as something else than compared.
void addSeries(LogComparison& held, const LoggedRun& run, const RunShape& shape, double& counted)
{
    const double stall = std::max(kMinStallSeconds, kStallNoises * shape.noiseSeconds);
    for (std::size_t i = 0; i < run.steps.size(); ++i) {
        const LoggedStep& step = run.steps[i];
        SeriesStep drawn;
        counted += 1;
        drawn.number = held.log.runs.size() == 1 && step.number >= 0 ? static_cast<double>(step.number) : counted;
        drawn.seconds = step.seconds;
        const int index = static_cast<int>(i);
        if (index < shape.warmUp)
            drawn.kind = SeriesStep::Kind::warmUp;
        else if (std::binary_search(shape.afterPause.begin(), shape.afterPause.end(), index))
            drawn.kind = SeriesStep::Kind::afterPause;
        else if (step.seconds > shape.medianSeconds + stall)
            drawn.kind = SeriesStep::Kind::stall;
        if (drawn.kind != SeriesStep::Kind::compared)
            ++held.excluded[static_cast<int>(drawn.kind) - 1];
        for (const LevelShift& shift : shape.shifts)
            if (shift.index == index)
                held.shiftNumbers.push_back(drawn.number);
        held.series.push_back(drawn);
    }
}

void thin(std::vector<SeriesStep>& series)
{
    if (series.size() <= kMaxDrawn)
        return;
    const std::size_t every = (series.size() + kMaxDrawn - 1) / kMaxDrawn;
    std::vector<SeriesStep> kept;
    for (std::size_t i = 0; i < series.size(); ++i)
        if (i % every == 0 || series[i].kind != SeriesStep::Kind::compared)
            kept.push_back(series[i]);
    series = std::move(kept);
}

void setDistributions(LogComparison& held, const StepSeries& series, std::vector<double> within)
{
    std::vector<double> steps;
    for (const std::vector<double>& run : series.runs)
        steps.insert(steps.end(), run.begin(), run.end());
    std::sort(steps.begin(), steps.end());
    std::sort(within.begin(), within.end());
    held.measured = cdfCurve(steps, kCurvePoints);
    held.predicted = cdfCurve(within, kCurvePoints);
    held.predictedP5 = quantileOfSorted(within, 0.05);
    held.predictedP95 = quantileOfSorted(within, 0.95);
    for (const double p : {0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4,  0.45, 0.5,
                           0.55, 0.6,  0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.97, 0.98, 0.99})
        held.quantiles.push_back({p, quantileOfSorted(within, p), quantileOfSorted(steps, p)});
}

} // namespace

bool looksLikeStepLog(std::string_view text)
{
    StepLogReader reader;
    for (int line = 0; line < kSniffedLines && !text.empty(); ++line) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        (void)reader.line(text.substr(0, end));
        if (static_cast<int>(reader.log().steps()) >= kMinSteps)
            return true;
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return false;
}

Result<LogComparison> logComparison(Evaluator& evaluator, const Scenario& scenario, const std::string& text, const ExcludedSteps& leave,
                                    const InsightOptions& options)
{
    Result<StepLog> log = readStepLog(text);
    if (!log.ok())
        return log.errors();
    LogComparison held;
    held.log = std::move(log).value();
    held.seed = options.seed;
    const SeriesRemoval removal{leave.warmUp, leave.pauses, leave.shifts, false};
    const Result<StepSeries> series = cleanSeries(held.log, removal);
    if (!series.ok())
        return series.errors();
    std::vector<CleanRun> clean;
    double counted = 0;
    held.shapes = runShapes(held.log.runs);
    for (std::size_t i = 0; i < held.shapes.size(); ++i) {
        clean.push_back(cleanRun(held.log.runs[i], held.shapes[i], removal));
        addSeries(held, held.log.runs[i], held.shapes[i], counted);
    }
    thin(held.series);
    const Result<PredictedRun> predicted =
        predictedRun(evaluator, scenario, evaluateOptions(options, std::max(options.samples, 4'000)), !removal.trend);
    if (!predicted.ok())
        return options.stop.stop_requested() ? Diagnostics{cancelled()} : predicted.errors();
    held.systems = predicted->systems;
    held.comparison = compareSeries(*series, predicted->seconds);
    held.causes = spreadCauses(clean, static_cast<double>(scenario.cluster.numGpus), 0);
    held.expectedStalls = stallRange(scenario.variability.stallsPerGpuHour, scenario.variability.stallRateCv, held.causes.gpuHours);
    setDistributions(held, *series, predicted->seconds);
    return held;
}

Result<RunFit> fitOf(Evaluator& evaluator, const Scenario& scenario, const std::string& text, const InsightOptions& options)
{
    const Result<StepLog> log = readStepLog(text);
    if (!log.ok())
        return log.errors();
    return fittedLog(evaluator, scenario, log->runs, "all", {options.seed, 8'000, options.threads});
}

} // namespace prism::ui
