// SPDX-License-Identifier: GPL-3.0-or-later
// Factors, drawn steps, limits, repairs, pools and slowdowns of measured jobs made in memory: every number from exact fractions or by hand.
#include "core/trace/heldout.h"
#include "core/trace/jobpools.h"
#include "core/trace/otherreplicas.h"
#include "core/trace/repairs.h"
#include "core/trace/stepmodel.h"
#include "core/trace/whatif.h"
#include "handmade.h"

#include "core/stats/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace prism {
namespace {

using enum TraceOp;

void expectNear(const std::vector<double>& values, const std::vector<double>& expected)
{
    ASSERT_EQ(values.size(), expected.size());
    for (std::size_t i = 0; i < values.size(); ++i)
        EXPECT_NEAR(values[i], expected[i], 1e-12 * std::max(1.0, std::abs(expected[i]))) << i;
}

/// Three steps of two replicas of two stages: stage 0 has two micro-batches, stage 1 two chunks with one each, then an optimizer.
RegularJob unevenJob(const TraceJob& job)
{
    RegularJob regular{.job = &job};
    regular.slots = {{0, forwardCompute, 0, 0, 0},  {0, forwardCompute, 1, 0, 1},  {0, backwardCompute, 0, 0, 0},
                     {0, backwardCompute, 1, 0, 1}, {1, forwardCompute, 0, 0, 0},  {1, forwardCompute, 1, 1, 0},
                     {1, backwardCompute, 0, 0, 0}, {1, backwardCompute, 1, 1, 0}, {1, optimizer, 0, 0, 0}};
    for (const std::vector<double>& seconds : {
             std::vector<double>{32, 34, 74, 74, 53, 55, 111, 121, 7, 39, 45, 87, 101, 47, 49, 103, 105, 10},
             std::vector<double>{33, 38, 76, 81, 57, 70, 125, 148, 8, 44, 49, 99, 109, 58, 64, 121, 140, 11},
             std::vector<double>{40, 42, 88, 97, 66, 76, 140, 160, 9, 55, 55, 122, 123, 60, 67, 130, 150, 12},
         }) {
        RegularStep step;
        step.seconds = seconds;
        regular.steps.push_back(step);
    }
    return regular;
}

TEST(ComputeFactorAnswers, OfAnUnevenJobInExactFractions)
{
    // From the definitions in stepmodel.h with rational numbers (Python's fractions), rounded once at the end.
    TraceJob job;
    job.replicas = 2;
    job.stages = 2;
    job.chunks = 2;
    const RegularJob regular = unevenJob(job);
    const ComputeFactors f = computeFactors(regular);
    expectNear(f.worker, {0.8935107846296694, 1.03042907891178, 1.1064892153703305, 0.9695709210882199});
    EXPECT_NEAR(f.workerNoiseShare, 0.2040052714099031, 1e-12);
    expectNear(f.step, {0.901174758545733, 1.0001412087344397, 1.0986840327198273});
    EXPECT_NEAR(f.stepNoiseShare, 0.2362280722621077, 1e-12);
    expectNear(f.byDirection[0], {0.8930105054777578, 1.0347812969238288, 1.106989494522242, 0.9652187030761711});
    expectNear(f.byDirection[1], {0.8939782493768222, 1.028349376099639, 1.1060217506231778, 0.971650623900361});
    expectNear(f.mean, {40.664335186291844, 43.66899814704149, 91.66728379636822, 96.83271620363178, 56.833333333333336, 63.5,
                        121.66666666666667, 137.33333333333334, 0});
    EXPECT_NEAR(f.microBatchCorrelation, 0.9119383000524021, 1e-12);
    EXPECT_NEAR(f.residual[1][2], 0.9272801328638922, 1e-12);
    EXPECT_NEAR(f.residual[2][9 + 5], 0.9949529312355889, 1e-12);
    EXPECT_EQ(f.residual[2][9 + 8], 1) << "an optimizer is not a computation";
}

TEST(ComputeFactorAnswers, NoiseThatExplainsEverythingLeavesNoFactor)
{
    // Worker 0: 1 and 5, worker 1: 2 and 4.5 s: the variance of the means 0.03125 is below that of a mean, (8 + 3.125) / 2 / 2.
    TraceJob job;
    job.replicas = 2;
    job.stages = 1;
    RegularJob regular{.job = &job, .slots = {{0, forwardCompute, 0, 0, 0}}};
    for (const std::vector<double>& seconds : {std::vector<double>{1, 2}, {5, 4.5}}) {
        RegularStep step;
        step.seconds = seconds;
        regular.steps.push_back(step);
    }
    const ComputeFactors f = computeFactors(regular);
    EXPECT_EQ(f.workerNoiseShare, 1);
    expectNear(f.worker, {1, 1});
    EXPECT_DOUBLE_EQ(f.mean[0], 3.125);
    EXPECT_EQ(f.microBatchCorrelation, 0) << "there is no backward";
    // Means over 3.125 of the steps 0.48 and 1.52: variance 0.5408; noise (8 + 3.125) / 2 / 3.125^2 over 2 draws 0.2848.
    EXPECT_NEAR(f.stepNoiseShare, 0.2848 / 0.5408, 1e-12);
    EXPECT_NEAR(f.step[0], 1 - 0.52 * (1 - 0.2848 / 0.5408), 1e-12);
}

/// Replicas of one stage; every duration is different, micro-batch by micro-batch, without waits. Gaps of 0.5 s before every second
/// forward.
TraceJob drawableJob(int steps, int replicas, int microBatches)
{
    std::vector<std::vector<TraceOperation>> all;
    for (int t = 0; t < steps; ++t) {
        std::vector<TraceOperation> step;
        for (int r = 0; r < replicas; ++r) {
            double at = 0;
            for (int m = 0; m < microBatches; ++m) {
                const double seconds = 1 + 0.01 * ((37 * t + 101 * r + 53 * m) % 97);
                at += m % 2 == 1 ? 0.5 : 0;
                step.push_back(madeOperation(forwardCompute, at, seconds, 0, r));
                step.push_back(madeOperation(backwardCompute, at + seconds, 2 * seconds, 0, r));
                at += 3 * seconds;
            }
        }
        all.push_back(step);
    }
    TraceJob job = madeJob(replicas, 1, all);
    job.transfersRecorded = false;
    return job;
}

struct DrawRule {
    int replicas = 0;
    int run = 1;          ///< micro-batches drawn together; 1 = from any place
    double keepShare = 0; ///< of the replicas that keep the micro-batches of the measured step
};

/// Whether the ends of all replicas' computations are those of micro-batches picked by the streams of stepmodel.cpp.
void expectDraws(const TraceJob& job, int microBatches, const DrawRule& rule)
{
    const RegularJob regular = regularJob(job, {}).value();
    const StepModel model = StepModel::make(regular, rule.replicas).value();
    const ComputeFactors& f = model.factors();
    const std::size_t slots = regular.slots.size(); // forwards by micro-batch, then backwards
    const auto micro = static_cast<std::size_t>(microBatches);
    constexpr std::uint64_t kSeed = 23;
    DrawnStep drawn;
    for (const std::uint64_t k : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{7}}) {
        const auto of = [&](StreamId s, std::uint64_t at, std::size_t n) {
            return static_cast<std::size_t>(std::floor(uniform(kSeed, s, at) * static_cast<double>(n)));
        };
        model.draw(kSeed, k, drawn);
        const std::size_t t = of(stream(0x57e9), k, regular.steps.size());
        const auto measured = static_cast<std::size_t>(job.replicas);
        ASSERT_EQ(drawn.phase.size(), static_cast<std::size_t>(rule.replicas));
        for (std::size_t r = 0; r < drawn.phase.size(); ++r) {
            const std::size_t like = r < measured ? r : of(stream(0x4e91, r), k, measured);
            const bool keeps = uniform(kSeed, stream(0x6e01, r), k) < rule.keepShare;
            std::size_t step = t, replica = r, place = 0;
            double end = 0.5 * static_cast<double>(micro / 2);
            for (std::size_t b = 0; b < micro; ++b, ++place) {
                const StreamId s = stream(0x4411, r, b);
                if (!keeps && b % static_cast<std::size_t>(rule.run) == 0) {
                    step = of(s, 3 * k, regular.steps.size());
                    replica = of(s, 3 * k + 1, measured);
                    place = rule.run > 1 ? b : of(s, 3 * k + 2, micro);
                }
                for (const std::size_t direction : {0U, 1U})
                    end += f.mean[direction * micro + b] * f.step[t] * f.byDirection[direction][like]
                           * f.residual[step][replica * slots + direction * micro + place];
            }
            EXPECT_NEAR(drawn.phase[r], end, 1e-9) << "draw " << k << " replica " << r;
        }
    }
}

