// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/job/jobtimes.h"

#include "core/base/timeunits.h"

#include <boost/math/distributions/poisson.hpp>

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

namespace prism {
namespace {

/// Range of the curve of intervals around the best one, and its points per doubling.
constexpr double kCurveOctaves = 3;
constexpr int kPointsPerOctave = 4;

double mtbfSeconds(const JobPlan& plan)
{
    return plan.mtbfHours * kSecondsPerHour;
}

double ratioAt(const JobConfig& config, double mtbf, double interval)
{
    const double restart = config.detectionS + config.restartS;
    if (!std::isfinite(mtbf))
        return 1 / (1 + config.checkpointBlockS / interval);
    if (config.checkpointPersistS > 0)
        return std::max(0.0, 1 - asyncLoss(interval, config.checkpointBlockS, config.checkpointPersistS, restart, mtbf));
    return exactEttr({mtbf, config.checkpointBlockS, restart}, interval);
}

/// The best interval; never shorter than a step, since checkpoints are between steps.
double bestInterval(const JobConfig& config, const JobPlan& plan)
{
    const double mtbf = mtbfSeconds(plan);
    const double best = config.checkpointPersistS > 0 && std::isfinite(mtbf)
                            ? asyncInterval(config.checkpointBlockS, config.checkpointPersistS, mtbf)
                            : exactInterval(config.checkpointBlockS, mtbf);
    return std::max(best, plan.stepSeconds);
}

void refuse(Diagnostics& errors, bool invalid, const char* path, const std::string& found, const char* accepted)
{
    if (invalid)
        errors.push_back({Severity::error, path, "The value is out of range.", found, accepted, "", ""});
}

} // namespace

std::string dateAfter(const std::string& start, double days)
{
    int year = 0, month = 0, day = 0;
    char rest = 0;
    if (start.size() != 10 || std::sscanf(start.c_str(), "%4d-%2d-%2d%c", &year, &month, &day, &rest) != 3 || !(days >= 0) || !(days < 1e6))
        return "";
    const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                           std::chrono::day(static_cast<unsigned>(day))};
    if (!date.ok())
        return "";
    const std::chrono::year_month_day end(std::chrono::sys_days(date) + std::chrono::days(static_cast<int>(std::floor(days))));
    return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(end.year()), static_cast<unsigned>(end.month()),
                       static_cast<unsigned>(end.day()));
}

double failuresPer1000NodeDays(const JobConfig& config, bool nodesOnly)
{
    double sum = 0;
    for (const FailureCause& f : config.failures)
        sum += f.replacesNode || !nodesOnly ? f.per1000NodeDays : 0;
    return sum * config.failureScale;
}

