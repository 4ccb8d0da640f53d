// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/step/breakdown.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace prism {

namespace {

/// How often the program in each slot of the sweep runs.
std::vector<int> runsOf(const Sweep& sweep)
{
    std::vector<int> runs(static_cast<std::size_t>(sweep.numSlots), 0);
    for (const SweepNode& n : sweep.nodes)
        if (n.slot >= 0)
            ++runs[static_cast<std::size_t>(n.slot)];
    return runs;
}

/// One stage of a replica.
struct StagePlace {
    int replica, stage;
};

/// What it works on in a step, by category.
CategorySeconds workOf(const StepGraph& graph, const DeterministicStep& step, StagePlace at, const std::vector<int>& runs)
{
    const double slowest = step.fixedSlowest(at.replica, at.stage), link = cellLinkFactor(graph, at.replica, at.stage);
    const int slots = step.sweep().numSlots / step.sweep().numStages;
    CategorySeconds work{};
    for (int slot = at.stage * slots; slot < (at.stage + 1) * slots; ++slot) {
        const int times = runs[static_cast<std::size_t>(slot)];
        if (times == 0)
            continue;
        const CategorySeconds seconds = step.slotSeconds(slot, slowest, link);
        for (std::size_t c = 0; c < kCategories; ++c)
            work[c] += times * seconds[c];
    }
    return work;
}

double sumOf(const CategorySeconds& seconds)
{
    return std::accumulate(seconds.begin(), seconds.end(), 0.0);
}

/// The busiest stage of a path's replica among those that are done when it leaves the pipeline; the first of equals.
CategorySeconds busiestWork(const StepGraph& graph, const DeterministicStep& step, const CriticalPath& path, double pipelineSeconds)
{
    const std::vector<int> runs = runsOf(step.sweep());
    CategorySeconds busiest{};
    for (std::size_t s = 0; s < path.stageEnds.size(); ++s) {
        if (path.stageEnds[s] > pipelineSeconds * (1 + 1e-12))
            continue;
        const CategorySeconds work = workOf(graph, step, {path.replica, static_cast<int>(s)}, runs);
        if (sumOf(work) > sumOf(busiest) * (1 + 1e-12))
            busiest = work;
    }
    return busiest;
}

void addWork(Breakdown& b, const CategorySeconds& work)
{
    for (const BreakdownPart& part : kBreakdownParts)
        if (part.category)
            b.*part.seconds += work[static_cast<std::size_t>(*part.category)];
}

/// Waiting time, the rest of `all` seconds after `work`: the transfers of the critical path first. A rest of rounding errors is none.
void addIdle(Breakdown& b, double all, double work, const CriticalPath& path)
{
    const double idle = all - work > 1e-12 * all ? all - work : 0;
    double transfers = 0;
    for (const PathPiece& piece : path.pieces)
        transfers += piece.kind == PathKind::transfer ? piece.seconds : 0;
    const double waited = std::min(transfers, idle);
    b.pipelineSeconds += waited;
    b.bubbleSeconds += idle - waited;
}

} // namespace

Breakdown breakdownOf(const StepGraph& graph)
{
    const DeterministicStep step(graph);
    return breakdownOf(graph, step, criticalPath(graph, step));
}

Breakdown breakdownOf(const StepGraph& graph, const DeterministicStep& step, const CriticalPath& path)
{
    Breakdown out;
    double pipeline = 0;
    for (const PathPiece& piece : path.pieces) {
        const bool inPipeline = piece.kind == PathKind::chunk || piece.kind == PathKind::transfer;
        (inPipeline ? pipeline : piece.kind == PathKind::optimizer ? out.optimizerSeconds : out.dataParallelSeconds) += piece.seconds;
    }
    const CategorySeconds work = busiestWork(graph, step, path, pipeline);
    addWork(out, work);
    addIdle(out, pipeline, sumOf(work), path);
    return out;
}

std::vector<Breakdown> stageBreakdowns(const StepGraph& graph, const DeterministicStep& step, const CriticalPath& path)
{
    TailTimes tail; // of stages that enter it together, at 0
    (void)step.secondsAfter(
        {std::vector<double>(path.stageEnds.size())}, {path.replica},
        [&step](int replica, int stage) { return step.fixedSlowest(replica, stage); }, &tail);
    const auto &synced = tail.gradSync[0], &normed = tail.gradNorm[0];
    const auto last = std::max_element(synced.begin(), synced.end()) - synced.begin(); // the norm waits for it
    const double norm = normed[static_cast<std::size_t>(last)] - synced[static_cast<std::size_t>(last)];
    const std::vector<int> runs = runsOf(step.sweep());
    std::vector<Breakdown> stages(path.stageEnds.size());
    for (std::size_t s = 0; s < stages.size(); ++s) {
        Breakdown& b = stages[s];
        addWork(b, workOf(graph, step, {path.replica, static_cast<int>(s)}, runs));
        b.dataParallelSeconds += synced[s] + norm + tail.paramGather[0][s] - tail.optimizer[0][s];
        b.optimizerSeconds += tail.optimizer[0][s] - normed[s];
        addIdle(b, path.seconds, b.sum(), path);
    }
    return stages;
}

std::vector<StageRange> similarStages(const std::vector<Breakdown>& stages, std::size_t maxRanges)
{
    std::vector<StageRange> ranges;
    for (double tolerance = 0.005; tolerance < 2; tolerance *= 2) { // at 1 every stage is similar
        ranges.clear();
        for (int s = 0; s < static_cast<int>(stages.size()); ++s) {
            const auto isSimilar = [&](const Breakdown& a, const Breakdown& b) {
                return std::ranges::all_of(kBreakdownParts, [&](const BreakdownPart& part) {
                    return std::abs(a.*part.seconds - b.*part.seconds) <= tolerance * b.sum();
                });
            };
            if (ranges.empty() || !isSimilar(stages[static_cast<std::size_t>(s)], stages[static_cast<std::size_t>(ranges.back().first)]))
                ranges.push_back({s, s});
            ranges.back().last = s;
        }
        if (ranges.size() <= maxRanges)
            break;
    }
    return ranges;
}

} // namespace prism
