// SPDX-License-Identifier: GPL-3.0-or-later
// Fleets: clusters as text, gains against first come, first served, and jobs that cannot run.
#include "core/fleet/fleet.h"

#include "core/cost/predictor.h"
#include "core/insight/guarantee/guarantee.h"
#include "core/scenario/presets.h"
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

/// A class of cv 1 is kept 95 times in 100 by 2.781 times its mean; the slowest of eight nodes of cv 0.5 by 2.898, one node by 1.946.
TEST(Fleet, TheP95IsOfTheClassAndTheSlowestNode)
{
    const auto reordered = [](const char* json, const std::vector<FleetJob>& jobs) {
        return fleet({.jobs = jobs}, *cluster(json), {.runs = 1})->reordered;
    };
    const char* risky =
        R"({"nodes": 8, "gpus_per_node": 2, "classes": {"default": {"family": "deterministic", "cv": 0}, "risky": {"family": "lognormal", "cv": 1}}})";
    const auto steadyOf = [&](double mean) { return reordered(risky, {{"a", "risky", 0, 1, 1, "", 2}, {"b", "", 0, mean, 1, "", 3}}); };
    EXPECT_EQ(steadyOf(2.75), 1);
    EXPECT_EQ(steadyOf(2.81), 0);
    EXPECT_EQ(reordered(risky, {{"a", "", 0, 1, 1, "", 2}, {"b", "risky", 0, 1, 1, "", 3}}), 0) << "of equal means the first stays";
    const char* nodes = R"({"nodes": 8, "gpus_per_node": 2, "node_time": {"family": "lognormal", "cv": 0.5}})";
    const auto smallOf = [&](double mean) { return reordered(nodes, {{"a", "", 0, 1, 16, "", 2}, {"b", "", 0, mean, 1, "", 3}}); };
    EXPECT_EQ(smallOf(1.47), 1);
    EXPECT_EQ(smallOf(1.51), 0);
}

