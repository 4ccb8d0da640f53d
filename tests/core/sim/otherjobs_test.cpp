// SPDX-License-Identifier: GPL-3.0-or-later
// How far medians of other candidates lie apart, on jobs whose steps are known.
#include "core/sim/step/otherjobs.h"

#include "core/base/memo.h"
#include "core/sim/graphs.h"
#include "core/sim/step/replicalayout.h"
#include "core/sim/step/seriesends.h"
#include "core/stats/moments.h"
#include "core/stats/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace prism::test {
namespace {

/// 40 stages of single GPUs that differ, nothing else being random: eight replicas, each of which is simulated by itself.
StepGraph differentGpus(int microbatches)
{
    JobShape s;
    s.stages = 40;
    s.microbatches = microbatches;
    s.replicas = 8;
    StepGraph g = jobGraph(s);
    g.spatial = {Family::normal, 0.05};
    return g;
}

double slowest(const JobScores& job)
{
    return *std::max_element(job.replicaSeconds.begin(), job.replicaSeconds.end());
}

/// Without noise a job's step is that of its slowest replica, so the shifts against the median job are known. 16 micro-batches: a block of
/// steps for every replica; 64: two replicas share one.
TEST(OtherJobs, WithoutNoiseTheErrorIsTheSpreadOfTheirSlowestReplicas)
{
    for (const int microbatches : {16, 64}) {
        Memo memo(std::size_t{16} << 20);
        Recall recall(memo);
        const std::shared_ptr<const Prepared> prepared = prepare(differentGpus(microbatches), recall, {});
        const NearMedian near = nearMedian(prepared, 3, recall, {});
        ASSERT_TRUE(near.job);
        ASSERT_EQ(near.job->others.size(), std::size(kOtherJobs));
        std::vector<double> shifts;
        for (const JobScores& other : near.job->others)
            shifts.push_back(slowest(other) - slowest(*near.job));
        const double known = std::sqrt(varianceOf(shifts));
        ASSERT_GT(known, 1e-3);
        const SharedError error = jobChoiceError(near, 3, 1000, recall, {});
        for (const SharedError::Part& part : {error.p50, error.p95, error.p99, error.mean}) {
            EXPECT_NEAR(part.stdErr, known, 1e-4 * known) << microbatches;
            EXPECT_EQ(part.degrees, 7.0);
        }
    }
}

/// Many replicas whose kernels vary more than their GPUs: any of them may be the slowest of a step, and what a job's pooled replicas take
/// belongs to the difference between jobs. The short series must find the spread that long ones of the same jobs show.
TEST(OtherJobs, JobsDifferByTheirPooledReplicasAsWell)
{
    JobShape s;
    s.microbatches = 4;
    s.replicas = 400;
    s.layers = 2;
    s.compute = {Family::gamma, 0.3};
    StepGraph graph = jobGraph(s);
    graph.spatial = {Family::normal, 0.05};
    Memo memo(std::size_t{64} << 20);
    Recall recall(memo);
    const std::shared_ptr<const Prepared> prepared = prepare(graph, recall, {});
    double stated = 0.0, known = 0.0;
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        const NearMedian near = nearMedian(prepared, seed, recall, {});
        ASSERT_TRUE(near.job);
        const Series series = makeSeries(*prepared, mix64(seed), seed, Run::within, 4096);
        const auto mean = [&](const JobScores& job) {
            ReplicaLayout layout = jobLayout(*prepared, job);
            for (std::size_t i = 0; i < layout.single.size(); ++i)
                layout.single[i].copy = i;
            std::uint64_t nodeSamples = 0;
            return meanOf(seriesEnds(series, layout, recall, {}, nodeSamples).seconds);
        };
        std::vector<double> means;
        for (const JobScores& other : near.job->others)
            means.push_back(mean(other));
        known += varianceOf(means);
        const double error = jobChoiceError(near, seed, 1000, recall, {}).mean.stdErr;
        stated += error * error;
    }
    EXPECT_NEAR(std::sqrt(stated / known), 1.0, 0.3);
}

} // namespace
} // namespace prism::test
