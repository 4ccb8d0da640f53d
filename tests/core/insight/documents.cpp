// SPDX-License-Identifier: GPL-3.0-or-later
// Whole documents of results made by hand: every number differs, so that none may be missing or in the place of another.
#include "core/cost/communication.h"
#include "core/cost/predictor.h"
#include "core/insight/onestep/timeline.h"
#include "core/insight/placement/placement.h"
#include "core/insight/report.h"
#include "core/insight/scale/scale.h"
#include "core/insight/scenarios.h"
#include "core/insight/sensitivity/sensitivity.h"
#include "core/insight/snapshotreport.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <memory>
#include <string>

namespace prism {
namespace {

using Json = nlohmann::json;

/// Eleven numbers from k on; half-widths in sixteenths.
DistributionSummary summary(double k)
{
    DistributionSummary s;
    s.mean = k;
    s.std = k + 1;
    s.cv = k + 2;
    s.p5 = k + 3;
    s.p50 = k + 4;
    s.p95 = k + 5;
    s.p99 = k + 6;
    s.samples = static_cast<std::size_t>(k) + 7;
    s.ciMean = k + 0.0625;
    s.ciP50 = k + 0.125;
    s.ciP95 = k + 0.1875;
    s.ciP99 = k + 0.25;
    return s;
}

Json summaryJson(double k)
{
    return {{"mean", k},
            {"std", k + 1},
            {"cv", k + 2},
            {"p5", k + 3},
            {"p50", k + 4},
            {"p95", k + 5},
            {"p99", k + 6},
            {"samples", static_cast<int>(k) + 7},
            {"ci95", {{"mean", k + 0.0625}, {"p50", k + 0.125}, {"p95", k + 0.1875}, {"p99", k + 0.25}}}};
}

Json estimateJson(double value, double halfWidth)
{
    return {{"value", value}, {"ci95", halfWidth}};
}

MetricChange change(double k)
{
    return {{k, 0.5}, {k + 1, 0.25}, {k + 2, 0.125}, {k + 3, 0.0625}, {k + 4, 0.75}, {k + 5, 0.375}};
}

/// Mean, standard deviation, p50, p95, p99, exceedance.
Json changeJson(double k)
{
    return {{"mean", estimateJson(k, 0.5)},       {"std", estimateJson(k + 1, 0.25)}, {"p50", estimateJson(k + 2, 0.125)},
            {"p95", estimateJson(k + 3, 0.0625)}, {"p99", estimateJson(k + 4, 0.75)}, {"exceedance", estimateJson(k + 5, 0.375)}};
}

/// Numbers of JSON that are equal: 1 and 1.0 are.
void expectSame(const std::string& document, const Json& expected)
{
    const Json found = Json::parse(document);
    EXPECT_EQ(found, expected) << Json::diff(expected, found).dump();
}

} // namespace

TEST(Documents, ASnapshotHasEveryNumberInItsPlace)
{
    Snapshot s;
    s.scenario.name = "n";
    s.hash.value = 5;
    s.seed = 6;
    s.cost.elapsedSeconds = 7;
    s.across = summary(10);
    s.within = summary(20);
    s.varianceShare = {1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 1.25, 2.25, 3.25, 4.25, 5.25, 6.25, 7.25};
    s.slowdownP50 = 30;
    s.slowdownP95 = 31;
    s.tokensPerSecond = 32;
    s.tflopsPerGpu = 33;
    s.mfu = 34;
    s.mfuCausal = 35;
    s.hfu = 36;
    s.daysToTrain = 37;
    s.costUsd = 38;
    s.diagnostics = {{Severity::warning, "p", "t", "", "", "", ""}, {Severity::error, "q", "u", "", "", "", ""}};
    auto costed = std::make_shared<CostedStep>(costStep(testscenarios::smallScenario()).value());
    costed->memory = {{{3, 40, 41, 42, 43, 44, 45}}, 46, 47, true};
    costed->breakdown = {50, 51, 52, 53, 54, 55, 56, 57, 58};
    costed->stages = {{70, 71, 72, 73, 74, 75, 76, 77, 78}, {80, 81, 82, 83, 84, 85, 86, 87, 88}};
    costed->world = {60, 61, 62, 63, 64, 65, 66, 67, 68};
    costed->errorBandLow = -0.5;
    costed->errorBandHigh = 0.25;
    costed->withinCalibration = false;
    s.costed = costed;
    StepSamples samples;
    samples.noiseFreeSeconds = 3.25;
    s.samples = std::make_shared<const StepSamples>(samples);
    Json found = Json::parse(report::json(s).dump());
    const Communication c = communicationOf(costed->graph, 3.25);
    Json classes = Json::array();
    for (const ClassCommunication& one : c.classes)
        classes.push_back({{"class", one.name},
                           {"scope", report::scopeName(one.scope)},
                           {"hidden_s", one.hiddenSeconds},
                           {"exposed_s", one.exposedSeconds},
                           {"mean_hidden_s", one.meanHiddenSeconds},
                           {"mean_exposed_s", one.meanExposedSeconds}});
    ASSERT_FALSE(classes.empty());
    EXPECT_EQ(found["communication"], (Json{{"stage", c.stage},
                                            {"exposed_s", c.exposedSeconds},
                                            {"exposed_share", c.exposedShare},
                                            {"exposed_share_of_gpu_hours", c.exposedShareOfGpuHours},
                                            {"classes", classes}}));
    found.erase("communication");
    EXPECT_EQ(found["hash"], s.hash.text());
    for (const char* words : {"hash", "mfu_counts", "engine_version"})
        found.erase(words);
    const Json expected{
        {"scenario", "n"},
        {"seed", 6},
        {"samples", 17},
        {"elapsed_s", 7},
        {"step_time_s", summaryJson(10)},
        {"within_job_s", summaryJson(20)},
        {"noise_free_step_time_s", 3.25},
        {"slowdown_p50", 30},
        {"slowdown_p95", 31},
        {"variance_share", Json::parse(R"({"spatial": 1.5, "temporal": 2.5, "regime": 3.5, "data": 4.5, "rare": 5.5, "step_jitter": 6.5,
            "stalls": 7.5, "interaction": 8.5, "ci95": {"spatial": 1.25, "temporal": 2.25, "regime": 3.25, "data": 4.25, "rare": 5.25,
            "step_jitter": 6.25, "stalls": 7.25}})")},
        {"tokens_per_s", 32},
        {"tflops_per_gpu", 33},
        {"mfu", 34},
        {"mfu_causal", 35},
        {"hfu", 36},
        {"memory_gib", Json::parse(R"({"peak": 46, "capacity": 47, "fits": true, "stages": [{"stage": 3, "weights": 40, "gradients": 41,
            "optimizer": 42, "activations": 43, "buffers": 44, "total": 45}]})")},
        {"breakdown_s", Json::parse(R"({"compute": 50, "tensor_parallel": 51, "context_parallel": 52, "expert_parallel": 53, "pipeline": 54,
            "bubble": 55, "data_parallel": 56, "optimizer": 57, "other": 58})")},
        {"stage_breakdown_s", Json::parse(R"([{"compute": 70, "tensor_parallel": 71, "context_parallel": 72, "expert_parallel": 73,
            "pipeline": 74, "bubble": 75, "data_parallel": 76, "optimizer": 77, "other": 78}, {"compute": 80, "tensor_parallel": 81,
            "context_parallel": 82, "expert_parallel": 83, "pipeline": 84, "bubble": 85, "data_parallel": 86, "optimizer": 87, "other": 88}])")},
        {"error_band", {-0.5, 0.25}},
        {"error_band_source", "outside of what was validated: 90 % of the runs of other software and machines"},
        {"over_systems", nullptr},
        {"within_calibration", false},
        {"days_to_train", 37},
        {"cost_usd", 38},
        {"world", Json::parse(R"({"gpus": 60, "nodes": 61, "tp": 62, "pp": 63, "vpp": 64, "cp": 65, "ep": 66, "dp": 67,
            "num_microbatches": 68})")},
        {"warnings", Json::parse(R"([{"path": "p", "text": "t"}])")}};
    expectSame(found.dump(), expected);
}

