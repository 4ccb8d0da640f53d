// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/chunk/modelinputs.h"

#include "core/sim/chunk/rareextras.h"
#include "core/stats/quantile.h"
#include "core/step/passes.h"

#include <algorithm>
#include <cmath>

namespace prism {

namespace {

/// Rare events of a class up to this probability per chunk execution are drawn one by one; more frequent ones are part of the shape,
/// unless a replica expects so few in a step that drawing them costs little.
constexpr double kRareUpTo = 0.05;
constexpr double kFewPerReplica = 48.0, kMostPerChunk = 2.0;

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
    for (const std::vector<int>& classes : in.apart)
        for (std::size_t i = 0; i <= classes.size(); ++i)
            h.add(i < classes.size() ? classes[i] : -1);
    return h.result();
}

/// Per program: classes whose rare events are drawn one by one.
std::vector<std::vector<int>> classesApart(const ModelInputs& in)
{
    const std::vector<double> perMicrobatch = programWeights(in.graph);
    std::vector<std::vector<int>> out(in.graph.programs.size());
    for (std::size_t c = 0; c < in.graph.classes.size(); ++c) {
        if (!in.classes.rare[c])
            continue;
        std::vector<double> rate;
        double perReplica = 0.0;
        for (std::size_t p = 0; p < out.size(); ++p) {
            rate.push_back(rareRate(in.graph, in.shapes[p], static_cast<int>(c)));
            perReplica += rate.back() * perMicrobatch[p] * in.graph.schedule.numMicrobatches;
        }
        for (std::size_t p = 0; p < out.size(); ++p)
            if (rate[p] > 0.0 && (-std::expm1(-rate[p]) <= kRareUpTo || (perReplica <= kFewPerReplica && rate[p] <= kMostPerChunk)))
                out[p].push_back(static_cast<int>(c));
    }
    return out;
}

} // namespace

std::vector<double> programWeights(const StepGraph& graph)
{
    std::vector<double> weights(graph.programs.size(), 0.0);
    for (std::size_t stage = 0; stage < graph.programOf.size(); ++stage) {
        const std::vector<double> shares = passShares(graph, static_cast<int>(stage));
        for (std::size_t row = 0; row < graph.programOf[stage].size(); ++row)
            for (std::size_t phase = 0; phase < kPhases; ++phase)
                if (const int p = graph.programOf[stage][row][phase]; p >= 0)
                    weights[static_cast<std::size_t>(p)] += shares[row * kPhases + phase];
    }
    return weights;
}

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
    ModelInputs in{graph, classSet(graph, recall), regimeRange(graph), measuredCells(graph), {}, {}, {}, {}};
    addOptimizers(in);
    for (const Program& program : in.graph.programs)
        in.shapes.push_back(programShape(in.graph, program));
    in.apart = classesApart(in);
    in.content = contentOf(in);
    return in;
}

} // namespace prism
