// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/sensitivity/sensitivity.h"

#include "core/insight/scenarios.h"
#include "core/scenario/parameters.h"

#include <gtest/gtest.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>

using namespace prism;
using namespace prism::testscenarios;

TEST(Sweep, BandwidthLowersTheStepAndImpossibleValuesReportWhy)
{
    Evaluator evaluator;
    const auto values = sweepValues("cluster.inter_node_gb_per_s", "10:100:4:log");
    ASSERT_TRUE(values.ok());
    EXPECT_EQ(values->size(), 4U);
    const auto sweep = sweepParameter(evaluator, smallScenario(), "cluster.inter_node_gb_per_s", *values, withSamples(1'000));
    ASSERT_TRUE(sweep.ok());
    EXPECT_LT(sweep->elasticityP95.value, 0);
    EXPECT_FALSE(sweep->nonMonotonic);
    const auto sizes = sweepParameter(evaluator, smallScenario(), "parallelism.tensor_model_parallel_size", {"4", "7"}, withSamples(200));
    ASSERT_TRUE(sizes.ok());
    EXPECT_TRUE(sizes->points[0].valid);
    EXPECT_FALSE(sizes->points[1].valid);
    EXPECT_FALSE(sizes->points[1].problem.empty());
    EXPECT_FALSE(sweepParameter(evaluator, smallScenario(), "no.such", {"1"}).ok());
    EXPECT_FALSE(sweepValues("cluster.inter_node_gb_per_s", "1:2").ok());
}

namespace {

/// A range around the value that the scenario has, inside of what the parameter accepts.
std::string rangeAround(const Parameter& p, const Scenario& s)
{
    const ParameterValue value = p.get(s);
    const double now = p.type == ParameterType::integer ? static_cast<double>(std::get<std::int64_t>(value)) : std::get<double>(value);
    const double low = std::max(p.minimum, 0.8 * now), high = std::min(p.maximum, now > 0 ? 1.25 * now : p.minimum + 1);
    return fmt::format("{}:{}:2", low, std::max(low, high));
}

struct Direction {
    const char* parameter;
    const char* range;
    int sign; ///< of the elasticity of p95
};

} // namespace

TEST(Sweep, EveryNumericParameterCanBeSwept)
{
    Evaluator evaluator;
    const Scenario s = smallScenario();
    int swept = 0, valid = 0;
    for (const Parameter& p : parameters()) {
        if (p.type != ParameterType::integer && p.type != ParameterType::real)
            continue;
        const auto values = sweepValues(p.id, rangeAround(p, s));
        ASSERT_TRUE(values.ok()) << p.id << ": " << values.errors().front().message << " " << values.errors().front().found;
        const auto sweep = sweepParameter(evaluator, s, p.id, *values, withSamples(16));
        ASSERT_TRUE(sweep.ok()) << p.id << ": " << sweep.errors().front().message;
        ASSERT_EQ(sweep->points.size(), values->size()) << p.id;
        ++swept;
        for (const SweepPoint& point : sweep->points) {
            EXPECT_NE(point.valid, !point.problem.empty()) << p.id << " = " << point.text;
            valid += point.valid ? 1 : 0;
            EXPECT_TRUE(!point.valid || (point.step.p50 > 0 && std::isfinite(point.step.p99))) << p.id << " = " << point.text;
        }
        EXPECT_FALSE(toJson(*sweep).empty());
    }
    EXPECT_GT(swept, 60);
    EXPECT_GT(3 * valid, 4 * swept); // most of them take most values around what they are
}

TEST(Sweep, InputsMoveTheStepTheWayTheyShould)
{
    Evaluator evaluator;
    for (const Direction& d :
         {Direction{"cluster.inter_node_gb_per_s", "10:100:3:log", -1}, Direction{"cluster.intra_node_gb_per_s", "100:900:3:log", -1},
          Direction{"cluster.inter_node_latency_us", "1:1000:3:log", 1}, Direction{"variability.spatial.cv", "0.01:0.1:3", 1},
          Direction{"training.global_batch_size", "16,32,64", 1}, Direction{"model.num_layers", "40:80:3", 1}}) {
        const auto values = sweepValues(d.parameter, d.range);
        ASSERT_TRUE(values.ok()) << d.parameter;
        const auto sweep = sweepParameter(evaluator, smallScenario(), d.parameter, *values, withSamples(500));
        ASSERT_TRUE(sweep.ok()) << d.parameter << ": " << sweep.errors().front().message;
        EXPECT_GT(d.sign * sweep->elasticityP95.value, sweep->elasticityP95.halfWidth) << d.parameter;
        EXPECT_FALSE(sweep->nonMonotonic) << d.parameter;
    }
}

TEST(Sweep, FlagsAnOptimumInsideTheRange)
{
    // Short sequences: few tokens per micro-batch starve the matrix units, few micro-batches leave bubbles; the best lies between.
    Scenario s = smallScenario();
    s.model.seqLength = 512;
    s.training.globalBatchSize = 64;
    Evaluator evaluator;
    const auto sweep = sweepParameter(evaluator, s, "training.micro_batch_size", {"1", "2", "4", "8", "16", "32"}, withSamples(500));
    ASSERT_TRUE(sweep.ok());
    double best = 1e9;
    for (const SweepPoint& p : sweep->points)
        best = std::min(best, p.step.p95);
    EXPECT_LT(best, sweep->points.front().step.p95);
    EXPECT_LT(best, sweep->points.back().step.p95);
    EXPECT_TRUE(sweep->nonMonotonic);
}

TEST(Sweep, RefusesWhatItCannotSweep)
{
    for (const char* range : {"", "1:2", "a:b:3", "1:2:1", "1:2:2.5", "1:2:5000", "0:10:3:log", "1:2:3:lin", "1:inf:3"})
        EXPECT_FALSE(sweepValues("cluster.inter_node_gb_per_s", std::string(range) + (range[0] ? "" : ":")).ok()) << range;
    EXPECT_FALSE(sweepValues("model.name", "1:2:3").ok());
    EXPECT_EQ(*sweepValues("parallelism.pipeline_schedule", "1f1b,gpipe"), (std::vector<std::string>{"1f1b", "gpipe"}));
    EXPECT_EQ(sweepValues("training.micro_batch_size", "1:4:31")->size(), 4U); // integers are rounded and not repeated
    Evaluator evaluator;
    const auto invalid =
        sweepParameter(evaluator, smallScenario(), "cluster.inter_node_gb_per_s", {"50", "fast", "-1", "7 miles"}, withSamples(16));
    ASSERT_FALSE(invalid.ok());
    EXPECT_EQ(invalid.errors().size(), 3U);
}