TEST(Documents, APlacementMapHasEveryNumberInItsPlace)
{
    PlacementMap map;
    map.rows = map.columns = 1;
    map.rowLabels = {"r"};
    map.columnLabels = {"c"};
    map.rowFirstReplica = {2};
    map.rowReplicas = {3};
    map.cells = {{true, {1.5, 0.5}, {2.5, 0.25}, {3.5, 0.125}, 4.5, 5.5, 6.5, 7}};
    map.probe = {1.75, 1.25};
    map.base = summary(10);
    map.bestRow = 21;
    map.bestColumn = 22;
    map.worstRow = 23;
    map.worstColumn = 24;
    map.worstOverBest = {25, 26};
    map.withinNoise = true;
    map.samples = 27;
    map.seed = 28;
    map.elapsedSeconds = 29;
    map.notes = {"n"};
    Json expected = Json::parse(R"({"compute_factor": 1.75, "link_factor": 1.25, "rows": ["r"], "columns": ["c"], "row_first_replica": [2],
        "row_replicas": [3], "cells": [{"row": 0, "stage": 0, "node": 7, "p95_ratio": {"value": 1.5, "ci95": 0.5},
        "p50_ratio": {"value": 2.5, "ci95": 0.25}, "p99_ratio": {"value": 3.5, "ci95": 0.125}, "p95_s": 4.5, "p50_s": 5.5, "p99_s": 6.5}],
        "best": {"row": 21, "stage": 22}, "worst": {"row": 23, "stage": 24}, "worst_over_best": {"value": 25, "ci95": 26},
        "within_noise": true, "samples": 27, "seed": 28, "elapsed_s": 29, "notes": ["n"]})");
    expected["base_step_time_s"] = summaryJson(10);
    expectSame(toJson(map), expected);
}