Diagnostics checkJob(const JobConfig& c, const JobQuery& query)
{
    Diagnostics errors;
    const auto number = [](double x) { return fmt::format("{:g}", x); };
    refuse(errors, query.runs < 100 || query.runs > 100'000, "runs", std::to_string(query.runs), "100 to 100,000");
    refuse(errors, !(query.tokens >= 0) || !std::isfinite(query.tokens), "tokens", number(query.tokens), ">= 0");
    refuse(errors, !(query.deadlineDays >= 0) || !std::isfinite(query.deadlineDays), "deadline_days", number(query.deadlineDays),
           ">= 0 days");
    for (const FailureCause& f : c.failures)
        refuse(errors, !(f.per1000NodeDays >= 0) || !(f.per1000NodeDays <= 1e6), "job.failures.per_1000_node_days",
               f.name + ": " + number(f.per1000NodeDays), "0 to 1,000,000");
    refuse(errors, c.checkpointIntervalS > 0 && c.checkpointIntervalS < c.checkpointPersistS, "job.checkpoint_interval_s",
           number(c.checkpointIntervalS), "at least checkpoint_persist_s: one checkpoint must be safe before the next begins");
    refuse(errors, c.pue >= 0 && c.pue < 1, "job.pue", number(c.pue), "at least 1, or -1: it follows the job");
    refuse(errors, !(c.slowFactor >= 1), "job.slow_factor", number(c.slowFactor), ">= 1");
    refuse(errors, c.withoutSpare != "wait" && c.withoutSpare != "shrink", "job.without_spare", c.withoutSpare, "wait or shrink");
    refuse(errors, !c.startDate.empty() && dateAfter(c.startDate, 0).empty(), "job.start_date", c.startDate, "a date such as 2026-01-31");
    return errors;
}

TimelineInputs timelineInputs(const JobConfig& c, const JobPlan& plan, double nodesPerReplica)
{
    const auto perSecond = [&](double per1000NodeDays) { return per1000NodeDays / 1000 * plan.nodes / kSecondsPerDay; };
    TimelineInputs in;
    in.nodes = plan.nodes;
    in.nodesPerReplica = nodesPerReplica;
    const double all = failuresPer1000NodeDays(c, false), taking = failuresPer1000NodeDays(c, true);
    in.softFailureRate = perSecond(all - taking);
    in.nodeFailureRate = perSecond(taking);
    in.detection = c.detectionS;
    in.restart = c.restartS;
    in.repair = c.repairHours * kSecondsPerHour;
    in.spareNodes = c.spareNodes;
    in.shrinks = c.withoutSpare == "shrink";
    in.interval = checkpointAdvice(c, plan).usedSeconds;
    in.block = c.checkpointBlockS;
    in.persist = c.checkpointPersistS;
    in.slowRate = perSecond(c.slowPer1000NodeDays);
    in.slowFactor = c.slowFactor;
    in.slowLength = c.slowHours * kSecondsPerHour;
    in.slowMitigation = c.slowMitigationS;
    in.maintenanceEvery = c.maintenanceEveryDays * kSecondsPerDay;
    in.maintenanceLength = c.maintenanceHours * kSecondsPerHour;
    in.longestSeconds = 100 * std::max(1.0, plan.undisturbedDays) * kSecondsPerDay;
    return in;
}

CheckpointAdvice checkpointAdvice(const JobConfig& config, const JobPlan& plan)
{
    CheckpointAdvice a;
    const double mtbf = mtbfSeconds(plan);
    a.asynchronous = config.checkpointPersistS > 0;
    a.bestSeconds = bestInterval(config, plan);
    a.usedSeconds = config.checkpointIntervalS > 0 ? config.checkpointIntervalS : a.bestSeconds;
    a.youngSeconds = youngInterval(config.checkpointBlockS, mtbf);
    a.dalySeconds = dalyInterval(config.checkpointBlockS, mtbf);
    a.usedRatio = ratioAt(config, mtbf, a.usedSeconds);
    a.bestRatio = ratioAt(config, mtbf, a.bestSeconds);
    if (!std::isfinite(a.bestSeconds))
        return a;
    for (double octave = -kCurveOctaves; octave <= kCurveOctaves; octave += 1.0 / kPointsPerOctave) {
        const double interval = a.bestSeconds * std::exp2(octave);
        if (interval >= config.checkpointPersistS)
            a.curve.push_back({interval, ratioAt(config, mtbf, interval)});
    }
    return a;
}

ClosedForm closedForm(const JobConfig& c, const JobPlan& plan, double intervalSeconds)
{
    ClosedForm f;
    if (c.checkpointPersistS > 0)
        f.whyNot = "checkpoints are asynchronous";
    else if (c.slowPer1000NodeDays > 0)
        f.whyNot = "there are slow episodes";
    else if (c.maintenanceEveryDays > 0)
        f.whyNot = "there are planned stops";
    else if (failuresPer1000NodeDays(c, true) > 0
             && probabilityNoSpare(failuresPer1000NodeDays(c, true) / 1000 * plan.nodes * c.repairHours / 24, c.spareNodes) > 0.001)
        f.whyNot = "spares may run out";
    f.applies = f.whyNot.empty();
    const double work = plan.undisturbedDays * kSecondsPerDay + plan.evaluationSeconds;
    const double segments = std::isfinite(intervalSeconds) ? work / intervalSeconds : 1;
    const RunTime t = expectedRunTime({mtbfSeconds(plan), c.checkpointBlockS, c.detectionS + c.restartS}, work / segments, segments);
    f.days = {t.mean / kSecondsPerDay, t.std / kSecondsPerDay};
    return f;
}

double probabilityNoSpare(double nodesInRepair, int spares)
{
    if (!(nodesInRepair > 0))
        return 0;
    return spares <= 0 ? 1 : boost::math::cdf(boost::math::complement(boost::math::poisson(nodesInRepair), spares - 1));
}

int sparesFor99(double nodesInRepair)
{
    int spares = 0;
    while (probabilityNoSpare(nodesInRepair, spares) > 0.01)
        spares += std::max(1, static_cast<int>(nodesInRepair) / 100);
    return spares;
}

} // namespace prism
