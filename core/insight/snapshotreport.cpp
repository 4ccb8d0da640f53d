// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/snapshotreport.h"

#include "core/cost/communication.h"
#include "core/insight/report.h"
#include "core/step/breakdown.h"

#include <nlohmann/json.hpp>

namespace prism::report {

namespace {

nlohmann::ordered_json stagesJson(const std::vector<Breakdown>& stages)
{
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const Breakdown& stage : stages)
        all.push_back(json(stage));
    return all;
}

nlohmann::ordered_json communicationJson(const Snapshot& s)
{
    const Communication c = communicationOf(s.costed->graph, s.samples->noiseFreeSeconds);
    nlohmann::ordered_json classes = nlohmann::ordered_json::array();
    for (const ClassCommunication& one : c.classes)
        classes.push_back({{"class", one.name},
                           {"scope", scopeName(one.scope)},
                           {"hidden_s", one.hiddenSeconds},
                           {"exposed_s", one.exposedSeconds},
                           {"mean_hidden_s", one.meanHiddenSeconds},
                           {"mean_exposed_s", one.meanExposedSeconds}});
    return {{"stage", c.stage},
            {"exposed_s", c.exposedSeconds},
            {"exposed_share", c.exposedShare},
            {"exposed_share_of_gpu_hours", c.exposedShareOfGpuHours},
            {"classes", std::move(classes)}};
}

nlohmann::ordered_json warningsJson(const Diagnostics& diagnostics)
{
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Diagnostic& d : diagnostics)
        if (d.severity == Severity::warning)
            list.push_back({{"path", d.path}, {"text", d.message}});
    return list;
}

} // namespace

nlohmann::ordered_json json(const MemoryReport& memory)
{
    nlohmann::ordered_json stages = nlohmann::ordered_json::array();
    for (const StageMemory& m : memory.stages)
        stages.push_back({{"stage", m.stage},
                          {"weights", m.weightsGib},
                          {"gradients", m.gradientsGib},
                          {"optimizer", m.optimizerGib},
                          {"activations", m.activationsGib},
                          {"buffers", m.buffersGib},
                          {"total", m.totalGib}});
    return {{"peak", memory.peakGib}, {"capacity", memory.capacityGib}, {"fits", memory.fits}, {"stages", std::move(stages)}};
}

nlohmann::ordered_json json(const Breakdown& b)
{
    nlohmann::ordered_json parts;
    for (const BreakdownPart& part : kBreakdownParts)
        parts[std::string(part.key)] = b.*part.seconds;
    return parts;
}

nlohmann::ordered_json json(const VarianceShare& share)
{
    return {{"spatial", share.spatial},
            {"temporal", share.temporal},
            {"regime", share.regime},
            {"data", share.data},
            {"rare", share.rare},
            {"step_jitter", share.jitter},
            {"stalls", share.stall},
            {"interaction", share.interaction},
            {"ci95",
             {{"spatial", share.ciSpatial},
              {"temporal", share.ciTemporal},
              {"regime", share.ciRegime},
              {"data", share.ciData},
              {"rare", share.ciRare},
              {"step_jitter", share.ciJitter},
              {"stalls", share.ciStall}}}};
}

nlohmann::ordered_json json(const World& w)
{
    return {{"gpus", w.gpus}, {"nodes", w.nodes}, {"tp", w.tp},
            {"pp", w.pp},     {"vpp", w.vpp},     {"cp", w.cp},
            {"ep", w.ep},     {"dp", w.dp},       {"num_microbatches", w.numMicrobatches}};
}

/// Null where nothing is known of other systems.
nlohmann::ordered_json systemsJson(const Snapshot& s)
{
    if (!s.systems || s.systems->systems.empty())
        return nullptr;
    const SystemsRange& range = *s.systems;
    nlohmann::ordered_json causes = nlohmann::ordered_json::array();
    for (const CauseOverSystems& c : range.prior.causes)
        causes.push_back({{"path", c.path}, {"p5_p50_p95", c.quantiles}, {"source", c.source}});
    return {{"systems", range.prior.title},
            {"draws", range.systems.size()},
            {"p50_s", json(range.levelRatio, s.within.p50)},
            {"p95_over_p50", json(range.p95OverP50, 1)},
            {"p99_over_p50", json(range.p99OverP50, 1)},
            {"causes", std::move(causes)}};
}

nlohmann::ordered_json json(const Snapshot& s)
{
    return {
        {"scenario", s.scenario.name},
        {"hash", s.hash.text()},
        {"engine_version", PRISM_VERSION},
        {"seed", s.seed},
        {"samples", s.across.samples},
        {"elapsed_s", s.cost.elapsedSeconds},
        {"step_time_s", json(s.across)},
        {"within_job_s", json(s.within)},
        {"noise_free_step_time_s", s.samples->noiseFreeSeconds},
        {"slowdown_p50", s.slowdownP50},
        {"slowdown_p95", s.slowdownP95},
        {"variance_share", json(s.varianceShare)},
        {"tokens_per_s", s.tokensPerSecond},
        {"tflops_per_gpu", s.tflopsPerGpu},
        {"mfu", s.mfu},
        {"mfu_causal", s.mfuCausal},
        {"mfu_counts", "whole square of attention, output layer, no recomputation; mfu_causal: the causal half; hfu: with recomputation"},
        {"hfu", s.hfu},
        {"memory_gib", json(s.costed->memory)},
        {"breakdown_s", json(s.costed->breakdown)},
        {"stage_breakdown_s", stagesJson(s.costed->stages)},
        {"communication", communicationJson(s)},
        {"error_band", {s.costed->errorBandLow, s.costed->errorBandHigh}},
        {"error_band_source", bandSource(*s.costed)},
        {"over_systems", systemsJson(s)},
        {"within_calibration", s.costed->withinCalibration},
        {"days_to_train", s.daysToTrain},
        {"cost_usd", s.costUsd},
        {"world", json(s.costed->world)},
        {"warnings", warningsJson(s.diagnostics)},
    };
}

} // namespace prism::report
