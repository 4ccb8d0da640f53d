// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/sensitivity/sensitivity.h"

#include "core/insight/graphs.h"
#include "core/sim/graphs.h"
#include "core/stats/quantile.h"
#include "core/stats/random.h"
#include "core/insight/paired.h"
#include "core/insight/variation.h"

#include "core/insight/scenarios.h"
#include <gtest/gtest.h>

#include <cmath>

using namespace prism;
using namespace prism::testscenarios;

namespace {

const SensitivityRow& rowOf(const SensitivityTable& table, std::string_view id)
{
    for (const SensitivityRow& r : table.rows)
        if (r.id == id)
            return r;
    static const SensitivityRow none;
    return none;
}

} // namespace

TEST(BusySeconds, CountEachPassOnceInTheProgramThatItRuns)
{
    // DualPipeV on two stages, 16 passes of F = B = W = 1 s; 11 pairs of each stage are F&B and take half a second less.
    StepGraph g = test::jobGraph({.schedule = "dualpipev", .stages = 2, .chunks = 2, .microbatches = 8});
    const std::vector<Program> alone = g.programs;
    EXPECT_NEAR(busySecondsByClass(g)[0], 48.0, 1e-9);
    test::joinPasses(g);
    for (std::size_t p = 0; p < alone.size(); ++p) {
        g.programs[alone.size() + p] = alone[p];
        for (Op& op : g.programs[alone.size() + p].blocks[0].ops)
            op.meanSeconds *= 5.0 / 6;
    }
    EXPECT_NEAR(busySecondsByClass(g)[0], 48.0 - 11 * 0.5, 1e-9);
}