TEST(StepModelDraws, SingleMicroBatchesOfSmallJobsAndRunsOfFourOfLarger)
{
    expectDraws(drawableJob(3, 2, 5), 5, {.replicas = 2});
    expectDraws(drawableJob(3, 2, 5), 5, {.replicas = 5}); // further ones are like a measured one
    expectDraws(drawableJob(3, 2, 3), 3, {.replicas = 1});
    expectDraws(drawableJob(7, 1, 6), 6, {.replicas = 1, .run = 1}); // seven pairs of a step and a replica
    expectDraws(drawableJob(8, 1, 6), 6, {.replicas = 1, .run = 4}); // eight
    expectDraws(drawableJob(4, 2, 6), 6, {.replicas = 2, .run = 1}); // eight, but no more steps than a run has micro-batches
    expectDraws(drawableJob(5, 2, 6), 6, {.replicas = 2, .run = 4});
    expectDraws(drawableJob(5, 2, 9), 9, {.replicas = 3, .run = 4});
}

TEST(StepModelDraws, AllButFiveReplicasOfAJobKeepTheMeasuredStep)
{
    expectDraws(drawableJob(16, 12, 2), 2, {.replicas = 12, .run = 4, .keepShare = 7.0 / 12});
    expectDraws(drawableJob(15, 12, 2), 2, {.replicas = 12, .run = 4});
    expectDraws(drawableJob(16, 12, 2), 2, {.replicas = 10, .run = 4, .keepShare = 5.0 / 10});
    expectDraws(drawableJob(16, 12, 2), 2, {.replicas = 13, .run = 4});
    TraceJob partial = drawableJob(16, 12, 2);
    partial.replicasOfJob = 13; // what one of them did was not recorded
    expectDraws(partial, 2, {.replicas = 12, .run = 4});
}

