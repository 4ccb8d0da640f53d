// SPDX-License-Identifier: GPL-3.0-or-later
// Report on a measured job's operations: its steps, schedule and barriers, the factors of workers and steps, pools of durations.
#include "app/cli/trace/tracecommand.h"
#include "core/insight/report.h"
#include "core/stats/moments.h"
#include "core/base/valuetext.h"
#include "core/trace/barriers.h"
#include "core/trace/jobpools.h"
#include "core/trace/repairs.h"
#include "core/trace/schedulename.h"
#include "core/trace/startup.h"

#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>

namespace prism::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kPoolsInReport = 40, kPoolsInText = 12;

/// The common structure of the steps of a job, where any agree.
struct JobPools {
    ComputeFactors factors;
    std::vector<DurationPool> pools;
    std::vector<SlowWorker> slow;
    std::string unseen;
    Diagnostics notes;
};

JobPools poolsOf(const TraceJob& job, const FoundBarriers& barriers)
{
    const auto regular = regularJob(job, barriers.sets);
    JobPools found;
    if (!regular) {
        found.notes = regular.errors();
        return found;
    }
    found.factors = computeFactors(*regular);
    found.pools = durationPools(*regular, found.factors);
    found.slow = slowWorkers(*regular, found.factors);
    found.unseen = unseenText(job.workers(), static_cast<int>(found.slow.size()), std::max(job.replicasOfJob, job.replicas) * job.stages);
    found.notes = regular->notes;
    return found;
}

Json factorsJson(const TraceJob& job, const JobPools& found)
{
    Json workers = Json::array();
    for (std::size_t w = 0; w < found.factors.worker.size(); ++w)
        workers.push_back({{"dp_rank", job.replicaNumbers[w / static_cast<std::size_t>(job.stages)]},
                           {"stage", w % static_cast<std::size_t>(job.stages)},
                           {"factor", found.factors.worker[w]}});
    return {{"workers", workers},
            {"worker_noise_share", found.factors.workerNoiseShare},
            {"slow_workers", slowWorkersJson(job, found.slow)},
            {"steps", found.factors.step},
            {"step_noise_share", found.factors.stepNoiseShare},
            {"micro_batch_correlation", found.factors.microBatchCorrelation}};
}

std::string jobReportJson(const TraceJob& job)
{
    const FoundBarriers barriers = hiddenBarriers(job);
    const JobPools found = poolsOf(job, barriers);
    const RecoveredSchedule schedule = recoveredSchedule(job.steps.back(), job);
    std::uint64_t operations = 0, unmatched = 0, groups = 0;
    for (const TraceStep& step : job.steps) {
        const StepLinks links = stepLinks(step, job);
        operations += step.operations.size();
        unmatched += static_cast<std::uint64_t>(links.unmatched);
        groups += links.groups.size();
    }
    Json steps = Json::array();
    for (const TraceStep& step : job.steps)
        steps.push_back({{"step", step.number}, {"seconds", step.seconds()}});
    return report::dump({{"name", job.name},
                         {"replicas", job.replicas},
                         {"replicas_of_job", job.replicasOfJob},
                         {"stages", job.stages},
                         {"chunks", job.chunks},
                         {"operations", operations},
                         {"groups", groups},
                         {"unmatched_transfers", unmatched},
                         {"schedule", {{"name", schedule.name}, {"warmup_forwards", schedule.warmup}, {"order", schedule.order}}},
                         {"hidden_barriers", barriers.texts},
                         {"startup_steps", startupSteps(job.stepSeconds())},
                         {"steps", steps},
                         {"factors", factorsJson(job, found)},
                         {"pools_found", found.pools.size()},
                         {"pools", poolsJson(found.pools)},
                         {"unseen", found.unseen},
                         {"notes", notesJson(job, found.notes)}});
}

std::string poolLine(const DurationPool& p)
{
    const double mean = meanOf(p.seconds);
    return fmt::format("  {:<44} {:>7} values, mean {} s, cv {:.3f}, {}{}\n", p.signature.substr(0, 44), p.seconds.size(),
                       amountText(mean, 4), mean > 0 ? std::sqrt(varianceOf(p.seconds)) / mean : 0.0, p.standIn(),
                       p.warning.empty() ? "" : ": " + p.warning);
}

std::string jobReportText(const TraceJob& job)
{
    const RecoveredSchedule schedule = recoveredSchedule(job.steps.back(), job);
    std::string text = fmt::format("{} steps of {} replicas x {} stages, {} start-up steps among the first\nSchedule: {}\n",
                                   job.steps.size(), job.replicas, job.stages, startupSteps(job.stepSeconds()), schedule.name);
    for (std::size_t s = 0; s < schedule.order.size(); ++s)
        text += fmt::format("  stage {:<3} {}\n", s, schedule.order[s].substr(0, 120));
    const FoundBarriers barriers = hiddenBarriers(job);
    for (const std::string& barrier : barriers.texts)
        text += "Hidden barrier: " + barrier + "\n";
    const JobPools found = poolsOf(job, barriers);
    text += slowWorkersText(job, found.slow);
    text += fmt::format("{} pools of durations (trace export --as pools), the longest in total:\n", found.pools.size());
    for (std::size_t k = 0; k < std::min(kPoolsInText, found.pools.size()); ++k)
        text += poolLine(found.pools[k]);
    if (!found.unseen.empty())
        text += found.unseen + "\n";
    return text + diagnosticsText(job.notes) + diagnosticsText(found.notes);
}

} // namespace

Json slowWorkersJson(const TraceJob& job, const std::vector<SlowWorker>& slow)
{
    Json list = Json::array();
    for (const SlowWorker& w : slow)
        list.push_back(
            {{"dp_rank", job.replicaNumbers[static_cast<std::size_t>(w.replica)]}, {"stage", w.stage}, {"over_median", w.factor}});
    return list;
}

std::string slowWorkersText(const TraceJob& job, const std::vector<SlowWorker>& slow)
{
    std::string text;
    for (const SlowWorker& w : slow)
        text += fmt::format("Slow worker: replica {}, stage {} takes {:.3f} times as long as the median of its stage\n",
                            job.replicaNumbers[static_cast<std::size_t>(w.replica)], w.stage, w.factor);
    return text;
}

Json poolsJson(const std::vector<DurationPool>& pools)
{
    Json list = Json::array();
    for (const DurationPool& p : pools) {
        if (list.size() == kPoolsInReport)
            break;
        Json pool = {{"signature", p.signature}, {"n", p.seconds.size()}, {"stand_in", p.standIn()}, {"warning", p.warning}};
        if (p.fit)
            pool["fit"] = {{"family", familyName(p.fit->distribution.family)},
                           {"mean_s", p.fit->mean},
                           {"cv", p.fit->distribution.cv},
                           {"ks", p.fit->ksDistance},
                           {"ks_p", p.fit->ksPValue}};
        list.push_back(std::move(pool));
    }
    return list;
}

std::vector<DurationPool> jobPools(const TraceJob& job)
{
    return poolsOf(job, hiddenBarriers(job)).pools;
}

std::string jobReport(const TraceJob& job, bool json)
{
    return json ? jobReportJson(job) : jobReportText(job);
}

} // namespace prism::cli
