// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/job/jobviews.h"

#include "core/base/timeunits.h"
#include "core/insight/empirical.h"
#include "core/job/jobtimes.h"

#include <algorithm>
#include <cmath>

namespace prism {
namespace {

struct Named {
    const char* id;
    const char* label;
    bool ofFailures;
};
/// In the order of the report: planned losses, then what failures cost.
constexpr Named kLosses[] = {{"evaluation", "Evaluation", false},
                             {"maintenance", "Planned stops", false},
                             {"slow_episodes", "Slow episodes", false},
                             {"checkpoint", "Checkpoints", true},
                             {"rework", "Work done twice", true},
                             {"detection", "Detection", true},
                             {"restart", "Restart", true},
                             {"waiting_for_node", "Waiting for a node", true},
                             {"fewer_nodes", "Fewer nodes", true}};

int firstDay(const JobReport& r)
{
    return static_cast<int>(std::floor(r.sortedDays.front()));
}

/// Days that a ratio of productive to wall time loses with this many productive days.
double lost(double productiveDays, double ratio)
{
    return ratio > 0 ? productiveDays * (1 / ratio - 1) : 0;
}

/// Where the curve rises to `most` on the way from one of its points to the next; along the logarithm of the interval.
double crossing(const IntervalDays& inside, const IntervalDays& outside, double largest)
{
    const double rise = outside.lostDays - inside.lostDays;
    const double along = rise > 0 ? std::clamp((largest - inside.lostDays) / rise, 0.0, 1.0) : 0.0;
    return inside.intervalSeconds * std::pow(outside.intervalSeconds / inside.intervalSeconds, along);
}

void setClose(IntervalCost& cost)
{
    const double largest = cost.best.lostDays + kCloseDays;
    cost.closeLow = cost.closeHigh = cost.best.intervalSeconds;
    IntervalDays last = cost.best;
    for (auto p = cost.curve.rbegin(); p != cost.curve.rend(); ++p) {
        if (p->intervalSeconds >= cost.best.intervalSeconds)
            continue;
        cost.closeLow = p->lostDays <= largest ? p->intervalSeconds : crossing(last, *p, largest);
        if (p->lostDays > largest)
            break;
        last = *p;
    }
    last = cost.best;
    for (const IntervalDays& p : cost.curve) {
        if (p.intervalSeconds <= cost.best.intervalSeconds)
            continue;
        cost.closeHigh = p.lostDays <= largest ? p.intervalSeconds : crossing(last, p, largest);
        if (p.lostDays > largest)
            break;
        last = p;
    }
}

} // namespace

int daysPerBar(const JobReport& report, int maxBars)
{
    if (report.sortedDays.empty())
        return 1;
    const int span = static_cast<int>(std::floor(report.sortedDays.back())) - firstDay(report) + 1;
    return std::max(1, (span + maxBars - 1) / std::max(maxBars, 2));
}

std::vector<DayShare> dayShares(const JobReport& report, int maxBars, int minBars)
{
    std::vector<DayShare> bars;
    if (report.sortedDays.empty())
        return bars;
    const int first = firstDay(report), width = daysPerBar(report, maxBars);
    const auto n = static_cast<double>(report.sortedDays.size());
    for (const double days : report.sortedDays) {
        const auto bin = static_cast<std::size_t>((static_cast<int>(std::floor(days)) - first) / width);
        while (bars.size() <= bin) {
            const int day = first + static_cast<int>(bars.size()) * width;
            bars.push_back({day, 0, dateAfter(report.config.startDate, day), false});
        }
        bars[bin].share += 1 / n;
    }
    const auto empty = [&](int day) { return DayShare{day, 0, dateAfter(report.config.startDate, day), false}; };
    while (static_cast<int>(bars.size()) < minBars) {
        bars.push_back(empty(bars.back().day + width));
        if (static_cast<int>(bars.size()) < minBars && bars.front().day >= width)
            bars.insert(bars.begin(), empty(bars.front().day - width));
    }
    for (DayShare& bar : bars)
        bar.holdsMedian = report.p50Days.value >= bar.day && report.p50Days.value < bar.day + width;
    return bars;
}

Estimate doneWithin(const JobReport& report, double days)
{
    if (report.sortedDays.empty())
        return {};
    const Estimate late = exceedance(report.sortedDays, days);
    return {1 - late.value, late.halfWidth};
}

std::vector<JobLoss> jobLosses(const JobReport& report, double noiseFreeStepSeconds)
{
    std::vector<JobLoss> losses;
    const auto share = [&](const std::string& cause) -> const TimeShare* {
        for (const TimeShare& s : report.shares)
            if (s.cause == cause)
                return &s;
        return nullptr;
    };
    const double mean = report.meanDays;
    if (!(mean > 0))
        return losses;
    const TimeShare* productive = share("productive");
    const double steps = productive ? productive->days : 0;
    const double quiet = std::min(steps, report.plan.steps * noiseFreeStepSeconds / kSecondsPerDay);
    losses.push_back({"noise_free", "Noise-free steps", quiet, 0, quiet / mean, false});
    losses.push_back(
        {"step_noise", "Step noise", steps - quiet, productive ? productive->share.halfWidth * mean : 0, (steps - quiet) / mean, false});
    for (const Named& named : kLosses)
        if (const TimeShare* s = share(named.id))
            losses.push_back({named.id, named.label, s->days, s->share.halfWidth * mean, s->days / mean, named.ofFailures});
    return losses;
}

IntervalCost intervalCost(const JobReport& report)
{
    IntervalCost cost;
    const CheckpointAdvice& a = report.checkpoints;
    if (a.curve.empty())
        return cost;
    double productive = 0;
    for (const TimeShare& s : report.shares)
        if (s.cause == "productive")
            productive = s.days;
    // A restart costs the same at any interval: the curve is over what an interval changes.
    const double restarts = (report.config.detectionS + report.config.restartS) / (report.plan.mtbfHours * kSecondsPerHour);
    const auto daysAt = [&](double seconds, double ratio) {
        return IntervalDays{seconds, std::max(0.0, lost(productive, ratio) - productive * restarts)};
    };
    for (const IntervalPoint& p : a.curve)
        if (p.effectiveRatio > 0)
            cost.curve.push_back(daysAt(p.intervalSeconds, p.effectiveRatio));
    cost.used = daysAt(a.usedSeconds, a.usedRatio);
    cost.best = daysAt(a.bestSeconds, a.bestRatio);
    setClose(cost);
    return cost;
}

} // namespace prism
