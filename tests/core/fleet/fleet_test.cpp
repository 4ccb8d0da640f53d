// SPDX-License-Identifier: GPL-3.0-or-later
// Fleets: clusters as text, gains against first come, first served, and jobs that cannot run.
#include "core/fleet/fleet.h"

#include "core/stats/random.h"

#include <gtest/gtest.h>

#include <cmath>

namespace prism {
namespace {

Result<FleetCluster> cluster(const std::string& json)
{
    Evaluator evaluator;
    InsightOptions options;
    options.samples = 500;
    return fleetCluster(evaluator, json, options);
}

/// A loaded queue of small and large jobs, made up.
JobTable table()
{
    JobTable t;
    double at = 0;
    for (std::uint64_t i = 0; i < 300; ++i) {
        at += -40 * std::log(uniform(5, stream(1), i));
        const double size = uniform(5, stream(2), i);
        const double duration = std::exp(4 + 3 * uniform(5, stream(3), i));
        t.jobs.push_back({std::to_string(i), i % 2 == 0 ? "steady" : "risky", at, duration,
                          size < 0.7   ? 1
                          : size < 0.9 ? 8
                                       : 32,
                          "", i + 2});
    }
    return t;
}

constexpr const char* kCluster = R"({"nodes": 8, "gpus_per_node": 8, "gpu_type": "H100", "node_time": {"family": "lognormal", "cv": 0.15},
    "classes": {"default": {"family": "lognormal", "cv": 0.05}, "risky": {"family": "lognormal", "cv": 0.8}}})";

TEST(Fleet, ShortestFirstGainsOverFirstComeFirstServed)
{
    const Result<FleetCluster> c = cluster(kCluster);
    ASSERT_TRUE(c.ok());
    const Result<FleetReport> r = fleet(table(), *c, {});
    ASSERT_TRUE(r.ok());
    ASSERT_EQ(r->policies.size(), static_cast<std::size_t>(kFleetPolicies));
    const FleetPolicyResult &fifo = r->policies[0], &shortest = r->policies[1];
    EXPECT_EQ(fifo.meanRatio.value, 1);
    EXPECT_EQ(fifo.meanRatio.halfWidth, 0);
    EXPECT_LT(shortest.meanRatio.value + shortest.meanRatio.halfWidth, 1);
    EXPECT_GT(r->reordered, 0);
    for (const FleetPolicyResult& p : r->policies) {
        EXPECT_GE(p.mean.value, p.queueing.value);
        EXPECT_LE(p.utilisation.value, 1);
        EXPECT_GE(p.p95.value, p.p50.value);
    }
}

TEST(Fleet, GivesTheSameBitsOnAnyNumberOfThreads)
{
    InsightOptions one, two;
    one.threads = 1;
    two.threads = 2;
    const FleetCluster c = *cluster(kCluster);
    const Result<FleetReport> a = fleet(table(), c, {4}, one), b = fleet(table(), c, {4}, two);
    ASSERT_TRUE(a.ok() && b.ok());
    for (std::size_t p = 0; p < kFleetPolicies; ++p)
        EXPECT_EQ(a->policies[p].mean.value, b->policies[p].mean.value);
}

TEST(Fleet, WithoutSpreadAllRunsAreOne)
{
    const Result<FleetReport> r = fleet(table(), *cluster(R"({"nodes": 8})"), {3});
    ASSERT_TRUE(r.ok());
    EXPECT_NEAR(r->policies[0].mean.halfWidth, 0, 1e-6);
    EXPECT_EQ(r->reordered, 0);
    EXPECT_EQ(r->policies[1].mean.value, r->policies[2].mean.value); // the same order
}

