// SPDX-License-Identifier: GPL-3.0-or-later
// The fast simulator beyond its agreement with the reference: determinism, cancelling, tails.
#include "core/engine/summary.h"
#include "core/schedule/dualpipe.h"
#include "core/schedule/generators.h"
#include "core/sim/graphs.h"
#include "core/sim/simulate.h"
#include "core/step/deterministicstep.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <barrier>
#include <cmath>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

namespace prism {
namespace {

Distribution factor(Family family, double cv, double rare = 0.0, double multiplier = 1.0)
{
    Distribution d;
    d.family = family;
    d.cv = cv;
    d.rareProbability = rare;
    d.rareMultiplier = multiplier;
    return d;
}

/// Four stages, eight micro-batches, two ranks per cell, every cause of spread at work.
StepGraph smallJob(int replicas)
{
    StepGraph g;
    g.numReplicas = replicas;
    g.groupRanks = 2;
    g.classes = {{"gemm", Scope::none, Category::compute, factor(Family::lognormal, 0.05)},
                 {"ar", Scope::intraNode, Category::tensorParallel, factor(Family::gamma, 0.05, 1e-3, 5.0)},
                 {"p2p", Scope::interNode, Category::pipeline, factor(Family::lognormal, 0.2)},
                 {"sync", Scope::interNode, Category::dataParallel, factor(Family::weibull, 0.05)},
                 {"opt", Scope::none, Category::optimizer, factor(Family::normal, 0.02)}};
    g.programs = {{"f", {{2, {{0, 1e-3}, {1, 2e-4}}}}}, {"b", {{2, {{0, 2e-3}, {1, 2e-4}}}}}};
    g.schedule = makeSchedule("1f1b", 4, 1, 8).value();
    g.programOf.assign(4, {{0, 1, -1}});
    g.sendForward.assign(3, {2, 1e-4});
    g.sendBackward = g.sendForward;
    g.gradSync.assign(4, {3, 5e-3});
    g.paramGather.assign(4, {3, 2e-3});
    g.optimizer.assign(4, {4, 1e-3});
    g.spatial = factor(Family::lognormal, 0.03);
    g.data = factor(Family::lognormal, 0.05);
    g.interRegime = factor(Family::lognormal, 0.1);
    return g;
}

SimOptions options(int samples, int threads = 0)
{
    SimOptions o;
    o.numSamples = samples;
    o.numThreads = threads;
    return o;
}

/// Makes `count` workers wait for each other inside the library's own kind of arena: afterwards they exist on any number of cores.
std::size_t workersAtBarrier(int count)
{
    std::mutex mutex;
    std::set<std::thread::id> seen;
    std::barrier barrier(count);
    tbb::task_arena arena(count);
    arena.execute([&] {
        tbb::parallel_for(
            0, count,
            [&](int) {
                barrier.arrive_and_wait();
                const std::lock_guard lock(mutex);
                seen.insert(std::this_thread::get_id());
            },
            tbb::static_partitioner());
    });
    return seen.size();
}

TEST(FastSimulate, SameBitsOnAnyNumberOfThreads)
{
    const tbb::global_control allow(tbb::global_control::max_allowed_parallelism, 4);
    ASSERT_EQ(workersAtBarrier(4), 4U);
    for (const int replicas : {2, 64}) {
        const StepGraph g = smallJob(replicas);
        const StepSamples one = simulate(g, options(2000, 1));
        for (const int threads : {2, 4}) {
            const StepSamples many = simulate(g, options(2000, threads));
            EXPECT_EQ(one.acrossSeconds, many.acrossSeconds);
            EXPECT_EQ(one.withinSeconds, many.withinSeconds);
            EXPECT_EQ(one.withinShared.p95.stdErr, many.withinShared.p95.stdErr);
            EXPECT_EQ(one.acrossShared.p95.stdErr, many.acrossShared.p95.stdErr);
        }
    }
}

TEST(FastSimulate, WithoutSpreadTheStepIsNoiseFree)
{
    StepGraph g = smallJob(64);
    for (KernelClass& c : g.classes)
        c.temporal = {};
    g.spatial = g.data = g.interRegime = {};
    const StepSamples s = simulate(g, options(200));
    for (const double x : s.acrossSeconds)
        EXPECT_NEAR(x, s.noiseFreeSeconds, 1e-5 * s.noiseFreeSeconds);
}

TEST(FastSimulate, PiecesWithoutSpreadTakeTheTimeOfTheReferenceAndOfTheNoiseFreeStep)
{
    for (const int stages : {1, 2, 4})
        for (const bool occupies : {false, true})
            for (const bool own : {false, true}) {
                StepGraph g = test::jobGraph({.schedule = "dualpipev",
                                              .stages = stages,
                                              .chunks = 2,
                                              .microbatches = 3 * stages,
                                              .replicas = 2,
                                              .groupRanks = 2,
                                              .collectiveSeconds = 0.2,
                                              .sendSeconds = 0.3,
                                              .gradSyncSeconds = 0.5});
                if (own)
                    test::joinPasses(g);
                else
                    g.schedule = withPieces(std::move(g.schedule));
                g.transferOccupiesSender = occupies;
                ASSERT_TRUE(check(g).empty());
                const double seconds = deterministicStepSeconds(g);
                EXPECT_NEAR(simulate(g, options(2)).acrossSeconds[0], seconds, 1e-6 * seconds) << stages << occupies << own;
                EXPECT_NEAR(simulateReference(g, options(2)).acrossSeconds[0], seconds, 1e-12 * seconds) << stages << occupies << own;
            }
}

TEST(FastSimulate, StopsBeforeItBegins)
{
    std::stop_source source;
    source.request_stop();
    SimOptions o = options(1000);
    o.stop = source.get_token();
    const StepSamples s = simulate(smallJob(64), o);
    EXPECT_FALSE(s.complete);
    EXPECT_TRUE(s.acrossSeconds.empty());
}

} // namespace
} // namespace prism