/// Two replicas of one stage, ready after 3 s; 0.1, 0.2 or 0.4 s later they reduce in 0.5, 0.7 or 0.9 s, then clip in 0.05, 0.06 or 0.08 s.
TraceJob jobWithWaits(int replicasOfJob)
{
    std::vector<std::vector<TraceOperation>> steps;
    for (const auto& [gap, reduce, clip] : {std::tuple{0.1, 0.5, 0.05}, {0.2, 0.7, 0.06}, {0.4, 0.9, 0.08}}) {
        steps.emplace_back();
        for (const int r : {0, 1}) {
            steps.back().push_back(madeOperation(forwardCompute, 0, 1, 0, r));
            steps.back().push_back(madeOperation(backwardCompute, 1, 2, 0, r));
            steps.back().push_back(madeOperation(gradsReduceScatter, 3 + gap, reduce, 0, r));
            steps.back().push_back(madeOperation(optimizerClip, 3 + gap + reduce, clip, 0, r));
        }
    }
    TraceJob job = madeJob(2, 1, steps);
    job.replicasOfJob = replicasOfJob;
    return job;
}

TEST(StepModelDraws, WaitsForReplicasWithoutARecordAreTakenOut)
{
    // A tenth of the way through three values: the lowest and a fifth of the way to the next. 0.1 -> 0.12, 0.5 -> 0.54, 0.05 -> 0.052.
    for (const int ofJob : {2, 4}) {
        const TraceJob job = jobWithWaits(ofJob);
        const RegularJob regular = regularJob(job, {{0, 1}}).value();
        for (const int replicas : {2, 3}) {
            const StepModel model = StepModel::make(regular, replicas).value();
            // A ring's share of what the job had: 1/2 or 3/4 of what the model has: 1/2 or 2/3.
            const double scale = (replicas == 2 ? 0.5 : 2.0 / 3) / (ofJob == 2 ? 0.5 : 0.75);
            DrawnStep drawn;
            std::set<std::size_t> seen;
            for (std::uint64_t k = 0; k < 12; ++k) {
                model.draw(5, k, drawn);
                const auto t = static_cast<std::size_t>(3 * uniform(5, stream(0x57e9), k));
                seen.insert(t);
                double gap = std::vector{0.1, 0.2, 0.4}[t], reduce = std::vector{0.5, 0.7, 0.9}[t], clip = std::vector{0.05, 0.06, 0.08}[t];
                if (ofJob == 4) {
                    gap = t == 0 ? 0.1 : 0.12;
                    reduce = t == 0 ? 0.5 : 0.54;
                    clip = t == 0 ? 0.05 : 0.052;
                }
                EXPECT_NEAR(drawn.seconds, 3 + gap + scale * reduce + clip, 1e-9) << ofJob << " " << replicas << " " << t;
            }
            EXPECT_EQ(seen.size(), 3U);
        }
        // Without a barrier the gap before the reduction is the replica's own.
        const RegularJob open = regularJob(job, {}).value();
        DrawnStep drawn;
        StepModel::make(open).value().draw(5, 1, drawn);
        const auto t = static_cast<std::size_t>(3 * uniform(5, stream(0x57e9), 1));
        const std::vector<double> gaps = {0.1, 0.2, 0.4};
        EXPECT_NEAR(drawn.times.start[2], 3 + gaps[t], 1e-9);
    }
}

/// Starts of the optimizers by worker in the first drawn step of three equal ones: two replicas of two stages that compute at different
/// speed; drawn with another number of replicas and with a barrier.
std::vector<double> startsBehind(const std::vector<int>& barrier, int replicas)
{
    std::vector<TraceOperation> step;
    for (const int r : {0, 1}) {
        const double f = r == 0 ? 1 : 1.5; // stage 1 is ready at 4 f, stage 0 at 6 f
        step.push_back(madeOperation(forwardCompute, 0, f, 0, r));
        step.push_back(madeOperation(forwardCompute, f, f, 1, r));
        step.push_back(madeOperation(backwardCompute, 2 * f, 2 * f, 1, r));
        step.push_back(madeOperation(backwardCompute, 4 * f, 2 * f, 0, r));
        step.push_back(madeOperation(optimizer, 9.5, 0.25, 0, r));
        step.push_back(madeOperation(optimizer, 9.5, 0.5, 1, r));
    }
    TraceJob job = madeJob(2, 2, {step, step, step});
    job.transfersRecorded = false;
    RegularJob regular = regularJob(job, {barrier}).value();
    for (RegularStep& s : regular.steps)
        s.gaps.assign(s.gaps.size(), 0.0);
    const StepModel model = StepModel::make(regular, replicas).value();
    DrawnStep drawn;
    model.draw(1, 0, drawn);
    std::vector<double> starts;
    for (const TraceOperation& o : model.operations(drawn, 1).operations)
        if (o.type == optimizer)
            starts.push_back(o.start);
    return starts;
}

TEST(StepModelDraws, BarriersSpanTheReplicasThatAreDrawn)
{
    // The third replica is like the second where the stream picks it, else like the first.
    const double third = uniform(1, stream(0x4e91, 2), 0) < 0.5 ? 1 : 1.5;
    expectNear(startsBehind({1, 3}, 3), {6, 6, 9, 6, 6 * third, 6});         // stage 1, of all replicas
    expectNear(startsBehind({0, 2}, 3), {9, 4, 9, 6, 9, 4 * third});         // stage 0
    expectNear(startsBehind({0, 1, 2, 3}, 3), {9, 9, 9, 9, 9, 9});           // all workers
    expectNear(startsBehind({2, 3}, 3), {6, 4, 9, 9, 6 * third, 4 * third}); // those of one replica
    expectNear(startsBehind({2, 3}, 1), {6, 4});                             // which is not drawn
    expectNear(startsBehind({1, 3}, 1), {6, 4});
}

