// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/validate/stepseries.h"

#include "core/base/diagnostictext.h"
#include "core/engine/summary.h"
#include "core/measured/measuredlimits.h"
#include "core/stats/distance.h"
#include "core/stats/moments.h"
#include "core/stats/random.h"
#include "core/stats/redraws.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

namespace prism {

namespace {

constexpr std::size_t kBlock = 20;
constexpr int kRedraws = 400;
constexpr std::uint64_t kStream = 0x5e41e5; // names the redraws of this file

/// Moments and quantiles of ascending values whose median is 1.
SeriesMetrics metrics(const std::vector<double>& sorted)
{
    SeriesMetrics f;
    f.p5 = quantileOfSorted(sorted, 0.05);
    f.p95 = quantileOfSorted(sorted, 0.95);
    f.p99 = quantileOfSorted(sorted, 0.99);
    f.cv = std::sqrt(varianceOf(sorted)) / meanOf(sorted);
    f.beyond =
        static_cast<double>(sorted.end() - std::upper_bound(sorted.begin(), sorted.end(), 1.05)) / static_cast<double>(sorted.size());
    return f;
}

std::vector<double> overMedian(std::vector<double> values)
{
    const double middle = medianOf(values);
    for (double& x : values)
        x /= middle;
    return values;
}

using Runs = std::vector<std::vector<double>>;

/// Statistics of one redraw: the median, p95 and p99 over it, the share beyond 1.05, the distance from the prediction.
struct Redrawn {
    double p50 = 1, ks = 0;
    SeriesMetrics shape;
};

/// Of ascending values.
Redrawn metricsOf(std::vector<double> drawn, const std::vector<double>& predicted)
{
    Redrawn out;
    out.p50 = quantileOfSorted(drawn, 0.5);
    for (double& x : drawn)
        x /= out.p50;
    out.shape = metrics(drawn);
    out.ks = ksDistance(drawn, predicted);
    return out;
}

/// Steps that are dealt out again and again, each time in ascending order without sorting them: how often each one was drawn is counted at
/// its rank among all.
class RankedSteps final {
public:
    explicit RankedSteps(const Runs& runs)
    {
        std::vector<double> all;
        for (const std::vector<double>& run : runs)
            all.insert(all.end(), run.begin(), run.end());
        std::vector<std::uint32_t> order(all.size());
        std::iota(order.begin(), order.end(), 0U);
        std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return all[a] < all[b]; });
        m_ranks.resize(all.size());
        for (std::uint32_t rank = 0; rank < order.size(); ++rank) {
            m_ranks[order[rank]] = rank;
            m_sorted.push_back(all[order[rank]]);
        }
        m_counts.resize(all.size());
    }

    [[nodiscard]] std::size_t size() const { return m_sorted.size(); }
    /// Steps [first, first + count) of the concatenated runs, once more.
    void draw(std::size_t first, std::size_t count)
    {
        for (std::size_t i = first; i < first + count; ++i)
            ++m_counts[m_ranks[i]];
    }
    /// What was drawn since the last time.
    [[nodiscard]] std::vector<double> taken()
    {
        std::vector<double> drawn;
        drawn.reserve(size());
        for (std::size_t rank = 0; rank < size(); ++rank)
            for (; m_counts[rank] > 0; --m_counts[rank])
                drawn.push_back(m_sorted[rank]);
        return drawn;
    }

private:
    std::vector<double> m_sorted;
    std::vector<std::uint32_t> m_ranks, m_counts;
};

/// The steps drawn again in blocks, which keep neighbours together.
std::vector<double> redrawnSteps(const Runs& runs, RankedSteps& ranked, std::uint64_t redraw)
{
    std::size_t first = 0;
    for (std::size_t r = 0; r < runs.size(); ++r) {
        const std::size_t steps = runs[r].size();
        for (std::size_t i = 0; i < steps; i += kBlock) {
            const std::size_t places = steps - std::min(kBlock, steps) + 1;
            const auto at =
                std::min(places - 1, static_cast<std::size_t>(uniform(1, stream(kStream, redraw, r), i) * static_cast<double>(places)));
            ranked.draw(first + at, std::min(kBlock, steps - i));
        }
        first += steps;
    }
    return ranked.taken();
}

double sortedQuantile(std::vector<double>& values, double probability)
{
    sortAscending(values);
    return quantileOfSorted(values, probability);
}

