// SPDX-License-Identifier: GPL-3.0-or-later
// Known answers of traces: links, gaps, barriers, factors, slowdowns, scaled replicas and profiler reports, from jobs small enough for
// paper.
#include "tables.h"

#include "core/stats/distance.h"
#include "core/stats/moments.h"
#include "core/trace/barriers.h"
#include "core/trace/chrometrace.h"
#include "core/trace/heldout.h"
#include "core/trace/jobpools.h"
#include "core/trace/kineto.h"
#include "core/trace/kinetoreport.h"
#include "core/trace/otherreplicas.h"
#include "core/trace/pools.h"
#include "core/trace/rankwindows.h"
#include "core/trace/repairs.h"
#include "core/trace/schedulename.h"
#include "core/trace/startup.h"
#include "core/trace/stepmodel.h"
#include "core/trace/whatif.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace prism {
namespace {

/// One replica of two stages, one micro-batch. Stage 0: 1 + 1 s, optimizer 0.5 s; stage 1: 3 + 3 s, 0.3 s; transfers of 0.1 s: 8.7 s.
std::string chainOfTwo()
{
    return kTableHeader + tableRow(0, 0, 1, "forward-compute", 0, 1) + tableRow(0, 0, 1, "forward-send", 1, 0.1)
           + tableRow(0, 1, 1, "forward-recv", 0, 1.1) + tableRow(0, 1, 1, "forward-compute", 1.1, 3)
           + tableRow(0, 1, 1, "backward-compute", 4.1, 3) + tableRow(0, 1, 1, "backward-send", 7.1, 0.1)
           + tableRow(0, 0, 1, "backward-recv", 1.1, 6.1) + tableRow(0, 0, 1, "backward-compute", 7.2, 1)
           + tableRow(0, 0, 1, "optimizer", 8.2, 0.5) + tableRow(0, 1, 1, "optimizer", 7.2, 0.3);
}

TEST(WhatIf, AChainOfTwoStagesByHand)
{
    const TraceJob job = jobOfText(chainOfTwo()).value();
    const WhatIf w = whatIf(job).value();
    // Ideal: forward 2, backward 2, transfers 0.1, optimizer 0.4: 2 + 0.1 + 2 + 2 + 0.1 + 2 + 0.4.
    EXPECT_TRUE(w.notes.empty()) << "every transfer has its partner, every step its order";
    EXPECT_NEAR(w.idealSeconds, 8.6, 1e-9);
    EXPECT_NEAR(w.steps[0].base, 8.7, 1e-9);
    EXPECT_NEAR(w.steps[0].noDelay, 8.7, 1e-9);
    EXPECT_EQ(w.steps[0].number, 1);
    EXPECT_NEAR(w.launchSlowdown, 1, 1e-9);
    EXPECT_NEAR(w.slowdown, 8.7 / 8.6, 1e-9);
    EXPECT_NEAR(w.byType.at("forward-compute"), 1, 1e-9);
    EXPECT_NEAR(w.byType.at("optimizer"), 8.7 / 8.6, 1e-9);
    EXPECT_NEAR(w.byType.at("forward-pp-comm"), 1, 1e-9);
    EXPECT_NEAR(w.byType.at("backward-pp-comm"), 1, 1e-9);
    ASSERT_EQ(w.byStage.size(), 2U);
    EXPECT_NEAR(w.byStage[0], (1 + 0.1 + 2 + 2 + 0.1 + 1 + 0.5) / 8.6, 1e-9);
    EXPECT_NEAR(w.byStage[1], (2 + 0.1 + 3 + 3 + 0.1 + 2 + 0.4) / 8.6, 1e-9);
    EXPECT_NEAR(w.byReplica[0], 8.7 / 8.6, 1e-9);
    EXPECT_EQ(w.worstWorkers, std::vector{1});
    EXPECT_NEAR(w.worstWorkersShare, (8.7 - 6.7) / 0.1, 1e-6) << "without what stage 1 takes longer the step has 6.7 s";
    EXPECT_NEAR(w.lastStageShare, (8.7 - 6.7) / 0.1, 1e-6);
}

TEST(WhatIf, ThreePercentOfTheWorkersRoundedUpAreTheWorst)
{
    std::string text = kTableHeader;
    for (int r = 0; r < 34; ++r)
        text += tableRow(r, 0, 1, "forward-compute", 0, 1 + 0.01 * ((r * 7) % 34)) + tableRow(r, 0, 1, "backward-compute", 2, 1);
    const WhatIf w = whatIf(jobOfText(text).value()).value();
    EXPECT_EQ(w.worstWorkers, (std::vector{29, 24})) << "29 x 7 and 24 x 7 leave 33 and 32 of 34";
}

TEST(Links, EveryTransferHasItsComputationItsPartnerAndItsOwnSeconds)
{
    const TraceJob job = jobOfText(chainOfTwo()).value();
    const TraceStep& step = job.steps[0];
    const StepLinks links = stepLinks(step, job);
    const auto at = [&](int stage, TraceOp type) {
        for (std::size_t i = 0; i < step.operations.size(); ++i)
            if (step.operations[i].stage == stage && step.operations[i].type == type)
                return static_cast<int>(i);
        return -1;
    };
    using enum TraceOp;
    const auto of = [](const std::vector<int>& list, int i) { return list[static_cast<std::size_t>(i)]; };
    const int f0 = at(0, forwardCompute), f1 = at(1, forwardCompute), b0 = at(0, backwardCompute), b1 = at(1, backwardCompute);
    EXPECT_EQ(of(links.sendOf, f0), at(0, forwardSend));
    EXPECT_EQ(of(links.recvOf, f1), at(1, forwardRecv));
    EXPECT_EQ(of(links.sendOf, b1), at(1, backwardSend));
    EXPECT_EQ(of(links.recvOf, b0), at(0, backwardRecv));
    EXPECT_EQ(of(links.sendOf, f1), -1) << "the last stage sends nothing forward";
    EXPECT_EQ(of(links.recvOf, f0), -1);
    EXPECT_EQ(of(links.computeOf, at(0, forwardSend)), f0);
    EXPECT_EQ(of(links.computeOf, at(0, backwardRecv)), b0);
    EXPECT_EQ(of(links.feederOf, f1), f0);
    EXPECT_EQ(of(links.feederOf, b0), b1);
    EXPECT_EQ(of(links.feederOf, f0), -1);
    EXPECT_EQ(of(links.groupOf, at(0, forwardSend)), of(links.groupOf, at(1, forwardRecv)));
    EXPECT_NE(of(links.groupOf, at(0, forwardSend)), of(links.groupOf, at(0, backwardRecv)));
    EXPECT_EQ(of(links.groupOf, f0), -1);
    EXPECT_EQ(links.groups.size(), 2U);
    EXPECT_EQ(links.unmatched, 0);
    const std::vector<double> seconds = transferSeconds(step, links);
    for (const int transfer : {at(0, forwardSend), at(1, forwardRecv), at(1, backwardSend), at(0, backwardRecv)})
        EXPECT_NEAR(seconds[static_cast<std::size_t>(transfer)], 0.1, 1e-9) << "from the later start on";
    EXPECT_EQ(seconds[static_cast<std::size_t>(f1)], 3);
    EXPECT_EQ(workerBegins(step, job), (std::vector{0, 5, 10}));
    // A partner that ended before the other began: up to 10 ms are the clocks' error; beyond, the time is 0.
    for (const auto& [late, own] : {std::pair{0.109, -0.009}, {0.111, 0.0}}) {
        TraceStep moved = step;
        moved.operations[static_cast<std::size_t>(at(1, forwardRecv))].start = 1 + late;
        EXPECT_NEAR(transferSeconds(moved, links)[static_cast<std::size_t>(at(0, forwardSend))], own, 1e-9);
    }
}

/// Replicas of one stage that compute for `ready` s and start their reduction at `start`, over some steps.
FoundBarriers barriersOf(const std::vector<double>& ready, double start, int steps = 4)
{
    std::string text = kTableHeader;
    for (int step = 0; step < steps; ++step)
        for (std::size_t r = 0; r < ready.size(); ++r)
            text += tableRow(static_cast<int>(r), 0, step, "forward-compute", 0, ready[r] / 2)
                    + tableRow(static_cast<int>(r), 0, step, "backward-compute", ready[r] / 2, ready[r] / 2)
                    + tableRow(static_cast<int>(r), 0, step, "grads-reduce-scatter", start, 0.2);
    return hiddenBarriers(jobOfText(text).value());
}

TEST(Barriers, TheGapMustFallToHalfAndBeAMillisecond)
{
    const FoundBarriers found = barriersOf({1, 2}, 2.001); // gaps of 1.001 and 0.001 s; behind the last 1 ms
    ASSERT_EQ(found.sets.size(), 1U);
    EXPECT_EQ(found.sets[0], (std::vector{0, 1}));
    EXPECT_TRUE(found.texts[0].starts_with("the replicas of stage 0 wait for each other")) << found.texts[0];
    EXPECT_TRUE(found.texts[0].ends_with("the mean gap falls from 501 ms to 1 ms")) << found.texts[0];
    EXPECT_EQ(barriersOf({1, 1.5}, 1.74).sets.size(), 1U); // 0.49 to 0.24: below a half
    EXPECT_EQ(barriersOf({1, 1.5}, 1.76).sets.size(), 0U); // 0.51 to 0.26
    EXPECT_EQ(barriersOf({1, 1.5}, 1.4989).sets.size(), 0U) << "it starts before the last is ready";
    EXPECT_EQ(barriersOf({1, 1.5}, 1.4995).sets.size(), 1U) << "within the clock's error";
    EXPECT_EQ(barriersOf({1, 1.0018}, 1.0018).sets.size(), 0U); // a mean gap of 0.9 ms
    EXPECT_EQ(barriersOf({1, 1.0022}, 1.0022).sets.size(), 1U);
}

TEST(ComputeFactors, WorkersStepsAndPlacesByHand)
{
    // Seconds over their mean: worker 0: 0.7, 0.9 in step 0, 0.9, 1.1 in step 1; worker 1: 0.2 more. Backward takes twice as long.
    const double over[2][2][2] = {{{0.7, 0.9}, {0.9, 1.1}}, {{0.9, 1.1}, {1.1, 1.3}}};
    for (const int stages : {1, 2}) { // a second stage is heavy where the first one is: no further draws
        std::string text = kTableHeader;
        for (int t : {0, 1})
            for (int w : {0, 1})
                for (int m : {0, 1})
                    for (int s = 0; s < stages; ++s)
                        text += tableRow(w, s, t, "forward-compute", 10 * m, over[w][t][m], m)
                                + tableRow(w, s, t, "backward-compute", 10 * m + 5, 2 * over[w][t][m], m);
        const TraceJob job = jobOfText(text).value();
        const RegularJob regular = regularJob(job, {}).value();
        const ComputeFactors f = computeFactors(regular);
        // Means 0.9 and 1.1 (variance 0.02); within one 0.08 / 3 over 4 draws explains a third of it: 1 -+ 2/3 x 0.1. The same by steps.
        const double noise = stages == 1 ? 1.0 / 3 : 1.0 / 2; // of four workers the variance is 0.04 / 3
        EXPECT_NEAR(f.workerNoiseShare, noise, 1e-9);
        EXPECT_NEAR(f.stepNoiseShare, 1.0 / 3, 1e-9);
        EXPECT_NEAR(f.worker[0], 1 - 0.1 * (1 - noise), 1e-9);
        EXPECT_NEAR(f.worker[static_cast<std::size_t>(stages)], 1 + 0.1 * (1 - noise), 1e-9);
        EXPECT_NEAR(f.step[0], 1 - 0.2 / 3, 1e-9);
        EXPECT_NEAR(f.step[1], 1 + 0.2 / 3, 1e-9);
        // Places: 0.894601 and 1.096391 of their mean 0.995496, of whose variance 0.0203596 noise explains 0.000831 (4.08 %).
        double first = 0, second = 0;
        for (std::size_t l = 0; l < regular.slots.size(); ++l)
            if (regular.slots[l].type == TraceOp::forwardCompute)
                (regular.slots[l].microBatch == 0 ? first : second) = f.mean[l];
        if (stages == 1) {
            EXPECT_NEAR(first, 0.902788, 2e-5);
            EXPECT_NEAR(second, 1.097212, 2e-5);
        }
        EXPECT_NEAR(f.microBatchCorrelation, 1, 1e-9) << "both directions of a micro-batch are equally heavy";
        for (std::size_t l = 0; l < regular.slots.size(); ++l)
            for (const std::size_t t : {0U, 1U})
                EXPECT_NEAR(f.mean[l] * f.worker[static_cast<std::size_t>(stages)] * f.step[t] * f.residual[t][regular.slots.size() + l],
                            regular.steps[t].seconds[regular.slots.size() + l], 1e-9);
    }
}

TEST(SlowWorkers, ThreePercentOverTheMedianOfTheirStage)
{
    TraceJob job;
    job.replicas = 3;
    job.stages = 2;
    const RegularJob regular{.job = &job};
    ComputeFactors factors;
    factors.worker = {1, 2, 1.029, 2.2, 1, 2.062}; // [replica * 2 + stage]: medians 1 and 2.062
    std::vector<SlowWorker> slow = slowWorkers(regular, factors);
    ASSERT_EQ(slow.size(), 1U);
    EXPECT_EQ(slow[0].replica, 1);
    EXPECT_EQ(slow[0].stage, 1);
    EXPECT_NEAR(slow[0].factor, 2.2 / 2.062, 1e-12);
    factors.worker[2] = 1.031;
    slow = slowWorkers(regular, factors);
    ASSERT_EQ(slow.size(), 2U);
    EXPECT_EQ(slow[1].stage, 0) << "the slowest first";
    std::vector<double> seconds(101);
    std::iota(seconds.rbegin(), seconds.rend(), 0.0);
    const StepTimes times = stepTimes(seconds);
    EXPECT_EQ(std::tuple(times.mean, times.p50, times.p95, times.p99), std::tuple(50.0, 50.0, 95.0, 99.0));
}

TEST(Repairs, GapsTransfersAndSeveralSlowWorkersByHand)
{
    // Five replicas of one stage: 1 + 2 s, replica 1 1.5 times, replica 2 1.2 times as long; 0.25 s before the optimizer of 0.5 s.
    std::string text = kTableHeader;
    for (int step = 0; step < 4; ++step)
        for (int r = 0; r < 5; ++r) {
            const double f = r == 1 ? 1.5 : r == 2 ? 1.2 : 1, reduce = step == 3 ? 0.9 : 0.3;
            text += tableRow(r, 0, step, "forward-compute", 0, f) + tableRow(r, 0, step, "backward-compute", f, 2 * f)
                    + tableRow(r, 0, step, "grads-reduce-scatter", 3 * f, 4.5 + reduce - 3 * f)
                    + tableRow(r, 0, step, "optimizer", 4.75 + reduce, 0.5);
        }
    const TraceJob job = jobOfText(text).value();
    const RegularJob regular = regularJob(job, {}).value();
    const Repairs repairs = repairsOf(regular).value();
    EXPECT_NEAR(repairs.before.mean, 4.5 + 0.25 + 0.5 + (3 * 0.3 + 0.9) / 4, 1e-9);
    EXPECT_LT(repairs.replayError, 1e-9);
    const auto after = [&](const std::string& id) {
        for (const Repair& r : repairs.repairs)
            if (r.id == id)
                return r.after.mean;
        return -1.0;
    };
    ASSERT_EQ(repairs.slow.size(), 2U);
    const double rest = 0.25 + 0.5 + 0.45;
    EXPECT_NEAR(after("worker:1:0"), 3.6 + rest, 1e-6) << "then replica 2 is last";
    EXPECT_NEAR(after("worker:2:0"), 4.5 + rest, 1e-6);
    EXPECT_NEAR(after("slow_workers"), 3 + rest, 1e-6) << "each by its own factor";
    EXPECT_NEAR(after("no_gaps"), 4.5 + rest - 0.25, 1e-9);
    EXPECT_NEAR(after("steady_transfers"), 4.5 + 0.25 + 0.5 + 0.3, 1e-9) << "the median of the reductions";
    for (const Repair& r : repairs.repairs)
        if (r.id == "no_gaps") {
            EXPECT_NEAR(r.saved.value, 0.25, 1e-9);
            EXPECT_NEAR(r.savedP95Seconds, 0.25, 1e-9);
            EXPECT_EQ(r.seconds.size(), 4U);
        }
}

/// Replicas of one stage, micro-batches of 3 s in all, a reduction of 0.5 s.
TraceJob evenJob(int replicas, int steps)
{
    std::string text = kTableHeader;
    for (int step = 0; step < steps; ++step)
        for (int r = 0; r < replicas; ++r)
            text += tableRow(r, 0, step, "forward-compute", 0, 1) + tableRow(r, 0, step, "backward-compute", 1, 2)
                    + tableRow(r, 0, step, "grads-reduce-scatter", 3, 0.5);
    return jobOfText(text).value();
}

TEST(OtherReplicas, ReductionsTakeARingsShare)
{
    const ReplicaScaling scaling = replicaScaling(evenJob(2, 3), {.replicas = {1, 2, 4, 10}, .samples = 100}).value();
    EXPECT_EQ(scaling.measuredReplicas, 2);
    EXPECT_NEAR(scaling.measured.mean, 3.5, 1e-9);
    ASSERT_EQ(scaling.drawn.size(), 4U);
    const double expected[] = {3, 3.5, 3 + 0.5 * 1.5, 3 + 0.5 * 1.8}; // (n - 1) / n over 1/2
    for (std::size_t k = 0; k < 4; ++k) {
        EXPECT_NEAR(scaling.drawn[k].step.mean, expected[k], 1e-9) << k;
        EXPECT_NEAR(scaling.drawn[k].step.p95, expected[k], 1e-9) << k;
        EXPECT_NEAR(scaling.drawn[k].phaseP50, 3, 1e-9);
        EXPECT_NEAR(scaling.drawn[k].meanHalfWidth, 0, 1e-9);
    }
    EXPECT_EQ(scaling.drawn[2].replicas, 4);
    EXPECT_TRUE(scaling.assumptions.back().starts_with("with 3 measured steps"));
    const ReplicaScaling many = replicaScaling(evenJob(2, 20), {.replicas = {2}, .samples = 100}).value();
    EXPECT_EQ(many.assumptions.size(), 3U) << "twenty steps show a p95, and no replica is added";
    for (const auto& [samples, isOk] : {std::pair{99, false}, {100, true}})
        EXPECT_EQ(replicaScaling(evenJob(2, 3), {.replicas = {4096}, .samples = samples}).ok(), isOk);
    EXPECT_FALSE(replicaScaling(evenJob(2, 3), {.replicas = {4097}, .samples = 100}).ok());
}

/// A series of steps that compute for the given seconds, two thirds of them backward.
TraceJob seriesOf(const std::vector<double>& seconds)
{
    std::string text = kTableHeader;
    for (std::size_t k = 0; k < seconds.size(); ++k)
        text += tableRow(0, 0, static_cast<int>(k) + 1, "forward-compute", 100.0 * static_cast<double>(k), seconds[k] / 3)
                + tableRow(0, 0, static_cast<int>(k) + 1, "backward-compute", 100.0 * static_cast<double>(k) + seconds[k] / 3,
                           seconds[k] * 2 / 3);
    return jobOfText(text).value();
}

TEST(HeldOut, PartsAndTheirDistributionsByHand)
{
    const TraceJob job = seriesOf({1, 2, 3, 4, 5, 6, 7});
    const auto held = [&](const char* train) { return heldOutPrediction(job, {.train = train, .samples = 100}).value(); };
    const HeldOut even = held("even"); // learns from 1, 3, 5, 7
    EXPECT_EQ(even.trainSteps, 4);
    EXPECT_EQ(even.heldOutSteps, 3);
    EXPECT_NEAR(even.measuredMean, 4, 1e-9);
    EXPECT_NEAR(even.measuredP50, 4, 1e-9);
    EXPECT_NEAR(even.measuredP95, 5.8, 1e-9);
    EXPECT_NEAR(even.baseline.mean, 4, 1e-9);
    EXPECT_NEAR(even.baseline.p95, 6.7, 1e-9);
    EXPECT_NEAR(even.baseline.p95Error, 6.7 / 5.8 - 1, 1e-9);
    EXPECT_NEAR(even.baseline.ks, 0.25, 1e-9);
    EXPECT_EQ(even.ksCritical, ksCritical(3, 0, 0.05));
    EXPECT_GT(even.ksCritical, 0.5);
    EXPECT_EQ(even.predictedSeconds.size(), 100U);
    EXPECT_NEAR(even.predicted.mean, meanOf(even.predictedSeconds), 1e-9);
    const HeldOut odd = held("odd");
    EXPECT_EQ(odd.trainSteps, 3);
    EXPECT_NEAR(odd.baseline.mean, 4, 1e-9);
    const HeldOut half = held("first-half"); // 1 to 4; held out 5 to 7
    EXPECT_EQ(half.trainSteps, 4);
    EXPECT_NEAR(half.measuredMean, 6, 1e-9);
    EXPECT_NEAR(half.baseline.meanError, 2.5 / 6 - 1, 1e-9);
    EXPECT_NEAR(half.baseline.p50Error, 2.5 / 6 - 1, 1e-9);
    EXPECT_NEAR(half.baseline.wassersteinSeconds, 3.5, 1e-9);
    EXPECT_NEAR(half.baseline.ks, 1, 1e-9);
    const HeldOut numbers = held("2, 7");
    EXPECT_EQ(numbers.trainSteps, 2);
    EXPECT_NEAR(numbers.baseline.mean, 4.5, 1e-9);
    EXPECT_EQ(held("0.4").trainSteps, 3); // 2.8 of 7
    EXPECT_EQ(held("0.01").trainSteps, 1);
    EXPECT_EQ(half.startupSteps, 0);
    const TraceJob late = seriesOf({9, 2, 2, 2, 2, 2, 2, 2, 2});
    EXPECT_EQ(heldOutPrediction(late, {.samples = 100})->startupSteps, 1);
    EXPECT_EQ(heldOutPrediction(late, {.excludeStartup = true, .samples = 100})->trainSteps, 4);
    EXPECT_EQ(heldOutPrediction(late, {.samples = 100})->trainSteps, 5);
    EXPECT_FALSE(heldOutPrediction(job, {.samples = 99}).ok());
}

TEST(HeldOut, FloorsOfTwoValuesByHand)
{
    // One step of each kind: whichever half is drawn, the means differ by a third or a half, and nothing overlaps.
    const HeldOut h = heldOutPrediction(seriesOf({2, 3}), {.train = "even", .samples = 100}).value();
    EXPECT_NEAR(h.ksFloor, 1, 1e-9);
    EXPECT_GT(h.meanFloor, 1.0 / 3);
    EXPECT_LT(h.meanFloor, 0.5);
    EXPECT_NEAR(h.meanFloor, (1.0 / 3 + 0.5) / 2, 0.02); // 200 splits
    EXPECT_NEAR(h.p95Floor, h.meanFloor, 1e-12);
    EXPECT_NEAR(h.predicted.mean, 2, 1e-9) << "one step was learnt from";
    EXPECT_NEAR(h.predicted.meanError, -1.0 / 3, 1e-9);
    EXPECT_NEAR(h.replicaPhaseKs, 1, 1e-9);
}

TEST(RandomParts, AreMeansOverSeedsOfAMadeUpSeries)
{
    std::vector<double> seconds;
    for (int k = 0; k < 14; ++k)
        seconds.push_back(5 + 0.1 * ((k * 5) % 14));
    const TraceJob job = seriesOf(seconds);
    RandomParts mean;
    for (std::uint64_t seed = 3; seed < 5; ++seed) {
        const HeldOut h = heldOutPrediction(job, {.train = "0.5", .seed = seed, .samples = 100}).value();
        for (const auto& [to, from] : {std::pair{&mean.predicted, &h.predicted}, {&mean.baseline, &h.baseline}}) {
            to->meanError += std::abs(from->meanError) / 2;
            to->p50Error += std::abs(from->p50Error) / 2;
            to->p95Error += std::abs(from->p95Error) / 2;
            to->ks += from->ks / 2;
            to->wassersteinSeconds += from->wassersteinSeconds / 2;
        }
        mean.ksFloor += h.ksFloor / 2;
        mean.meanFloor += h.meanFloor / 2;
        mean.p95Floor += h.p95Floor / 2;
        mean.replicaPhaseKs += h.replicaPhaseKs / 2;
    }
    const RandomParts parts = randomParts(job, {.train = "0.5", .seed = 3, .samples = 100}, 2).value();
    EXPECT_EQ(std::tuple(parts.parts, parts.trainSteps, parts.heldOutSteps), std::tuple(2, 7, 7));
    for (double DistributionScore::*const score :
         {&DistributionScore::meanError, &DistributionScore::p50Error, &DistributionScore::p95Error, &DistributionScore::ks,
          &DistributionScore::wassersteinSeconds}) {
        EXPECT_NEAR(parts.predicted.*score, mean.predicted.*score, 1e-12);
        EXPECT_NEAR(parts.baseline.*score, mean.baseline.*score, 1e-12);
        EXPECT_GT(parts.baseline.*score, 0);
    }
    for (double RandomParts::*const metric :
         {&RandomParts::ksFloor, &RandomParts::meanFloor, &RandomParts::p95Floor, &RandomParts::replicaPhaseKs})
        EXPECT_NEAR(parts.*metric, mean.*metric, 1e-12);
    EXPECT_FALSE(randomParts(job, {.train = "0.5", .samples = 100}, 0).ok());
    EXPECT_FALSE(randomParts(job, {.train = "1", .samples = 100}, 1).ok());
    EXPECT_FALSE(randomParts(job, {.train = "0.5", .samples = 100}, 1001).ok());
}

TEST(Startup, LimitsByHand)
{
    const auto first = [](double x) { return startupSteps(std::vector<double>{x, 2, 2, 2, 2, 2}); };
    EXPECT_EQ(first(2.019), 0U); // a hundredth of the later median
    EXPECT_EQ(first(2.021), 1U);
    EXPECT_EQ(first(1.979), 1U) << "too fast is not a usual step either";
    EXPECT_EQ(startupSteps(std::vector<double>{9, 2, 2, 2, 2}), 0U) << "fewer than six steps";
    const auto noisy = [](double x) { return startupSteps(std::vector<double>{x, 2, 2, 2, 1.9, 2, 2.1, 1.9, 2.1}); };
    EXPECT_EQ(noisy(2.59), 0U); // 4 x 1.4826 x 0.1 = 0.593 over the median
    EXPECT_EQ(noisy(2.60), 1U);
    const auto three = [](double a, double b, double c, double d = 2) {
        return startupSteps(std::vector<double>{a, b, c, d, 2, 2, 2, 2, 2});
    };
    EXPECT_EQ(three(9, 2, 9), 3U); // two of three
    EXPECT_EQ(three(2, 9, 2), 0U);
    EXPECT_EQ(three(2, 9, 9), 3U);
    EXPECT_EQ(three(9, 9, 9, 9), 3U) << "at most a third of the steps";
}

TEST(DurationPools, FamiliesWarningsAndRowsAtTheirLimits)
{
    const auto values = [](std::size_t n) {
        std::vector<double> v;
        for (std::size_t i = 0; i < n; ++i)
            v.push_back(1 + 0.01 * static_cast<double>((i * 7) % n));
        return v;
    };
    EXPECT_FALSE(fittedPool("x", values(7)).fit);
    EXPECT_TRUE(fittedPool("x", values(8)).fit);
    EXPECT_TRUE(fittedPool("x", values(29)).warning.starts_with("few values"));
    EXPECT_FALSE(fittedPool("x", values(30)).warning.starts_with("few values"));
    EXPECT_EQ(fittedPool("x", values(29)).standIn(), "empirical");
    EXPECT_NE(fittedPool("x", values(30)).standIn(), "empirical");
    EXPECT_TRUE(fittedPool("x", values(99)).warning.starts_with("fewer than 100"));
    EXPECT_EQ(fittedPool("x", values(100)).warning.find("fewer than 100"), std::string::npos);
    const std::string csv = poolsCsv({fittedPool("a", {4, 1, 3, 2})});
    EXPECT_NE(csv.find("\na,4,2.5,0.5163977794943222,2.5,3.84999"), std::string::npos) << csv; // sample variance 5/3
    std::vector<DurationPool> pools{{"ten", std::vector<double>(10, 1.0), {}, {}}, {"twelve", {3, 3, 3, 3}, {}, {}}, {"nine", {9}, {}, {}}};
    sortByTotal(pools);
    EXPECT_EQ(pools[0].signature + pools[1].signature + pools[2].signature, "twelvetennine");
    const PoolHistogram wide = poolHistogram({"p", {1, 1, 1, 1, 1, 1, 1, 1, 9}, {}, {}});
    EXPECT_EQ(wide.shares.size(), static_cast<std::size_t>(kMaxPoolBins)) << "quartiles that are equal give no width";
    EXPECT_NEAR(wide.shares.front(), 8.0 / 9, 1e-12);
    EXPECT_NEAR(wide.shares.back(), 1.0 / 9, 1e-12);
    EXPECT_NE(unseenText(10, 3, 20).find("3 of them are slow, so up to 61 %"), std::string::npos) << unseenText(10, 3, 20);
    EXPECT_NE(unseenText(10, 1, 20).find("1 of them is slow"), std::string::npos) << unseenText(10, 1, 20);
    EXPECT_EQ(unseenText(0, 0, 20), "");
}

TEST(DurationPools, DurationsAndGapsAreThoseOfTheirPlaces)
{
    std::string text = kTableHeader;
    for (int step = 0; step < 3; ++step)
        for (int r = 0; r < 2; ++r)
            text += tableRow(r, 0, step, "forward-compute", 0, 1) + tableRow(r, 0, step, "backward-compute", 1.25, 2)
                    + tableRow(r, 0, step, "optimizer", 3.75, 0.1);
    const TraceJob job = jobOfText(text).value();
    const RegularJob regular = regularJob(job, {}).value();
    std::map<std::string, std::vector<double>> pools;
    for (const DurationPool& pool : durationPools(regular, computeFactors(regular)))
        pools[pool.signature] = pool.seconds;
    const auto expectAll = [&](const std::string& name, double value) {
        ASSERT_EQ(pools[name].size(), 6U) << name;
        for (const double x : pools[name])
            EXPECT_NEAR(x, value, 1e-9) << name;
    };
    expectAll("forward-compute, stage 0", 1);
    expectAll("backward-compute, stage 0", 2);
    expectAll("gap before backward-compute, stage 0", 0.25);
    expectAll("gap before optimizer, stage 0", 0.5);
    expectAll("gap before forward-compute, stage 0", 0);
    EXPECT_EQ(regular.steps[2].phaseSeconds, (std::vector{3.25, 3.25}));
    EXPECT_NEAR(regular.steps[0].stepSeconds, 3.85, 1e-9);
}

TEST(StageTable, ReplicasStepsAndChunksOfTheTrainingRun)
{
    const auto rows = [](int replica, int step, double begin) {
        return tableRow(replica, 0, step, "forward-compute", begin, 1) + tableRow(replica, 0, step, "backward-compute", begin + 1, 1);
    };
    std::string text = kTableHeader;
    for (int step = 0; step < 4; ++step)
        text += rows(0, step, 10 * step) + rows(2, step, 10 * step) + (step < 1 ? rows(1, step, 10 * step) : "");
    const TraceJob job = jobOfText(text, {.replicas = 6}).value();
    EXPECT_EQ(job.replicas, 2) << "replica 1 is in fewer than half of the steps";
    EXPECT_EQ(job.replicaNumbers, (std::vector{0, 2}));
    EXPECT_EQ(job.replicasOfJob, 6);
    EXPECT_TRUE(mentions(job.notes, "2 of 6 replicas"));
    EXPECT_EQ(jobOfText(text).value().replicasOfJob, 2);
    EXPECT_EQ(job.stepSeconds(), (std::vector{2.0, 2.0, 2.0, 2.0}));
    EXPECT_EQ(job.chunks, 1);
    std::string uneven = kTableHeader + rows(0, 1, 0) + rows(0, 2, 10) + tableRow(0, 0, 2, "forward-compute", 15, 1, 1);
    const TraceJob whole = jobOfText(uneven).value();
    EXPECT_EQ(whole.steps.size(), 1U);
    EXPECT_TRUE(mentions(whole.notes, "1 of 2 steps lack"));
}

std::string scheduleOf(const std::vector<std::string>& orders)
{
    std::string text = kTableHeader;
    for (std::size_t s = 0; s < orders.size(); ++s) {
        std::map<char, int> seen;
        for (std::size_t k = 0; k < orders[s].size(); ++k)
            text += tableRow(0, static_cast<int>(s), 1, orders[s][k] == 'F' ? "forward-compute" : "backward-compute",
                             static_cast<double>(k), 0.5, seen[orders[s][k]]++);
    }
    const TraceJob job = jobOfText(text).value();
    return recoveredSchedule(job.steps[0], job).name;
}

TEST(Schedule, NamesFollowTheWarmUpsAndTheTurns)
{
    EXPECT_EQ(scheduleOf({"FFBB"}), "none");
    EXPECT_EQ(scheduleOf({"FFFFBFBFBFBBBB", "FFFBFBFBFBFBBB", "FBFBFBFBFBFBFB"}), "custom");
    EXPECT_EQ(scheduleOf({"FFFFFBFBBBBB", "FFFBFBFBFBBB", "FBFBFBFBFBFB"}), "zb-h2"); // 2 (3 - s) - 1 forwards before the first backward
    EXPECT_EQ(scheduleOf({"FFBFBB", "FBFBFB"}), "1f1b");
    EXPECT_EQ(scheduleOf({"FFBBFB", "FBFBFB"}), "custom") << "two backwards before the last forward";
    EXPECT_EQ(scheduleOf({"FFFFBBBB", "FBFBFBFB"}), "custom");
    EXPECT_EQ(scheduleOf({"FBFB", "FFBB"}), "custom") << "all forwards first on the last stage alone";
}

TEST(ChromeTrace, AStepHasMicrosecondsFromItsBeginAndAThreadForEachKind)
{
    const TraceJob job = jobOfText(kTableHeader + tableRow(0, 0, 7, "forward-compute", 100, 1.5)
                                   + tableRow(0, 0, 7, "backward-compute", 102, 2) + tableRow(0, 0, 7, "grads-reduce-scatter", 104, 0.25))
                             .value();
    const std::string text = chromeTrace(job.steps[0], job);
    EXPECT_NE(text.find(R"("name": "backward-compute", "pid": 0, "tid": 0, "ts": 2000000, "dur": 2000000)"), std::string::npos) << text;
    EXPECT_NE(text.find(R"("name": "grads-reduce-scatter", "pid": 0, "tid": 1, "ts": 4000000, "dur": 250000, "args": {"step": 7)"),
              std::string::npos);
    EXPECT_NE(text.find(R"("tid": 1, "args": {"name": "stage 0 communication"})"), std::string::npos);
}

KinetoRank rankOf(int number, std::vector<KinetoKernel> kernels, KinetoCollective call = {})
{
    KinetoRank rank{.rank = number, .isNamed = true, .names = {"gemm", "ncclDevKernel_AllReduce"}};
    for (KinetoKernel& k : kernels) {
        k.name = k.isCollective ? 1 : 0;
        if (k.isCollective && !call.name.empty())
            k.collective = 0;
    }
    rank.kernels = std::move(kernels);
    if (!call.name.empty())
        rank.collectives.push_back(std::move(call));
    return rank;
}

TEST(KinetoReport, BusyIdleAndHostTimeByHand)
{
    // 10 to 15; 20 to 30, launched at 16, when nothing ran; 25 to 40 in parallel; 44 to 50, launched long before.
    KinetoRank rank = rankOf(3, {{.start = 10, .duration = 5, .stream = 1, .grid = 4, .block = 32},
                                 {.start = 20, .duration = 10, .launch = 16, .stream = 1},
                                 {.start = 25, .duration = 15, .launch = 16, .stream = 2},
                                 {.start = 44, .duration = 6, .launch = 12, .stream = 2, .isCollective = true}});
    rank.steps = {{"ProfilerStep#1", 0, 60}};
    const RankReport r = kinetoReport({rank}).ranks[0];
    EXPECT_EQ(r.rank, 3);
    EXPECT_NEAR(r.busySeconds, 31e-6, 1e-15); // 5 + 10 + 10 + 6
    EXPECT_NEAR(r.spanSeconds, 40e-6, 1e-15);
    EXPECT_NEAR(r.hostGapSeconds, 5e-6, 1e-15);
    EXPECT_NEAR(r.longestHostGapSeconds, 5e-6, 1e-15);
    EXPECT_EQ(r.hostGaps, 1U);
    EXPECT_EQ(r.streams, 2);
    EXPECT_EQ(r.kernels, 4U);
    EXPECT_EQ(r.collectives, 1U);
    EXPECT_EQ(r.describedCollectives, 0U);
    ASSERT_EQ(r.stepSeconds.size(), 1U);
    EXPECT_NEAR(r.stepSeconds[0], 60e-6, 1e-15);
    EXPECT_EQ(kinetoReport({rank}).pools.size(), 4U) << "three places of one kernel, and the collective";
}

TEST(KinetoReport, TransferWaitingAndBytesByHand)
{
    const auto calls = [](int rank, double offset) {
        std::vector<KinetoKernel> kernels;
        for (int k = 0; k < 8; ++k) { // rank 1 comes 30 us late; both end together 20 us later
            const double late = rank == 1 ? 30 : 0;
            kernels.push_back({.start = 1000.0 * k + late + offset, .duration = 50 - late, .isCollective = true});
        }
        return kernels;
    };
    KinetoCollective call{
        .name = "allreduce", .group = "7", .ranks = "[0, 1]", .dtype = "BFloat16", .groupSize = 2, .inElements = 300, .outElements = 500};
    KinetoReport report = kinetoReport({rankOf(0, calls(0, 0), call), rankOf(1, calls(1, 0), call)});
    ASSERT_EQ(report.groups.size(), 1U);
    const CollectiveGroup g = report.groups[0];
    EXPECT_EQ(std::tuple(g.ranksSeen, g.calls, g.matched, g.groupSize, g.bytes),
              std::tuple(2, 16, 16, std::int64_t{2}, std::int64_t{1000}));
    EXPECT_NEAR(g.medianSeconds, 35e-6, 1e-12);
    EXPECT_NEAR(g.transferSeconds, 20e-6, 1e-12);
    EXPECT_NEAR(g.waitingSeconds, 15e-6, 1e-12);
    EXPECT_EQ(report.ranks[1].describedCollectives, 8U);
    // Ends that differ by 24 us each way from the middle are not a clock offset, 26 us are.
    EXPECT_EQ(kinetoReport({rankOf(0, calls(0, 0), call), rankOf(1, calls(1, 98), call)}).ranks[1].clockOffsetSeconds, 0);
    EXPECT_NEAR(kinetoReport({rankOf(0, calls(0, 0), call), rankOf(1, calls(1, 102), call)}).ranks[1].clockOffsetSeconds, 51e-6, 1e-12);
    call.groupSize = 4; // two of four ranks: the last one may be another
    report = kinetoReport({rankOf(0, calls(0, 0), call), rankOf(1, calls(1, 0), call)});
    EXPECT_NE(report.groups[0].split, "from the last arriver");
    EXPECT_NEAR(report.groups[0].transferSeconds, 20e-6, 1e-12) << "the lower part of two kinds of durations";
    const std::pair<const char*, int> sizes[] = {{"Float", 4}, {"Half", 2},          {"Double", 8},      {"Int", 4},
                                                 {"Long", 8},  {"Byte", 1},          {"Char", 1},        {"Short", 2},
                                                 {"Bool", 1},  {"Float8_e4m3fn", 1}, {"Float8_e5m2", 1}, {"Other", 0}};
    for (const auto& [dtype, bytes] : sizes) {
        call.dtype = dtype;
        EXPECT_EQ(kinetoReport({rankOf(0, calls(0, 0), call)}).groups[0].bytes, 500 * bytes) << dtype;
    }
}

TEST(KinetoReport, FiftyUnmatchedCallsAreNamed)
{
    std::vector<KinetoKernel> kernels;
    for (int k = 0; k < 60; ++k)
        kernels.push_back({.start = 100.0 * k, .duration = 10, .isCollective = true});
    const KinetoReport report = kinetoReport({rankOf(5, kernels)});
    ASSERT_EQ(report.unmatched.size(), 50U);
    EXPECT_EQ(report.unmatched[1], "rank 5: allreduce number 1 of group not named at 100 us");
    EXPECT_EQ(report.matchedKernels, 0U);
    EXPECT_EQ(report.collectiveKernels, 60U);
}

TEST(KinetoReport, AnOtsuSplitByHand)
{
    EXPECT_EQ(otsuSplit({1, 1, 1, 1, 1, 1, 10, 10}), 1.0);
    EXPECT_FALSE(otsuSplit({1, 1, 1, 1, 1, 10, 10})) << "seven values";
    EXPECT_FALSE(otsuSplit({1, 1, 1, 1, 1, 1, 10, 0, -1}));
    EXPECT_EQ(otsuSplit({2.1, 1, 1, 1, 1, 1, 1, 2.1}), 1.0);
    EXPECT_FALSE(otsuSplit({1.9, 1, 1, 1, 1, 1, 1, 1.9})) << "the upper part is not twice the lower";
    EXPECT_EQ(otsuSplit({1, 1.5, 1, 1.5, 1, 9, 10, 11, 9, 30}), 1.5);
}

TEST(Kineto, EveryFieldOfAKernelIsRead)
{
    const TemporaryFile file("fields.json", R"({"traceEvents": [
        {"ph": "X", "cat": "cpu_op", "name": "record_param_comms", "pid": 1, "tid": 1, "ts": 1, "dur": 1, "args": {"External id": 12,
         "Collective name": "allgather", "In msg nelems": "100", "Out msg nelems": 800.0, "Group size": 8, "dtype": "Half", "Dst Rank": 6}},
        {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 3.5, "dur": 1, "args": {"correlation": 5, "External id": 12}},
        {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 2, "tid": 9, "ts": 20, "dur": 4, "args": {"device": 3, "stream": 7, "grid": [4, 3, 2], "block": [32, 8, 1]}},
        {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllGather", "pid": 2, "tid": 9, "ts": 10, "dur": 0, "args": {"correlation": 5}},
        {"ph": "X", "cat": "gpu_memcpy", "name": "copy", "pid": 2, "tid": 9, "ts": 30, "dur": 1, "args": {"grid": [0, 3], "block": ["x"]}},
        {"ph": "X", "cat": "kernel", "name": "late", "pid": 2, "tid": 9, "ts": 1e300, "dur": 1, "args": {}}
        ], "distributedInfo": {"rank": 5, "world_size": 16}})");
    const std::vector<KinetoRank> ranks = readKineto(file.path()).value();
    ASSERT_EQ(ranks.size(), 1U);
    const KinetoRank& rank = ranks[0];
    EXPECT_EQ(std::tuple(rank.rank, rank.worldSize, rank.isNamed, rank.events), std::tuple(5, 16, true, 6U));
    ASSERT_EQ(rank.kernels.size(), 3U);
    const KinetoKernel &call = rank.kernels[0], &gemm = rank.kernels[1], &copy = rank.kernels[2];
    EXPECT_EQ(std::tuple(gemm.grid, gemm.block, gemm.stream, gemm.device, gemm.process), std::tuple(24U, 256U, 7, 3, 2));
    EXPECT_EQ(std::tuple(gemm.correlation, gemm.externalId, gemm.launch, gemm.collective), std::tuple(-1, -1, -1.0, -1));
    EXPECT_EQ(std::tuple(copy.grid, copy.block, copy.stream, copy.device), std::tuple(0U, 0U, 9, 2))
        << "the thread and the process take its place";
    EXPECT_TRUE(copy.isCopy && !copy.isCollective && !gemm.isCollective);
    EXPECT_EQ(std::tuple(call.start, call.duration, call.launch, call.correlation), std::tuple(10.0, 0.0, 3.5, 5));
    ASSERT_EQ(call.collective, 0);
    const KinetoCollective& c = rank.collectives[0];
    EXPECT_EQ(std::tuple(c.groupSize, c.inElements, c.outElements, c.peer, c.dtype), std::tuple(8, 100, 800, 6, std::string("Half")));
    EXPECT_TRUE(mentions(rank.notes, "1 GPU activities have no valid time"));
}

