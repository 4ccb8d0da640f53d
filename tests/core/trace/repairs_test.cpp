// SPDX-License-Identifier: GPL-3.0-or-later
// What repairs bring, by hand; the same job with other numbers of replicas; pools and what unseen workers could hide.
#include "core/trace/repairs.h"
#include "core/trace/barriers.h"
#include "core/trace/jobpools.h"
#include "core/trace/otherreplicas.h"
#include "tables.h"

#include "core/stats/moments.h"
#include "core/stats/random.h"
#include "datafolder.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

namespace prism {
namespace {

/// Steps of some replicas of one stage with two micro-batches of 1 + 2 s each; replica 1 takes `slow` times as long; all reduce in 0.5 s.
std::string plainJob(int replicas, int steps, double slow)
{
    std::string text = kTableHeader;
    for (int step = 0; step < steps; ++step) {
        const double last = 6 * std::max(1.0, slow);
        for (int r = 0; r < replicas; ++r) {
            const double f = r == 1 ? slow : 1.0;
            for (int m = 0; m < 2; ++m)
                text += tableRow(r, 0, step, "forward-compute", 3 * f * m, f, m)
                        + tableRow(r, 0, step, "backward-compute", 3 * f * m + f, 2 * f, m);
            text += tableRow(r, 0, step, "grads-reduce-scatter", 6 * f, last + 0.5 - 6 * f);
        }
    }
    return text;
}

struct Repaired {
    TraceJob job;
    RegularJob regular;
    Repairs repairs;
};

std::unique_ptr<Repaired> repaired(TraceJob job)
{
    auto r = std::make_unique<Repaired>();
    r->job = std::move(job);
    r->regular = regularJob(r->job, hiddenBarriers(r->job).sets).value();
    r->repairs = repairsOf(r->regular).value();
    return r;
}

const Repair* find(const Repairs& r, const std::string& id)
{
    const auto at = std::find_if(r.repairs.begin(), r.repairs.end(), [&](const Repair& x) { return x.id == id; });
    return at == r.repairs.end() ? nullptr : &*at;
}

TEST(Repairs, ASlowWorkerIsNamedAndItsRepairIsTheMedianOfItsStage)
{
    const auto r = repaired(jobOfText(plainJob(5, 6, 1.2)).value());
    ASSERT_EQ(r->repairs.slow.size(), 1U);
    EXPECT_EQ(r->repairs.slow[0].replica, 1);
    EXPECT_NEAR(r->repairs.slow[0].factor, 1.2, 1e-9);
    EXPECT_NEAR(r->repairs.before.mean, 7.7, 1e-9);
    EXPECT_LT(r->repairs.replayError, 1e-9);
    const Repair* repair = find(r->repairs, "worker:1:0");
    ASSERT_NE(repair, nullptr);
    EXPECT_NEAR(repair->after.p95, 6.5, 1e-9); // the mean of the workers, the published ideal, would say 6 x 1.04 + 0.5
    EXPECT_NEAR(repair->saved.value, 1.2, 1e-9);
    EXPECT_EQ(find(r->repairs, "slow_workers"), nullptr); // one alone needs no second line
    EXPECT_EQ(find(r->repairs, "even_stages"), nullptr);
    EXPECT_TRUE(std::is_sorted(r->repairs.repairs.begin(), r->repairs.repairs.end(),
                               [](const Repair& a, const Repair& b) { return a.saved.value > b.saved.value; }));
}

TEST(Repairs, AWorkerThatIsSlowForwardAloneGetsBothMediansBack)
{
    // Five replicas, 1 + 2 s a micro-batch; replica 1 takes 1.6 s forward. One factor for both directions would be 3.6 / 3 = 1.2.
    std::string text = kTableHeader;
    for (int step = 0; step < 4; ++step)
        for (int r = 0; r < 5; ++r) {
            const double forward = r == 1 ? 1.6 : 1.0;
            text += tableRow(r, 0, step, "forward-compute", 0, forward) + tableRow(r, 0, step, "backward-compute", forward, 2)
                    + tableRow(r, 0, step, "grads-reduce-scatter", forward + 2, 1.6 - forward + 0.5);
        }
    const auto r = repaired(jobOfText(text).value());
    ASSERT_EQ(r->repairs.slow.size(), 1U);
    EXPECT_NEAR(r->repairs.slow[0].factor, 1.2, 1e-9);
    const ComputeFactors f = computeFactors(r->regular);
    EXPECT_NEAR(f.ofWorker(TraceOp::forwardCompute, 1) / f.ofWorker(TraceOp::forwardCompute, 0), 1.6, 1e-9);
    EXPECT_NEAR(f.ofWorker(TraceOp::backwardCompute, 1), 1, 1e-9);
    EXPECT_NEAR(find(r->repairs, "worker:1:0")->after.mean, 3.5, 1e-9);
    for (const DurationPool& pool : durationPools(r->regular, f))
        if (pool.signature == "backward-compute, stage 0") {
            EXPECT_NEAR(pool.seconds.front(), 2, 1e-9);
            EXPECT_NEAR(pool.seconds.back(), 2, 1e-9);
        }
}

/// Three replicas, each with two micro-batches of 1 + 2 s, of which one in every step is 1.6 times as heavy, every one once in six steps.
/// Dealt evenly each takes 1.1 times 3 s: 6.6 s and 0.5 s for the reduction, where the heaviest replica took 7.8 s.
TEST(Repairs, MicroBatchesAreDealtOverAllReplicas)
{
    std::string text = kTableHeader;
    for (int step = 0; step < 6; ++step)
        for (int r = 0; r < 3; ++r) {
            double at = 0;
            for (int m = 0; m < 2; ++m) {
                const double weight = step == 2 * r + m ? 1.6 : 1.0;
                text += tableRow(r, 0, step, "forward-compute", at, weight, m)
                        + tableRow(r, 0, step, "backward-compute", at + weight, 2 * weight, m);
                at += 3 * weight;
            }
            text += tableRow(r, 0, step, "grads-reduce-scatter", at, 7.8 + 0.5 - at);
        }
    const auto r = repaired(jobOfText(text).value());
    const Repair* even = find(r->repairs, "even_micro_batches");
    ASSERT_NE(even, nullptr);
    EXPECT_NEAR(r->repairs.before.mean, 8.3, 1e-9);
    for (const double seconds : even->seconds)
        EXPECT_NEAR(seconds, 7.1, 0.01);
    EXPECT_NEAR(even->saved.value, 1.2, 0.01);
    EXPECT_NEAR(even->savedP95Seconds, 1.2, 0.01);
}

TEST(Repairs, NothingIsSlowInAnEvenJob)
{
    const auto r = repaired(jobOfText(plainJob(4, 5, 1.0)).value());
    EXPECT_TRUE(r->repairs.slow.empty());
    for (const Repair& repair : r->repairs.repairs)
        EXPECT_NEAR(repair.saved.value, 0, 1e-9) << repair.id;
}

TEST(Repairs, OneReplicaCannotShowASlowWorkerAndReportsIt)
{
    const auto r = repaired(jobOfText(plainJob(1, 4, 1.0)).value());
    EXPECT_TRUE(r->repairs.slow.empty());
    EXPECT_TRUE(mentions(r->repairs.notes, "one replica"));
}

TEST(Repairs, UnevenStagesGetTheSameWork)
{
    // One replica of two stages, one micro-batch: 1 + 1 s on stage 0, then 3 + 3 s on stage 1: 8 s in all, also with 2 + 2 on both.
    std::string text = kTableHeader;
    for (int step = 0; step < 3; ++step)
        text += tableRow(0, 0, step, "forward-compute", 0, 1) + tableRow(0, 0, step, "forward-send", 1, 0.1)
                + tableRow(0, 1, step, "forward-recv", 0, 1.1) + tableRow(0, 1, step, "forward-compute", 1.1, 3)
                + tableRow(0, 1, step, "backward-compute", 4.1, 3) + tableRow(0, 1, step, "backward-send", 7.1, 0.1)
                + tableRow(0, 0, step, "backward-recv", 1.1, 6.1) + tableRow(0, 0, step, "backward-compute", 7.2, 1);
    const auto r = repaired(jobOfText(text).value());
    ASSERT_EQ(r->repairs.stages.size(), 2U);
    EXPECT_NEAR(r->repairs.stages[1].overMean, 1.5, 1e-9);
    EXPECT_NEAR(r->repairs.stages[0].seconds, 2.0, 1e-9);
    const Repair* even = find(r->repairs, "even_stages");
    ASSERT_NE(even, nullptr);
    EXPECT_NEAR(even->after.mean, 8.2, 1e-6);
}

TEST(Repairs, TwoProductionJobs)
{
    if (dataFolder().empty())
        GTEST_SKIP() << "no PRISM_DATA";
    const auto real = [](const std::string& name) {
        const std::string stem = dataFolder() + "/traces/stage-" + name;
        return repaired(readStageTable(stem + ".csv.gz", *readStageTableMeta(stem + ".meta.yaml")).value());
    };
    const auto lengths = real("SE"), last = real("ST");
    EXPECT_LT(lengths->repairs.replayError, 0.005);
    EXPECT_LT(last->repairs.replayError, 0.005);
    // SE suffers from sequence lengths, ST from a long last stage: the first repair names the cause.
    EXPECT_EQ(lengths->repairs.repairs.front().id, "even_micro_batches");
    EXPECT_EQ(last->repairs.repairs.front().id, "even_stages");
    EXPECT_GT(last->repairs.stages.back().overMean, 1 + kUnevenStage);
    for (const auto* r : {&lengths->repairs, &last->repairs})
        for (const Repair& repair : r->repairs)
            EXPECT_GT(repair.after.p50, 0) << repair.id;
}

/// A job of replicas with two micro-batches drawn from [1, 2) s each, then a reduction of 0.2 s (n - 1) / n.
std::string drawnJob(int replicas, int steps)
{
    std::string text = kTableHeader;
    for (int step = 0; step < steps; ++step) {
        std::vector<double> end(static_cast<std::size_t>(replicas), 0.0);
        for (int r = 0; r < replicas; ++r)
            for (int m = 0; m < 2; ++m) {
                const double x =
                    1
                    + uniform(5, stream(7, static_cast<std::uint64_t>(step), static_cast<std::uint64_t>(r)), static_cast<std::uint64_t>(m));
                double& at = end[static_cast<std::size_t>(r)];
                text += tableRow(r, 0, step, "forward-compute", at, x / 3, m)
                        + tableRow(r, 0, step, "backward-compute", at + x / 3, x * 2 / 3, m);
                at += x;
            }
        const double last = *std::max_element(end.begin(), end.end());
        for (int r = 0; r < replicas; ++r)
            text += tableRow(r, 0, step, "grads-reduce-scatter", end[static_cast<std::size_t>(r)],
                             last - end[static_cast<std::size_t>(r)] + 0.2 * (replicas - 1) / replicas);
    }
    return text;
}

TEST(OtherReplicas, MoreThanTheJobHadWaitForTheSlowestOfMore)
{
    const TraceJob eight = jobOfText(drawnJob(8, 60)).value(), many = jobOfText(drawnJob(64, 60)).value();
    const auto scaling = replicaScaling(eight, {.replicas = {8, 64, 2}, .samples = 2000});
    ASSERT_TRUE(scaling.ok());
    ASSERT_EQ(scaling->drawn.size(), 3U);
    std::vector<double> measured = many.stepSeconds();
    EXPECT_NEAR(scaling->drawn[0].step.mean / scaling->measured.mean, 1, 0.02);
    EXPECT_NEAR(scaling->drawn[1].step.mean / meanOf(measured), 1, 0.02);
    EXPECT_LT(scaling->drawn[2].step.mean, scaling->drawn[0].step.mean);
    EXPECT_EQ(scaling->assumptions.size(), 5U); // the last two: further replicas are like the measured ones; what they could hide
    const auto again = replicaScaling(eight, {.replicas = {64}, .samples = 2000});
    EXPECT_EQ(again->drawn[0].step.p95, scaling->drawn[1].step.p95);
}

TEST(OtherReplicas, ImpossibleNumbersAreErrorsAllAtOnce)
{
    const TraceJob job = jobOfText(plainJob(2, 3, 1)).value();
    EXPECT_EQ(replicaScaling(job, {.replicas = {0, 5000}, .samples = 1}).errors().size(), 3U);
    EXPECT_FALSE(replicaScaling(job, {.replicas = {}}).ok());
}

TEST(DurationPools, WorkersOfAStageShareThemWithoutTheirOwnFactors)
{
    const TraceJob job = jobOfText(plainJob(5, 6, 1.2)).value();
    const RegularJob regular = regularJob(job, hiddenBarriers(job).sets).value();
    const std::vector<DurationPool> pools = durationPools(regular, computeFactors(regular));
    const auto pool = [&](const std::string& signature) {
        return *std::find_if(pools.begin(), pools.end(), [&](const DurationPool& p) { return p.signature == signature; });
    };
    EXPECT_EQ(pools.front().signature, "backward-compute, stage 0");
    EXPECT_EQ(pools.front().seconds.size(), 60U); // 5 replicas x 6 steps x 2 micro-batches
    const auto [low, high] = std::minmax_element(pools.front().seconds.begin(), pools.front().seconds.end());
    EXPECT_NEAR(*low, 2.08, 1e-9); // 2 s x (1 + 0.2 / 5), the mean of the workers
    EXPECT_NEAR(*high, 2.08, 1e-9);
    EXPECT_NEAR(pool("grads-reduce-scatter, stage 0").seconds.front(), 0.5, 1e-9); // without the wait for replica 1
    EXPECT_EQ(pool("grads-reduce-scatter, stage 0").standIn(), "empirical");
    EXPECT_NE(poolsCsv(pools).find("\"backward-compute, stage 0\",60,"), std::string::npos);
}

TEST(DurationPools, FamiliesAreJudgedAndSmallSamplesWarned)
{
    std::vector<double> values;
    for (std::uint64_t i = 0; i < 400; ++i)
        values.push_back(
            std::exp(0.8 * std::sqrt(-2 * std::log(uniform(1, stream(1), i))) * std::cos(6.283185307 * uniform(1, stream(2), i))));
    EXPECT_EQ(fittedPool("x", values).standIn(), "lognormal");
    EXPECT_TRUE(fittedPool("x", values).warning.empty());
    std::vector<double> two = values;
    for (double& x : two)
        x = x > 1 ? 5 + 0.01 * x : 1 + 0.01 * x;
    EXPECT_EQ(fittedPool("x", two).standIn(), "empirical");
    EXPECT_NE(fittedPool("x", two).warning.find("no family fits"), std::string::npos);
    EXPECT_NE(fittedPool("x", {values.begin(), values.begin() + 60}).warning.find("fewer than 100"), std::string::npos);
    EXPECT_NE(fittedPool("x", {values.begin(), values.begin() + 20}).warning.find("few values"), std::string::npos);
    EXPECT_FALSE(fittedPool("x", {1.0, 1.0}).fit);
}

TEST(Unseen, TheBoundIsThatOfClopperAndPearson)
{
    EXPECT_EQ(unseenText(8, 0, 8), "");
    EXPECT_NE(unseenText(8, 0, 64).find("up to 31 %"), std::string::npos); // 1 - 0.05^(1/8) = 0.312
    EXPECT_NE(unseenText(100, 0, 200).find("up to 3 %"), std::string::npos);
    EXPECT_NE(unseenText(4, 4, 8).find("up to 100 %"), std::string::npos);
}

} // namespace
} // namespace prism