TEST(Sensitivity, TwoClassSerialGraphHasTheClosedForm)
{
    // n kernels of a and n of b: mean n (a + b), variance n (a^2 ca^2 + b^2 cb^2); no interaction; the mean is linear.
    const double a = 3e-3, ca = 0.1, b = 1e-3, cb = 0.2;
    const int n = 30;
    Evaluator evaluator;
    const auto table = sensitivity(evaluator, serialGraph(a, ca, b, cb, n), withSamples(20'000));
    ASSERT_TRUE(table.ok());
    const double va = n * a * a * ca * ca, vb = n * b * b * cb * cb, mean = n * (a + b);
    const double std = std::sqrt(va + vb);
    EXPECT_NEAR(table->base.mean, mean, 4 * std / std::sqrt(20'000.0));
    // Against the sampled standard deviation: its agreement with std is a test of the simulator. Pairs share their random numbers, so that
    // 20,000 of them reach 0.0014 for spreads, 0.0001 for shares and 0.001 for elasticities; the bounds are some three times that, and
    // 0.002.
    const double base = table->base.std;
    const SensitivityRow &ra = rowOf(*table, "a"), &rb = rowOf(*table, "b");
    EXPECT_NEAR(ra.spreadRemoved.std.value / base, std::sqrt(vb) / std - 1, 0.005);
    EXPECT_NEAR(rb.spreadRemoved.std.value / base, std::sqrt(va) / std - 1, 0.005);
    EXPECT_NEAR(ra.spreadDoubled.std.value / base, std::sqrt(4 * va + vb) / std - 1, 0.005);
    EXPECT_NEAR(ra.spreadHalved.std.value / base, std::sqrt(va / 4 + vb) / std - 1, 0.005);
    EXPECT_NEAR(ra.totalEffectShare.value, va / (va + vb), 0.002);
    EXPECT_NEAR(rb.totalEffectShare.value, vb / (va + vb), 0.002);
    EXPECT_NEAR(ra.firstOrderShare.value, va / (va + vb), 0.002);
    EXPECT_NEAR(table->interactionShare.value, 0, 0.002);
    EXPECT_NEAR(ra.meanUp.mean.value, 0.1 * n * a, 0.001 * n * a * 0.1);
    EXPECT_NEAR(rb.meanDown.mean.value, -0.1 * n * b, 0.001 * n * b * 0.1 + 1e-6);
    EXPECT_NEAR(ra.elasticityP50.value, a / (a + b), 0.004);
    EXPECT_NEAR(rb.elasticityP50.value, b / (a + b), 0.004);
    EXPECT_FALSE(ra.nonMonotonic || rb.nonMonotonic);
}

TEST(Sensitivity, DeterministicGraphHasNoSpreadToRemove)
{
    Evaluator evaluator;
    const auto table = sensitivity(evaluator, serialGraph(1e-3, 0, 2e-3, 0, 5), withSamples(200));
    ASSERT_TRUE(table.ok());
    for (const SensitivityRow& r : table->rows)
        EXPECT_FALSE(r.varies) << r.id;
    EXPECT_EQ(table->interactionShare.value, 0);
    EXPECT_NEAR(rowOf(*table, "b").elasticityP95.value, 2.0 / 3, 0.01);
}

TEST(Sensitivity, RowsAreOrderedAndFlaggedWithIntervals)
{
    Evaluator evaluator;
    const auto table = sensitivity(evaluator, pipelineGraph(4, 8, 16, 4), withSamples(1'000));
    ASSERT_TRUE(table.ok());
    for (std::size_t i = 1; i < table->rows.size(); ++i)
        EXPECT_GE(std::abs(table->rows[i - 1].spreadRemoved.p95.value), std::abs(table->rows[i].spreadRemoved.p95.value));
    for (const SensitivityRow& r : table->rows)
        if (r.varies) {
            EXPECT_GT(r.spreadRemoved.p95.halfWidth, 0) << r.id;
        }
    EXPECT_FALSE(toJson(*table).empty());
    EXPECT_NE(toCsv(*table).find("regime.inter_node"), std::string::npos);
}

TEST(Sensitivity, DoesNotDependOnThreads)
{
    InsightOptions one = withSamples(300), many = one;
    one.threads = 1;
    many.threads = 4;
    Evaluator first, second;
    const StepGraph g = pipelineGraph(2, 4, 4, 2);
    const auto a = sensitivity(first, g, one), b = sensitivity(second, g, many);
    ASSERT_TRUE(a.ok() && b.ok());
    ASSERT_EQ(a->rows.size(), b->rows.size());
    for (std::size_t i = 0; i < a->rows.size(); ++i) {
        EXPECT_EQ(a->rows[i].id, b->rows[i].id);
        EXPECT_EQ(a->rows[i].spreadDoubled.p95.value, b->rows[i].spreadDoubled.p95.value);
    }
}

TEST(Sensitivity, CanBeCancelled)
{
    std::stop_source stop;
    stop.request_stop();
    InsightOptions options;
    options.stop = stop.get_token();
    Evaluator evaluator;
    const auto table = sensitivity(evaluator, pipelineGraph(2, 2, 2, 1), options);
    ASSERT_FALSE(table.ok());
    EXPECT_TRUE(isCancelled(table.errors()));
}

TEST(Paired, IntervalsCoverTheTrueDifference)
{
    // Pairs of independent-in-i normals with known quantile difference: b = 1.2 a, so the p95 difference is 0.2 Q(0.95).
    int covered = 0;
    for (std::uint64_t trial = 0; trial < 200; ++trial) {
        auto a = std::make_shared<StepSamples>(), b = std::make_shared<StepSamples>();
        const Distribution d = lognormal(0.2);
        for (std::uint64_t i = 0; i < 1'000; ++i) {
            const double x = baseQuantile(d, uniform(trial, stream(1), i)), y = baseQuantile(d, uniform(trial, stream(2), i));
            a->acrossSeconds.push_back(x);
            b->acrossSeconds.push_back(1.2 * (i % 4 == 0 ? y : x)); // three quarters of the pairs are coupled
        }
        const Estimate change = pairedChange(PairedSample(a), PairedSample(b)).p95;
        covered += std::abs(change.value - 0.2 * baseQuantile(d, 0.95)) <= change.halfWidth ? 1 : 0;
    }
    EXPECT_GE(covered, 180); // 95 % of 200 is 190; three standard errors are 9
    EXPECT_LE(covered, 200);
}

TEST(Variation, EmpiricalSpreadIsScaledAtTheSameMean)
{
    const Distribution pool = empiricalDistribution({0.8, 0.9, 1.0, 1.1, 1.2, 1.9});
    for (const double factor : {0.5, 2.0}) {
        const Distribution scaled = scaledSpread(pool, factor);
        EXPECT_NEAR(std::sqrt(scaled.baseVariance()), factor * std::sqrt(pool.baseVariance()), 1e-6);
        for (const double x : *scaled.pool)
            EXPECT_GT(x, 0);
    }
}

TEST(Sensitivity, SlowPlacesAreACause)
{
    const double a = 3e-3, b = 1e-3;
    Evaluator evaluator;
    StepGraph graph = serialGraph(a, 0.01, b, 0.01, 30);
    EXPECT_EQ(rowOf(*sensitivity(evaluator, graph, withSamples(500)), "slow_places").id, "") << "none is marked";
    graph.slow.push_back({-1, -1, -1, 1.25, 1.0});
    const auto table = sensitivity(evaluator, graph, withSamples(500));
    ASSERT_TRUE(table.ok());
    const SensitivityRow& slow = rowOf(*table, "slow_places");
    EXPECT_TRUE(slow.varies);
    const double mean = 30 * (a + b);
    EXPECT_NEAR(slow.spreadRemoved.mean.value, -0.25 * mean, 0.01 * mean); // repaired
    EXPECT_NEAR(slow.spreadDoubled.mean.value, 0.25 * mean, 0.01 * mean);  // 1.5 instead of 1.25
    EXPECT_EQ(parameterOf(slow), "");
    SensitivityRow gemm;
    gemm.id = "gemm.qkv";
    EXPECT_EQ(parameterOf(gemm), "variability.gemm.cv");
}

TEST(Sensitivity, HalfOfASpreadIsHalfOfTheParametersBehindIt)
{
    Scenario s;
    s.variability.gemm = {Family::lognormal, 0.04};
    s.variability.gemm.rareProbability = 0.01;
    s.variability.slow = {{3, -1, 1.2, 1}};
    SensitivityRow row;
    row.kind = InputKind::kernelClass;
    row.id = "gemm.qkv";
    const Result<Scenario> gemm = withHalvedSpread(s, row);
    ASSERT_TRUE(gemm.ok());
    EXPECT_DOUBLE_EQ(gemm->variability.gemm.cv, 0.02);
    EXPECT_DOUBLE_EQ(gemm->variability.gemm.rareProbability, 0.005);
    EXPECT_EQ(gemm->variability.slow, s.variability.slow) << "nothing else";
    row.kind = InputKind::slowPlaces;
    const Result<Scenario> slow = withHalvedSpread(s, row);
    ASSERT_TRUE(slow.ok());
    EXPECT_DOUBLE_EQ(slow->variability.slow.front().computeFactor, 1.1);
    EXPECT_DOUBLE_EQ(slow->variability.slow.front().linkFactor, 1);
    row.kind = InputKind::data;
    EXPECT_FALSE(withHalvedSpread(s, row).ok()) << "there is no such spread to halve";
}
