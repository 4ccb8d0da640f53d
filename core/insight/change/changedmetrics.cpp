// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/change/changedmetrics.h"

#include "core/insight/report.h"
#include "core/stats/confidence.h"
#include "core/stats/moments.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace prism {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLongestBlock = 20, kBlocksOfRun = 10, kShortestBlock = 2; // two: the smallest that has neighbours
constexpr std::uint64_t kSideRedraws = 200, kSideDraw = 0xc4a6;

/// Values of the statistics on one side, with their variances.
struct Side {
    std::vector<double> values, variances;
    std::size_t blocks = 0, size = 0;
};

std::vector<double> valuesOf(const std::vector<SeriesStatistic>& statistics, const SeriesRuns& runs)
{
    std::vector<double> sorted, values;
    for (const std::vector<double>& run : runs)
        sorted.insert(sorted.end(), run.begin(), run.end());
    sortAscending(sorted);
    for (const SeriesStatistic& s : statistics)
        values.push_back(s.of(runs, sorted));
    return values;
}

Side sideOf(const std::vector<SeriesStatistic>& statistics, const SeriesRuns& runs)
{
    Side side{.values = valuesOf(statistics, runs)};
    for (const std::vector<double>& run : runs)
        side.size += run.size();
    const std::size_t block = std::clamp(side.size / (std::max<std::size_t>(1, runs.size()) * kBlocksOfRun), kShortestBlock, kLongestBlock);
    for (const std::vector<double>& run : runs)
        side.blocks += (run.size() + block - 1) / block;
    std::vector<std::vector<double>> redrawn(statistics.size()), byRun(statistics.size());
    const auto add = [](std::vector<std::vector<double>>& lists, const std::vector<double>& values) {
        for (std::size_t i = 0; i < values.size(); ++i)
            lists[i].push_back(values[i]);
    };
    for (std::uint64_t k = 0; k < redrawsOf(side.size, kSideRedraws); ++k)
        add(redrawn, valuesOf(statistics, redrawnBlocks(runs, block, stream(kSideDraw, k))));
    for (const std::vector<double>& run : runs)
        add(byRun, valuesOf(statistics, {run}));
    for (std::size_t i = 0; i < statistics.size(); ++i) {
        const double smallest = statistics[i].betweenRuns * side.values[i];
        side.variances.push_back(varianceOf(redrawn[i])
                                 + std::max(smallest * smallest, varianceOf(byRun[i]) / static_cast<double>(byRun[i].size())));
    }
    return side;
}

/// Of the value before; not finite where there is none.
double relativeOf(const ChangedMetric& f)
{
    return f.change.value / f.before;
}

} // namespace

std::vector<ChangedMetric> changedMetrics(const std::string& subject, const std::vector<SeriesStatistic>& statistics,
                                          const SeriesRuns& before, const SeriesRuns& after, std::size_t together)
{
    const Side b = sideOf(statistics, before), a = sideOf(statistics, after);
    const bool isKnown = std::min(b.size, a.size) >= kMinValues;
    const double reach = isKnown ? jointReach(static_cast<double>(std::max<std::size_t>(3, a.blocks + b.blocks) - 2), together)
                                 : std::numeric_limits<double>::infinity();
    std::vector<ChangedMetric> metrics;
    for (std::size_t i = 0; i < statistics.size(); ++i) {
        const double change = a.values[i] - b.values[i];
        const double half = isKnown ? reach * std::sqrt(a.variances[i] + b.variances[i]) : reach;
        metrics.push_back(
            {subject, statistics[i].name, statistics[i].unit, b.values[i], a.values[i], {change, change - half, change + half}});
    }
    return metrics;
}

std::vector<SeriesStatistic> stepStatistics()
{
    const auto quantile = [](double p) {
        return [p](const SeriesRuns&, const std::vector<double>& sorted) { return quantileOfSorted(sorted, p); };
    };
    return {{"mean", "s", kBetweenRuns, [](const SeriesRuns&, const std::vector<double>& sorted) { return meanOf(sorted); }},
            {"p50", "s", kBetweenRuns, quantile(0.5)},
            {"p95", "s", kBetweenRuns, quantile(0.95)},
            {"p99", "s", kBetweenRuns, quantile(0.99)}};
}

std::string toJson(const ChangeReport& report)
{
    Json metrics = Json::array(), changed = Json::array();
    for (const ChangedMetric& f : report.metrics) {
        metrics.push_back({{"subject", f.subject},
                           {"figure", f.name},
                           {"unit", f.unit},
                           {"before", f.before},
                           {"after", f.after},
                           {"change", {{"value", f.change.value}, {"ci95", Json::array({f.change.low, f.change.high})}}},
                           {"relative", relativeOf(f)}, // null in JSON where it is not finite, as are unknown ends
                           {"beyond_noise", f.isBeyondNoise()}});
        if (f.isBeyondNoise())
            changed.push_back(f.subject + ": " + f.name);
    }
    return report::dump({{"figures", metrics}, {"changed", changed}, {"notes", report.notes}});
}

std::string toCsv(const ChangeReport& report, TableText texts)
{
    using report::field;
    std::string text = "subject,figure,unit,before,after,change,change_low,change_high,relative,beyond_noise\n";
    const auto number = [](double x) { return std::isfinite(x) ? report::number(x) : std::string(); };
    for (const ChangedMetric& f : report.metrics)
        text += report::row({field(f.subject, texts), field(f.name, texts), field(f.unit, texts), number(f.before), number(f.after),
                             number(f.change.value), number(f.change.low), number(f.change.high), number(relativeOf(f)),
                             f.isBeyondNoise() ? "true" : "false"});
    return text;
}

} // namespace prism
