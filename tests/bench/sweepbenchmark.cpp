// SPDX-License-Identifier: GPL-3.0-or-later
#include "bench/sweepbenchmark.h"

#include "core/schedule/generators.h"
#include "core/schedule/schedule.h"
#include "core/sim/sweep/stepsweeper.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace prism {

namespace {

// Coefficients of variation: of the order that PRISM (arXiv 2510.15596) reports for kernels and transfers.
constexpr double kComputeCv = 0.05, kTransferCv = 0.2;

Distribution lognormal(double cv)
{
    Distribution d;
    d.family = Family::lognormal;
    d.cv = cv;
    return d;
}

} // namespace

StepGraph sweepBenchmarkGraph(int numStages, int numMicrobatches)
{
    StepGraph g;
    g.name = "yardstick";
    g.classes = {{"compute", Scope::none, Category::compute, lognormal(kComputeCv)},
                 {"p2p", Scope::interNode, Category::pipeline, lognormal(kTransferCv)}};
    g.programs = {{"forward", {{1, {{0, 1e-3}}}}}, {"backward", {{1, {{0, 2e-3}}}}}};
    g.schedule = makeSchedule("1f1b", numStages, 1, numMicrobatches).value();
    const auto stages = static_cast<std::size_t>(numStages);
    g.programOf.assign(stages, {{0, 1, -1}});
    g.sendForward.assign(stages - 1, {1, 1e-4});
    g.sendBackward = g.sendForward;
    g.gradSync.assign(stages, {});
    g.paramGather.assign(stages, {});
    g.optimizer.assign(stages, {});
    return g;
}

SweepBenchmarkRun plainSweep(const StepGraph& graph, int numSamples)
{
    const Plan plan = makePlan(graph);
    std::mt19937_64 engine(1);
    const auto factor = [](double cv) {
        const double s2 = std::log1p(cv * cv);
        return std::lognormal_distribution<double>(-0.5 * s2, std::sqrt(s2));
    };
    auto compute = factor(kComputeCv), transfer = factor(kTransferCv);
    std::vector<double> clock(graph.schedule.order.size()), slots(static_cast<std::size_t>(plan.numSlots));
    SweepBenchmarkRun out;
    for (int i = 0; i < numSamples; ++i) {
        std::fill(clock.begin(), clock.end(), 0.0);
        for (const PlanNode& n : plan.nodes) {
            double& at = clock[static_cast<std::size_t>(n.stage)];
            if (n.input >= 0)
                at = std::max(at, slots[static_cast<std::size_t>(n.input)]);
            at += (n.phase == Phase::forward ? 1e-3 : 2e-3) * compute(engine);
            if (n.output >= 0)
                slots[static_cast<std::size_t>(n.output)] = at + (n.send >= 0 ? 1e-4 * transfer(engine) : 0.0);
        }
        out.meanSeconds += *std::max_element(clock.begin(), clock.end()) / numSamples;
    }
    out.nodeSamples = plan.nodeCount() * static_cast<std::size_t>(numSamples);
    return out;
}

KernelSweep::KernelSweep(const StepGraph& graph)
{
    Memo nothing(0);
    Recall recall(nothing);
    m_model = sweepModel(graph, 1, 1e5, recall, {});
}

SweepBenchmarkRun KernelSweep::run(int numSamples) const
{
    const SweptSeries series;
    const std::size_t blocks = (static_cast<std::size_t>(numSamples) + kLanes - 1) / kLanes;
    const RegimeTable regimes(*m_model, std::vector<RegimeFactors>(blocks * kLanes));
    BlockSweep sweep(*m_model, regimes);
    SweepBenchmarkRun out;
    for (std::size_t block = 0; block < blocks; ++block) {
        std::vector<SweptLane> lanes;
        for (std::size_t l = 0; l < kLanes; ++l)
            lanes.push_back(series.lane(block * kLanes + l, 0));
        sweep.run(0, lanes, Noise::all);
        for (std::size_t l = 0; l < kLanes; ++l) {
            float last = 0.0F;
            for (std::size_t s = 0; s < sweep.ends().rows(); ++s)
                last = std::max(last, sweep.ends().row(s)[l]);
            out.meanSeconds += static_cast<double>(last) / static_cast<double>(blocks * kLanes);
        }
    }
    out.nodeSamples = m_model->plan->nodeCount() * blocks * kLanes;
    return out;
}

} // namespace prism
