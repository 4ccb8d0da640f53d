// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/change/recordingchange.h"

#include "core/base/printable.h"
#include "core/calibrate/stallsteps.h"
#include "core/insight/validate/stepseries.h"
#include "core/measured/seriesshape.h"
#include "core/scenario/scenariolimits.h"
#include "core/stats/confidence.h"
#include "core/stats/moments.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>

namespace prism {

namespace {

constexpr std::size_t kTogether = 8;                          // statistics of two logs
constexpr double kJitterBetweenRuns = 0.15;                   // of the runs behind kBetweenRuns
constexpr double kStallRateBetweenRuns = 0.5, kSteps = 1'000; // runs of one system (spreadcauses.cpp); of the rate's unit
constexpr std::size_t kMedians = 10;

/// One log: its runs as they are compared, and for each run its trend and its warm-up.
struct LogSide {
    StepSeries series;
    std::vector<CleanRun> runs;
    std::vector<double> trends, warmUps;
    double trendVariance = 0; ///< of one run
    double stalls = 0, steps = 0;
};

/// Variance of the change along a run: medians of tenths of it scatter around the trend, and a line through kMedians of them over
/// -1 ... 1 rises by twice its slope.
double trendVariance(const LoggedRun& run, const RunShape& shape)
{
    const CleanRun flat = cleanRun(run, shape, {});
    std::vector<double> medians;
    for (std::size_t k = 0; k < kMedians; ++k)
        medians.push_back(medianOfRange(flat.seconds, k * flat.seconds.size() / kMedians, (k + 1) * flat.seconds.size() / kMedians)
                          / flat.medianSeconds);
    constexpr double kSquares = kMedians / 3.0; // of the places, summed
    return 4 * varianceOf(medians) / kSquares + kBetweenRuns * kBetweenRuns;
}

/// From the first to the last step: trend and level shifts.
double lastingChange(const RunShape& shape)
{
    double level = 1 + shape.trend;
    for (const LevelShift& shift : shape.shifts)
        level *= shift.factor;
    return level - 1;
}

Result<LogSide> sideOf(const StepLog& log, const char* name, std::vector<std::string>& notes)
{
    LogSide side;
    const std::vector<RunShape> shapes = runShapes(log.runs);
    for (std::size_t r = 0; r < shapes.size(); ++r) {
        if (log.runs[r].steps.size() < static_cast<std::size_t>(kMinSteps))
            continue;
        side.runs.push_back(cleanRun(log.runs[r], shapes[r], {.shifts = false, .trend = false}));
        side.trends.push_back(lastingChange(shapes[r]));
        side.warmUps.push_back(shapes[r].warmUp);
        side.trendVariance += trendVariance(log.runs[r], shapes[r]);
        notes.push_back(fmt::format("{}, {}: {} steps; {}", name, printable(log.runs[r].name, kMaxNameBytes), log.runs[r].steps.size(),
                                    shapeText(shapes[r])));
    }
    Result<StepSeries> series = seriesOf(side.runs, log.steps());
    if (!series) {
        Diagnostics errors = series.errors();
        errors.front().path = name;
        return errors;
    }
    side.series = std::move(*series);
    side.trendVariance /= static_cast<double>(side.trends.size());
    side.stalls = static_cast<double>(stallSizes(side.runs, stepNoise(side.runs)).size());
    for (const CleanRun& run : side.runs)
        side.steps += static_cast<double>(run.seconds.size());
    return side;
}

ChangedMetric changedMean(const char* name, const char* unit, const std::vector<double>& before, const std::vector<double>& after,
                          double variance)
{
    const double b = meanOf(before), a = meanOf(after);
    const double half = jointReach(static_cast<double>(2 * kMedians - 2), kTogether) * std::sqrt(variance);
    return {"step", name, unit, b, a, {a - b, a - b - half, a - b + half}};
}

ChangedMetric changedTrend(const LogSide& before, const LogSide& after)
{
    const auto variance = [](const LogSide& s) {
        const auto runs = static_cast<double>(s.trends.size());
        return std::max(s.trendVariance, varianceOf(s.trends)) / runs;
    };
    return changedMean("trend", "share of the level", before.trends, after.trends, variance(before) + variance(after));
}

/// A warm-up is a count: one run gives no more than its square root, several what they differ by.
ChangedMetric changedWarmUp(const LogSide& before, const LogSide& after)
{
    const auto variance = [](const LogSide& s) {
        return std::max(varianceOf(s.warmUps), meanOf(s.warmUps) + 1) / static_cast<double>(s.warmUps.size());
    };
    return changedMean("warm-up", "steps", before.warmUps, after.warmUps, variance(before) + variance(after));
}

/// The log after in what the one before predicts: a rate known from few stalls (Jeffreys' half a stall more) that differs from run to run.
ChangedMetric changedStalls(const LogSide& before, const LogSide& after)
{
    const double counted = before.stalls + 0.5;
    const double rateCv = std::sqrt(2 * kStallRateBetweenRuns * kStallRateBetweenRuns + 1 / counted);
    const CountRange range = stallRange(counted / before.steps, rateCv, after.steps);
    const double unit = kSteps / after.steps, b = kSteps * before.stalls / before.steps, a = unit * after.stalls;
    return {"step", "stalls", "per 1,000 steps", b, a, {a - b, a - unit * range.high, a - unit * range.low}};
}

} // namespace

Result<ChangeReport> logChanges(const StepLog& before, const StepLog& after)
{
    ChangeReport report;
    const Result<LogSide> b = sideOf(before, "BEFORE", report.notes), a = sideOf(after, "AFTER", report.notes);
    if (!b || !a) {
        Diagnostics errors = b ? Diagnostics() : b.errors();
        if (!a)
            errors.insert(errors.end(), a.errors().begin(), a.errors().end());
        return errors;
    }
    std::vector<SeriesStatistic> statistics = stepStatistics();
    statistics.push_back(
        {"jitter", "s", kJitterBetweenRuns, [](const SeriesRuns& runs, const std::vector<double>&) { return neighbourSpread(runs); }});
    report.metrics = changedMetrics("step", statistics, b->series.runs, a->series.runs, kTogether);
    report.metrics.push_back(changedStalls(*b, *a));
    report.metrics.push_back(changedTrend(*b, *a));
    report.metrics.push_back(changedWarmUp(*b, *a));
    return report;
}

} // namespace prism
