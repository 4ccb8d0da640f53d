// SPDX-License-Identifier: GPL-3.0-or-later
// Repairs and what-ifs of profiled ranks, computed on paper.
#include "core/sim/simulate.h"
#include "core/stats/moments.h"
#include "core/trace/profilemodel.h"
#include "profiles.h"

#include <gtest/gtest.h>

#include <map>

namespace prism {
namespace {

void expectSteps(const std::vector<KinetoRank>& ranks, const std::vector<std::string>& repairs, const std::vector<double>& microseconds)
{
    const auto model = repaired(profileModel(ranks).value(), repairs);
    ASSERT_TRUE(model.ok()) << repairs.front();
    const std::vector<double> steps = stepSeconds(*model);
    ASSERT_EQ(steps.size(), microseconds.size());
    for (std::size_t s = 0; s < steps.size(); ++s)
        EXPECT_NEAR(steps[s], microseconds[s] * kMicro, 1e-12) << repairs.front() << ", step " << s;
}

// Busy time before the all-reduce: rank 0 100 and 140, rank 1 150 and 200, median of the sums 295. Behind it 70 + 90 and 60 + 90, median
// 155. So rank 0 takes 400 / 450 of the median, rank 1 500 / 450.
TEST(ProfileRepairs, RankFactorsCompareEqualKernels)
{
    const std::vector<double> factors = rankFactors(profileModel(twoRanksTwoSteps()).value());
    ASSERT_EQ(factors.size(), 2U);
    EXPECT_NEAR(factors[0], 400.0 / 450, 1e-9);
    EXPECT_NEAR(factors[1], 500.0 / 450, 1e-9);
}

TEST(ProfileRepairs, StepsOnPaper)
{
    const std::vector<KinetoRank> ranks = twoRanksTwoSteps();
    expectSteps(ranks, {"worker:1"}, {50 + 135 + 30 + 70, 180 + 30 + 90}); // idle time stays
    expectSteps(ranks, {"slow_workers"}, {285, 300});
    expectSteps(ranks, {"worker:0"}, {300, 320}); // faster than the median: nothing to repair
    expectSteps(ranks, {"no_gaps"}, {150 + 30 + 70, 320});
    expectSteps(ranks, {"faster:GEMM=2"}, {50 + 75 + 30 + 35, 100 + 30 + 45});
    expectSteps(ranks, {"faster:allreduce of 2 ranks=3"}, {280, 300});
    // Means over the steps: rank 1 arrives after 200; behind the all-reduce rank 0 takes 80 and rank 1 75.
    expectSteps(ranks, {"half_jitter"}, {200 + 30 + 75, 200 + 30 + 85});
    expectSteps(ranks, {"steady_transfers"}, {300, 320});
    expectSteps(ranks, {"no_gaps", "faster:gemm=2"}, {75 + 30 + 35, 175});
}

TEST(ProfileRepairs, TransfersAboveTheMedianTakeTheMedian)
{
    // One rank, three steps of 100 and a transfer of 30, 30 and 90.
    const std::vector<KinetoRank> ranks = {profiledRank(
        0, {{0, 100}, {100, 30, true}, {130, 100}, {230, 30, true}, {260, 100}, {360, 90, true}}, {{0, 130}, {130, 130}, {260, 190}}, 1)};
    expectSteps(ranks, {"steady_transfers"}, {130, 130, 130});
    expectSteps(ranks, {"half_jitter"}, {140, 140, 170});
}

TEST(ProfileRepairs, TimeOfSeveralKernelsBelongsToTheFirst)
{
    // 0-100 gemm; next to its second half a collective of ranks without a profile, alone from 100 to 150; then 50 idle and 10 gemm.
    KinetoRank rank = profiledRank(0, {{0, 100}, {50, 100, true, 2}, {200, 10}}, {{0, 210}});
    const KinetoRank other = profiledRank(1, {{0, 1}}, {{0, 210}});
    expectSteps({rank, other}, {"faster:gemm=2"}, {210 - 50 - 5});
    expectSteps({rank, other}, {"faster:allreduce=2"}, {210 - 25});
    expectSteps({rank, other}, {"faster:idle=2"}, {210 - 25});
    expectSteps({rank, other}, {"no_gaps"}, {160});
}

TEST(ProfileRepairs, EachRepairIsListedWithItsSaving)
{
    const Repairs r = profileRepairs(profileModel(twoRanksTwoSteps()).value(), {"faster:gemm=2"}).value();
    EXPECT_NEAR(r.before.mean, 310 * kMicro, 1e-12);
    EXPECT_NEAR(r.replayError, 0, 1e-9);
    ASSERT_EQ(r.slow.size(), 1U);
    EXPECT_EQ(r.slow[0].replica, 1);
    const std::map<std::string, double> expected = {
        {"faster:gemm=2", (110 + 145) / 2.0}, {"no_gaps", 25}, {"worker:1", 17.5}, {"half_jitter", 0}, {"steady_transfers", 0}};
    ASSERT_EQ(r.repairs.size(), expected.size());
    EXPECT_EQ(r.repairs[0].id, "faster:gemm=2") << "the largest saving first";
    for (const Repair& repair : r.repairs)
        EXPECT_NEAR(repair.saved.value, expected.at(repair.id) * kMicro, 1e-12) << repair.id;
}

TEST(ProfileRepairs, TheGraphHasTheRepairedTimes)
{
    const ProfileModel model = repaired(profileModel(twoRanksTwoSteps()).value(), {"faster:allreduce=3"}).value();
    const StepGraph graph = profileGraph(model).value();
    EXPECT_NEAR(graph.programs[0].blocks[0].ops[1].meanSeconds, 10 * kMicro, 1e-12);
    EXPECT_NEAR(meanOf(simulate(graph, {.numSamples = 20'000}).acrossSeconds), 290 * kMicro, 2 * kMicro);
}

TEST(ProfileRepairs, WhatRepairsNothingIsRefused)
{
    const ProfileModel model = profileModel(twoRanksTwoSteps()).value();
    for (const char* id : {"worker:7", "worker:", "faster:conv=2", "faster:gemm", "faster:gemm=0", "faster:gemm=-1", "faster:gemm=x",
                           "faster:=2", "faster:", "even_stages", ""}) {
        const auto refused = repaired(model, {id});
        ASSERT_FALSE(refused.ok()) << id;
        EXPECT_EQ(refused.errors().front().path, "--repair");
        EXPECT_EQ(refused.errors().front().found, id);
        EXPECT_NE(refused.errors().front().accepted.find("0, 1"), std::string::npos);
    }
}

} // namespace
} // namespace prism