TEST(StepModelDraws, AReductionOfOneReplicaHasNoRingToScale)
{
    const std::vector<TraceOperation> step = {madeOperation(forwardCompute, 0, 1), madeOperation(backwardCompute, 1, 2),
                                              madeOperation(gradsReduceScatter, 3, 0.5), madeOperation(separateGradsAllReduce, 3.5, 0.25)};
    const TraceJob one = madeJob(1, 1, {step, step});
    const RegularJob regular = regularJob(one, {}).value();
    DrawnStep drawn;
    for (const int replicas : {1, 3}) {
        StepModel::make(regular, replicas)->draw(1, 0, drawn);
        EXPECT_NEAR(drawn.seconds, 3.75, 1e-12) << replicas;
    }
    // Of three replicas: shares 2/3 of each other's; with four 3/4, with one none.
    TraceJob job = one;
    job.replicasOfJob = 3;
    const RegularJob third = regularJob(job, {}).value();
    for (const auto& [replicas, share] : {std::pair{3, 1.0}, {4, 9.0 / 8}, {2, 3.0 / 4}, {1, 0.0}}) {
        StepModel::make(third, replicas)->draw(1, 0, drawn);
        EXPECT_NEAR(drawn.seconds, 3 + 0.75 * share, 1e-12) << replicas;
    }
}

TEST(StepModelDraws, PhasesCountFromTheFirstStart)
{
    // Replica 0 begins 0.25 s after replica 1: drawn alone its computations end 3 s after its own begin.
    const std::vector<TraceOperation> step = {madeOperation(forwardCompute, 10.25, 1, 0, 0), madeOperation(backwardCompute, 11.25, 2, 0, 0),
                                              madeOperation(optimizer, 13.25, 0.5, 0, 0),    madeOperation(forwardCompute, 10, 1, 0, 1),
                                              madeOperation(backwardCompute, 11, 2, 0, 1),   madeOperation(optimizer, 13, 0.5, 0, 1)};
    const TraceJob job = madeJob(2, 1, {step, step});
    const RegularJob regular = regularJob(job, {}).value();
    EXPECT_EQ(regular.steps[0].phaseSeconds, (std::vector{3.25, 3.0}));
    EXPECT_EQ(regular.steps[0].begin, 10);
    EXPECT_EQ(regular.steps[0].stepSeconds, 3.75);
    const StepModel model = StepModel::make(regular, 1).value();
    EXPECT_EQ(model.replicas(), 1);
    EXPECT_EQ(StepModel::make(regular)->replicas(), 2);
    DrawnStep drawn;
    model.draw(1, 0, drawn);
    expectNear(drawn.phase, {3});
    EXPECT_NEAR(drawn.seconds, 3.5, 1e-12);
    StepModel::make(regular, 2)->draw(1, 0, drawn);
    expectNear(drawn.phase, {3.25, 3});
}

TEST(RepairAnswers, StagesAreLoadedByAMicroBatchOfAllTheirChunks)
{
    // Two micro-batches in sequence, through chunk 0 of both stages, chunk 1 of both, and back: 1, 0.5, 1.5, 0.75, then twice as
    // long.
    std::vector<TraceOperation> step;
    double at = 0;
    for (int m = 0; m < 2; ++m)
        for (const auto& [type, stage, chunk, seconds] : {std::tuple{forwardCompute, 0, 0, 1.0},
                                                          {forwardCompute, 1, 0, 0.5},
                                                          {forwardCompute, 0, 1, 1.5},
                                                          {forwardCompute, 1, 1, 0.75},
                                                          {backwardCompute, 1, 1, 1.5},
                                                          {backwardCompute, 0, 1, 3.0},
                                                          {backwardCompute, 1, 0, 1.0},
                                                          {backwardCompute, 0, 0, 2.0}}) {
            step.push_back(madeOperation(type, at, seconds, stage, 0, chunk));
            at += seconds;
        }
    TraceJob job = madeJob(1, 2, {step, step});
    job.chunks = 2;
    job.transfersRecorded = false;
    const RegularJob regular = regularJob(job, {}).value();
    const Repairs repairs = repairsOf(regular).value();
    ASSERT_EQ(repairs.stages.size(), 2U);
    EXPECT_DOUBLE_EQ(repairs.stages[0].seconds, 7.5); // 1 + 1.5 + 3 + 2
    EXPECT_DOUBLE_EQ(repairs.stages[1].seconds, 3.75);
    EXPECT_DOUBLE_EQ(repairs.stages[0].overMean, 4.0 / 3);
    EXPECT_DOUBLE_EQ(repairs.stages[1].overMean, 2.0 / 3);
    EXPECT_EQ(repairs.stages[1].stage, 1);
    EXPECT_DOUBLE_EQ(repairs.before.mean, 22.5);
}

