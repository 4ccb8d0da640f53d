// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/change/recordingchange.h"

#include "core/stats/moments.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

namespace prism {

namespace {

constexpr const char* kGapClass = "gaps before operations";

/// Values of one class: by step where these count (isByStep), else launch by launch, a run for each step.
struct ClassValues {
    std::vector<double> counts; ///< by step
    SeriesRuns means, medians;
};

struct RecordedSide {
    const Recording* recording = nullptr;
    SeriesRuns spans{1};
    std::map<std::string, ClassValues> classes;
    std::map<RecordedPool, std::vector<double>> pools; ///< ascending
};

/// The pool of the gaps before the operations of a pool.
RecordedPool gapPool(const RecordedPool& pool)
{
    return {kGapClass, pool.className + ", " + pool.place};
}

RecordedSide sideOf(const Recording& recording)
{
    RecordedSide side{.recording = &recording};
    std::vector<std::array<std::vector<double>*, 2>> pools; // durations and gaps of each pool
    for (const RecordedPool& p : recording.pools)
        pools.push_back({&side.pools[p], &side.pools[gapPool(p)]});
    for (const RecordedStep& step : recording.steps) {
        side.spans.front().push_back(step.span);
        std::map<std::string_view, std::vector<double>> values;
        for (std::size_t i = 0; i < step.pool.size(); ++i)
            if (step.pool[i] >= 0) {
                const auto pool = static_cast<std::size_t>(step.pool[i]);
                const std::array<double, 2> own = {std::max(0.0, step.seconds[i]), std::max(0.0, step.gaps[i])};
                for (std::size_t k = 0; k < own.size(); ++k)
                    pools[pool][k]->push_back(own[k]);
                values[recording.pools[pool].className].push_back(own[0]);
                values[kGapClass].push_back(own[1]);
            }
        for (auto& [name, seconds] : values) {
            ClassValues& c = side.classes[std::string(name)];
            c.counts.resize(recording.steps.size());
            c.counts[side.spans.front().size() - 1] = static_cast<double>(seconds.size());
            if (!recording.isByStep || c.means.empty()) {
                c.means.emplace_back();
                c.medians.emplace_back();
            }
            if (recording.isByStep) {
                c.means.back().push_back(meanOf(seconds));
                c.medians.back().push_back(medianOf(std::move(seconds)));
            } else {
                c.means.back() = c.medians.back() = std::move(seconds);
            }
        }
    }
    for (auto& [name, values] : side.pools)
        std::sort(values.begin(), values.end());
    return side;
}

/// A value of a pool at the same probability of another one; both ascending. The value itself where the other has none.
double atSameProbability(double value, const std::vector<double>& own, const std::vector<double>& other)
{
    if (other.empty())
        return value;
    const auto [first, last] = std::equal_range(own.begin(), own.end(), value);
    const double rank = 0.5 * static_cast<double>((first - own.begin()) + (last - own.begin() - 1)); // of equal values the middle one
    return quantileOfSorted(other, own.size() > 1 ? rank / static_cast<double>(own.size() - 1) : 0.5);
}

/// Mean and p95 of the steps before with one class changed: replaced by its pools after, or every duration times `factor`.
std::array<double, 2> rerun(const RecordedSide& before, const RecordedSide& after, const std::string& name, double factor)
{
    static const std::vector<double> kNone;
    const bool isGap = name == kGapClass;
    std::vector<double> spans, seconds, gaps;
    std::vector<std::array<const std::vector<double>*, 2>> pools; // before and after; null for those of other classes
    for (const RecordedPool& p : before.recording->pools) {
        const RecordedPool own = isGap ? gapPool(p) : p;
        const auto other = after.pools.find(own);
        pools.push_back({own.className == name ? &before.pools.at(own) : nullptr, other == after.pools.end() ? &kNone : &other->second});
    }
    ReplayTimes times;
    for (const RecordedStep& step : before.recording->steps) {
        seconds = step.seconds;
        gaps = step.gaps;
        for (std::size_t i = 0; i < step.pool.size(); ++i) {
            double& value = isGap ? gaps[i] : seconds[i];
            if (step.pool[i] < 0 || value < 0)
                continue; // clock errors stay
            if (const auto& [own, other] = pools[static_cast<std::size_t>(step.pool[i])]; own != nullptr)
                value = factor > 0 ? factor * value : atSameProbability(value, *own, *other);
        }
        step.graph.run(seconds, gaps, times);
        spans.push_back(times.seconds());
    }
    std::sort(spans.begin(), spans.end());
    return {meanOf(spans), quantileOfSorted(spans, 0.95)};
}

double halfWidth(const Bounded& b)
{
    return (b.high - b.low) / 2;
}

ChangedMetric metricWithin(std::string subject, std::string name, std::string unit, double before, double after, double half)
{
    const double change = after - before;
    return {std::move(subject), std::move(name), std::move(unit), before, after, {change, change - half, change + half}};
}

/// Numbers in a step. They have no noise, but some steps may have others than most: beyond them a change is one.
ChangedMetric changedCount(const std::string& name, const std::vector<double>& before, const std::vector<double>& after)
{
    const auto [minBefore, maxBefore] = std::minmax_element(before.begin(), before.end());
    const auto [minAfter, maxAfter] = std::minmax_element(after.begin(), after.end());
    const double b = meanOf(before), a = meanOf(after);
    return {name, "count", "per step", b, a, {a - b, *minAfter - *maxBefore, *maxAfter - *minBefore}};
}

/// Count, total and median of a class; the changed mean duration.
ChangedMetric addClass(ChangeReport& report, const std::string& name, const RecordedSide& before, const RecordedSide& after,
                       std::size_t together)
{
    const auto of = [&](const RecordedSide& side) {
        const auto at = side.classes.find(name);
        return at == side.classes.end() ? ClassValues{.counts = std::vector<double>(side.recording->steps.size())} : at->second;
    };
    const ClassValues b = of(before), a = of(after);
    const ChangedMetric count = changedCount(name, b.counts, a.counts);
    if (name != kGapClass)
        report.metrics.push_back(count);
    if (b.means.empty() || a.means.empty())
        return {};
    const auto metric = [&](const char* statistic, const SeriesRuns& x, const SeriesRuns& y, double p) {
        const auto value = [p](const SeriesRuns&, const std::vector<double>& sorted) {
            return p > 0 ? quantileOfSorted(sorted, p) : meanOf(sorted);
        };
        return changedMetrics(name, {{statistic, "s", kBetweenRuns, value}}, x, y, together).front();
    };
    ChangedMetric mean = metric("mean", b.means, a.means, 0);
    const double within =
        halfWidth(mean.change) * std::max(count.before, count.after) + halfWidth(count.change) * std::max(mean.before, mean.after);
    report.metrics.push_back(metricWithin(name, "total", "s per step", count.before * mean.before, count.after * mean.after, within));
    report.metrics.push_back(metric("median", b.medians, a.medians, 0.5));
    return mean;
}

} // namespace

ChangeReport recordingChanges(const Recording& before, const Recording& after)
{
    const RecordedSide b = sideOf(before), a = sideOf(after);
    ChangeReport report;
    std::set<std::string> names;
    for (const auto& [name, side] : {std::pair("BEFORE", &b), std::pair("AFTER", &a)}) {
        for (const std::string& note : side->recording->notes)
            report.notes.push_back(std::string(name) + ": " + note);
        for (const auto& [className, values] : side->classes)
            names.insert(className);
    }
    const std::vector<SeriesStatistic> statistics = stepStatistics();
    const std::size_t together = 2 * names.size() + statistics.size();
    report.metrics = changedMetrics("step", statistics, b.spans, a.spans, together);
    const std::array<const char*, 2> effects = {"effect on step mean", "effect on step p95"};
    const std::array<double, 2> unchanged = rerun(b, a, "", 1);
    std::array<double, 2> explained{}, squares{};
    std::vector<std::pair<double, ChangeReport>> classes; // with the size of the effect on the mean
    for (const std::string& name : names) {
        auto& [size, ofClass] = classes.emplace_back();
        const ChangedMetric mean = addClass(ofClass, name, b, a, together);
        const double half = halfWidth(mean.change), relative = mean.before > 0 && std::isfinite(half) ? half / mean.before : 0;
        const std::array<double, 2> replaced = rerun(b, a, name, 0), scaled = rerun(b, a, name, 1 + relative);
        for (std::size_t k = 0; k < effects.size(); ++k) {
            const double effect = replaced[k] - unchanged[k];
            // As much as the mean can move the step, and relatively no less than the half-width of the mean itself.
            const double own = effect != 0 && mean.change.value != 0 ? std::abs(effect / mean.change.value) * half : 0;
            const double within = std::isfinite(half) ? std::max(std::abs(scaled[k] - unchanged[k]), own) : half;
            ofClass.metrics.push_back(metricWithin(name, effects[k], "s", unchanged[k], replaced[k], within));
            explained[k] += effect;
            squares[k] += within * within;
            size = k == 0 ? std::abs(effect) : size;
        }
    }
    std::stable_sort(classes.begin(), classes.end(), [](const auto& x, const auto& y) { return x.first > y.first; });
    for (const auto& [size, ofClass] : classes)
        report.metrics.insert(report.metrics.end(), ofClass.metrics.begin(), ofClass.metrics.end());
    for (std::size_t k = 0; k < effects.size(); ++k) {
        const ChangedMetric step = report.metrics[2 * k]; // mean and p95
        report.metrics.push_back(metricWithin("remainder", effects[k], "s", step.before + explained[k], step.after,
                                              std::hypot(halfWidth(step.change), std::sqrt(squares[k]))));
    }
    return report;
}

} // namespace prism
