// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/chunk/modelinputs.h"

#include "core/stats/quantile.h"

#include <algorithm>

namespace prism {

namespace {

/// Program of the optimizer of a stage: one kernel on every rank.
Program optimizerProgram(const StepGraph& graph, int stage)
{
    Program program;
    const StepOp& op = graph.optimizer[static_cast<std::size_t>(stage)];
    if (op.kernelClass >= 0)
        program.blocks = {{1, {{op.kernelClass, op.meanSeconds, 0.0, Sync::cell}}}};
    return program;
}

void addOptimizers(ModelInputs& in)
{
    for (int s = 0; s < in.graph.schedule.numStages; ++s) {
        Program program = optimizerProgram(in.graph, s);
        if (program.blocks.empty()) {
            in.optimizerOfStage.push_back(-1);
            continue;
        }
        auto it = std::find(in.graph.programs.begin(), in.graph.programs.end(), program);
        in.optimizerOfStage.push_back(static_cast<int>(it - in.graph.programs.begin()));
        if (it == in.graph.programs.end())
            in.graph.programs.push_back(std::move(program));
    }
}

/// Everything that decides a cell's models besides its kind.
ContentHash contentOf(const ModelInputs& in)
{
    const StepGraph& g = in.graph;
    Hasher h;
    h.add("programs").add(static_cast<std::uint64_t>(g.programs.size()));
    for (const Program& p : g.programs)
        for (const Block& b : p.blocks) {
            h.add(b.repeat).add(static_cast<std::uint64_t>(b.ops.size()));
            for (const Op& op : b.ops)
                h.add(op.kernelClass)
                    .add(in.classes.hash[static_cast<std::size_t>(op.kernelClass)])
                    .add(op.meanSeconds)
                    .add(op.hiddenSeconds)
                    .add(static_cast<int>(op.sync))
                    .add(op.routed);
        }
    for (const auto& stage : g.programOf)
        for (const auto& chunk : stage)
            for (const int p : chunk)
                h.add(p);
    for (int s = 0; s < 2; ++s)
        h.add(in.regimes.low[s]).add(in.regimes.high[s]);
    return h.result();
}

} // namespace

RegimeRange regimeRange(const StepGraph& graph)
{
    RegimeRange out;
    const Distribution* regimes[2] = {&graph.intraRegime, &graph.interRegime};
    for (int s = 0; s < 2; ++s) {
        if (regimes[s]->family == Family::deterministic && regimes[s]->rareProbability <= 0.0)
            continue;
        const QuantileFunction quantile(*regimes[s]);
        out.low[s] = quantile.fromTails(1e-8, 1.0 - 1e-8);
        out.high[s] = quantile.fromTails(1.0 - 1e-8, 1e-8);
        if (regimes[s]->rareProbability > 0.0) {
            out.high[s] *= std::max(1.0, regimes[s]->rareMultiplier);
            out.low[s] *= std::min(1.0, regimes[s]->rareMultiplier);
        }
    }
    return out;
}

ModelInputs modelInputs(const StepGraph& graph, Recall& recall)
{
    ModelInputs in{graph, classSet(graph, recall), regimeRange(graph), measuredCells(graph), {}, {}};
    addOptimizers(in);
    in.content = contentOf(in);
    return in;
}

} // namespace prism
