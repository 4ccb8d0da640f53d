// SPDX-License-Identifier: GPL-3.0-or-later
// Sampled replicas of a series: what stands side by side in a block is what one replica after the other gives.
#include "core/sim/step/parts.h"

#include "core/base/memo.h"
#include "core/sim/graphs.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace prism::test {
namespace {

constexpr std::size_t kStages = 3, kSteps = kLanes / 2;

/// A pipeline in which everything varies: kernels, collectives, transfers, regimes, data, GPUs; with an optimizer and rare events.
StepGraph varying()
{
    JobShape s;
    s.stages = static_cast<int>(kStages);
    s.microbatches = 6;
    s.replicas = 6;
    s.groupRanks = 2;
    s.collectiveSeconds = 0.05;
    s.sendSeconds = 0.02;
    s.optimizerSeconds = 0.1;
    s.gradNormSeconds = 0.01;
    s.compute = {Family::gamma, 0.2};
    s.compute.rareProbability = 0.01;
    s.compute.rareMultiplier = 3.0;
    s.intra = s.inter = {Family::lognormal, 0.1};
    StepGraph g = jobGraph(s);
    g.spatial = {Family::normal, 0.05};
    g.data = {Family::lognormal, 0.1};
    g.interRegime = g.intraRegime = {Family::lognormal, 0.2};
    g.regimeLag1 = 0.35;
    return g;
}

ReplicaPartPtr partOf(const Series& series, std::vector<float> scores)
{
    Memo memo(std::size_t{1} << 20);
    Recall recall(memo);
    std::uint64_t nodeSamples = 0;
    return replicaParts(series, {{"replica", {{0, 7, LuckSource::fixed, std::move(scores)}}, true, nullptr}}, 0, 1, recall, {},
                        nodeSamples)[0];
}

TEST(Parts, ReplicasSideBySideAreTheSlowerOfEachStep)
{
    Memo memo(std::size_t{4} << 20);
    Recall recall(memo);
    const auto prepared = prepare(varying(), recall, {});
    const Series plain = makeSeries(*prepared, 5, 5, Run::within, static_cast<int>(kSteps));
    const Series series = besideOneAnother(plain, 2);
    const std::vector<float> slow = {1.0F, 2.0F, 0.5F}, fast = {0.0F, -1.0F, 1.5F};
    std::vector<float> both = slow;
    both.insert(both.end(), fast.begin(), fast.end());
    // One replica alone fills both halves of the block: its first half is what the first of two has, its second half the second's.
    const ReplicaPartPtr first = partOf(series, slow), second = partOf(series, fast), joined = partOf(series, both);
    std::size_t secondLater = 0;
    for (std::size_t s = 0; s < kStages; ++s)
        for (std::size_t l = 0; l < kSteps; ++l) {
            EXPECT_EQ(joined->ends.row(s)[l], std::max(first->ends.row(s)[l], second->ends.row(s)[kSteps + l])) << s << " " << l;
            EXPECT_EQ(joined->optimizer.row(s)[l], std::max(first->optimizer.row(s)[l], second->optimizer.row(s)[kSteps + l]));
            secondLater += second->ends.row(s)[kSteps + l] > first->ends.row(s)[l] ? 1 : 0;
        }
    EXPECT_GT(secondLater, 0U);
    EXPECT_LT(secondLater, kStages * kSteps / 2);
    // The first one is the same as without a neighbour, in the same conditions.
    const ReplicaPartPtr alone = partOf(plain, slow);
    for (std::size_t s = 0; s < kStages; ++s)
        EXPECT_TRUE(std::equal(alone->ends.row(s), alone->ends.row(s) + kSteps, first->ends.row(s))) << s;
}

/// Without noise a replica's step depends on the step's conditions alone: the two halves of a block must have the same ones.
TEST(Parts, ReplicasSideBySideMeetTheSameConditions)
{
    Memo memo(std::size_t{4} << 20);
    Recall recall(memo);
    const auto prepared = prepare(varying(), recall, {});
    const Series series = besideOneAnother(makeSeries(*prepared, 5, 5, Run::within, static_cast<int>(kSteps)), 2);
    std::uint64_t nodeSamples = 0;
    const std::vector<float> scores(kStages, 0.5F);
    const ReplicaPartPtr still =
        replicaParts(series, {{"still", {{0, 0, LuckSource::fixed, scores}}, false, nullptr}}, 0, 1, recall, {}, nodeSamples)[0];
    for (std::size_t s = 0; s < kStages; ++s)
        for (std::size_t l = 0; l < kSteps; ++l)
            EXPECT_EQ(still->ends.row(s)[l], still->ends.row(s)[kSteps + l]);
    EXPECT_NE(still->ends.row(0)[0], still->ends.row(0)[1]);
}

} // namespace
} // namespace prism::test