/// Whether evening the stages is a repair where stage 1 takes (1 + x) / (1 - x) times as long as stage 0.
bool evensStages(double x)
{
    std::vector<TraceOperation> step;
    for (const int s : {0, 1}) {
        const double seconds = s == 0 ? 1 - x : 1 + x;
        step.push_back(madeOperation(forwardCompute, 0, seconds, s));
        step.push_back(madeOperation(backwardCompute, seconds, seconds, s));
    }
    TraceJob job = madeJob(1, 2, {step, step});
    job.transfersRecorded = false;
    const RegularJob regular = regularJob(job, {}).value();
    const Repairs repairs = repairsOf(regular).value();
    for (const Repair& r : repairs.repairs)
        if (r.id == "even_stages")
            return true;
    return false;
}

TEST(RepairAnswers, ThreePerCentFromTheMeanMakeAStageUneven)
{
    EXPECT_TRUE(evensStages(0.0305));
    EXPECT_TRUE(evensStages(-0.0305));
    EXPECT_FALSE(evensStages(0.0295));
}

TEST(RepairAnswers, FactorsOverTheMedianOfEachStage)
{
    // [replica * 2 + stage]: medians 4 of 2, 4, 10 and 0 of 0, 0, 5, which divides nothing.
    EXPECT_EQ(overMedian({2, 0, 4, 5, 10, 0}, 2), (std::vector{0.5, 0.0, 1.0, 5.0, 2.5, 0.0}));
    TraceJob job;
    job.replicas = 3;
    job.stages = 1;
    ComputeFactors factors;
    factors.worker = {1, 1.03, 1};
    const RegularJob regular{.job = &job};
    const std::vector<SlowWorker> slow = slowWorkers(regular, factors);
    ASSERT_EQ(slow.size(), 1U) << "the limit itself is slow";
    EXPECT_EQ(slow[0].replica, 1);
    EXPECT_DOUBLE_EQ(slow[0].factor, 1.03);
    job.replicas = 1;
    factors.worker = {2};
    EXPECT_TRUE(slowWorkers(regular, factors).empty());
    const StepTimes times = stepTimes({8, 1, 2, 4}); // places 1.5, 2.85 and 2.97 of 0 to 3
    EXPECT_DOUBLE_EQ(times.mean, 3.75);
    EXPECT_DOUBLE_EQ(times.p50, 3);
    EXPECT_DOUBLE_EQ(times.p95, 4 + 0.85 * 4);
    EXPECT_DOUBLE_EQ(times.p99, 4 + 0.97 * 4);
}

TEST(RepairAnswers, EverySavingIsThatOfItsOwnStep)
{
    // One replica of one stage: 1 s forward, 2 s backward, gaps of 0.5, 0.25 and 1 s between them, a layer norm of 0.1, 0.3 and 0.2 s.
    std::vector<std::vector<TraceOperation>> steps;
    for (const auto& [gap, norm] : {std::pair{0.5, 0.1}, {0.25, 0.3}, {1.0, 0.2}})
        steps.push_back({madeOperation(forwardCompute, 7, 1), madeOperation(backwardCompute, 8 + gap, 2),
                         madeOperation(layernormAllReduce, 10 + gap, norm)});
    const TraceJob job = madeJob(1, 1, steps);
    const RegularJob regular = regularJob(job, {}).value();
    const Repairs repairs = repairsOf(regular).value();
    expectNear(repairs.beforeSeconds, {3.6, 3.55, 4.2});
    EXPECT_NEAR(repairs.replayError, 0, 1e-12);
    std::map<std::string, Repair> by;
    for (const Repair& r : repairs.repairs)
        by[r.id] = r;
    expectNear(by["no_gaps"].seconds, {3.1, 3.3, 3.2});
    EXPECT_NEAR(by["no_gaps"].saved.value, 1.75 / 3, 1e-12);
    EXPECT_NEAR(by["no_gaps"].after.mean, 3.2, 1e-12);
    EXPECT_NEAR(by["no_gaps"].savedP95Seconds, 4.14 - 3.29, 1e-12); // 3.6 + 0.9 x 0.6 and 3.2 + 0.9 x 0.1
    expectNear(by["steady_transfers"].seconds, {3.6, 3.45, 4.2});   // at most the median of 0.2 s
    EXPECT_NEAR(by["steady_transfers"].saved.value, 0.1 / 3, 1e-12);
    EXPECT_EQ(repairs.repairs[0].id, "no_gaps") << "what saves the most comes first";
    // 0.5, 0.25 and 1 have the variance 0.4375 / 3; 1.96 standard errors of three values.
    EXPECT_NEAR(by["no_gaps"].saved.halfWidth, 1.959963984540054 * std::sqrt(0.4375 / 3 / 3), 1e-9);
}

