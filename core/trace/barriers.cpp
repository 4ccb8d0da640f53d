// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/barriers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace prism {

namespace {

constexpr double kMinGap = 1e-3, kMinAfter = -1e-3; // seconds
constexpr double kMinFall = 0.5, kTogetherShare = 0.25;
constexpr double kClockErrors = 0.01; // share of the gaps that may be lower

/// When each worker is ready for its tail and when its tail starts, seconds; [workers].
struct StepWaits {
    std::vector<double> ready, start;
};

std::vector<StepWaits> waitsOf(const TraceJob& job)
{
    std::vector<StepWaits> waits;
    const OverlappedSlots overlapped = overlappedSlots(job);
    for (const TraceStep& step : job.steps) {
        const auto graph = blockingGraph(step, job, stepLinks(step, job), {}, overlapped);
        if (!graph)
            continue;
        StepWaits w;
        for (const int node : graph->firstOfTail) {
            double ready = -std::numeric_limits<double>::infinity();
            if (node >= 0)
                for (const int d : graph->graph.dependencies(node))
                    ready = std::max(ready, step.operations[static_cast<std::size_t>(d)].end());
            w.ready.push_back(ready);
            w.start.push_back(node >= 0 ? step.operations[static_cast<std::size_t>(node)].start : ready);
        }
        waits.push_back(std::move(w));
    }
    return waits;
}

/// What a set of workers looks like with a barrier before its tail; seconds, means over steps and workers.
struct BarrierEvidence {
    double gapBefore = 0, gapAfter = 0;
    double lowestAfter = 0;                  ///< but for clock errors
    double readySpread = 0, startSpread = 0; ///< from the first to the last of the set
};

BarrierEvidence evidenceOf(const std::vector<StepWaits>& waits, const std::vector<int>& workers)
{
    BarrierEvidence e;
    std::vector<double> behind;
    for (const StepWaits& w : waits) {
        double firstReady = std::numeric_limits<double>::infinity(), firstStart = firstReady, lastReady = -firstReady,
               lastStart = -firstReady;
        for (const int worker : workers) {
            const double ready = w.ready[static_cast<std::size_t>(worker)], start = w.start[static_cast<std::size_t>(worker)];
            firstReady = std::min(firstReady, ready);
            lastReady = std::max(lastReady, ready);
            firstStart = std::min(firstStart, start);
            lastStart = std::max(lastStart, start);
            e.gapBefore += start - ready;
        }
        for (const int worker : workers)
            behind.push_back(w.start[static_cast<std::size_t>(worker)] - lastReady);
        e.readySpread += (lastReady - firstReady) / static_cast<double>(waits.size());
        e.startSpread += (lastStart - firstStart) / static_cast<double>(waits.size());
    }
    const auto n = static_cast<double>(behind.size());
    e.gapBefore /= n;
    e.gapAfter = std::accumulate(behind.begin(), behind.end(), 0.0) / n;
    const auto low = behind.begin() + static_cast<std::ptrdiff_t>(kClockErrors * n);
    std::nth_element(behind.begin(), low, behind.end());
    e.lowestAfter = *low;
    return e;
}

/// Lets the workers be ready when the last of them is.
void join(std::vector<StepWaits>& waits, const std::vector<int>& workers)
{
    for (StepWaits& w : waits) {
        double latest = -std::numeric_limits<double>::infinity();
        for (const int worker : workers)
            latest = std::max(latest, w.ready[static_cast<std::size_t>(worker)]);
        for (const int worker : workers)
            w.ready[static_cast<std::size_t>(worker)] = latest;
    }
}

std::string milliseconds(double seconds)
{
    return std::to_string(std::llround(1e3 * seconds)) + " ms";
}

} // namespace

FoundBarriers hiddenBarriers(const TraceJob& job)
{
    FoundBarriers found;
    std::vector<StepWaits> waits = waitsOf(job);
    const bool isPartial = job.replicasOfJob > job.replicas;
    const auto test = [&](std::vector<int> workers, const std::string& name) {
        if (workers.size() < 2 || waits.empty())
            return;
        const BarrierEvidence e = evidenceOf(waits, workers);
        const bool together = isPartial ? e.startSpread <= kTogetherShare * e.readySpread : e.gapAfter <= kMinFall * e.gapBefore;
        if (!(e.gapBefore >= kMinGap && e.lowestAfter >= kMinAfter && together))
            return;
        join(waits, workers);
        found.sets.push_back(std::move(workers));
        found.texts.push_back(
            name + " wait for each other before the gradients are reduced, although no operation records it: the mean gap falls from "
            + milliseconds(e.gapBefore) + " to " + milliseconds(std::max(0.0, e.gapAfter)));
    };
    for (int s = job.stages - 1; s >= 0; --s) {
        std::vector<int> workers;
        for (int r = 0; r < job.replicas; ++r)
            workers.push_back(r * job.stages + s);
        test(std::move(workers), "the replicas of stage " + std::to_string(s));
    }
    for (int r = 0; r < job.replicas; ++r) {
        std::vector<int> workers(static_cast<std::size_t>(job.stages));
        std::iota(workers.begin(), workers.end(), r * job.stages);
        test(std::move(workers), "the stages of replica " + std::to_string(job.replicaNumbers[static_cast<std::size_t>(r)]));
    }
    std::vector<int> all(static_cast<std::size_t>(job.workers()));
    std::iota(all.begin(), all.end(), 0);
    test(std::move(all), "all workers");
    return found;
}

} // namespace prism
