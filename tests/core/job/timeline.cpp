// SPDX-License-Identifier: GPL-3.0-or-later
// Sampled runs against closed forms and against runs computed by hand.
#include "core/job/timeline.h"

#include "core/job/checkpointing.h"
#include "core/stats/moments.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace prism {
namespace {

TimelineInputs plain()
{
    TimelineInputs in;
    in.workSeconds = 40 * 900;
    in.interval = 900;
    in.block = 60;
    in.restart = 300;
    in.softFailureRate = 1.0 / 6480;
    in.longestSeconds = 1e9;
    return in;
}

TEST(Timeline, SampledRunsHaveTheExpectedTimeAndDeviation)
{
    constexpr int kRuns = 20'000;
    std::vector<double> wall;
    for (int i = 0; i < kRuns; ++i)
        wall.push_back(sampledRun(plain(), 7, static_cast<std::uint64_t>(i)).wall);
    const RunTime expected = expectedRunTime({6480, 60, 300}, 900, 40);
    EXPECT_NEAR(meanOf(wall), expected.mean, 3.5 * expected.std / std::sqrt(kRuns));
    EXPECT_NEAR(std::sqrt(varianceOf(wall)), expected.std, 0.03 * expected.std);
    std::sort(wall.begin(), wall.end());
    EXPECT_NEAR(wall[kRuns * 95 / 100], 47'400, 150); // published run of the same model: 47,400 s and 0.925
    EXPECT_NEAR(static_cast<double>(std::upper_bound(wall.begin(), wall.end(), 13 * 3600.0) - wall.begin()) / kRuns, 0.925, 0.008);
}

TEST(Timeline, WithoutEventsARunIsItsWorkAndItsCheckpoints)
{
    TimelineInputs in = plain();
    in.softFailureRate = 0;
    const RunLedger r = sampledRun(in, 1, 0);
    EXPECT_NEAR(r.wall, 40 * 960, 1e-6);
    EXPECT_NEAR(r.checkpoint, 40 * 60, 1e-6);
    in.workSeconds = 1000; // a full segment, and a last one of 100 s with its checkpoint
    EXPECT_NEAR(sampledRun(in, 1, 0).wall, 1000 + 2 * 60, 1e-6);
}

/// Failures come at their rate while the job trains, writes checkpoints or restarts; planned stops cost their length, a checkpoint and a
/// restart. 2,000 runs with every kind of event. (A Poisson count of n deviates by its root.)
TEST(Timeline, EventsComeAtTheirRates)
{
    TimelineInputs in = plain();
    in.nodes = 64;
    in.nodesPerReplica = 8;
    in.nodeFailureRate = 1.0 / 20'000;
    in.repair = 30'000;
    in.detection = 30;
    in.slowRate = 1.0 / 15'000;
    in.slowFactor = 1.3;
    in.slowLength = 4'000;
    in.maintenanceEvery = 25'000;
    in.maintenanceLength = 600;
    for (const bool shrinks : {false, true})
        for (const double mitigation : {0.0, 500.0}) {
            in.shrinks = shrinks;
            in.slowMitigation = mitigation;
            double failures = 0, stops = 0, exposed = 0, maintenance = 0;
            for (std::uint64_t run = 0; run < 2000; ++run) {
                const RunLedger r = sampledRun(in, 3, run);
                ASSERT_TRUE(r.finished);
                EXPECT_NEAR(r.productive, in.workSeconds, 1e-6 * in.workSeconds);
                EXPECT_EQ(shrinks ? r.waiting : r.shrunk, 0);
                failures += r.failures;
                stops += r.interruptions - r.failures;
                maintenance += r.maintenance;
                exposed += r.wall - r.waiting - r.maintenance;
            }
            // Restarts that end slow episodes or let the job grow are idle too: at most 360 s of each, some 2 % of the time.
            const double expected = exposed * (in.softFailureRate + in.nodeFailureRate);
            EXPECT_NEAR(failures, expected, 3.5 * std::sqrt(expected) + 0.02 * expected) << shrinks << mitigation;
            EXPECT_NEAR(maintenance, stops * (60 + 600 + 300), 1e-6 * maintenance);
        }
}

TEST(Timeline, ASlowEpisodeStretchesTheWorkDoneInIt)
{
    TimelineInputs in = plain();
    in.softFailureRate = in.block = 0;
    in.interval = INFINITY;
    in.slowLength = 1e12; // once slow, always slow
    in.slowFactor = 1.25;
    in.slowRate = 1e-3;
    const RunLedger r = sampledRun(in, 1, 0);
    const double begin = (in.workSeconds - r.wall / 1.25) / (1 - 1 / 1.25); // where it began by the wall clock
    EXPECT_GT(begin, 0);
    EXPECT_LT(begin, in.workSeconds);
    EXPECT_NEAR(r.slow, (in.workSeconds - begin) * 0.25, 1e-3);
}

TEST(Timeline, WithoutASpareAJobWaitsForTheRepairOrShrinks)
{
    TimelineInputs in = plain();
    in.softFailureRate = 0;
    in.nodes = 4;
    in.nodesPerReplica = 1;
    in.nodeFailureRate = 1.0 / 50'000;
    in.repair = 20'000;
    const auto mean = [&] {
        std::vector<double> wall;
        for (std::uint64_t run = 0; run < 500; ++run)
            wall.push_back(sampledRun(in, 5, run).wall);
        return meanOf(wall);
    };
    const double waits = mean();
    in.shrinks = true;
    const double shrinks = mean();
    in.shrinks = false;
    in.spareNodes = 100;
    const double spares = mean();
    EXPECT_LT(spares, shrinks); // three quarters of the speed while a node is away
    EXPECT_LT(shrinks, waits);
}

TEST(Timeline, AnAsynchronousCheckpointIsSafeOnlyLater)
{
    TimelineInputs in = plain();
    in.block = 1;
    const auto rework = [&](double persist) {
        in.persist = persist;
        double lost = 0, failures = 0;
        for (std::uint64_t run = 0; run < 4'000; ++run) {
            const RunLedger r = sampledRun(in, 9, run);
            lost += r.rework;
            failures += r.failures;
        }
        return lost / failures;
    };
    // A failure within 400 s of the k-th checkpoint since a restart loses a whole segment more: 900 sum_k P(k L < X < k L + 400).
    const double length = 901, mtbf = 6480;
    const double expected = 900 * (1 - std::exp(-400 / mtbf)) / std::expm1(length / mtbf);
    EXPECT_NEAR(rework(400) - rework(0), expected, 0.08 * expected);
}

/// Four nodes of which three hold a replica, one spare, repairs longer than the job: the spare replaces the first node that fails, without
/// the second the job shrinks, without the third it waits.
TEST(Timeline, AJobShrinksDownToOneReplica)
{
    TimelineInputs in = plain();
    in.softFailureRate = 0;
    in.nodes = 4;
    in.nodesPerReplica = 3;
    in.nodeFailureRate = 1.0 / 25'000;
    in.repair = 1e7;
    in.spareNodes = 1;
    in.shrinks = true;
    int seen[3] = {};
    for (std::uint64_t run = 0; run < 60; ++run) {
        const RunLedger r = sampledRun(in, 4, run);
        ++seen[std::clamp(r.failures - 1, 0, 2)];
        EXPECT_EQ(r.shrunk > 0, r.failures > 1) << run;
        EXPECT_EQ(r.waiting > 0, r.failures > 2) << run;
    }
    EXPECT_GT(*std::min_element(std::begin(seen), std::end(seen)), 3);
    in.nodesPerReplica = 4; // no replica is left without one node: it waits as if it could not shrink
    for (std::uint64_t run = 0; run < 10; ++run) {
        in.shrinks = true;
        const RunLedger can = sampledRun(in, 4, run);
        in.shrinks = false;
        const RunLedger cannot = sampledRun(in, 4, run);
        EXPECT_EQ(can.wall, cannot.wall);
        EXPECT_EQ(can.waiting, cannot.waiting);
        EXPECT_EQ(can.shrunk, 0);
    }
}

/// Three intervals of 900 s with 60 s of checkpoint. One that takes 2,000 s to be safe is replaced before: a failure loses all that was
/// done, as it does in a job of 2,880 s without checkpoints.
TEST(Timeline, ACheckpointThatIsReplacedBeforeItIsSafeSavesNothing)
{
    TimelineInputs in = plain(), without = plain();
    in.workSeconds = 3 * 900;
    in.persist = 2'000;
    without.workSeconds = 3 * 960;
    without.interval = INFINITY;
    without.block = 0;
    int late = 0;
    for (std::uint64_t run = 0; run < 1'000; ++run) {
        const RunLedger r = sampledRun(in, 6, run), bare = sampledRun(without, 6, run);
        if (bare.failures != 1)
            continue;
        const double failed = bare.rework;
        EXPECT_NEAR(r.wall, bare.wall, 1e-6) << failed;
        EXPECT_NEAR(r.rework, 900 * std::floor(failed / 960) + std::min(900.0, std::fmod(failed, 960)), 1e-6) << failed;
        late += failed > 1920 ? 1 : 0;
    }
    EXPECT_GT(late, 10);
}

TEST(Timeline, AJobThatCannotEndIsGivenUp)
{
    TimelineInputs in = plain();
    in.softFailureRate = 1;
    in.longestSeconds = 1e6;
    EXPECT_FALSE(sampledRun(in, 1, 0).finished);
}

} // namespace
} // namespace prism
