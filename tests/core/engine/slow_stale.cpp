// SPDX-License-Identifier: GPL-3.0-or-later
// No change of a graph is answered from stale entries of the caches; some 300 changes, each sampled twice.
#include "everyfield.h"

#include "core/engine/evaluator.h"
#include "core/sim/graphs.h"

#include <gtest/gtest.h>

namespace prism {
namespace {

// A changed graph is never answered from a part of the simulator that is kept under an incomplete key.
TEST(Evaluator, NoChangeOfAGraphGivesAnOlderResult)
{
    test::JobShape shape{.stages = 2, .microbatches = 2, .replicas = 2, .groupRanks = 2, .layers = 2, .collectiveSeconds = 0.1};
    shape.sendSeconds = shape.gradSyncSeconds = shape.optimizerSeconds = shape.paramGatherSeconds = 0.2;
    shape.gradNormSeconds = shape.embeddingSeconds = 0.01;
    shape.compute = shape.intra = shape.inter = {Family::gamma, 0.1, 0.01, 2.0, nullptr};
    StepGraph g = test::jobGraph(shape);
    for (Distribution* d : {&g.spatial, &g.data, &g.intraRegime, &g.interRegime, &g.computeRegime})
        *d = {Family::gamma, 0.1, 0.01, 2.0, nullptr};
    g.delays = {0.01, 1.0, 0.5, 0.5, 0.5};
    g.slow = {{0, 1, 0, 1.5, 1.25}};
    ASSERT_TRUE(check(g).empty()) << check(g).front().path;
    SimOptions o{.numSamples = 4, .numWithinSamples = 2, .numThreads = 1};
    Evaluator warm;
    int changes = 0;
    test::forEveryChange(g, [&](const std::string& path) {
        if (!check(g).empty())
            return;
        ++changes;
        const auto known = warm.samples(g, o);
        const StepSamples fresh = simulate(g, o);
        EXPECT_EQ(known->acrossSeconds, fresh.acrossSeconds) << path;
        EXPECT_EQ(known->withinSeconds, fresh.withinSeconds) << path;
        EXPECT_EQ(known->noiseFreeSeconds, fresh.noiseFreeSeconds) << path;
    });
    EXPECT_GT(changes, 100);
}

} // namespace
} // namespace prism
