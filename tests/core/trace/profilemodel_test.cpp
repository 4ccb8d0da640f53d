// SPDX-License-Identifier: GPL-3.0-or-later
// Steps of profiled ranks as segments and barriers, computed on paper: a slow rank, a host gap, a collective with waiting.
#include "core/trace/profilemodel.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace prism {
namespace {

constexpr double kMicro = 1e-6;

struct Piece {
    double start, duration;
    bool isCollective = false;
    int stream = 1;
};

/// Times in microseconds; `steps` are begins and durations.
KinetoRank profiledRank(int number, const std::vector<Piece>& pieces, const std::vector<std::pair<double, double>>& steps, int world = 2)
{
    KinetoRank rank{.rank = number, .worldSize = world, .isNamed = true, .names = {"gemm", "ncclDevKernel_AllReduce"}};
    for (const Piece& p : pieces)
        rank.kernels.push_back({.start = p.start,
                                .duration = p.duration,
                                .name = p.isCollective ? 1U : 0U,
                                .stream = p.stream,
                                .collective = p.isCollective ? 0 : -1,
                                .isCollective = p.isCollective});
    rank.collectives = {{.name = "allreduce", .group = "g", .dtype = "Float", .groupSize = world, .inElements = 8}};
    for (std::size_t i = 0; i < steps.size(); ++i)
        rank.steps.push_back({"ProfilerStep#" + std::to_string(i), steps[i].first, steps[i].second});
    return rank;
}

/// Rank 1 arrives last: at 200 of [0, 300] after an idle time of 50, and at 200 of [300, 620]. The transfer takes 30.
std::vector<KinetoRank> twoRanksTwoSteps()
{
    const std::vector<std::pair<double, double>> steps = {{0, 300}, {300, 320}};
    return {profiledRank(0, {{0, 100}, {100, 130, true}, {230, 70}, {300, 140}, {440, 90, true}, {530, 90}}, steps),
            profiledRank(1, {{50, 150}, {200, 30, true}, {230, 60}, {300, 200}, {500, 30, true}, {530, 90}}, steps)};
}

/// Each segment until its last rank arrives, then the transfer; seconds.
std::vector<double> stepsOf(const ProfileModel& model)
{
    std::vector<double> seconds(model.steps.size(), 0.0);
    for (const ProfileSegment& segment : model.segments)
        for (std::size_t s = 0; s < seconds.size(); ++s)
            seconds[s] += *std::max_element(segment.seconds[s].begin(), segment.seconds[s].end()) + segment.transfer[s];
    return seconds;
}

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
                                                                                          {stepsOf(*model)[0], 300},
                                                                                          {stepsOf(*model)[1], 320}})
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
    EXPECT_NEAR(stepsOf(*model)[0], 300 * kMicro, 1e-12);
}

TEST(ProfileModel, StepsWithoutACommonNameAreAnError)
{
    std::vector<KinetoRank> ranks = twoRanksTwoSteps();
    ranks[1].steps[0].name = "a";
    ranks[1].steps[1].name = "b";
    EXPECT_FALSE(profileModel(ranks).ok());
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
    EXPECT_EQ(made->classes[0].name,
              "1: segment before allreduce of 2 ranks, 32 bytes (empirical, 2 ranks x 1 steps, last rank as measured)");
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
