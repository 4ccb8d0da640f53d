// SPDX-License-Identifier: GPL-3.0-or-later
// How far medians of other candidates lie apart, on jobs whose steps are known.
#include "core/sim/step/otherjobs.h"

#include "core/base/memo.h"
#include "core/sim/graphs.h"
#include "core/stats/moments.h"

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

} // namespace
} // namespace prism::test