TEST(PoolAnswers, DurationsOverTheWorkersFactorAndGapsByPlace)
{
    TraceJob job;
    job.replicas = 2;
    job.stages = 2;
    job.chunks = 2;
    RegularJob regular{.job = &job, .slots = {{0, forwardCompute, 0, 1, 0}, {1, backwardCompute, 0, 0, 0}, {1, optimizer, 0, 0, 0}}};
    RegularStep a, b;
    a.seconds = {6, 30, 7, 20, 48, -1};
    a.gaps = {0.5, -0.25, 0.75, 1.5, 1.25, 1.75};
    b.seconds = {8, 60, 9, 25, 56, 11};
    b.gaps = {0.1, 0.2, 0.3, 0.4, 0.6, 0.7};
    regular.steps = {a, b};
    ComputeFactors factors;
    factors.byDirection = {std::vector<double>{2, 100, 5, 100}, std::vector<double>{100, 3, 100, 8}}; // [replica * 2 + stage]
    std::map<std::string, std::vector<double>> pools;
    for (const DurationPool& pool : durationPools(regular, factors))
        pools[pool.signature] = pool.seconds;
    ASSERT_EQ(pools.size(), 6U);
    EXPECT_EQ(pools["forward-compute, stage 0, chunk 1"], (std::vector<double>{3, 4, 4, 5}));
    EXPECT_EQ(pools["backward-compute, stage 1, chunk 0"], (std::vector<double>{10, 20, 6, 7}));
    EXPECT_EQ(pools["optimizer, stage 1"], (std::vector<double>{7, 9, 0, 11})) << "no time is negative";
    EXPECT_EQ(pools["gap before forward-compute, stage 0"], (std::vector{0.5, 0.1, 1.5, 0.4}));
    EXPECT_EQ(pools["gap before backward-compute, stage 1"], (std::vector{0.0, 0.2, 1.25, 0.6}));
    EXPECT_EQ(pools["gap before optimizer, stage 1"], (std::vector{0.75, 0.3, 1.75, 0.7}));
}

TEST(PoolAnswers, TheFamilyIsRefutedBelowFivePerCent)
{
    DurationPool pool;
    pool.seconds.assign(30, 1.0);
    pool.fit.emplace();
    pool.fit->distribution = {Family::gamma, 0.3};
    for (const auto& [p, name] : {std::pair{0.051, "gamma"}, {0.05, "gamma"}, {0.049, "empirical"}}) {
        pool.fit->ksPValue = p;
        EXPECT_EQ(pool.standIn(), name) << p;
    }
    pool.fit->ksPValue = 0.5;
    pool.seconds.pop_back();
    EXPECT_EQ(pool.standIn(), "empirical") << "29 values";
    // At most all of those seen were slow; the bounds solve 0.05 = (1 - p)^5 and 0.05 = 1 - p^2.
    EXPECT_NE(unseenText(5, 0, 6).find("5 of 6 workers are recorded"), std::string::npos);
    EXPECT_NE(unseenText(5, 0, 6).find("up to 45 %"), std::string::npos) << unseenText(5, 0, 6); // 1 - 0.05^(1/5)
    EXPECT_NE(unseenText(2, 1, 6).find("up to 97 %"), std::string::npos) << unseenText(2, 1, 6); // sqrt(0.95)
    EXPECT_NE(unseenText(2, 7, 6).find("up to 100 %"), std::string::npos);
    EXPECT_EQ(unseenText(6, 1, 6), "");
    EXPECT_NE(unseenText(1, 0, 2), "");
}

/// Steps of one worker that take the given seconds, a third of them forward.
TraceJob plainSeries(const std::vector<double>& seconds)
{
    std::vector<std::vector<TraceOperation>> steps;
    for (const double x : seconds)
        steps.push_back({madeOperation(forwardCompute, 0, x / 3), madeOperation(backwardCompute, x / 3, x * 2 / 3)});
    return madeJob(1, 1, steps);
}

TEST(HeldOutAnswers, ARandomPartIsTheBeginningOfAShuffledSeries)
{
    // Fisher and Yates from the back, by the draws 4, 3 and 2 of the stream; two of the four steps are learnt from.
    const std::vector<double> seconds = {1, 2, 4, 8};
    std::set<double> parts;
    for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U}) {
        std::vector<double> order = seconds;
        for (const std::size_t i : {4U, 3U, 2U})
            std::swap(order[i - 1], order[static_cast<std::size_t>(std::floor(static_cast<double>(i) * uniform(seed, stream(0x5711), i)))]);
        const HeldOut h = heldOutPrediction(plainSeries(seconds), {.train = "0.5", .seed = seed, .samples = 100}).value();
        EXPECT_NEAR(h.measuredMean, (order[2] + order[3]) / 2, 1e-12) << seed;
        EXPECT_NEAR(h.baseline.mean, (order[0] + order[1]) / 2, 1e-12) << seed;
        parts.insert(h.measuredMean);
    }
    EXPECT_GT(parts.size(), 2U);
}

TEST(HeldOutAnswers, FloorsAreMeansOverTwoHundredSplits)
{
    // Of 2 and 3 s the first one comes first where the only exchange is with itself: half a second of 3, else of 2.
    int unmoved = 0;
    for (std::uint64_t k = 0; k < 200; ++k)
        unmoved += uniform(1, stream(0xf100, k), 2) >= 0.5 ? 1 : 0;
    const HeldOut h = heldOutPrediction(plainSeries({2, 3}), {.samples = 100}).value();
    const double floor = (unmoved / 3.0 + (200 - unmoved) / 2.0) / 200;
    EXPECT_NEAR(h.meanFloor, floor, 1e-12);
    EXPECT_NEAR(h.p95Floor, floor, 1e-12);
    EXPECT_NEAR(h.ksFloor, 1, 1e-12);
}

