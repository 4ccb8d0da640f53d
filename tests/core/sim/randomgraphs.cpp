// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/randomgraphs.h"

#include "core/base/hash.h"
#include "core/sim/graphs.h"

#include <algorithm>
#include <cmath>

namespace prism::test {

namespace {

class Dice final {
public:
    explicit Dice(std::uint64_t seed) : m_state(mix64(seed + 1)) {}
    double uniform(double low, double high) { return low + (high - low) * (static_cast<double>(next() >> 11U) + 0.5) * 0x1.0p-53; }
    double logUniform(double low, double high) { return std::exp(uniform(std::log(low), std::log(high))); }
    int between(int low, int high) { return low + static_cast<int>(next() % static_cast<std::uint64_t>(high - low + 1)); }
    bool probability(double p) { return uniform(0.0, 1.0) < p; }
    template <class T>
    T oneOf(std::initializer_list<T> values)
    {
        return values.begin()[between(0, static_cast<int>(values.size()) - 1)];
    }

private:
    std::uint64_t next() { return m_state = mix64(m_state + 0x9e3779b97f4a7c15ULL); }
    std::uint64_t m_state;
};

Distribution pool(Dice& dice, double cv)
{
    std::vector<double> values;
    const int count = dice.oneOf({3, 7, 40, 200});
    for (int i = 0; i < count; ++i)
        values.push_back(std::exp(dice.uniform(-1.7, 1.7) * cv));
    return empiricalDistribution(values);
}

/// A factor of mean 1. Rare events, where there are any, happen in `rare` of the draws at most.
Distribution factor(Dice& dice, double lowCv, double highCv, double rare = 0.0)
{
    const double cv = dice.logUniform(lowCv, highCv);
    Distribution d = dice.probability(0.2)
                         ? pool(dice, cv)
                         : Distribution{dice.oneOf({Family::lognormal, Family::gamma, Family::normal, Family::weibull}), std::min(cv, 0.8)};
    if (rare > 0.0 && dice.probability(0.4)) {
        d.rareProbability = dice.logUniform(0.01 * rare, rare);
        d.rareMultiplier = dice.logUniform(2.0, 30.0);
    }
    return d;
}

JobShape shapeOf(Dice& dice)
{
    JobShape s;
    s.schedule = dice.oneOf({"1f1b", "1f1b", "gpipe", "interleaved", "zb-h1", "zb-h2", "zb-v", "dualpipev"});
    s.stages = dice.between(1, 4);
    const bool twoChunks = s.schedule == "zb-v" || s.schedule == "dualpipev";
    if (twoChunks || s.schedule == "interleaved")
        s.stages = std::max(2, s.stages);
    s.chunks = twoChunks ? 2 : s.schedule == "interleaved" ? dice.between(2, 3) : 1;
    s.microbatches = s.schedule == "interleaved" ? s.stages * dice.between(1, 2) : dice.between(1, 8);
    if (s.schedule == "dualpipev")
        s.microbatches = std::max(s.microbatches, 2 * s.stages);
    s.replicas = dice.oneOf({1, 2, 3, 5, 8, 12});
    s.groupRanks = dice.oneOf({1, 1, 2, 4});
    s.groups = dice.oneOf({1, 1, 1, 2, 3});
    s.layers = dice.between(1, 3);
    s.forwardSeconds = 0.1;
    const auto sometimes = [&](double p, double low, double high) { return dice.probability(p) ? dice.logUniform(low, high) : 0.0; };
    s.collectiveSeconds = sometimes(0.6, 0.001, 0.02);
    s.sendSeconds = sometimes(0.6, 0.001, 0.03);
    s.gradSyncSeconds = sometimes(0.7, 0.01, 0.2);
    s.optimizerSeconds = sometimes(0.5, 0.01, 0.1);
    s.paramGatherSeconds = sometimes(0.5, 0.01, 0.1);
    s.gradNormSeconds = sometimes(0.4, 0.001, 0.05);
    s.embeddingSeconds = s.stages > 1 ? sometimes(0.3, 0.01, 0.1) : 0.0;
    s.compute = dice.probability(0.8) ? factor(dice, 0.005, 0.4, 3e-3) : Distribution{};
    s.intra = dice.probability(0.6) ? factor(dice, 0.02, 0.8, 1e-2) : Distribution{};
    s.inter = dice.probability(0.7) ? factor(dice, 0.02, 1.2, 2e-2) : Distribution{};
    return s;
}

void eachOp(StepGraph& g, const auto& change)
{
    for (Program& p : g.programs)
        for (Block& b : p.blocks)
            for (Op& op : b.ops)
                change(op);
}

void addGranularity(Dice& dice, StepGraph& g, const JobShape& shape)
{
    if (shape.schedule == "dualpipev" && dice.probability(0.5))
        joinPasses(g);
    const Sync sync = dice.oneOf({Sync::group, Sync::group, Sync::cell, Sync::replicas});
    const double hidden = dice.probability(0.3) ? dice.uniform(0.2, 0.8) : 0.0;
    const bool routed = dice.probability(0.3);
    eachOp(g, [&](Op& op) {
        if (op.kernelClass == 1) {
            op.sync = sync;
            op.hiddenSeconds = std::max(op.hiddenSeconds, hidden * op.meanSeconds);
        }
        op.routed = routed && op.kernelClass == 0 && op.meanSeconds < 0.05;
    });
    if (spansReplicas(g, g.programs[0]) && dice.probability(0.5))
        for (const int size : {2, 3})
            if (g.numReplicas % size == 0)
                g.lockstepReplicas = size;
    g.classes[0].spatialSensitivity = dice.oneOf({1.0, 1.0, 0.5});
    for (auto* ops : {&g.gradSync, &g.paramGather})
        for (StepOp& op : *ops)
            if (op.kernelClass >= 0) {
                op.groups = dice.oneOf({1, 1, 4});
                op.buckets = dice.oneOf({1, 1, 3});
                op.hiddenSeconds = dice.probability(0.3) ? 0.5 * op.meanSeconds : 0.0;
                op.minExposedSeconds = dice.probability(0.3) ? 0.1 * op.meanSeconds : 0.0;
            }
    g.transferOccupiesSender = dice.probability(0.2);
}

void addCauses(Dice& dice, StepGraph& g)
{
    if (dice.probability(0.6)) {
        g.spatial = factor(dice, 0.005, 0.08, 1e-2);
        g.spatial.rareMultiplier = std::min(g.spatial.rareMultiplier, 3.0);
        g.spatialNodeShare = dice.oneOf({0.0, 0.0, 0.5});
        g.nodeRanks = g.spatialNodeShare > 0.0 ? g.cellRanks() : 1;
    }
    if (dice.probability(0.35)) {
        g.data = factor(dice, 0.02, 0.3, 5e-3);
        g.dataScope = dice.oneOf({DataScope::replica, DataScope::group});
    }
    if (dice.probability(0.4))
        g.routing = factor(dice, 0.02, 0.5, 5e-3);
    for (Distribution* regime : {&g.intraRegime, &g.interRegime, &g.computeRegime})
        if (dice.probability(0.25))
            *regime = factor(dice, 0.01, 0.3);
    g.regimeLag1 = dice.oneOf({0.0, 0.5, 0.9});
    g.computeRegimeLag1 = dice.oneOf({0.0, 0.5});
    if (dice.probability(0.25))
        g.delays = {dice.logUniform(0.001, 0.05), dice.logUniform(0.1, 30.0), dice.logUniform(0.1, 3.0), 1.0, dice.oneOf({0.0, 1.0})};
    if (dice.probability(0.3))
        g.slow.push_back({dice.between(-1, g.numReplicas - 1), dice.between(-1, g.schedule.numStages - 1),
                          dice.between(-1, g.cellRanks() - 1), dice.uniform(1.0, 1.4), dice.oneOf({1.0, 1.5})});
    if (dice.probability(0.1)) {
        g.spatial = {};
        g.spatialNodeShare = 0.0;
        for (int i = 0; i < g.numReplicas * g.schedule.numStages * g.cellRanks(); ++i)
            g.fixedSpatial.push_back(dice.uniform(0.95, 1.1));
    }
}

} // namespace

BatteryCase randomCase(std::uint64_t number)
{
    Dice dice(number);
    const JobShape shape = shapeOf(dice);
    StepGraph g = jobGraph(shape);
    addGranularity(dice, g, shape);
    addCauses(dice, g);
    g.name = "random " + std::to_string(number);
    return {g.name, std::move(g), false};
}

} // namespace prism::test