/// Central 95 % of the distance and of each statistic's error.
void addIntervals(SeriesComparison& c, const Runs& runs, const std::vector<double>& predicted)
{
    std::vector<double> distances;
    std::array<std::vector<double>, 4> errors;
    RankedSteps ranked(runs);
    for (std::uint64_t k = 0; k < redrawsOf(ranked.size(), kRedraws); ++k) {
        const Redrawn again = metricsOf(redrawnSteps(runs, ranked, k), predicted);
        distances.push_back(again.ks);
        errors[0].push_back((1 + c.p50.error) / again.p50 - 1);
        errors[1].push_back(c.predicted.p95 - again.shape.p95);
        errors[2].push_back(c.predicted.p99 - again.shape.p99);
        errors[3].push_back(c.predicted.beyond - again.shape.beyond);
    }
    c.ksLow = sortedQuantile(distances, 0.025);
    c.ksHigh = sortedQuantile(distances, 0.975);
    MetricError* const metric[] = {&c.p50, &c.p95, &c.p99, &c.beyond};
    for (std::size_t i = 0; i < errors.size(); ++i) {
        metric[i]->low = sortedQuantile(errors[i], 0.025);
        metric[i]->high = sortedQuantile(errors[i], 0.975);
    }
}

/// The split-half variability: blocks dealt to two halves at random, and the distance between the halves in nine of ten deals.
void addHalves(SeriesComparison& c, const Runs& runs)
{
    std::vector<double> distances;
    std::array<std::vector<double>, 4> separate;
    std::array<RankedSteps, 2> dealt{RankedSteps(runs), RankedSteps(runs)};
    for (std::uint64_t k = 0; k < redrawsOf(dealt[0].size(), kRedraws); ++k) {
        std::uint64_t block = 0;
        std::size_t first = 0;
        for (const std::vector<double>& run : runs) {
            for (std::size_t i = 0; i < run.size(); i += kBlock)
                dealt[uniform(2, stream(kStream, k), block++) < 0.5 ? 0 : 1].draw(first + i, std::min(kBlock, run.size() - i));
            first += run.size();
        }
        const std::array<std::vector<double>, 2> half{dealt[0].taken(), dealt[1].taken()};
        if (half[0].empty() || half[1].empty())
            continue;
        distances.push_back(ksDistance(half[0], half[1]));
        const Redrawn a = metricsOf(half[0], half[1]), b = metricsOf(half[1], half[1]);
        separate[0].push_back(std::abs(a.p50 - b.p50));
        separate[1].push_back(std::abs(a.shape.p95 - b.shape.p95));
        separate[2].push_back(std::abs(a.shape.p99 - b.shape.p99));
        separate[3].push_back(std::abs(a.shape.beyond - b.shape.beyond));
    }
    if (distances.empty())
        return;
    c.ksHalves = sortedQuantile(distances, 0.9);
    MetricError* const metric[] = {&c.p50, &c.p95, &c.p99, &c.beyond};
    for (std::size_t i = 0; i < separate.size(); ++i)
        metric[i]->halves = sortedQuantile(separate[i], 0.9);
}

void addNotes(SeriesComparison& c)
{
    if (c.lag1 > c.predictedLag1 + 0.2)
        c.notes.emplace_back(
            "Neighbouring measured steps are more correlated than predicted ones: there are episodes of several steps (a level that "
            "comes and goes, a slow recovery) that the scenario's regimes do not have.");
    if (c.measured.p99 > c.predicted.p99 + std::max(0.02, c.p99.halves))
        c.notes.emplace_back(
            "The slowest measured steps are slower than the model's: stalls of several steps in a row are one draw each in the "
            "model, and what happened in this series alone is not in its rates.");
    if (c.medianSpread > 0.002)
        c.notes.emplace_back("The runs' medians differ by more than 0.2 %: the model has one level for all runs of a job.");
}

} // namespace

Result<StepSeries> seriesOf(const std::vector<CleanRun>& runs, std::size_t logged)
{
    StepSeries series;
    for (const CleanRun& run : runs)
        if (run.seconds.size() >= static_cast<std::size_t>(kMinSteps))
            series.runs.push_back(run.seconds);
    std::size_t kept = 0;
    for (const std::vector<double>& run : series.runs)
        kept += run.size();
    series.dropped = static_cast<int>(logged - std::min(kept, logged));
    if (series.runs.empty())
        return errorAt("", "no run is long enough", std::to_string(logged) + " steps",
                       "at least " + std::to_string(kMinSteps) + " steps in addition to the omitted ones");
    return series;
}