TEST(Kineto, DevicesOfOneFileKeepTheirNamesCallsAndOrder)
{
    std::string events;
    for (const int device : {0, 1})
        for (int k = 0; k < 3; ++k)
            events += std::string(events.empty() ? "" : ", ") + R"({"ph": "X", "cat": "kernel", "name": ")"
                      + (k == 1   ? "ncclDevKernel_AllReduce"
                         : k == 0 ? "first"
                                  : "last")
                      + std::to_string(k == 1 ? 0 : device) + R"(", "pid": )" + std::to_string(device) + R"(, "tid": 7, "ts": )"
                      + std::to_string(10 * k + device) + R"(, "dur": 2, "args": {"device": )" + std::to_string(device + 4)
                      + (k == 1 ? R"(, "Collective name": "allreduce", "Group size": )" + std::to_string(2 + device) : "") + "}}";
    const TemporaryFile file("devices.json", R"({"traceEvents": [)" + events + "]}");
    const std::vector<KinetoRank> ranks = readKineto(file.path()).value();
    ASSERT_EQ(ranks.size(), 2U);
    for (const std::size_t r : {0U, 1U}) {
        const std::string number = std::to_string(r);
        EXPECT_EQ(ranks[r].rank, static_cast<int>(r) + 4);
        ASSERT_EQ(ranks[r].kernels.size(), 3U);
        EXPECT_EQ(ranks[r].names[ranks[r].kernels[0].name], "first" + number);
        EXPECT_EQ(ranks[r].names[ranks[r].kernels[1].name], "ncclDevKernel_AllReduce0");
        EXPECT_EQ(ranks[r].names[ranks[r].kernels[2].name], "last" + number);
        EXPECT_EQ(ranks[r].collectives[static_cast<std::size_t>(ranks[r].kernels[1].collective)].groupSize,
                  2 + static_cast<std::int64_t>(r));
    }
    const std::string text = chromeTrace(ranks);
    EXPECT_NE(text.find(R"("name": "last1", "pid": 1, "tid": 7, "ts": 21, "dur": 2, "args": {"device": 5, "stream": 7)"), std::string::npos)
        << text;
}

