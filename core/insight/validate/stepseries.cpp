#include "core/insight/validate/stepseries.h"
#include "core/measured/measuredlimits.h"

#include "core/base/table.h"
#include "core/stats/moments.h"
#include "core/stats/distance.h"
#include "core/stats/random.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

namespace prism {
namespace {

constexpr std::size_t kMaxErrors = 50, kLeastSteps = 20, kBlock = 20;
constexpr int kRedraws = 400;
constexpr std::uint64_t kStream = 0x5e41e5; // names the redraws of this file

Diagnostic wrong(std::string where, std::string message, std::string_view found, std::string accepted)
{
    return {Severity::error, std::move(where), std::move(message), std::string(found.substr(0, 80)), std::move(accepted), "", ""};
}

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return quantileOfSorted(values, 0.5);
}

/// Moments and quantiles of ascending values whose median is 1.
SeriesFigures figures(const std::vector<double>& sorted)
{
    SeriesFigures f;
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
    const double middle = median(values);
    for (double& x : values)
        x /= middle;
    return values;
}

/// Central 95 % of the distance when the measured steps are drawn again in blocks, which keep neighbours together.
void redraw(SeriesComparison& c, const std::vector<std::vector<double>>& runs, const std::vector<double>& predicted)
{
    std::vector<double> distances;
    for (std::uint64_t k = 0; k < kRedraws; ++k) {
        std::vector<double> drawn;
        for (std::size_t r = 0; r < runs.size(); ++r) {
            const std::vector<double>& run = runs[r];
            for (std::size_t i = 0; i < run.size(); i += kBlock) {
                const std::size_t places = run.size() - kBlock + 1;
                const auto at =
                    std::min(places - 1, static_cast<std::size_t>(uniform(1, stream(kStream, k, r), i) * static_cast<double>(places)));
                drawn.insert(drawn.end(), run.begin() + static_cast<std::ptrdiff_t>(at),
                             run.begin() + static_cast<std::ptrdiff_t>(at + std::min(kBlock, run.size() - i)));
            }
        }
        std::sort(drawn.begin(), drawn.end());
        distances.push_back(ksDistance(drawn, predicted));
    }
    std::sort(distances.begin(), distances.end());
    c.ksLow = quantileOfSorted(distances, 0.025);
    c.ksHigh = quantileOfSorted(distances, 0.975);
}

} // namespace

Result<StepSeries> readStepSeries(std::string_view csv, const StepSeriesQuery& query)
{
    Diagnostics errors;
    TableRows table(csv, {.limits = {.maxRows = kMaxSeriesRows}});
    if (!table.next() || table.problem())
        return table.problem() ? *table.problem() : wrong("line 1", "the table is empty", "", "a header and a line per step");
    const std::vector<std::string> header = table.cells();
    const auto columnOf = [&](const std::string& name) {
        return static_cast<std::size_t>(std::find(header.begin(), header.end(), name) - header.begin());
    };
    const std::size_t timeAt = columnOf(query.timeColumn), runAt = columnOf(query.runColumn);
    if (timeAt == header.size())
        return wrong("line 1", "the header has no column of step times", query.timeColumn,
                     "a column in seconds, or in milliseconds with a name that ends in _ms");
    const double unit = query.timeColumn.ends_with("_ms") ? 1e-3 : 1.0;
    std::map<std::string, std::size_t> runOf;
    StepSeries series;
    while (table.next() && errors.size() < kMaxErrors) {
        if (table.problem()) {
            errors.push_back(*table.problem());
            continue;
        }
        const std::vector<std::string>& fields = table.cells();
        double seconds = 0;
        const std::string_view time = timeAt < fields.size() ? std::string_view(fields[timeAt]) : std::string_view();
        const auto [stop, code] = std::from_chars(time.data(), time.data() + time.size(), seconds);
        if (code != std::errc() || stop != time.data() + time.size() || !std::isfinite(seconds) || seconds <= 0) {
            errors.push_back(
                wrong("line " + std::to_string(table.line()), "this is not a step time", time, "a positive number in " + query.timeColumn));
            continue;
        }
        const auto [it, isNew] = runOf.try_emplace(runAt < fields.size() ? fields[runAt] : std::string(), series.runs.size());
        if (isNew)
            series.runs.emplace_back();
        series.runs[it->second].push_back(unit * seconds);
    }
    if (!errors.empty())
        return errors;
    const auto skip = static_cast<std::size_t>(std::clamp(query.skip, 0, 1000));
    for (std::vector<double>& run : series.runs) {
        const std::size_t first = std::min(skip, run.size());
        run.erase(run.begin(), run.begin() + static_cast<std::ptrdiff_t>(first));
        series.dropped += static_cast<int>(first);
    }
    std::erase_if(series.runs, [&](const std::vector<double>& run) {
        const bool isShort = run.size() < kLeastSteps;
        series.dropped += isShort ? static_cast<int>(run.size()) : 0;
        return isShort;
    });
    if (series.runs.empty())
        return wrong("", "no run is long enough", "",
                     "at least " + std::to_string(kLeastSteps) + " steps after the first " + std::to_string(skip));
    return series;
}

SeriesComparison compareSeries(const StepSeries& series, const std::vector<double>& sortedWithinSeconds)
{
    SeriesComparison c;
    c.runs = static_cast<int>(series.runs.size());
    c.dropped = series.dropped;
    c.predictedMedianSeconds = quantileOfSorted(sortedWithinSeconds, 0.5);
    const std::vector<double> predicted = overMedian(sortedWithinSeconds);
    std::vector<std::vector<double>> relative;
    std::vector<double> all, medians;
    for (const std::vector<double>& run : series.runs) {
        medians.push_back(median(run));
        relative.push_back(overMedian(run));
        all.insert(all.end(), relative.back().begin(), relative.back().end());
        c.lag1 += lag1Correlation(run) * static_cast<double>(run.size());
    }
    c.steps = static_cast<int>(all.size());
    c.lag1 /= static_cast<double>(all.size());
    c.measuredMedianSeconds = median(medians);
    if (medians.size() > 1) {
        std::sort(medians.begin(), medians.end());
        c.medianSpread = figures(overMedian(medians)).cv;
    }
    std::sort(all.begin(), all.end());
    c.measured = figures(all);
    c.predicted = figures(predicted);
    c.ks = ksDistance(all, predicted);
    redraw(c, relative, predicted);
    const double correlation = std::clamp(c.lag1, 0.0, 0.99);
    const double independent = std::max(1.0, static_cast<double>(all.size()) * (1 - correlation) / (1 + correlation));
    c.ksByChance = ksCritical(static_cast<std::size_t>(independent), predicted.size(), 0.05);
    return c;
}

} // namespace prism