Result<StepSeries> cleanSeries(const StepLog& log, const SeriesRemoval& removal)
{
    std::vector<CleanRun> runs;
    const std::vector<RunShape> shapes = runShapes(log.runs);
    for (std::size_t i = 0; i < shapes.size(); ++i)
        runs.push_back(cleanRun(log.runs[i], shapes[i], removal));
    return seriesOf(runs, log.steps());
}

SeriesComparison compareSeries(const StepSeries& series, const std::vector<double>& withinSeconds)
{
    SeriesComparison c;
    c.runs = static_cast<int>(series.runs.size());
    c.dropped = series.dropped;
    c.predictedLag1 = lag1Correlation(withinSeconds);
    c.predictedMedianSeconds = medianOf(withinSeconds);
    std::vector<double> predicted = overMedian(withinSeconds);
    sortAscending(predicted);
    Runs relative;
    std::vector<double> all, medians;
    for (const std::vector<double>& run : series.runs) {
        medians.push_back(medianOf(run));
        relative.push_back(overMedian(run));
        all.insert(all.end(), relative.back().begin(), relative.back().end());
        c.lag1 += lag1Correlation(run) * static_cast<double>(run.size());
    }
    c.steps = static_cast<int>(all.size());
    c.lag1 /= static_cast<double>(all.size());
    c.measuredMedianSeconds = medianOf(medians);
    if (medians.size() > 1) {
        sortAscending(medians);
        c.medianSpread = metrics(overMedian(medians)).cv;
    }
    sortAscending(all);
    c.measured = metrics(all);
    c.predicted = metrics(predicted);
    c.ks = ksDistance(all, predicted);
    c.p50.error = c.predictedMedianSeconds / c.measuredMedianSeconds - 1;
    c.p95.error = c.predicted.p95 - c.measured.p95;
    c.p99.error = c.predicted.p99 - c.measured.p99;
    c.beyond.error = c.predicted.beyond - c.measured.beyond;
    addIntervals(c, relative, predicted);
    addHalves(c, relative);
    const double correlation = std::clamp(c.lag1, 0.0, 0.99);
    const double independent = std::max(1.0, static_cast<double>(all.size()) * (1 - correlation) / (1 + correlation));
    c.ksSamplingBound = ksCritical(static_cast<std::size_t>(independent), predicted.size(), 0.05);
    addNotes(c);
    return c;
}

} // namespace prism

namespace prism::report {

namespace {

using Json = nlohmann::ordered_json;

Json shapeJson(const SeriesMetrics& f)
{
    return {{"p5", f.p5}, {"p95", f.p95}, {"p99", f.p99}, {"cv", f.cv}, {"share_beyond_1_05", f.beyond}};
}

Json errorJson(const MetricError& e)
{
    return {{"error", e.error}, {"ci95", Json::array({e.low, e.high})}, {"between_halves_p90", e.halves}};
}

} // namespace

Json json(const SeriesComparison& c)
{
    return {{"runs", c.runs},
            {"steps", c.steps},
            {"dropped", c.dropped},
            {"measured_median_s", c.measuredMedianSeconds},
            {"predicted_median_s", c.predictedMedianSeconds},
            {"error", c.p50.error},
            {"p50", errorJson(c.p50)},
            {"p95_over_p50", errorJson(c.p95)},
            {"p99_over_p50", errorJson(c.p99)},
            {"beyond_1_05", errorJson(c.beyond)},
            {"measured_over_median", shapeJson(c.measured)},
            {"predicted_over_median", shapeJson(c.predicted)},
            {"relative_std_of_run_medians", c.medianSpread},
            {"lag1_correlation", c.lag1},
            {"predicted_lag1_correlation", c.predictedLag1},
            {"ks",
             {{"value", c.ks},
              {"ci95", Json::array({c.ksLow, c.ksHigh})},
              {"by_chance", c.ksSamplingBound},
              {"between_halves_p90", c.ksHalves}}},
            {"notes", c.notes}};
}

} // namespace prism::report
