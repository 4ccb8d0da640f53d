// SPDX-License-Identifier: GPL-3.0-or-later
// Drawn queues: their means are the stated ones, and all unreadable fields are reported at once.
#include "core/fleet/jobtable.h"

#include "core/fleet/fleet.h"
#include "core/scenario/presetlibrary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace prism {
namespace {

TEST(QueueModel, DrawsWhatIsStated)
{
    const Result<JobTable> t = modelledQueue(R"({"jobs": 20000, "offered_load": 0.8, "mean_duration_s": 600,
        "duration": {"family": "lognormal", "cv": 1}, "sizes": [{"gpus": 1, "share": 3}, {"gpus": 8, "share": 1}]})",
                                             100, 3);
    ASSERT_TRUE(t.ok());
    ASSERT_EQ(t->jobs.size(), 20'000U);
    double seconds = 0, gpuSeconds = 0, largeSeconds = 0;
    std::int64_t large = 0;
    for (const FleetJob& j : t->jobs) {
        seconds += j.durationSeconds;
        gpuSeconds += j.durationSeconds * j.gpus;
        large += j.gpus == 8 ? 1 : 0;
        largeSeconds += j.gpus == 8 ? j.durationSeconds : 0;
    }
    EXPECT_NEAR(seconds / 20'000, 600, 4 * 600 / std::sqrt(20'000));
    EXPECT_NEAR(largeSeconds / static_cast<double>(large), 600, 4 * 600 / std::sqrt(5'000)) << "sizes and durations are independent";
    EXPECT_NEAR(static_cast<double>(large) / 20'000, 0.25, 4 * std::sqrt(0.25 * 0.75 / 20'000));
    EXPECT_NEAR(gpuSeconds / (t->jobs.back().submitSeconds * 100), 0.8, 0.05);
    EXPECT_TRUE(std::is_sorted(t->jobs.begin(), t->jobs.end(),
                               [](const FleetJob& a, const FleetJob& b) { return a.submitSeconds < b.submitSeconds; }));
}

TEST(QueueModel, EachSizeHasItsShare)
{
    const Result<JobTable> t =
        modelledQueue(R"({"jobs": 8000, "offered_load": 1, "mean_duration_s": 60, "duration": {"family": "gamma", "cv": 1},
        "sizes": [{"gpus": 1, "share": 1}, {"gpus": 2, "share": 2}, {"gpus": 4, "share": 1}, {"gpus": 8, "share": 4}]})",
                      8, 1);
    ASSERT_TRUE(t.ok());
    for (const auto& [gpus, share] : {std::pair{1, 1}, {2, 2}, {4, 1}, {8, 4}}) {
        const auto n = std::count_if(t->jobs.begin(), t->jobs.end(), [size = gpus](const FleetJob& j) { return j.gpus == size; });
        EXPECT_NEAR(static_cast<double>(n) / 8'000, share / 8.0, 4 * std::sqrt(0.25 / 8'000)) << gpus;
    }
}

TEST(QueueModel, EveryQueueOfTheLibraryRunsOnItsCluster)
{
    for (const std::string& name : presetNames("queue")) {
        const Result<JobTable> t = modelledQueue(*presetText("queue", name), 1'280, 1);
        ASSERT_TRUE(t.ok()) << name;
        EXPECT_LE(
            std::max_element(t->jobs.begin(), t->jobs.end(), [](const FleetJob& a, const FleetJob& b) { return a.gpus < b.gpus; })->gpus,
            1'280)
            << name;
    }
}

TEST(QueueModel, ReportsEveryError)
{
    EXPECT_FALSE(modelledQueue("[]", 8, 1).ok());
    EXPECT_FALSE(modelledQueue("{", 8, 1).ok());
    const Result<JobTable> invalid = modelledQueue(
        R"({"jobs": 0, "offered_load": "much", "mean_duration_s": -1, "duration": {"family": "odd"}, "sizes": [{"gpus": 0}], "colour": 1})",
        8, 1);
    ASSERT_FALSE(invalid.ok());
    EXPECT_EQ(invalid.errors().size(), 6U);
}

TEST(QueueModel, NumbersAreTakenUpToTheirLimits)
{
    const auto errors = [](const char* jobs, const char* load, const char* mean, const char* gpus, const char* share) {
        const Result<JobTable> t = modelledQueue(
            std::string(R"({"jobs": )") + jobs + R"(, "offered_load": )" + load + R"(, "mean_duration_s": )" + mean
                + R"(, "duration": {"family": "deterministic", "cv": 0}, "sizes": [{"gpus": )" + gpus + R"(, "share": )" + share + "}]}",
            8, 1);
        return t.ok() ? 0U : t.errors().size();
    };
    EXPECT_EQ(errors("1", "0.01", "1", "1", "1e-9"), 0U);
    EXPECT_EQ(errors("1", "10", "1e9", "1000000", "1e6"), 0U);
    EXPECT_EQ(errors("1000001", "0.0099", "0.99", "1", "1"), 3U);
    EXPECT_EQ(errors("0", "10.1", "1.1e9", "1", "1"), 3U);
    for (const auto& [gpus, share] : {std::pair{"0", "1"}, {"1000001", "1"}, {"1", "0"}, {"1", "1000001"}})
        EXPECT_EQ(errors("1", "1", "1", gpus, share), 1U) << gpus << " " << share;
}

TEST(QueueModel, TheNthJobIsNumberedAndComesLaterTheLowerTheLoad)
{
    const auto last = [](const char* load, int gpus) {
        const Result<JobTable> t = modelledQueue(std::string(R"({"jobs": 50, "offered_load": )") + load
                                                     + R"(, "mean_duration_s": 60, "duration": {"family": "deterministic", "cv": 0},
            "sizes": [{"gpus": 2, "share": 1}, {"gpus": 4, "share": 1}]})",
                                                 gpus, 1);
        EXPECT_EQ(t->jobs.back().id, "50");
        EXPECT_EQ(t->jobs.back().line, 50U);
        EXPECT_EQ(t->jobs.back().durationSeconds, 60);
        return t->jobs.back().submitSeconds;
    };
    EXPECT_NEAR(last("0.5", 8), 2 * last("1", 8), 1e-9);
    EXPECT_NEAR(last("1", 16), last("1", 8) / 2, 1e-9);
    EXPECT_EQ(last("1", 0), last("1", 1)) << "a cluster has a GPU";
    EXPECT_NEAR(last("1", 8), 50 * 3 * 60 / 8.0, 4 * std::sqrt(50) * 3 * 60 / 8.0);
}

} // namespace
} // namespace prism
