// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/change/recording.h"

#include "core/trace/barriers.h"
#include "core/trace/collectivecalls.h"
#include "core/trace/rankwindows.h"
#include "core/trace/regularjob.h"
#include "core/trace/startup.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <map>
#include <queue>

namespace prism {

namespace {

constexpr double kMicrosecond = 1e-6;

/// Numbers pools in the order in which they come.
class PoolNumbers final {
public:
    explicit PoolNumbers(std::vector<RecordedPool>& pools) : m_pools(pools) {}
    int of(RecordedPool pool)
    {
        const auto [at, isNew] = m_numbers.try_emplace(pool, static_cast<int>(m_pools.size()));
        if (isNew)
            m_pools.push_back(std::move(pool));
        return at->second;
    }

private:
    std::vector<RecordedPool>& m_pools;
    std::map<RecordedPool, int> m_numbers;
};

/// A step of kernels in the order of their starts.
RecordedStep stepOf(const std::vector<const KinetoKernel*>& kernels)
{
    RecordedStep step;
    ReplayGraph::Builder builder;
    builder.addNodes(static_cast<int>(kernels.size()));
    using Ending = std::pair<double, int>;
    std::priority_queue<Ending, std::vector<Ending>, std::greater<>> running;
    std::map<std::pair<int, int>, int> lastOfStream;
    int ended = -1;
    const double begin = kernels.front()->start;
    double end = begin;
    for (int i = 0; i < static_cast<int>(kernels.size()); ++i) {
        const KinetoKernel& k = *kernels[static_cast<std::size_t>(i)];
        for (; !running.empty() && running.top().first <= k.start; running.pop())
            ended = running.top().second;
        double ready = begin;
        const auto waitFor = [&](int other) {
            builder.addDependency(i, other);
            ready = std::max(ready, kernels[static_cast<std::size_t>(other)]->end());
        };
        const auto [last, isFirst] = lastOfStream.try_emplace({k.device, k.stream}, i);
        if (!isFirst)
            waitFor(std::exchange(last->second, i));
        if (ended >= 0)
            waitFor(ended);
        step.seconds.push_back(kMicrosecond * k.duration);
        step.gaps.push_back(kMicrosecond * (k.start - ready));
        end = std::max(end, k.end());
        running.emplace(k.end(), i);
    }
    step.span = kMicrosecond * (end - begin);
    step.graph = *builder.graph(); // kernels wait for earlier ones alone
    return step;
}

} // namespace

Result<Recording> jobRecording(TraceJob job)
{
    job.steps.erase(job.steps.begin(), job.steps.begin() + static_cast<std::ptrdiff_t>(startupSteps(job.stepSeconds())));
    const auto regular = regularJob(job, hiddenBarriers(job).sets);
    if (!regular)
        return regular.errors();
    Recording recording{.isByStep = true};
    recording.notes.push_back(fmt::format("{} steps of {} replicas x {} stages", regular->steps.size(), job.replicas, job.stages));
    for (const Diagnostics* notes : std::initializer_list<const Diagnostics*>{&job.notes, &regular->notes})
        for (const Diagnostic& d : *notes)
            recording.notes.push_back(d.message);
    PoolNumbers numbers(recording.pools);
    std::vector<int> poolOfSlot;
    for (const OperationSlot& slot : regular->slots)
        poolOfSlot.push_back(numbers.of({std::string(traceOpName(slot.type)), fmt::format("stage {}, chunk {}", slot.stage, slot.chunk)}));
    for (const RegularStep& s : regular->steps) {
        const StepLinks links = stepLinks(*s.step, job);
        const auto graph = blockingGraph(*s.step, job, links, regular->barriers, regular->overlapped); // regularJob made it once
        RecordedStep step{.graph = graph->graph, .seconds = nodeSeconds(*s.step, links, *graph), .gaps = launchGaps(*s.step, *graph)};
        step.pool.assign(step.seconds.size(), -1);
        for (std::size_t j = 0; j < s.operation.size(); ++j)
            step.pool[static_cast<std::size_t>(s.operation[j])] = poolOfSlot[j % poolOfSlot.size()];
        step.span = s.stepSeconds;
        recording.steps.push_back(std::move(step));
    }
    return recording;
}

Result<Recording> profileRecording(const std::vector<KinetoRank>& ranks)
{
    Recording recording;
    PoolNumbers numbers(recording.pools);
    const std::map<const KinetoKernel*, std::string> signatures = kernelSignatures(ranks);
    for (const KinetoRank& rank : ranks) {
        for (const auto& kernels : kernelsByStep(rank)) {
            if (kernels.empty())
                continue;
            recording.steps.push_back(stepOf(kernels));
            for (const KinetoKernel* kernel : kernels)
                recording.steps.back().pool.push_back(numbers.of({signatures.at(kernel), ""}));
        }
        for (const Diagnostic& d : rank.notes)
            recording.notes.push_back(fmt::format("rank {}: {}", rank.rank, d.message));
    }
    if (recording.steps.empty())
        return Diagnostic{Severity::error, "", "no kernel was launched in a profiled step", "", "kernels in the profiled steps", "", ""};
    recording.notes.insert(recording.notes.begin(),
                           fmt::format("{} ranks, {} profiled steps of a rank; each is run again alone, collectives last as recorded, with "
                                       "waiting",
                                       ranks.size(), recording.steps.size()));
    return recording;
}

} // namespace prism
