// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of inputs that are rarely there, flags, progress, and the tables of hand-made results.
#include "core/insight/sensitivity/attribution.h"
#include "core/insight/sensitivity/sensitivity.h"

#include "core/insight/report.h"
#include "core/insight/scenarios.h"
#include "core/sim/graphs.h"
#include "core/step/deterministicstep.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace prism {
namespace {

SensitivityRow rowWithId(const SensitivityTable& table, std::string_view id)
{
    for (const SensitivityRow& r : table.rows)
        if (r.id == id)
            return r;
    return {};
}

Distribution spreadOf(double cv)
{
    return {Family::lognormal, cv};
}

/// One stage with every kind of factor of a whole step or micro-batch; the first kernel of each layer is routed.
StepGraph everyInput()
{
    StepGraph g = test::jobGraph({.microbatches = 3, .collectiveSeconds = 0.2, .gradSyncSeconds = 0.4});
    for (Program& p : g.programs)
        p.blocks[0].ops[0].routed = true;
    g.classes.push_back({"gather", Scope::interNode, Category::dataParallel});
    g.paramGather[0] = {4, 0.3};
    g.routing = spreadOf(0.07);
    g.routingRegime = spreadOf(0.08);
    g.intraRegime = spreadOf(0.09);
    return g;
}

SensitivityTable tableOf(const StepGraph& g, int samples)
{
    Evaluator evaluator;
    const Result<SensitivityTable> table = sensitivity(evaluator, g, {.samples = samples, .threads = 1});
    EXPECT_TRUE(table.ok());
    return table.ok() ? *table : SensitivityTable();
}

/// Values first, first + 1, ... of the parts of a change, half-widths a thousandth of them.
MetricChange changeFrom(double first)
{
    const auto next = [&first] {
        const double value = first++;
        return Estimate{value, value / 1'000};
    };
    MetricChange c;
    for (Estimate* e : {&c.p50, &c.p95, &c.p99, &c.std, &c.exceedance, &c.mean})
        *e = next();
    return c;
}

} // namespace

TEST(SensitivityKnown, EveryInputHasARowWithItsSpreadAndItsSeconds)
{
    const StepGraph g = everyInput();
    const SensitivityTable table = tableOf(g, 4);
    const auto row = [&](std::string_view id) { return rowWithId(table, id); };
    const std::pair<const char*, double> spreads[] = {
        {"gemm", 0},       {"tp.all_reduce", 0},     {"dp.reduce_scatter", 0},    {"spatial", 0},           {"data", 0},
        {"routing", 0.07}, {"regime.routing", 0.08}, {"regime.intra_node", 0.09}, {"regime.inter_node", 0}, {"gather", 0}};
    for (const auto& [id, cv] : spreads) {
        EXPECT_EQ(row(id).id, id);
        EXPECT_NEAR(row(id).cv, cv, 1e-12) << id;
        EXPECT_EQ(row(id).varies, cv > 0) << id;
    }
    EXPECT_EQ(table.rows.size(), std::size(spreads)) << "the optimizer takes no time";
    // Three micro-batches of 1 + 2 s and of two collectives, and the gradients.
    EXPECT_NEAR(row("gemm").busySeconds, 9, 1e-12);
    EXPECT_NEAR(row("regime.intra_node").busySeconds, 1.2, 1e-12);
    EXPECT_NEAR(row("regime.inter_node").busySeconds, 0.4 + 0.3, 1e-12);
    EXPECT_TRUE(row("regime.intra_node").hasMean && row("gemm").hasMean);
    EXPECT_FALSE(row("spatial").hasMean || row("data").hasMean || row("routing").hasMean);
    EXPECT_EQ(table.evaluations, 1 + 3 * 4 + 6 * 2);
    EXPECT_NEAR(table.noiseFreeSeconds, deterministicStepSeconds(g), 1e-5);
    double first = 0, squares = 0;
    for (const SensitivityRow& r : table.rows) {
        EXPECT_EQ(r.samples, 4) << r.id;
        first += r.firstOrderShare.value;
        squares += r.firstOrderShare.halfWidth * r.firstOrderShare.halfWidth;
    }
    EXPECT_NEAR(table.interactionShare.value, 1 - first, 1e-12);
    EXPECT_GT(squares, 0);
    EXPECT_NEAR(table.interactionShare.halfWidth, std::sqrt(squares), 1e-12);
    // A longer mean of all collectives inside nodes is that of their one class.
    EXPECT_DOUBLE_EQ(row("regime.intra_node").meanUp.p50.value, row("tp.all_reduce").meanUp.p50.value);
    EXPECT_GT(row("tp.all_reduce").meanUp.p50.value, 0);
    EXPECT_LT(row("regime.inter_node").meanDown.p50.value, 0);
}

TEST(SensitivityKnown, AFactorThatNothingDependsOnDoesNotVary)
{
    StepGraph g = test::jobGraph({});
    g.spatial = spreadOf(0.05);
    const SensitivityTable drawn = tableOf(g, 2);
    EXPECT_TRUE(rowWithId(drawn, "spatial").varies);
    EXPECT_NEAR(rowWithId(drawn, "spatial").cv, 0.05, 1e-12);
    EXPECT_EQ(drawn.notes.size(), 2U);
    StepGraph insensitive = g; // and no kernel is routed
    for (KernelClass& k : insensitive.classes)
        k.spatialSensitivity = k.scope == Scope::none ? 0 : 1;
    insensitive.routing = insensitive.routingRegime = spreadOf(0.05);
    const SensitivityTable none = tableOf(insensitive, 2);
    EXPECT_FALSE(rowWithId(none, "spatial").varies);
    EXPECT_EQ(rowWithId(none, "routing").id, "");
    EXPECT_EQ(rowWithId(none, "regime.routing").id, "");
    StepGraph measured = g; // and one kernel of one program is routed
    measured.fixedSpatial = {1.1};
    measured.programs[1].blocks[0].ops[1].routed = true;
    measured.data = spreadOf(0.06);
    const SensitivityTable speeds = tableOf(measured, 2);
    EXPECT_FALSE(rowWithId(speeds, "spatial").varies);
    EXPECT_EQ(speeds.notes.size(), 3U);
    EXPECT_EQ(rowWithId(speeds, "routing").id, "routing");
    EXPECT_TRUE(rowWithId(speeds, "data").varies);
    // Collectives alone: neither data nor the condition of compute reaches the step.
    StepGraph links = g;
    links.data = links.computeRegime = links.intraRegime = spreadOf(0.05);
    for (Program& p : links.programs)
        for (Op& op : p.blocks[0].ops)
            op = {1, 0.3};
    const SensitivityTable table = tableOf(links, 2);
    EXPECT_FALSE(rowWithId(table, "data").varies || rowWithId(table, "regime.compute").varies || rowWithId(table, "spatial").varies);
    EXPECT_TRUE(rowWithId(table, "regime.intra_node").varies);
}

TEST(SensitivityKnown, SlowPlacesCountBeyondOne)
{
    StepGraph g = test::jobGraph({});
    g.slow = {{-1, -1, -1, 1.0, 1.0}};
    const SensitivityTable full = tableOf(g, 2);
    EXPECT_EQ(rowWithId(full, "slow_places").id, "slow_places");
    EXPECT_FALSE(rowWithId(full, "slow_places").varies);
    EXPECT_EQ(rowWithId(full, "slow_places").cv, 0);
    g.slow = {{-1, -1, -1, 1.2, 1.1}, {-1, -1, -1, 1.05, 1.0}};
    const SensitivityTable table = tableOf(g, 2);
    const SensitivityRow slow = rowWithId(table, "slow_places");
    EXPECT_TRUE(slow.varies);
    EXPECT_NEAR(slow.cv, 0.2, 1e-12);
    // 3 s; both places multiply: 1.2 x 1.05. Halved 1.1 x 1.025, doubled 1.4 x 1.1.
    EXPECT_NEAR(table.base.p50, 3 * 1.26, 1e-5);
    EXPECT_NEAR(slow.spreadHalved.p50.value, 3 * (1.1 * 1.025 - 1.26), 1e-5);
    EXPECT_NEAR(slow.spreadDoubled.p50.value, 3 * (1.54 - 1.26), 1e-5);
    EXPECT_NEAR(slow.spreadRemoved.p50.value, 3 * (1 - 1.26), 1e-5);
    EXPECT_EQ(slow.firstOrderShare.value, 0);
    Evaluator evaluator;
    const auto limited = sensitivity(evaluator, g, {.samples = 2, .threads = 1, .limitSeconds = 3.5});
    ASSERT_TRUE(limited.ok());
    EXPECT_EQ(limited->exceedance.value, 1); // 3.78 s
    EXPECT_EQ(rowWithId(*limited, "slow_places").spreadRemoved.exceedance.value, -1);
    EXPECT_EQ(rowWithId(*limited, "slow_places").spreadHalved.exceedance.value, -1); // 3.3825 s
}

TEST(SensitivityKnown, SpreadThatShortensTheStepIsFlagged)
{
    // Twenty kernels, each in one of five draws five times shorter: without these draws the step is longer, with twice as many shorter.
    StepGraph g = test::jobGraph({.layers = 20});
    g.classes[0].temporal.rareProbability = 0.2;
    g.classes[0].temporal.rareMultiplier = 0.2;
    const SensitivityRow quicker = rowWithId(tableOf(g, 400), "gemm");
    EXPECT_EQ(quicker.cv, 0);
    EXPECT_TRUE(quicker.varies);
    EXPECT_TRUE(quicker.nonMonotonic);
    EXPECT_GT(quicker.spreadRemoved.p95.value, quicker.spreadRemoved.p95.halfWidth);
    EXPECT_LT(quicker.spreadDoubled.p95.value, -quicker.spreadDoubled.p95.halfWidth);
    g.classes[0].temporal.rareMultiplier = 5;
    const SensitivityRow slower = rowWithId(tableOf(g, 400), "gemm");
    EXPECT_FALSE(slower.nonMonotonic);
    EXPECT_LT(slower.spreadRemoved.p95.value, -slower.spreadRemoved.p95.halfWidth);
    EXPECT_NEAR(slower.totalEffectShare.value, 1, 1e-9);
    EXPECT_NEAR(slower.firstOrderShare.value, 1, 1e-9);
}

TEST(SensitivityKnown, ProgressEndsWhereNoRowNeedsMore)
{
    const auto progressOf = [](const StepGraph& g, int samples) {
        std::vector<double> progress;
        InsightOptions options{.seed = 3, .samples = samples, .threads = 1};
        options.progress = [&](double fraction, std::string_view) { progress.push_back(fraction); };
        Evaluator evaluator;
        const auto table = sensitivity(evaluator, g, options);
        EXPECT_EQ(table->seed, 3U);
        EXPECT_EQ(table->samples, samples > 0 ? samples : 500);
        return progress;
    };
    // The base and two means of the one class.
    const std::vector<double> few = progressOf(test::jobGraph({}), 4);
    ASSERT_EQ(few.size(), 3U);
    EXPECT_NEAR(few[0], 0.2, 1e-12);
    EXPECT_NEAR(few[2], 0.6, 1e-12);
    const std::vector<double> more = progressOf(test::jobGraph({.compute = spreadOf(0.3)}), 502); // and four spreads, all drawn again
    ASSERT_EQ(more.size(), 14U);
    EXPECT_NEAR(more[6], 0.6, 1e-12);
    EXPECT_NEAR(more[7], 0.6 + 0.4 / 7, 1e-12);
    EXPECT_NEAR(more[13], 1, 1e-12);
}

TEST(SensitivityKnown, TablesHaveNineDigitsAndEveryColumnInItsPlace)
{
    EXPECT_EQ(report::number(1.0 / 3), "0.333333333");
    EXPECT_EQ(report::number(123456789012.0), "1.23456789e+11");
    EXPECT_EQ(report::row({"a", "", "7"}), "a,,7\n");
    SensitivityTable table;
    SensitivityRow row;
    row.id = "gemm";
    row.scope = Scope::interNode;
    row.category = Category::optimizer;
    row.cv = 0.25;
    row.busySeconds = 3.5;
    row.spreadRemoved = changeFrom(10);
    row.spreadHalved = changeFrom(20);
    row.spreadDoubled = changeFrom(30);
    row.meanUp = changeFrom(40);
    row.meanDown = changeFrom(50);
    row.elasticityP50 = {1.5, 0.5};
    row.elasticityP95 = {2.5, 0.75};
    row.firstOrderShare = {0.375, 0.125};
    row.totalEffectShare = {0.625, 0.0625};
    row.samples = 77;
    table.rows = {row};
    const std::string csv = toCsv(table), line = csv.substr(csv.find('\n') + 1);
    EXPECT_TRUE(line.starts_with("gemm,kernel_class,optimizer,inter_node,0.25,3.5,10,0.01,11,0.011,12,0.012,13,0.013,14,0.014,20,0.02,"))
        << line;
    EXPECT_NE(line.find(",0.054,1.5,0.5,2.5,0.75,0.375,0.125,0.625,0.0625,77,0\n"), std::string::npos) << line;
    EXPECT_NE(line.find(",23,0.023,24,0.024,30,0.03,31,0.031,"), std::string::npos) << line;
    table.rows[0].nonMonotonic = true;
    EXPECT_TRUE(toCsv(table).ends_with(",77,1\n"));
    const auto json = nlohmann::json::parse(toJson(table))["rows"][0];
    EXPECT_EQ(json["spread_halved_s"]["p95"]["value"], 21);
    EXPECT_EQ(json["spread_halved_s"]["mean"]["ci95"], 0.025);
    EXPECT_FALSE(json.contains("mean_up_10_percent_s"));
    table.rows[0].hasMean = true;
    const auto means = nlohmann::json::parse(toJson(table))["rows"][0];
    EXPECT_EQ(means["mean_up_10_percent_s"]["p99"]["value"], 42);
    EXPECT_EQ(means["mean_down_10_percent_s"]["std"]["value"], 53);
    EXPECT_EQ(means["elasticity_p50"]["ci95"], 0.5);
    EXPECT_EQ(means["elasticity_p95"]["value"], 2.5);
}

TEST(SensitivityKnown, ASweepIsATableOfItsPoints)
{
    ParameterSweep sweep;
    SweepPoint p;
    p.text = "12";
    p.valid = true;
    p.step.mean = 1.5;
    p.step.std = 0.25;
    p.step.p5 = 1.125;
    p.step.p50 = 1.4375;
    p.step.p95 = 1.875;
    p.step.p99 = 2.125;
    p.step.ciP50 = 0.01;
    p.step.ciP95 = 0.02;
    p.step.ciP99 = 0.03;
    p.change.p95 = {-0.5, 0.04};
    p.change.exceedance = {-0.0625, 0.05};
    p.mfu = 0.41;
    p.peakMemoryGib = 63.5;
    p.memoryFits = false;
    sweep.points = {p};
    EXPECT_TRUE(toCsv(sweep).ends_with("\n12,1,1.5,0.25,1.125,1.4375,1.875,2.125,0.01,0.02,0.03,-0.5,0.04,-0.0625,0.05,0.41,63.5,0\n"))
        << toCsv(sweep);
    SweepPoint impossible;
    impossible.text = "13";
    impossible.problem = "does not divide";
    sweep.points.push_back(impossible);
    const auto points = nlohmann::json::parse(toJson(sweep))["points"];
    EXPECT_EQ(points[0]["peak_memory_gib"], 63.5);
    EXPECT_EQ(points[0]["step_time_s"]["p95"], 1.875);
    EXPECT_EQ(points[0]["change_s"]["exceedance"]["ci95"], 0.05);
    EXPECT_EQ(points[0]["mfu"], 0.41);
    EXPECT_EQ(points[0]["memory_fits"], false);
    EXPECT_FALSE(points[1].contains("step_time_s"));
    EXPECT_EQ(points[1]["problem"], "does not divide");
    TailAttribution a;
    AttributionRow row{"gemm", {0.5, 0.01}, {0.625, 0.02}, {3, 0.03}, {4, 0.04}, {0.75, 0.05}};
    a.byClass = {row};
    row.name = "stage 1";
    a.byStage = {row};
    EXPECT_TRUE(toCsv(a).ends_with("\nclass,gemm,0.5,0.01,0.625,0.02,3,4,0.75,0.05\nstage,stage 1,0.5,0.01,0.625,0.02,3,4,0.75,0.05\n"));
    EXPECT_EQ(nlohmann::json::parse(toJson(a))["by_stage"][0]["seconds_slow"]["ci95"], 0.04);
}

TEST(SweepKnown, TheElasticityIsThatOfTheOuterPointsWithTheirIntervals)
{
    Evaluator evaluator;
    std::vector<double> progress;
    InsightOptions options{.samples = 12, .threads = 1, .limitSeconds = 0};
    options.progress = [&](double fraction, std::string_view) { progress.push_back(fraction); };
    const auto sweep =
        sweepParameter(evaluator, testscenarios::smallScenario(), "cluster.inter_node_gb_per_s", {"40", "20", "80", "30"}, options);
    ASSERT_TRUE(sweep.ok());
    const SweepPoint &low = sweep->points[1], &high = sweep->points[2];
    EXPECT_EQ(low.value, 20);
    EXPECT_NEAR(sweep->elasticityP95.value, std::log(high.step.p95 / low.step.p95) / std::log(4.0), 1e-12);
    EXPECT_GT(high.change.p95.halfWidth, 0);
    EXPECT_NEAR(sweep->elasticityP95.halfWidth,
                std::sqrt(std::pow(high.change.p95.halfWidth / high.step.p95, 2) + std::pow(low.change.p95.halfWidth / low.step.p95, 2))
                    / std::log(4.0),
                1e-12);
    EXPECT_EQ(progress, (std::vector<double>{0.25, 0.5, 0.75, 1}));
    EXPECT_EQ(sweep->limitSeconds, sweep->base.p95);
    const auto fromOne = sweepParameter(evaluator, testscenarios::smallScenario(), "training.micro_batch_size", {"1", "4"}, options);
    ASSERT_TRUE(fromOne.ok());
    EXPECT_NEAR(fromOne->elasticityP95.value, std::log(fromOne->points[1].step.p95 / fromOne->points[0].step.p95) / std::log(4.0), 1e-12);
}

TEST(SweepKnown, RangesAreReadInFull)
{
    using List = std::vector<std::string>;
    EXPECT_EQ(*sweepValues("cluster.inter_node_gb_per_s", "1:2:4"), (List{"1", "1.333333333", "1.666666667", "2"}));
    EXPECT_EQ(*sweepValues("cluster.inter_node_gb_per_s", "8:2:3:log"), (List{"8", "4", "2"}));
    EXPECT_EQ(*sweepValues("cluster.inter_node_gb_per_s", "0.5:0.25:2"), (List{"0.5", "0.25"}));
    EXPECT_EQ(*sweepValues("training.micro_batch_size", "1:4:3:log"), (List{"1", "2", "4"}));
    EXPECT_EQ(*sweepValues("training.micro_batch_size", "1:3:4"), (List{"1", "2", "3"})); // 1, 1.67, 2.33, 3
    EXPECT_EQ(*sweepValues("cluster.inter_node_gb_per_s", "7,,3"), (List{"7", "", "3"}));
    EXPECT_EQ(*sweepValues("cluster.inter_node_gb_per_s", "7"), (List{"7"}));
    for (const char* range : {"1:2:1", "1:2:0", "1:2:-3", "-1:2:3:log", "1:-2:3:log", "1:2:3:log:4", "1:2x:3"})
        EXPECT_FALSE(sweepValues("cluster.inter_node_gb_per_s", range).ok()) << range;
    EXPECT_EQ(*sweepValues("cluster.inter_node_gb_per_s", "-1:1:3"), (List{"-1", "0", "1"}));
}

} // namespace prism