TEST(HeldOutAnswers, LimitsOfTheOptionsComeFirst)
{
    const TraceJob job = plainSeries({2, 3, 5});
    const auto refused = [&](const HeldOutOptions& options) { return heldOutPrediction(job, options).errors().at(0).path; };
    EXPECT_EQ(refused({.train = "never", .samples = 99}), "--samples");
    EXPECT_EQ(refused({.train = "never", .samples = 100}), "--train");
    EXPECT_EQ(refused({.train = "never", .samples = 1'000'000}), "--train");
    EXPECT_EQ(refused({.train = "never", .samples = 1'000'001}), "--samples");
    EXPECT_EQ(refused({.train = "0"}), "--train");
    EXPECT_EQ(refused({.train = "1.0"}), "--train");
    const auto parts = [&](const char* train, int count) {
        return randomParts(job, {.train = train, .samples = 99}, count).errors().at(0).path;
    };
    EXPECT_EQ(parts("0.5", 0), "--parts");
    EXPECT_EQ(parts("0.5", 1), "--samples");
    EXPECT_EQ(parts("0.5", 1000), "--samples");
    EXPECT_EQ(parts("0.5", 1001), "--parts");
    EXPECT_EQ(parts("0", 1), "--train");
    EXPECT_EQ(parts("1", 1), "--train");
    const auto scaled = [&](int replicas, int samples) {
        return replicaScaling(job, {.replicas = {replicas, 0}, .samples = samples}).errors().size();
    };
    EXPECT_EQ(scaled(1, 1'000'000), 1U);
    EXPECT_EQ(scaled(4096, 100), 1U);
    EXPECT_EQ(scaled(4097, 100), 2U);
    EXPECT_EQ(scaled(4096, 1'000'001), 2U);
    EXPECT_EQ(scaled(0, 99), 3U);
}

TEST(HeldOutAnswers, AFewReplicasOfManyAreLearntFrom)
{
    TraceJob job = jobWithWaits(2);
    const HeldOut all = heldOutPrediction(job, {.trainReplicas = 99, .samples = 100}).value();
    EXPECT_EQ(std::pair(all.replicas, all.trainReplicas), std::pair(2, 2));
    EXPECT_TRUE(all.assumptions.empty());
    const HeldOut one = heldOutPrediction(job, {.train = "1", .trainReplicas = 1, .samples = 100}).value();
    EXPECT_EQ(std::pair(one.replicas, one.trainReplicas), std::pair(2, 1));
    ASSERT_EQ(one.assumptions.size(), 3U);
    EXPECT_TRUE(one.assumptions[0].starts_with("the 1 replicas that were not")) << one.assumptions[0];
    // The one step that was learnt from: 3 s, a gap of 0.1, a reduction of 0.5 of one replica of two, as measured, and 0.05 s.
    EXPECT_NEAR(one.predicted.mean, 3.65, 1e-9);
    EXPECT_NEAR(one.predicted.p50, 3.65, 1e-9);
    EXPECT_NEAR(one.measuredMean, (3.96 + 4.38) / 2, 1e-12);
    EXPECT_NEAR(one.predicted.p95Error, 3.65 / (3.96 + 0.95 * 0.42) - 1, 1e-9);
    EXPECT_NEAR(one.predicted.wassersteinSeconds, (3.96 + 4.38) / 2 - 3.65, 1e-9);
    EXPECT_NEAR(one.replicaPhaseKs, 0, 1e-9) << "every replica computes for 3 s in every step";
}

TEST(ReplicaScalingAnswers, AssumptionsCountTheWorkersThatWereNotSeen)
{
    const TraceJob job = jobWithWaits(2);
    const ReplicaScaling scaling = replicaScaling(job, {.replicas = {5, 3}, .samples = 100}).value();
    ASSERT_EQ(scaling.assumptions.size(), 6U);
    EXPECT_NE(scaling.assumptions[3].find("like the 2 measured ones"), std::string::npos);
    EXPECT_NE(scaling.assumptions[4].find("2 of 5 workers are recorded"), std::string::npos) << scaling.assumptions[4];
    EXPECT_NEAR(scaling.measured.mean, (3.65 + 3.96 + 4.38) / 3, 1e-12);
    EXPECT_NEAR(scaling.measured.p50, 3.96, 1e-12);
    EXPECT_EQ(replicaScaling(job, {.replicas = {2}, .samples = 100})->assumptions.size(), 4U);
    // 4884 operations of one replica: 4095 replicas have fewer than 20 million, 4096 more.
    std::vector<TraceOperation> step;
    for (int k = 0; k < 2442; ++k) {
        step.push_back(madeOperation(forwardCompute, 2 * k, 1));
        step.push_back(madeOperation(backwardCompute, 2 * k + 1, 1));
    }
    const auto many = replicaScaling(madeJob(1, 1, {step}), {.replicas = {4096}, .samples = 100});
    ASSERT_FALSE(many.ok());
    EXPECT_EQ(many.errors()[0].accepted, "at most 4095");
}

/// Workers that compute forward for the given seconds and backward for one, without transfers; [replica * stages + stage].
TraceJob forwardsOf(const std::vector<double>& seconds, int stages)
{
    std::vector<TraceOperation> step;
    for (std::size_t w = 0; w < seconds.size(); ++w) {
        const int r = static_cast<int>(w) / stages, s = static_cast<int>(w) % stages;
        step.push_back(madeOperation(forwardCompute, 0, seconds[w], s, r));
        step.push_back(madeOperation(backwardCompute, seconds[w], 1, s, r));
    }
    TraceJob job = madeJob(static_cast<int>(seconds.size()) / stages, stages, {step});
    job.transfersRecorded = false;
    return job;
}