TEST(Fleet, ThreeJobsByHand)
{
    // One node of two GPUs. First come: A 0-10, B 10-20 on one GPU, C needs both, 20-22. Shortest first: C 10-12, then B 12-22.
    JobTable jobs{.jobs = {{"a", "", 0, 10, 2, "", 2}, {"b", "", 5, 10, 1, "", 3}, {"c", "", 5, 2, 2, "", 4}}};
    jobs.withoutGpus = 4;
    jobs.withoutDuration = 5;
    const Result<FleetReport> r = fleet(jobs, *cluster(R"({"nodes": 1, "gpus_per_node": 2})"), {2});
    ASSERT_TRUE(r.ok());
    EXPECT_EQ(r->jobs, 3U);
    EXPECT_EQ(r->withoutGpus, 4);
    EXPECT_EQ(r->withoutDuration, 5);
    EXPECT_EQ(r->nodes, 1);
    EXPECT_EQ(r->gpus, 2);
    EXPECT_EQ(r->runs, 2);
    EXPECT_EQ(r->reordered, 0);
    EXPECT_NEAR(r->offeredLoad, (20 + 10 + 4) / (5.0 * 2), 1e-12);
    EXPECT_EQ(r->notes.size(), 2U) << "the queue is full";
    const FleetPolicyResult &fifo = r->policies[0], &shortest = r->policies[1];
    EXPECT_NEAR(fifo.mean.value, (10 + 15 + 17) / 3.0, 1e-9);
    EXPECT_NEAR(fifo.queueing.value, (0 + 5 + 15) / 3.0, 1e-9);
    EXPECT_NEAR(fifo.utilisation.value, 34 / (22.0 * 2), 1e-9);
    EXPECT_NEAR(shortest.mean.value, (10 + 17 + 7) / 3.0, 1e-9);
    EXPECT_NEAR(shortest.meanRatio.value, 34 / 42.0, 1e-9);
    const Result<FleetReport> idle =
        fleet({.jobs = {{"a", "", 0, 10, 1, "", 2}, {"b", "", 100, 10, 1, "", 3}}}, *cluster(R"({"nodes": 1})"), {1});
    ASSERT_TRUE(idle.ok());
    EXPECT_EQ(idle->notes.size(), 3U) << "few wait";
}

TEST(Fleet, ClassesTakeTheSpreadOfAScenario)
{
    const Result<FleetCluster> c = cluster(R"({"nodes": 2, "classes": {"llm": {"scenario": "llama2-7b-8-a100"}}})");
    ASSERT_TRUE(c.ok());
    EXPECT_EQ(c->classes.at("llm").factor.family, Family::empirical);
    EXPECT_GT(c->classes.at("llm").factor.baseVariance(), 0);
    EXPECT_TRUE(c->classes.contains("default"));
}

TEST(Fleet, SaysWhatIsWrongWithAClusterAndItsJobs)
{
    EXPECT_FALSE(cluster("[]").ok());
    EXPECT_FALSE(cluster("{").ok());
    const Result<FleetCluster> wrong = cluster(R"({"nodes": 0, "gpus_per_node": "many", "colour": "red", "node_time": {"family": "odd"},
        "node_times": [1, 2], "classes": {"a": {"scenario": "no-such"}, "b": 7}})");
    ASSERT_FALSE(wrong.ok());
    EXPECT_EQ(wrong.errors().size(), 7U);
    JobTable jobs;
    jobs.jobs = {{"1", "", 0, 10, 100, "", 2}, {"2", "", 0, 10, 1, "T4", 3}, {"3", "", 0, 10, 1, "H100", 4}};
    const Result<FleetReport> r = fleet(jobs, *cluster(kCluster), {});
    ASSERT_FALSE(r.ok());
    ASSERT_EQ(r.errors().size(), 2U);
    EXPECT_EQ(r.errors()[0].path, "line 2");
    EXPECT_EQ(r.errors()[1].path, "line 3");
}

TEST(Fleet, RefusesWhatWouldTakeHours)
{
    std::string scenarios, classes;
    for (int i = 0; i < 101; ++i)
        scenarios += (i > 0 ? ", " : "") + ("\"c" + std::to_string(i)) + R"(": {"scenario": "no-such-)" + std::to_string(i) + "\"}";
    EXPECT_EQ(cluster(R"({"nodes": 1, "classes": {)" + scenarios + "}}").errors().size(), 1U) << "scenarios";
    for (int i = 0; i <= 10'000; ++i)
        classes += (i > 0 ? ", " : "") + ("\"c" + std::to_string(i)) + R"(": {"family": "normal", "cv": 0.1})";
    EXPECT_FALSE(cluster(R"({"nodes": 1, "classes": {)" + classes + "}}").ok()) << "classes";
    JobTable many;
    many.jobs.assign(2'000, {"1", "", 0, 10, 1, "", 2});
    const FleetCluster large = *cluster(R"({"nodes": 65536, "gpus_per_node": 64})");
    EXPECT_FALSE(fleet(many, large, {1'000}).ok()) << "1.3e11 looks at a node";
}

} // namespace
} // namespace prism