TEST(Documents, SlowNodesAndOrdersHaveEveryNumberInItsPlace)
{
    SlowNodesReport slow;
    slow.withAll = summary(10);
    slow.withoutAny = summary(20);
    slow.total = change(30);
    slow.samples = 40;
    slow.rows = {{{.node = 3, .computeFactor = 1.25, .linkFactor = 1.5}, "node 3", change(50)}};
    expectSame(
        toJson(slow),
        {{"with_all_s", summaryJson(10)},
         {"without_any_s", summaryJson(20)},
         {"change_s", changeJson(30)},
         {"samples", 40},
         {"places", Json::array({Json{
                        {"place", "node 3"}, {"compute_factor", 1.25}, {"link_factor", 1.5}, {"change_when_mended_s", changeJson(50)}}})}});
    PlacementResult r;
    r.givenOrder = {2, 0, 1};
    r.bestOrder = {1, 2, 0};
    r.worstOrder = {0, 1, 2};
    r.given = summary(10);
    r.best = summary(20);
    r.worst = summary(30);
    r.gainOverGiven = {41, 42};
    r.gainOverWorst = {43, 44};
    r.withinNoise = true;
    r.objectiveEvaluations = 45;
    r.exhaustive = true;
    r.movedNodes = 46;
    const NodeMove move{51, 52, 53, 54, 55, 56, 57, 1.5};
    r.moves = {move};
    r.exchanges = {{move, 61, {}, 62, {63, 64}}};
    r.samples = 71;
    r.seed = 72;
    r.elapsedSeconds = 73;
    r.notes = {"n"};
    Json expected = Json::parse(R"({"gain_over_given": {"value": 41, "ci95": 42}, "gain_over_worst": {"value": 43, "ci95": 44},
        "within_noise": true, "moved_nodes": 46, "objective_evaluations": 45, "exhaustive": true, "samples": 71, "seed": 72,
        "elapsed_s": 73, "given_order": [2, 0, 1], "best_order": [1, 2, 0], "worst_order": [0, 1, 2], "notes": ["n"],
        "moves": [{"node": 51, "slowness": 1.5, "from_position": 52, "to_position": 53, "from_replica": 54, "from_stage": 55,
        "to_replica": 56, "to_stage": 57}], "exchanges": [{"node": 51, "partner": 61, "to_replica": 56, "to_stage": 57, "p95_s": 62,
        "gain_over_given": {"value": 63, "ci95": 64}}]})");
    expected["given_s"] = summaryJson(10);
    expected["best_s"] = summaryJson(20);
    expected["worst_s"] = summaryJson(30);
    expectSame(toJson(r), expected);
}