TEST(WhatIfAnswers, AWorkerIsAsSlowAsTheSmallerOfItsReplicaAndItsStage)
{
    // Forwards 1, 2 of replica 0 and 4, 3 of replica 1: ideal 2.5 + 1, measured 5 s.
    WhatIf w = whatIf(forwardsOf({1, 2, 4, 3}, 2)).value();
    EXPECT_DOUBLE_EQ(w.idealSeconds, 3.5);
    EXPECT_DOUBLE_EQ(w.slowdown, 5 / 3.5);
    EXPECT_EQ(w.byReplica, (std::vector{1.0, 5 / 3.5}));
    EXPECT_EQ(w.byStage, (std::vector{5 / 3.5, 4 / 3.5}));
    EXPECT_EQ(w.worstWorkers, (std::vector{2}));
    EXPECT_DOUBLE_EQ(w.worstWorkersShare, (5 - 4) / 1.5); // without it 4 s remain
    EXPECT_DOUBLE_EQ(w.lastStageShare, 0);
    w = whatIf(forwardsOf({1, 2, 3, 4}, 2)).value();
    EXPECT_EQ(w.worstWorkers, (std::vector{3}));
    EXPECT_DOUBLE_EQ(w.lastStageShare, (5 - 4) / 1.5);
    // Equal ones: the lower rank first, no excess and no share. Three per cent of 33 are one worker, of 34 two.
    TraceJob job = forwardsOf(std::vector<double>(33, 2.0), 1);
    job.steps[0].operations[2 * 20].rank = job.steps[0].operations[2 * 20 + 1].rank = -7;
    w = whatIf(job).value();
    EXPECT_EQ(w.worstWorkers, (std::vector{20}));
    EXPECT_EQ(w.worstWorkersShare, 0);
    EXPECT_EQ(w.lastStageShare, 0);
    EXPECT_EQ(whatIf(forwardsOf(std::vector<double>(34, 2.0), 1))->worstWorkers.size(), 2U);
}

TEST(WhatIfAnswers, MeansOfWhatComputesMediansOfWhatTransfers)
{
    // One worker, three steps: forward 1, 2, 6, gc, layer norm and optimizer of 0.1, 0.2 and 0.6 s each; gaps of 0.5, 0 and 0.25 s.
    std::vector<std::vector<TraceOperation>> steps;
    for (const auto& [x, gap] : {std::pair{1.0, 0.5}, {2.0, 0.0}, {6.0, 0.25}})
        steps.push_back({madeOperation(forwardCompute, 0, x), madeOperation(backwardCompute, x + gap, 2),
                         madeOperation(garbageCollection, x + 2 + gap, x / 10),
                         madeOperation(layernormAllReduce, 1.1 * x + 2 + gap, x / 10),
                         madeOperation(optimizer, 1.2 * x + 2 + gap, x / 10)});
    const WhatIf w = whatIf(madeJob(1, 1, steps)).value();
    // Ideal 3 + 2 + 0.3 + 0.2 + 0.3; measured 1.3 x + 2: 3.3, 4.6, 9.8, mean 5.9.
    EXPECT_NEAR(w.idealSeconds, 5.8, 1e-12);
    EXPECT_NEAR(w.slowdown, 5.9 / 5.8, 1e-12);
    EXPECT_NEAR(w.launchSlowdown, 6.15 / 5.9, 1e-12); // the gaps add a quarter of a second on average
    EXPECT_NEAR(w.byType.at("layernorm-grads-all-reduce"), 5.9 / 5.8, 1e-12);
    EXPECT_NEAR(w.byType.at("gc"), 1, 1e-12);
    EXPECT_NEAR(w.byType.at("optimizer"), 1, 1e-12);
    ASSERT_EQ(w.steps.size(), 3U);
    EXPECT_EQ(w.steps[2].number, 3);
    EXPECT_NEAR(w.steps[2].base, 10.05, 1e-12);
    EXPECT_NEAR(w.steps[2].noDelay, 9.8, 1e-12);
    EXPECT_NEAR(w.steps[2].ideal, 5.8, 1e-12);
}

TEST(ModelAnswers, ComputationsWithoutLengthByTheClockHaveFiniteFactors)
{
    // Two stages; the forwards of stage 0 take 0 s by the clock. Steps end at 6, 6.1, 6.2 and 6.3 s.
    std::vector<std::vector<TraceOperation>> steps;
    for (int t = 0; t < 4; ++t)
        steps.push_back({madeOperation(forwardCompute, 0, 0), madeOperation(backwardCompute, 5, 1 + 0.1 * t),
                         madeOperation(forwardCompute, 1, 1, 1), madeOperation(backwardCompute, 2, 2, 1)});
    TraceJob job = madeJob(1, 2, steps);
    job.transfersRecorded = false;
    const ComputeFactors factors = computeFactors(regularJob(job, {}).value());
    for (const std::vector<double>* values : {&factors.mean, &factors.worker, &factors.step})
        EXPECT_TRUE(std::all_of(values->begin(), values->end(), [](double x) { return std::isfinite(x); }));
    const auto scaled = replicaScaling(job, {.replicas = {1}, .samples = 100});
    ASSERT_TRUE(scaled.ok());
    EXPECT_NEAR(scaled->measured.mean, 6.15, 1e-12);
    EXPECT_NEAR(scaled->drawn[0].step.mean, 6.15, 0.1);
    const auto halves = heldOutPrediction(job, {.samples = 100});
    ASSERT_TRUE(halves.ok());
    EXPECT_NEAR(halves->predicted.mean, 6.15, 0.3);
}

} // namespace
} // namespace prism
