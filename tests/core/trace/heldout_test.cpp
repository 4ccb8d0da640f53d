// SPDX-License-Identifier: GPL-3.0-or-later
// Replay and prediction of measured jobs: what must hold by construction, and on real jobs.
#include "core/trace/barriers.h"
#include "core/trace/heldout.h"
#include "core/trace/stagetable.h"
#include "core/trace/regularjob.h"
#include "core/trace/startup.h"
#include "tables.h"

#include "core/stats/random.h"
#include "datafolder.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

namespace prism {
namespace {

/// A made-up job of 8 replicas of one stage: computations of about 1 s, then all replicas wait for each other unrecorded, then reduce.
std::string waitingJob(int steps)
{
    std::string text = kTableHeader;
    for (int step = 0; step < steps; ++step) {
        double latest = 0;
        std::vector<double> end(8, 0.0);
        for (int r = 0; r < 8; ++r)
            for (int m = 0; m < 4; ++m) {
                const double seconds = 0.2
                                       + 0.1
                                             * uniform(3, stream(1, static_cast<std::uint64_t>(step), static_cast<std::uint64_t>(r)),
                                                       static_cast<std::uint64_t>(m));
                text += tableRow(r, 0, step, "forward-compute", end[static_cast<std::size_t>(r)], seconds / 3, m);
                text += tableRow(r, 0, step, "backward-compute", end[static_cast<std::size_t>(r)] + seconds / 3, seconds * 2 / 3, m);
                end[static_cast<std::size_t>(r)] += seconds;
                latest = std::max(latest, end[static_cast<std::size_t>(r)]);
            }
        for (int r = 0; r < 8; ++r)
            text += tableRow(r, 0, step, "grads-reduce-scatter", latest + 0.001, 0.1);
    }
    return text;
}

TEST(Barriers, UnrecordedWaitIsFoundAndItsGapsAreGone)
{
    const auto job = jobOfText(waitingJob(12));
    ASSERT_TRUE(job.ok());
    const FoundBarriers found = hiddenBarriers(*job);
    ASSERT_EQ(found.sets.size(), 1U);
    EXPECT_EQ(found.sets[0].size(), 8U);
    const auto regular = regularJob(*job, found.sets);
    ASSERT_TRUE(regular.ok());
    for (const RegularStep& s : regular->steps)
        for (const double gap : s.gaps)
            EXPECT_NEAR(gap, 0.0, 0.0011);
}

TEST(HeldOut, IndependentStepsAreFittedWithinTheirNoise)
{
    const auto job = jobOfText(waitingJob(60));
    ASSERT_TRUE(job.ok());
    const auto h = heldOutPrediction(*job, {.train = "even", .samples = 2000});
    ASSERT_TRUE(h.ok());
    EXPECT_EQ(h->trainSteps, 30);
    EXPECT_LT(std::abs(h->predicted.meanError), 0.02);
    EXPECT_LT(h->predicted.ks, 2 * h->ksFloor);
    EXPECT_NEAR(h->microBatchCorrelation, 1.0, 1e-6);
    const auto again = heldOutPrediction(*job, {.train = "even", .samples = 2000});
    EXPECT_EQ(again->predictedSeconds, h->predictedSeconds);
}

TEST(HeldOut, AQuarterOfTheReplicasRepresentsAll)
{
    const auto job = jobOfText(waitingJob(60));
    const auto h = heldOutPrediction(*job, {.train = "odd", .trainReplicas = 2, .samples = 2000});
    ASSERT_TRUE(h.ok());
    EXPECT_EQ(h->replicas, 8);
    EXPECT_LT(std::abs(h->predicted.meanError), 0.03);
    EXPECT_FALSE(h->assumptions.empty());
}

TEST(HeldOut, OptionsThatLeaveNothingAreErrors)
{
    const auto job = jobOfText(waitingJob(4));
    EXPECT_FALSE(heldOutPrediction(*job, {.train = "sometimes"}).ok());
    EXPECT_FALSE(heldOutPrediction(*job, {.train = "0,1,2,3"}).ok());
    EXPECT_FALSE(heldOutPrediction(*job, {.train = "77"}).ok());
    EXPECT_FALSE(heldOutPrediction(*job, {.samples = 1}).ok());
    EXPECT_TRUE(heldOutPrediction(*job, {.train = "2"}).ok());
}

TEST(Startup, LevelAndOutliersAmongTheFirst)
{
    EXPECT_EQ(startupSteps(std::vector<double>{9, 8, 2, 2.01, 1.99, 2, 2.02, 2, 1.98}), 2U);
    EXPECT_EQ(startupSteps(std::vector<double>{2, 2.01, 1.99, 2, 2.02, 2, 5, 1.98, 2}), 0U);
    EXPECT_EQ(startupSteps(std::vector<double>{9, 1}), 0U);
}

TraceJob realJob(const std::string& name)
{
    const std::string stem = dataFolder() + "/traces/stage-" + name;
    return std::move(readStageTable(stem + ".csv.gz", *readStageTableMeta(stem + ".meta.yaml"))).value();
}

/// Two stages, one replica, one micro-batch: forward 10 and 20 ms, backward as long, transfers of 1.1 ms. In every step with
/// `isOff(step)` the clock moves the transfers' starts 0.12 ms into the computation before, which computes to the end as always.
TraceJob coarseJob(int steps, double moved, const std::function<bool(int)>& isOff)
{
    std::string text = kTableHeader;
    for (int k = 0; k < steps; ++k) {
        const double off = isOff(k) ? moved : 0, grain = 6e-5;
        text += tableRow(0, 0, k, "forward-compute", 0, 0.010) + tableRow(0, 0, k, "forward-send", 0.010 - off, 0.0011)
                + tableRow(0, 1, k, "forward-recv", 0, 0.0111 - off) + tableRow(0, 1, k, "forward-compute", 0.0111 - off, 0.020 + grain)
                + tableRow(0, 1, k, "backward-compute", 0.0311 - off, 0.020) + tableRow(0, 1, k, "backward-send", 0.0511 - 2 * off, 0.0011)
                + tableRow(0, 0, k, "backward-recv", 0.0111 - off, 0.0411 - off)
                + tableRow(0, 0, k, "backward-compute", 0.0522 - 2 * off, 0.010);
    }
    return jobOfText(text).value();
}

TEST(OverlappedSlots, ClockErrorsAreNoOverlaps)
{
    // The computations of stage 1 overlap by 0.06 ms: two clock grains are 0.12 ms, as much as the transfers overlap in every step.
    const TraceJob coarse = coarseJob(8, 1.199e-4, [](int) { return true; });
    EXPECT_NEAR(clockGrain(coarse), 6e-5, 1e-12);
    EXPECT_TRUE(overlappedSlots(coarse).empty());
    // Beyond it, the decision is that of most steps, and all steps have the same graph.
    const auto some = [](int steps) { return coarseJob(8, 1.3e-4, [=](int k) { return k < steps; }); };
    EXPECT_TRUE(overlappedSlots(some(4)).empty());
    EXPECT_EQ(overlappedSlots(some(5)), (OverlappedSlots{{0, TraceOp::forwardSend, 0}, {1, TraceOp::backwardSend, 0}}));
    const RegularJob regular = regularJob(some(4), {}).value();
    for (const RegularStep& s : regular.steps)
        for (const double gap : s.gaps)
            EXPECT_LT(gap, 3e-4) << "a transfer that is taken out of the order leaves a gap as long as itself";
}

class RealJobs : public testing::TestWithParam<const char*> {};

TEST_P(RealJobs, ReplayWithTheGapsOfOtherStepsIsWithinHalfAPercent)
{
    if (dataFolder().empty())
        GTEST_SKIP() << "no PRISM_DATA";
    const TraceJob job = realJob(GetParam());
    const HiddenBarriers barriers = hiddenBarriers(job).sets;
    const auto regular = regularJob(job, barriers);
    ASSERT_TRUE(regular.ok());
    ASSERT_EQ(regular->steps.size(), job.steps.size());
    for (std::size_t k = startupSteps(job.stepSeconds()); k < regular->steps.size(); ++k) {
        const RegularStep& s = regular->steps[k];
        const StepLinks links = stepLinks(*s.step, job);
        const auto graph = blockingGraph(*s.step, job, links, barriers, regular->overlapped);
        std::vector<double> gaps(static_cast<std::size_t>(graph->graph.nodes()), 0.0);
        for (std::size_t j = 0; j < regular->size(); ++j) {
            std::vector<double> others;
            for (std::size_t m = 0; m < regular->steps.size(); ++m)
                if (m != k)
                    others.push_back(regular->steps[m].gaps[j]);
            const auto middle = others.begin() + static_cast<std::ptrdiff_t>(others.size() / 2);
            std::nth_element(others.begin(), middle, others.end());
            gaps[static_cast<std::size_t>(s.operation[j])] = *middle;
        }
        ReplayTimes times;
        graph->graph.run(nodeSeconds(*s.step, links, *graph), gaps, times);
        EXPECT_NEAR(times.seconds() / s.stepSeconds, 1, 0.005) << s.step->number;
    }
}

INSTANTIATE_TEST_SUITE_P(Traces, RealJobs, testing::Values("SE", "ST"));

/// Means over 12 random halves.
RandomParts halves(const TraceJob& job, bool excludeStartup)
{
    return randomParts(job, {.train = "0.5", .excludeStartup = excludeStartup, .seed = 1, .samples = 1000}, 12).value();
}

TEST(RealJobs, HeldOutStepsOfTwoProductionJobs)
{
    if (dataFolder().empty())
        GTEST_SKIP() << "no PRISM_DATA";
    const RandomParts uneven = halves(realJob("SE"), false), even = halves(realJob("ST"), true);
    EXPECT_LT(uneven.predicted.meanError, 0.025);
    EXPECT_LT(uneven.predicted.p95Error, 0.025);
    EXPECT_LT(uneven.predicted.ks, 0.26);
    EXPECT_LT(uneven.replicaPhaseKs, 0.06);
    EXPECT_LT(even.predicted.meanError, 0.005);
    EXPECT_LT(even.predicted.p95Error, 0.005);
}

TEST(RealJobs, HalvesBothWaysHaveNoBias)
{
    if (dataFolder().empty())
        GTEST_SKIP() << "no PRISM_DATA";
    const auto both = [](const TraceJob& job) {
        DistributionScore mean;
        for (const char* half : {"even", "odd"}) {
            const DistributionScore s = heldOutPrediction(job, {.train = half, .excludeStartup = true}).value().predicted;
            mean.meanError += s.meanError / 2;
            mean.p95Error += s.p95Error / 2;
            mean.ks += s.ks / 2;
        }
        return mean;
    };
    // Which half is the slower one cancels out. KS of two halves of this few steps (27 and 18) is about 0.3, for any forecast.
    const DistributionScore lengths = both(realJob("SE")), last = both(realJob("ST")),
                            ranks = both(readPipelineEvents(dataFolder() + "/traces/pipeline-pp8").value());
    for (const DistributionScore& s : {lengths, last, ranks}) {
        EXPECT_LT(std::abs(s.meanError), 0.003);
        EXPECT_LT(std::abs(s.p95Error), 0.008);
    }
    EXPECT_LT(lengths.ks, 0.25);
    EXPECT_LT(last.ks, 0.29);
    EXPECT_LT(ranks.ks, 0.35);
}

TEST(RealJobs, HeldOutStepsOfEightPipelineRanks)
{
    if (dataFolder().empty())
        GTEST_SKIP() << "no PRISM_DATA";
    const auto job = readPipelineEvents(dataFolder() + "/traces/pipeline-pp8");
    ASSERT_TRUE(job.ok());
    EXPECT_EQ(job->stages, 8);
    EXPECT_EQ(job->steps.size(), 20U);
    EXPECT_EQ(startupSteps(job->stepSeconds()), 2U); // the first step takes 7.6 s, the second 3.19 s, the others 3.24 s and more
    const RandomParts h = halves(*job, true);
    EXPECT_LT(h.predicted.meanError, 0.01);
    EXPECT_LT(h.predicted.p50Error, 0.01);
}

TEST(RandomParts, AreTheMeansOfTheirPredictions)
{
    if (dataFolder().empty())
        GTEST_SKIP() << "no PRISM_DATA";
    const auto job = readPipelineEvents(dataFolder() + "/traces/pipeline-pp8");
    double mean = 0, ks = 0;
    for (std::uint64_t seed = 5; seed < 8; ++seed) {
        const auto h = heldOutPrediction(*job, {.train = "0.5", .excludeStartup = true, .seed = seed, .samples = 200});
        mean += std::abs(h->predicted.meanError) / 3;
        ks += h->predicted.ks / 3;
    }
    const auto parts = randomParts(*job, {.train = "0.5", .excludeStartup = true, .seed = 5, .samples = 200}, 3);
    ASSERT_TRUE(parts.ok());
    EXPECT_NEAR(parts->predicted.meanError, mean, 1e-12);
    EXPECT_NEAR(parts->predicted.ks, ks, 1e-12);
    // The two longest of 18 steps decide the p95 of nine: random halves of the measured steps themselves differ by more than a per cent.
    EXPECT_GT(parts->p95Floor, 0.01);
    EXPECT_LT(parts->meanFloor, 0.01);
    EXPECT_FALSE(randomParts(*job, {.train = "even"}, 3).ok());
    EXPECT_FALSE(randomParts(*job, {.train = "0.5"}, 0).ok());
}

TEST(PipelineEvents, BrokenEventsAreCounted)
{
    const std::filesystem::path folder = std::filesystem::temp_directory_path() / ("prism-events-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "pp_rank_0.json")
        << R"({"1": {"fwd_start": [0, 9], "fwd_end": [5, 3], "bwd_start": [10], "bwd_end": [30]}, "x": 3})";
    const auto job = readPipelineEvents(folder.string());
    std::ofstream(folder / "pp_rank_0.json") << "{ broken";
    const auto broken = readPipelineEvents(folder.string());
    std::filesystem::remove_all(folder);
    ASSERT_TRUE(job.ok());
    EXPECT_DOUBLE_EQ(job->steps[0].seconds(), 0.030);
    EXPECT_TRUE(mentions(job->notes, "2 events have no valid begin and end"));
    EXPECT_FALSE(broken.ok());
    EXPECT_FALSE(readPipelineEvents("/no/such/folder").ok());
}

} // namespace
} // namespace prism