TEST(Documents, AScaleCurveHasEveryNumberInItsPlace)
{
    ScalePoint p;
    p.gpus = 1;
    p.dataParallel = 2;
    p.globalBatch = 3;
    p.microbatches = 4;
    p.valid = true;
    p.problem = "full";
    p.outside = {"a", "b"};
    p.step = summary(10);
    p.noiseFreeSeconds = 20;
    p.tokensPerSecond = 21;
    p.tflopsPerGpu = 22;
    p.mfu = {23, 24};
    p.costPerBillionTokensUsd = 25;
    p.costUsd = 26;
    p.daysToTrain = 27;
    p.efficiency = 28;
    ScalePoint none;
    none.gpus = 5;
    none.problem = "does not divide";
    ScaleCurve curve;
    curve.points = {p, none};
    curve.samples = 31;
    curve.seed = 32;
    curve.elapsedSeconds = 33;
    curve.notes = {"n"};
    Json expected = Json::parse(R"({"mode": "weak", "samples": 31, "seed": 32, "elapsed_s": 33, "notes": ["n"], "points": [
        {"gpus": 1, "valid": true, "problem": "full", "outside_calibration": ["a", "b"], "data_parallel": 2, "global_batch": 3,
        "micro_batches": 4, "noise_free_step_time_s": 20, "tokens_per_s": 21, "tflops_per_gpu": 22, "mfu": {"value": 23, "ci95": 24},
        "usd_per_billion_tokens": 25, "days_to_train": 27, "cost_usd": 26, "efficiency": 28},
        {"gpus": 5, "valid": false, "problem": "does not divide"}]})");
    expected["points"][0]["step_time_s"] = summaryJson(10);
    expectSame(toJson(curve), expected);
    curve.mode = ScaleMode::strong;
    EXPECT_EQ(Json::parse(toJson(curve))["mode"], "strong");
    const std::string csv = toCsv(curve, TableText::exact);
    EXPECT_EQ(csv.substr(csv.find('\n') + 1), "1,1,2,3,4,14,10.125,15,10.1875,16,10.25,21,23,24,25,27,26,28,full,a b\n"
                                              "5,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,does not divide,\n");
}