TEST(Fleet, RunsDrawTheJobAndTheNode)
{
    const auto mean = [](const char* json) {
        return fleet({.jobs = {{"a", "", 0, 100, 1, "", 2}}}, *cluster(json), {.runs = 1'000})->policies[0].mean;
    };
    const Estimate
        job = mean(R"({"nodes": 1, "classes": {"default": {"family": "lognormal", "cv": 0.3}}})"),
        node = mean(R"({"nodes": 1, "node_time": {"family": "lognormal", "cv": 0.3}})"),
        both = mean(
            R"({"nodes": 1, "node_time": {"family": "lognormal", "cv": 0.3}, "classes": {"default": {"family": "lognormal", "cv": 0.3}}})");
    const double error = 1.96 * 30 / std::sqrt(1'000.0);
    for (const Estimate& e : {job, node}) {
        EXPECT_NEAR(e.value, 100, 2 * error);
        EXPECT_NEAR(e.halfWidth / error, 1, 0.15);
    }
    EXPECT_NEAR(both.halfWidth / error, std::sqrt(2 + 0.09), 0.2) << "independent: variances add";
}

/// Hundredths of seconds make the same ratios.
TEST(Fleet, RatiosOfShortJobsAreThoseOfLongOnes)
{
    JobTable t;
    t.jobs = {
        {"a", "", 0, 0.1, 2, "", 2}, {"b", "", 0.01, 0.1, 1, "", 3}, {"c", "", 0.02, 0.04, 4, "", 4}, {"d", "", 0.03, 0.01, 1, "", 5}};
    const Result<FleetReport> r = fleet(t, *cluster(R"({"nodes": 2, "gpus_per_node": 2})"), {.runs = 1});
    ASSERT_TRUE(r.ok());
    EXPECT_NEAR(r->policies[1].meanRatio.value, 34.0 / 46, 1e-9);
    EXPECT_NEAR(r->policies[1].queueingRatio.value, 9.0 / 21, 1e-9);
}

TEST(Fleet, ReportsTheFirstFiftyJobsThatDoNotFit)
{
    const auto errors = [](std::size_t n) {
        JobTable t;
        t.jobs.assign(n, {"1", "", 0, 10, 100, "", 2});
        return fleet(t, *cluster(kCluster), {}).errors();
    };
    constexpr std::size_t kReported = 50;
    EXPECT_EQ(errors(kReported).size(), kReported);
    EXPECT_EQ(errors(kReported + 1).size(), kReported + 1);
    EXPECT_EQ(errors(kReported + 2).back().found, "2") << "further ones are counted";
}

TEST(Fleet, ClassesTakeTheSpreadOfAScenario)
{
    InsightOptions options;
    options.samples = 500;
    const Scenario scenario = *scenarioPreset("llama2-7b-8-a100");
    GuaranteeQuery query;
    query.trainTokens = 1'000 * costStep(scenario)->tokensPerStep; // a job of 1,000 steps
    Evaluator evaluator;
    const Result<Guarantee> job = guarantee(evaluator, scenario, query, options);
    ASSERT_TRUE(job.ok());
    const Result<FleetCluster> c = cluster(R"({"nodes": 2, "classes": {"llm": {"scenario": "llama2-7b-8-a100"}}})");
    ASSERT_TRUE(c.ok());
    EXPECT_EQ(c->classes.at("llm").factor.family, Family::empirical);
    EXPECT_GT(c->classes.at("llm").factor.baseVariance(), 0);
    EXPECT_DOUBLE_EQ(c->classes.at("llm").factor.cv, empiricalDistribution(job->training.sortedDays).cv);
    EXPECT_TRUE(c->classes.contains("default"));
}

TEST(Fleet, ReportsErrorsWithAClusterAndItsJobs)
{
    EXPECT_FALSE(cluster("[]").ok());
    EXPECT_FALSE(cluster("{").ok());
    const Result<FleetCluster> invalid = cluster(R"({"nodes": 0, "gpus_per_node": "many", "colour": "red", "node_time": {"family": "odd"},
        "node_times": [1, 2], "classes": {"a": {"scenario": "no-such"}, "b": 7}})");
    ASSERT_FALSE(invalid.ok());
    EXPECT_EQ(invalid.errors().size(), 7U);
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

/// The four tasks of dispatch_test.cpp: A 0 s, 10 s on 2 GPUs; B 1 s, 10 s on 1; C 2 s, 4 s on 4; D 3 s, 1 s on 1.
JobTable fourJobs()
{
    JobTable t;
    t.jobs = {{"a", "", 0, 10, 2, "", 2}, {"b", "", 1, 10, 1, "", 3}, {"c", "", 2, 4, 4, "", 4}, {"d", "", 3, 1, 1, "", 5}};
    t.withoutGpus = 7;
    t.withoutDuration = 9;
    return t;
}

constexpr const char* kEven = R"({"nodes": 2, "gpus_per_node": 2, "node_time": {"family": "deterministic", "cv": 0},
    "classes": {"default": {"family": "deterministic", "cv": 0}}})";

TEST(Fleet, FourJobsThatDoNotVaryByHand)
{
    const Result<FleetCluster> c = cluster(kEven);
    ASSERT_TRUE(c.ok()) << c.errors().front().message << c.errors().front().path;
    const Result<FleetReport> r = fleet(fourJobs(), *c, {.runs = 3});
    ASSERT_TRUE(r.ok());
    EXPECT_EQ(r->jobs, 4U);
    EXPECT_EQ(r->withoutGpus, 7);
    EXPECT_EQ(r->withoutDuration, 9);
    EXPECT_EQ(r->nodes, 2);
    EXPECT_EQ(r->gpus, 4);
    EXPECT_EQ(r->runs, 3);
    EXPECT_DOUBLE_EQ(r->offeredLoad, (20 + 10 + 16 + 1) / (3.0 * 4));
    EXPECT_EQ(r->reordered, 0);
    EXPECT_GT(r->elapsedSeconds, 0);
    // First come: ends 10, 11, 15, 16, so completions 10, 10, 13, 13 and waits 0, 0, 9, 12. Shortest: D starts at once, C as before.
    const FleetPolicyResult &fifo = r->policies[0], &shortest = r->policies[1];
    EXPECT_DOUBLE_EQ(fifo.mean.value, 11.5);
    EXPECT_DOUBLE_EQ(fifo.p50.value, 11.5);
    EXPECT_DOUBLE_EQ(fifo.p95.value, 13);
    EXPECT_DOUBLE_EQ(fifo.queueing.value, 21.0 / 4);
    EXPECT_DOUBLE_EQ(fifo.utilisation.value, 47.0 / 64);
    EXPECT_DOUBLE_EQ(shortest.mean.value, 34.0 / 4); // 10, 10, 13, 1
    EXPECT_DOUBLE_EQ(shortest.p50.value, 10);
    EXPECT_NEAR(shortest.p95.value, 10 + 0.85 * 3, 1e-12);
    EXPECT_DOUBLE_EQ(shortest.queueing.value, 9.0 / 4);
    EXPECT_DOUBLE_EQ(shortest.meanRatio.value, 34.0 / 46);
    EXPECT_DOUBLE_EQ(shortest.p50Ratio.value, 10 / 11.5);
    EXPECT_NEAR(shortest.p95Ratio.value, 12.55 / 13, 1e-12);
    EXPECT_DOUBLE_EQ(shortest.queueingRatio.value, 9.0 / 21);
    EXPECT_NEAR(shortest.utilisationChange.value, 47.0 / 60 - 47.0 / 64, 1e-12);
    EXPECT_NEAR(shortest.mean.halfWidth, 0, 1e-12);
    EXPECT_EQ(r->notes.size(), 2U) << "the cluster is loaded";
}

TEST(Fleet, LoadsAndLimitsAtTheirEdges)
{
    const Result<FleetCluster> c = cluster(kEven);
    ASSERT_TRUE(c.ok());
    const auto with = [&](double duration, double until) {
        JobTable t;
        t.jobs = {{"a", "", 0, duration, 1, "", 2}, {"b", "", until, duration, 1, "", 3}};
        return fleet(t, *c, {.runs = 1});
    };
    EXPECT_EQ(with(14, 10)->notes.size(), 2U); // 28 of 40 GPU seconds
    EXPECT_EQ(with(13.9, 10)->notes.size(), 3U);
    EXPECT_EQ(with(14, 0)->offeredLoad, 0) << "all at once";
    EXPECT_EQ(with(14, 10)->policies[1].queueingRatio.value, 1) << "nothing waits";
    EXPECT_TRUE(fleet(fourJobs(), *c, {.runs = 1'000}).ok());
    for (const int runs : {0, 1'001})
        EXPECT_FALSE(fleet(fourJobs(), *c, {.runs = runs}).ok());
    FleetCluster large = *c;
    large.nodes = 100'000'000; // times 4 jobs and 251 runs is more than 1e11
    EXPECT_FALSE(fleet(fourJobs(), large, {.runs = 251}).ok());
}

TEST(Fleet, TheOrderByP95CountsTheJobsThatItMoves)
{
    const Result<FleetCluster> c = cluster(R"({"nodes": 2, "gpus_per_node": 2, "node_time": {"family": "deterministic", "cv": 0},
        "classes": {"default": {"family": "deterministic", "cv": 0}, "risky": {"family": "lognormal", "cv": 1}}})");
    ASSERT_TRUE(c.ok());
    // By mean 1, 2, 3, 4 s. The p95 of the risky one is exp(s (1.645 - s / 2)) = 2.78 times its 2 s with s^2 = ln 2: it comes last.
    JobTable t;
    for (int i = 1; i <= 4; ++i)
        t.jobs.push_back({std::to_string(i), i == 2 ? "risky" : "", 0.1 * i, 1.0 * i, 4, "", static_cast<std::size_t>(i + 1)});
    const Result<FleetReport> r = fleet(t, *c, {.runs = 2});
    ASSERT_TRUE(r.ok());
    EXPECT_DOUBLE_EQ(r->reordered, 3.0 / 4);
}

} // namespace
} // namespace prism
