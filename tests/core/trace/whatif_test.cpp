// SPDX-License-Identifier: GPL-3.0-or-later
// The slowdowns by hand, and those published for two production jobs.
#include "core/trace/whatif.h"
#include "tables.h"

#include "datafolder.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace prism {
namespace {

TEST(WhatIf, TwoReplicasByHand)
{
    // Replica 0 takes 1 + 2 s, replica 1 takes 2 + 2 s, then both reduce in 0.5 s; ideal 1.5 + 2 + 0.5 = 4 s.
    std::string text = kTableHeader;
    for (const int step : {7, 8})
        text += tableRow(0, 0, step, "forward-compute", 0, 1) + tableRow(0, 0, step, "backward-compute", 1, 2)
                + tableRow(0, 0, step, "grads-reduce-scatter", 3, 1.5) + tableRow(1, 0, step, "forward-compute", 0, 2)
                + tableRow(1, 0, step, "backward-compute", 2, 2) + tableRow(1, 0, step, "grads-reduce-scatter", 4, 0.5);
    const auto job = jobOfText(text);
    ASSERT_TRUE(job.ok());
    const auto w = whatIf(*job);
    ASSERT_TRUE(w.ok());
    ASSERT_EQ(w->steps.size(), 2U);
    EXPECT_DOUBLE_EQ(w->steps[0].base, 4.5);
    EXPECT_DOUBLE_EQ(w->steps[0].noDelay, 4.5);
    EXPECT_DOUBLE_EQ(w->idealSeconds, 4.0);
    EXPECT_DOUBLE_EQ(w->slowdown, 1.125);
    EXPECT_DOUBLE_EQ(w->byType.at("forward-compute"), 1.125);
    EXPECT_DOUBLE_EQ(w->byType.at("backward-compute"), 1.0);
    EXPECT_EQ(w->byReplica, (std::vector{1.0, 1.125}));
    EXPECT_EQ(w->worstWorkers, std::vector{1});
    EXPECT_DOUBLE_EQ(w->worstWorkersShare, 1.0);
}

/// Largest relative difference of `ours` from the published values under the keys 0, 1, ...
double worst(const std::vector<double>& ours, const nlohmann::json& published)
{
    double difference = 0;
    for (std::size_t i = 0; i < ours.size(); ++i)
        difference = std::max(difference, std::abs(ours[i] / published.at(std::to_string(i)).get<double>() - 1));
    return difference;
}

class PublishedJobs : public testing::TestWithParam<const char*> {};

TEST_P(PublishedJobs, EveryMetricWithinOneInAHundredThousand)
{
    if (dataFolder().empty())
        GTEST_SKIP() << "no PRISM_DATA";
    const std::string stem = dataFolder() + "/traces/stage-" + GetParam();
    const auto meta = readStageTableMeta(stem + ".meta.yaml");
    ASSERT_TRUE(meta.ok());
    const auto job = readStageTable(stem + ".csv.gz", *meta);
    ASSERT_TRUE(job.ok());
    EXPECT_TRUE(job->notes.empty());
    const auto w = whatIf(*job);
    ASSERT_TRUE(w.ok());
    std::ifstream in(stem + ".result.json");
    const auto published = nlohmann::json::parse(in);
    EXPECT_NEAR(w->slowdown / published["blocking_slowdown"].get<double>(), 1, 1e-5);
    EXPECT_NEAR(w->launchSlowdown / published["launch_slowdown"].get<double>(), 1, 1e-5);
    for (const auto& [type, slowdown] : published["blocking_decompose_by_optype"].items())
        EXPECT_NEAR(w->byType.at(type) / slowdown.get<double>(), 1, 1e-5) << type;
    EXPECT_LT(worst(w->byStage, published["blocking_decompose_by_stage"]), 1e-5);
    EXPECT_LT(worst(w->byReplica, published["blocking_decompose_by_dp_rank"]), 1e-5);
    ASSERT_EQ(w->steps.size(), published["step_t_base"].size());
    for (const WhatIfStep& s : w->steps) {
        const std::string number = std::to_string(s.number);
        EXPECT_NEAR(s.base / published["step_t_base"][number].get<double>(), 1, 1e-5) << number;
        EXPECT_NEAR(s.noDelay / published["step_t_nodelay"][number].get<double>(), 1, 1e-5) << number;
        EXPECT_NEAR(s.ideal / published["step_t_noblk"][number].get<double>(), 1, 1e-5) << number;
    }
}

INSTANTIATE_TEST_SUITE_P(Traces, PublishedJobs, testing::Values("SE", "ST"));

} // namespace
} // namespace prism
