// SPDX-License-Identifier: GPL-3.0-or-later
// Steps of profiled ranks as segments and barriers, computed on paper: a slow rank, a host gap, a collective with waiting.
#include "core/trace/profilemodel.h"
#include "profiles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace prism {
namespace {

TEST(ProfileModel, SegmentsEndAtTheLastArrivalAndAddUpToTheStep)
{
    const auto model = profileModel(twoRanksTwoSteps());
    ASSERT_TRUE(model.ok());
    EXPECT_TRUE(model->isComplete);
    EXPECT_EQ(model->steps, (std::vector<std::string>{"ProfilerStep#0", "ProfilerStep#1"}));
    ASSERT_EQ(model->segments.size(), 2U);
    const ProfileSegment &first = model->segments[0], &tail = model->segments[1];
    EXPECT_EQ(first.collective, "allreduce of 2 ranks, 32 bytes");
    EXPECT_EQ(tail.collective, "");
    for (const auto& [found, expected] : std::initializer_list<std::pair<double, double>>{{first.seconds[0][0], 100},
                                                                                          {first.seconds[0][1], 200},
                                                                                          {first.seconds[1][0], 140},
                                                                                          {first.seconds[1][1], 200},
                                                                                          {first.transfer[0], 30},
                                                                                          {first.transfer[1], 30},
                                                                                          {tail.seconds[0][0], 70},
                                                                                          {tail.seconds[1][1], 90},
                                                                                          {model->stepSeconds[0], 300},
                                                                                          {model->stepSeconds[1], 320},
                                                                                          {stepSeconds(*model)[0], 300},
                                                                                          {stepSeconds(*model)[1], 320}})
        EXPECT_NEAR(found, expected * kMicro, 1e-12);
}

TEST(ProfileModel, ClocksAreComparedAfterTheirOffset)
{
    std::vector<KinetoRank> ranks = twoRanksTwoSteps();
    for (KinetoKernel& k : ranks[1].kernels)
        k.start += 1'000;
    for (KinetoStep& s : ranks[1].steps)
        s.start += 1'000;
    const auto model = profileModel(ranks);
    EXPECT_NEAR(model->segments[0].seconds[0][1], 200 * kMicro, 1e-12);
    EXPECT_NEAR(model->segments[0].transfer[1], 30 * kMicro, 1e-12);
}

TEST(ProfileModel, OverlappedCollectivesAreNoBarriers)
{
    // The kernel runs beyond the end of the collective on both ranks.
    const auto model = profileModel(
        {profiledRank(0, {{0, 300}, {100, 100, true, 2}}, {{0, 300}}), profiledRank(1, {{0, 280}, {120, 80, true, 2}}, {{0, 300}})});
    ASSERT_EQ(model->segments.size(), 1U);
    EXPECT_EQ(model->assumptions[0].substr(0, 26), "0 of 2 collective kernels ");
    EXPECT_NEAR(stepSeconds(*model)[0], 300 * kMicro, 1e-12);
}

TEST(ProfileModel, StepsWithoutACommonNameAreAnErrorThatNamesTheFiles)
{
    std::vector<KinetoRank> ranks = twoRanksTwoSteps();
    ranks[0].path = "first.json";
    ranks[1].path = "second.json";
    ranks[1].steps[0].name = "a";
    ranks[1].steps[1].name = "b";
    const auto model = profileModel(ranks);
    ASSERT_FALSE(model.ok());
    EXPECT_EQ(model.errors().front().path, "first.json");
    EXPECT_EQ(model.errors().front().found, "first.json: 2 steps from ProfilerStep#0; second.json: 2 steps from a");
}

bool isAssumed(const ProfileModel& model, const std::string& text)
{
    return std::any_of(model.assumptions.begin(), model.assumptions.end(), [&](const std::string& a) { return a.starts_with(text); });
}

TEST(ProfileModel, StepsThatARankLacksAreNotUsed)
{
    std::vector<KinetoRank> ranks = twoRanksTwoSteps();
    ranks[1].steps.pop_back();
    std::erase_if(ranks[1].kernels, [](const KinetoKernel& k) { return k.start >= 300; });
    const auto model = profileModel(ranks);
    ASSERT_TRUE(model.ok());
    EXPECT_EQ(model->steps, std::vector<std::string>{"ProfilerStep#0"});
    EXPECT_NEAR(stepSeconds(*model)[0], 300 * kMicro, 1e-12);
    EXPECT_TRUE(isAssumed(*model, "1 of up to 2 steps are used"));
}

TEST(ProfileModel, ARankWithoutCollectivesBeginsItsFirstStepWithTheOthers)
{
    // Its clock is 5 s ahead; it computes for 280 of 300 and 300 of 320 us.
    std::vector<KinetoRank> ranks = twoRanksTwoSteps();
    constexpr double kAhead = 5e6;
    ranks.push_back(profiledRank(2, {{kAhead, 280}, {kAhead + 300, 300}}, {{kAhead, 300}, {kAhead + 300, 320}}));
    const auto model = profileModel(ranks);
    ASSERT_TRUE(model.ok());
    EXPECT_TRUE(isAssumed(*model, "1 ranks without a collective in common"));
    ASSERT_EQ(model->segments.size(), 1U) << "no collective is common to all";
    EXPECT_NEAR(model->segments[0].seconds[0][2], 280 * kMicro, 1e-12);
    EXPECT_NEAR(model->segments[0].seconds[0][0], 300 * kMicro, 1e-12);
    EXPECT_NEAR(stepSeconds(*model)[1], 320 * kMicro, 1e-12);
}

TEST(ProfileModel, TheTimeAfterTheLastKernelBelongsToAllRanks)
{
    // Rank 0 ends at 250, rank 1 at 280 of 300.
    const auto model = profileModel({profiledRank(0, {{0, 250}}, {{0, 300}}), profiledRank(1, {{0, 280}}, {{0, 300}})});
    ASSERT_TRUE(model.ok());
    EXPECT_NEAR(model->segments[0].seconds[0][0], 250 * kMicro, 1e-12);
    EXPECT_NEAR(model->segments[0].transfer[0], 20 * kMicro, 1e-12);
    EXPECT_NEAR(stepSeconds(*model)[0], 300 * kMicro, 1e-12);
    // Of two draws from {270, 300} the larger has the mean 292.5; the measured one is 300.
    EXPECT_NEAR(profileGraph(*model)->programs[0].blocks[0].ops[0].meanSeconds, 285 * 300 / 292.5 * kMicro, 1e-12);
}

TEST(ProfileModel, KernelsOfNoDurationAreAStepOfTheirGaps)
{
    // A first step of nothing but the all-reduce, a second with 100 idle before it.
    const auto model = profileModel({profiledRank(0, {{0, 0}, {0, 50, true}, {50, 0}, {150, 50, true}}, {{0, 50}, {50, 150}}, 1)});
    ASSERT_TRUE(model.ok());
    EXPECT_NEAR(stepSeconds(*model)[0], 50 * kMicro, 1e-12);
    EXPECT_NEAR(stepSeconds(*model)[1], 150 * kMicro, 1e-12);
    const auto made = profileGraph(*model);
    ASSERT_TRUE(made.ok()) << made.errors().front().message;
    EXPECT_NEAR(made->programs[0].blocks[0].ops[0].meanSeconds, 50 * kMicro, 1e-12);
    EXPECT_TRUE(std::isfinite(made->computeRegime.cv));
    // Nothing at all takes time.
    const auto nothing = profileModel({profiledRank(0, {{0, 0}, {0, 0}}, {{0, 0}}, 1)});
    ASSERT_TRUE(nothing.ok());
    EXPECT_TRUE(profileGraph(*nothing).ok());
}

TEST(ProfileGraph, PoolKeepsTheMeanOfTheLastRank)
{
    const std::vector<std::pair<double, double>> one = {{0, 300}};
    const auto model = profileModel(
        {profiledRank(0, {{0, 100}, {100, 130, true}, {230, 70}}, one), profiledRank(1, {{0, 200}, {200, 30, true}, {230, 70}}, one)});
    const auto made = profileGraph(*model);
    ASSERT_TRUE(made.ok());
    EXPECT_EQ(made->cellRanks(), 2);
    // Of two draws from {100, 200} the larger has the mean 175; the measured one is 200.
    EXPECT_NEAR(made->programs[0].blocks[0].ops[0].meanSeconds, 150 * 200.0 / 175 * kMicro, 1e-12);
    EXPECT_EQ(made->classes[0].name, "1: segment before allreduce of 2 ranks, 32 bytes, mostly gemm, grid 0 x 0, stream 1 (empirical, 2 "
                                     "ranks x 1 steps, last rank as measured)");
    EXPECT_TRUE(made->computeRegime.isDeterministic());
    EXPECT_TRUE(made->classes[1].temporal.isDeterministic());
    EXPECT_EQ(profileGraph(*model, 5)->cellRanks(), 5);
}

TEST(ProfileGraph, WhatSegmentsOfAStepShareIsTheRegime)
{
    // One rank: 100 + 200 in the first step, 150 + 300 in the second: every segment takes 0.8 and 1.2 times its mean.
    const auto model = profileModel(
        {profiledRank(0, {{0, 100}, {100, 50, true}, {150, 200}, {350, 150}, {500, 40, true}, {540, 300}}, {{0, 350}, {350, 490}}, 1)});
    const auto made = profileGraph(*model);
    ASSERT_TRUE(made.ok());
    ASSERT_EQ(made->classes.size(), 3U);
    ASSERT_NE(made->computeRegime.pool, nullptr);
    EXPECT_NEAR(made->computeRegime.pool->at(0), 0.8, 1e-9);
    EXPECT_NEAR(made->computeRegime.pool->at(1), 1.2, 1e-9);
    EXPECT_NEAR(made->classes[0].temporal.cv, 0, 1e-9);
    ASSERT_NE(made->classes[1].temporal.pool, nullptr);
    EXPECT_NEAR(made->classes[1].temporal.pool->at(0), 40.0 / 45, 1e-9);
    for (const auto& [op, expected] : {std::pair(0, 125), std::pair(1, 45), std::pair(2, 250)})
        EXPECT_NEAR(made->programs[0].blocks[0].ops[static_cast<std::size_t>(op)].meanSeconds, expected * kMicro, 1e-12);
}

} // namespace
} // namespace prism