TEST(Documents, ASensitivityTableHasEveryNumberInItsPlace)
{
    SensitivityRow row;
    row.id = "i";
    row.label = "l";
    row.category = Category::optimizer;
    row.scope = Scope::interNode;
    row.cv = 1.5;
    row.rareProbability = 2.5;
    row.rareMultiplier = 3.5;
    row.busySeconds = 4.5;
    row.varies = true;
    row.spreadRemoved = change(10);
    row.spreadHalved = change(20);
    row.spreadDoubled = change(30);
    row.hasMean = true;
    row.meanUp = change(40);
    row.meanDown = change(50);
    row.elasticityP50 = {61, 62};
    row.elasticityP95 = {63, 64};
    row.firstOrderShare = {65, 66};
    row.totalEffectShare = {67, 68};
    row.samples = 69;
    row.nonMonotonic = true;
    SensitivityTable table;
    table.base = summary(70);
    table.noiseFreeSeconds = 81;
    table.limitSeconds = 82;
    table.exceedance = {83, 84};
    table.rows = {row};
    table.interactionShare = {85, 86};
    table.samples = 87;
    table.evaluations = 88;
    table.seed = 89;
    table.elapsedSeconds = 90;
    table.notes = {"n"};
    Json expected = Json::parse(R"({"noise_free_step_time_s": 81, "limit_s": 82, "exceedance": {"value": 83, "ci95": 84},
        "interaction_share": {"value": 85, "ci95": 86}, "samples": 87, "evaluations": 88, "seed": 89, "elapsed_s": 90, "notes": ["n"],
        "rows": [{"id": "i", "label": "l", "kind": "kernel_class", "category": "optimizer", "scope": "inter_node", "cv": 1.5,
        "rare_probability": 2.5, "rare_multiplier": 3.5, "busy_s": 4.5, "varies": true, "elasticity_p50": {"value": 61, "ci95": 62},
        "elasticity_p95": {"value": 63, "ci95": 64}, "first_order_share": {"value": 65, "ci95": 66},
        "total_effect_share": {"value": 67, "ci95": 68}, "samples": 69, "non_monotonic": true}]})");
    expected["base_step_time_s"] = summaryJson(70);
    for (const auto& [name, k] : {std::pair{"spread_removed_s", 10},
                                  {"spread_halved_s", 20},
                                  {"spread_doubled_s", 30},
                                  {"mean_up_10_percent_s", 40},
                                  {"mean_down_10_percent_s", 50}})
        expected["rows"][0][name] = changeJson(k);
    expectSame(toJson(table), expected);
    ParameterSweep sweep;
    sweep.parameter = "p";
    sweep.label = "l";
    sweep.unit = "u";
    sweep.baseText = "b";
    sweep.base = summary(10);
    sweep.limitSeconds = 21;
    SweepPoint point;
    point.value = 22;
    point.text = "22";
    point.valid = true;
    point.step = summary(30);
    point.change = change(50);
    point.mfu = 23;
    point.peakMemoryGib = 24;
    sweep.points = {point};
    sweep.elasticityP95 = {25, 26};
    sweep.nonMonotonic = true;
    sweep.samples = 27;
    Json swept = Json::parse(R"({"parameter": "p", "label": "l", "unit": "u", "base_value": "b", "limit_s": 21,
        "elasticity_p95": {"value": 25, "ci95": 26}, "non_monotonic": true, "samples": 27,
        "points": [{"value": 22, "text": "22", "valid": true, "mfu": 23, "peak_memory_gib": 24, "memory_fits": true}]})");
    swept["base_step_time_s"] = summaryJson(10);
    swept["points"][0]["step_time_s"] = summaryJson(30);
    swept["points"][0]["change_s"] = changeJson(50);
    expectSame(toJson(sweep), swept);
}

TEST(Documents, ATimelineHasEveryNumberInItsPlace)
{
    Timeline t;
    t.draw = "d";
    t.sample = 1;
    t.replica = 2;
    t.slowestReplica = 3;
    t.replicas = 4;
    t.stages = 5;
    t.chunks = 6;
    t.microbatches = 7;
    t.scheduleName = "s";
    t.stepSeconds = 8;
    t.jitterSeconds = 9;
    t.stallSeconds = 10;
    t.criticalSeconds = 11;
    t.bubbleFraction = {12, 17};
    t.candidates = 13;
    t.inFlight = {{{14, 15, 16}}};
    t.notes = {"n"};
    expectSame(toJson(t),
               Json::parse(R"({"draw": "d", "sample": 1, "replica": 2, "slowest_replica": 3, "replicas": 4, "stages": 5, "chunks": 6,
        "micro_batches": 7, "schedule": "s", "step_s": 8, "jitter_s": 9, "stall_s": 10, "critical_s": 11, "bubble_fraction": [12, 17],
        "candidates": 13, "in_flight": [[[14, 15, 16]]], "spans": [], "notes": ["n"]})"));
}

} // namespace prism
