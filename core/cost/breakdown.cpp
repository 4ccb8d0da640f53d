#include "core/cost/breakdown.h"

#include <algorithm>

namespace prism {
namespace {

double exposed(const StepOp& op)
{
    return op.kernelClass < 0 ? 0.0 : std::max(op.minExposedSeconds, op.meanSeconds - op.hiddenSeconds);
}

double& slot(Breakdown& b, Category category)
{
    switch (category) {
    case Category::compute:
        return b.computeSeconds;
    case Category::tensorParallel:
        return b.tensorParallelSeconds;
    case Category::contextParallel:
        return b.contextParallelSeconds;
    case Category::expertParallel:
        return b.expertParallelSeconds;
    case Category::pipeline:
        return b.pipelineSeconds;
    case Category::dataParallel:
        return b.dataParallelSeconds;
    case Category::optimizer:
        return b.optimizerSeconds;
    case Category::other:
        break;
    }
    return b.otherSeconds;
}

/// Exposed seconds of one program by category, one entry per category.
using ByCategory = std::array<double, 8>;

ByCategory byCategory(const StepGraph& graph, const Program& program)
{
    ByCategory t{};
    for (const Block& b : program.blocks)
        for (const Op& op : b.ops) {
            const KernelClass& c = graph.classes[static_cast<std::size_t>(op.kernelClass)];
            t[static_cast<std::size_t>(c.category)] += b.repeat * std::max(0.0, op.meanSeconds - op.hiddenSeconds);
        }
    return t;
}

double sum(const Breakdown& b)
{
    return b.computeSeconds + b.tensorParallelSeconds + b.contextParallelSeconds + b.expertParallelSeconds + b.pipelineSeconds
           + b.dataParallelSeconds + b.optimizerSeconds + b.otherSeconds;
}

} // namespace

StepBreakdown stepBreakdown(const StepGraph& g, const std::vector<std::vector<ChunkBytes>>& chunkBytes)
{
    const Schedule& s = g.schedule;
    const auto stages = static_cast<std::size_t>(s.numStages), chunks = static_cast<std::size_t>(s.numChunks);
    const auto micro = static_cast<std::size_t>(s.numMicrobatches);
    const std::size_t positions = s.path.size();
    StepBreakdown result;
    result.inFlight.assign(stages, 0);

    std::vector<double> programSeconds(g.programs.size());
    std::vector<ByCategory> categories(g.programs.size());
    for (std::size_t i = 0; i < g.programs.size(); ++i) {
        categories[i] = byCategory(g, g.programs[i]);
        for (const double t : categories[i])
            programSeconds[i] += t;
    }
    // A marked slow spot stretches the compute of its stage in the noise-free step.
    std::vector<double> slowCompute(stages, 1.0);
    for (const SlowSpot& spot : g.slow)
        for (std::size_t p = 0; p < stages; ++p)
            if (spot.stage < 0 || spot.stage == static_cast<int>(p))
                slowCompute[p] = std::max(slowCompute[p], spot.computeFactor);

    std::vector<std::size_t> positionOf(stages * chunks);
    for (std::size_t i = 0; i < positions; ++i)
        positionOf[static_cast<std::size_t>(s.path[i][0]) * chunks + static_cast<std::size_t>(s.path[i][1])] = i;
    std::vector<std::array<double, kPhases>> duration(stages * chunks); // per stage and chunk
    for (std::size_t p = 0; p < stages; ++p)
        for (std::size_t c = 0; c < chunks; ++c)
            for (std::size_t phase = 0; phase < kPhases; ++phase)
                if (const int program = g.programOf[p][c][phase]; program >= 0) {
                    const auto i = static_cast<std::size_t>(program);
                    duration[p * chunks + c][phase] =
                        programSeconds[i] + (slowCompute[p] - 1) * categories[i][static_cast<std::size_t>(Category::compute)];
                }
    const auto exposedOf = [](const std::vector<StepOp>& ops) {
        std::vector<double> seconds;
        for (const StepOp& op : ops)
            seconds.push_back(exposed(op));
        return seconds;
    };
    const std::vector<double> sendForward = exposedOf(g.sendForward), sendBackward = exposedOf(g.sendBackward);

    // arrival[position * micro + b]: when the input of the forward (backward) is there; < 0 = not yet.
    std::vector<double> forward(positions * micro, -1.0), backward(positions * micro, -1.0);
    std::fill(forward.begin(), forward.begin() + static_cast<std::ptrdiff_t>(micro), 0.0);
    std::vector<double> clock(stages, 0.0), held(stages, 0.0), busySend(stages, 0.0);
    std::vector<std::size_t> next(stages, 0);
    bool progress = true;
    while (progress) {
        progress = false;
        for (std::size_t p = 0; p < stages; ++p) {
            while (next[p] < s.order[p].size()) {
                const ScheduleItem& item = s.order[p][next[p]];
                const std::size_t at = positionOf[p * chunks + item.chunk], b = item.microbatch;
                double ready = 0;
                if (item.phase == Phase::forward)
                    ready = forward[at * micro + b];
                else if (item.phase == Phase::backward)
                    ready = backward[at * micro + b];
                if (ready < 0)
                    break;
                double end = std::max(clock[p], ready) + duration[p * chunks + item.chunk][static_cast<std::size_t>(item.phase)];
                const ChunkBytes bytes = chunkBytes.empty() ? ChunkBytes{} : chunkBytes[p][item.chunk];
                if (item.phase == Phase::forward) {
                    held[p] += bytes.untilBackward;
                    result.inFlight[p] = std::max(result.inFlight[p], held[p]);
                    if (at + 1 < positions) {
                        const double transfer = sendForward[at];
                        forward[(at + 1) * micro + b] = end + transfer;
                        if (g.transferOccupiesSender) {
                            end += transfer;
                            busySend[p] += transfer;
                        }
                    } else {
                        backward[at * micro + b] = end;
                    }
                } else if (item.phase == Phase::backward) {
                    held[p] -= bytes.untilBackward - (s.splitsWeight ? bytes.untilWeight : 0.0);
                    if (at > 0) {
                        const double transfer = sendBackward[at - 1];
                        backward[(at - 1) * micro + b] = end + transfer;
                        if (g.transferOccupiesSender) {
                            end += transfer;
                            busySend[p] += transfer;
                        }
                    }
                } else {
                    held[p] -= bytes.untilWeight;
                }
                clock[p] = end;
                ++next[p];
                progress = true;
            }
        }
    }

    // After the pipeline: embedding all-reduce of first and last, gradient synchronisation, norm, optimizer, gather.
    std::vector<double> end = clock;
    const double embedding = exposed(g.embeddingAllReduce);
    if (g.embeddingAllReduce.kernelClass >= 0) {
        const auto& firstEnd = static_cast<std::size_t>(s.path.front()[0]);
        const auto& lastEnd = static_cast<std::size_t>(s.path.back()[0]);
        end[firstEnd] = end[lastEnd] = std::max(end[firstEnd], end[lastEnd]) + embedding;
    }
    const auto at = [](const std::vector<StepOp>& ops, std::size_t p) { return p < ops.size() ? exposed(ops[p]) : 0.0; };
    for (std::size_t p = 0; p < stages; ++p)
        end[p] += at(g.gradSync, p);
    double normEnd = 0;
    if (g.gradNorm.kernelClass >= 0) {
        normEnd = *std::max_element(end.begin(), end.end()) + exposed(g.gradNorm);
        std::fill(end.begin(), end.end(), normEnd);
    }
    for (std::size_t p = 0; p < stages; ++p)
        end[p] += at(g.optimizer, p) * slowCompute[p] + at(g.paramGather, p);
    const auto last = static_cast<std::size_t>(std::max_element(end.begin(), end.end()) - end.begin());
    result.seconds = end[last];

    Breakdown& out = result.breakdown;
    for (const ScheduleItem& item : s.order[last]) {
        const int program = g.programOf[last][item.chunk][static_cast<std::size_t>(item.phase)];
        if (program < 0)
            continue;
        const ByCategory& t = categories[static_cast<std::size_t>(program)];
        for (std::size_t c = 0; c < t.size(); ++c)
            slot(out, static_cast<Category>(c)) += t[c] * (c == 0 ? slowCompute[last] : 1.0);
    }
    out.pipelineSeconds += busySend[last];
    const bool embeds = static_cast<int>(last) == s.path.front()[0] || static_cast<int>(last) == s.path.back()[0];
    out.dataParallelSeconds += at(g.gradSync, last) + at(g.paramGather, last) + exposed(g.gradNorm) + (embeds ? embedding : 0.0);
    out.optimizerSeconds += at(g.optimizer, last) * slowCompute[last];
    out.bubbleSeconds = std::max(0.0, result.seconds - sum(out));
    return result;
}

} // namespace prism