TEST(StepModel, OperationsOfADrawnStepHaveItsTimes)
{
    const TraceJob job = evenJob(2, 3);
    const RegularJob regular = regularJob(job, {}).value();
    const StepModel model = StepModel::make(regular, 3).value();
    DrawnStep drawn;
    model.draw(1, 0, drawn);
    const TraceStep step = model.operations(drawn, 42);
    EXPECT_EQ(step.number, 42);
    ASSERT_EQ(step.operations.size(), 9U);
    EXPECT_NEAR(step.seconds(), 3 + 0.5 * (2.0 / 3) / 0.5, 1e-9);
    for (const TraceOperation& o : step.operations)
        EXPECT_NEAR(o.duration, o.type == TraceOp::forwardCompute ? 1 : o.type == TraceOp::backwardCompute ? 2 : 2.0 / 3, 1e-9);
    EXPECT_EQ(step.operations.back().replica, 2);
}

TEST(Links, TransfersOutsideOfTheComputationsWereNeverLaunched)
{
    // A receive after the last computation, and a send before the first has ended.
    std::string text = chainOfTwo() + tableRow(0, 1, 1, "forward-recv", 5, 0.1, 1) + tableRow(0, 0, 1, "forward-send", 0.2, 0.1, 1);
    const TraceJob job = jobOfText(text).value();
    EXPECT_EQ(stepLinks(job.steps[0], job).unmatched, 0);
    EXPECT_NEAR(whatIf(job)->steps[0].noDelay, 8.7, 1e-9);
    text = chainOfTwo() + tableRow(0, 1, 1, "forward-recv", 0.5, 0.1, 1);
    const TraceJob other = jobOfText(text).value();
    EXPECT_EQ(stepLinks(other.steps[0], other).unmatched, 1) << "this one was: it has no computation";
    EXPECT_TRUE(mentions(whatIf(other)->notes, "1 sends and receives have no partner"));
}

TEST(RankWindows, AWindowIsNamedByItsStepOrItsPlace)
{
    KinetoRank rank;
    EXPECT_EQ(windowName(rank, 0), "1");
    rank.windows = {{0, ""}, {10, "ProfilerStep#9"}, {20, ""}};
    EXPECT_EQ(windowName(rank, 0), "1");
    EXPECT_EQ(windowName(rank, 9), "1");
    EXPECT_EQ(windowName(rank, 10), "ProfilerStep#9");
    EXPECT_EQ(windowName(rank, 20), "3");
}

} // namespace
} // namespace prism
