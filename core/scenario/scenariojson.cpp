// SPDX-License-Identifier: GPL-3.0-or-later
// Scenario <-> JSON text. Reading and writing go through the parameter table, so no field can be forgotten.
#include "core/base/jsontext.h"
#include "core/scenario/parametercheck.h"
#include "core/scenario/namedspreads.h"
#include "core/scenario/parametertable.h"
#include "core/scenario/presets.h"
#include "core/scenario/sectionreader.h"

#include <nlohmann/json.hpp>

namespace prism {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

/// What a reader of the file starts from before any single field: defaults, then the presets that the scenario names.
Scenario baseOf(const Scenario& scenario)
{
    Scenario base;
    if (const auto model = modelPreset(scenario.model.preset); model.ok())
        base.model = *model;
    if (const auto gpu = gpuPreset(scenario.cluster.gpu.preset); gpu.ok())
        base.cluster.gpu = *gpu;
    if (const auto cluster = fabricPreset(scenario.cluster.fabricPreset, base.cluster); cluster.ok())
        base.cluster = *cluster;
    if (const auto variability = variabilityPreset(scenario.variability.preset); variability.ok())
        base.variability = *variability;
    if (const auto job = jobPreset(scenario.job.preset); job.ok())
        base.job = *job;
    return base;
}

ordered_json toOrdered(const ParameterValue& value)
{
    return std::visit([](const auto& v) { return ordered_json(v); }, value);
}

/// "cluster.gpu.peak_bf16_tflops" becomes root["cluster"]["gpu"]["peak_bf16_tflops"].
ordered_json& placeOf(ordered_json& root, std::string_view id)
{
    ordered_json* place = &root;
    for (std::size_t start = 0;;) {
        const std::size_t end = id.find('.', start);
        place = &(*place)[std::string(id.substr(start, end == std::string_view::npos ? end : end - start))];
        if (end == std::string_view::npos)
            return *place;
        start = end + 1;
    }
}

bool namesPreset(const Parameter& p)
{
    return p.id.ends_with(".preset") || p.id == "cluster.fabric";
}

/// Name of a preset only when the library has it: a file must not name a preset that cannot be loaded.
bool known(const Parameter& p, const std::string& name)
{
    return name.empty() || std::find(p.choices.begin(), p.choices.end(), name) != p.choices.end();
}

void writeScalars(ordered_json& root, const Scenario& scenario, const Scenario& base)
{
    for (const Parameter& p : parameters()) {
        const ParameterValue value = p.get(scenario);
        if (namesPreset(p)) {
            // From version 2 a file without this name starts from the measured spread of its GPU.
            const bool spread = scenario.version >= 2 && p.id == "variability.preset";
            // An empty name is written where the reader's default has one.
            if (const auto& name = std::get<std::string>(value); known(p, name) && (!name.empty() || p.defaultValue != value))
                placeOf(root, p.id) = name;
            else if (spread || p.defaultValue != ParameterValue(std::string()))
                placeOf(root, p.id) = "";
            continue;
        }
        const bool always = p.group == "parallelism" || p.group == "training" || p.id == "cluster.num_gpus";
        if (always || value != p.get(base))
            placeOf(root, p.id) = toOrdered(value);
    }
}

ordered_json toOrdered(const Distribution& d)
{
    ordered_json out{{"family", std::string(familyName(d.family))}, {"cv", d.cv}};
    if (d.rareProbability != 0 || d.rareMultiplier != 1) {
        out["rare_probability"] = d.rareProbability;
        out["rare_multiplier"] = d.rareMultiplier;
    }
    if (d.pool)
        out["pool"] = *d.pool;
    return out;
}

void writeModelLists(ordered_json& root, const ModelConfig& m, const ModelConfig& base)
{
    if (m.layerPattern != base.layerPattern) {
        ordered_json& list = root["model"]["layer_pattern"] = ordered_json::array();
        for (const LayerPatternEntry& e : m.layerPattern)
            list.push_back({{"kind", e.kind}, {"count", e.count}});
    }
    if (m.operators != base.operators) {
        ordered_json& list = root["model"]["operators"] = ordered_json::array();
        for (const GenericOperator& o : m.operators)
            list.push_back({{"name", o.name},
                            {"flops", o.flops},
                            {"bytes", o.bytes},
                            {"m", o.m},
                            {"n", o.n},
                            {"k", o.k},
                            {"parameters", o.parameters},
                            {"count", o.count}});
    }
}

void writePools(ordered_json& root, const VariabilityConfig& v, const VariabilityConfig& base)
{
    for (const NamedSpread& s : kNamedSpreads) {
        const Distribution &d = v.*s.member, &b = base.*s.member;
        const bool same = (d.pool == b.pool) || (d.pool && b.pool && *d.pool == *b.pool);
        if (d.pool && !same) {
            root["variability"][s.name]["pool"] = *d.pool;
            root["variability"][s.name]["cv"] = d.cv;
        }
    }
}

void writeVariabilityLists(ordered_json& root, const VariabilityConfig& v, const VariabilityConfig& base)
{
    writePools(root, v, base);
    if (v.classOverrides != base.classOverrides) {
        ordered_json& map = root["variability"]["class_overrides"] = ordered_json::object();
        for (const auto& [name, distribution] : v.classOverrides)
            map[name] = toOrdered(distribution);
    }
    if (v.spatialSensitivity != base.spatialSensitivity) {
        ordered_json& map = root["variability"]["spatial_sensitivity"] = ordered_json::object();
        for (const auto& [name, sensitivity] : v.spatialSensitivity)
            map[name] = sensitivity;
    }
    if (v.slow != base.slow) {
        ordered_json& list = root["variability"]["slow"] = ordered_json::array();
        for (const SlowEntry& e : v.slow)
            list.push_back({{"node", e.node}, {"rank", e.rank}, {"compute_factor", e.computeFactor}, {"link_factor", e.linkFactor}});
    }
}

void writeFailures(ordered_json& root, const JobConfig& job, const JobConfig& base)
{
    if (job.failures == base.failures)
        return;
    ordered_json& list = root["job"]["failures"] = ordered_json::array();
    for (const FailureCause& f : job.failures)
        list.push_back({{"name", f.name}, {"per_1000_node_days", f.per1000NodeDays}, {"replaces_node", f.replacesNode}});
}

void writeMeasured(ordered_json& root, const MeasuredConfig& m)
{
    for (const MeasuredKernel& k : m.kernels)
        root["measured"]["kernels"].push_back({{"kernel_class", k.kernelClass}, {"mean_s", k.meanSeconds}});
    for (const MeasuredRow& r : m.rows)
        root["measured"]["rows"].push_back({{"op", r.op},
                                            {"dtype", r.dtype},
                                            {"m", r.m},
                                            {"n", r.n},
                                            {"k", r.k},
                                            {"ranks", r.ranks},
                                            {"bytes", r.bytes},
                                            {"time_s", r.seconds}});
    for (const MeasuredSpeed& s : m.speeds)
        root["measured"]["speeds"].push_back({{"node", s.node}, {"gpu", s.gpu}, {"relative_speed", s.relativeSpeed}});
    if (!m.nodeOrder.empty())
        root["measured"]["node_order"] = m.nodeOrder;
}

} // namespace

std::string toJson(const Scenario& scenario)
{
    const Scenario base = baseOf(scenario);
    ordered_json root{{"version", scenario.version}, {"name", scenario.name}};
    if (!scenario.note.empty())
        root["note"] = scenario.note;
    for (const char* section : {"model", "cluster", "parallelism", "training", "variability"})
        root[section] = ordered_json::object();
    writeScalars(root, scenario, base);
    writeModelLists(root, scenario.model, base.model);
    if (!scenario.parallelism.customSchedule.empty())
        root["parallelism"]["custom_schedule"] = scenario.parallelism.customSchedule;
    writeVariabilityLists(root, scenario.variability, base.variability);
    writeFailures(root, scenario.job, base.job);
    writeMeasured(root, scenario.measured);
    return root.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

namespace {

Result<Scenario> fromJson(std::string_view text, bool checked)
{
    // A text over the limit is refused before it is copied.
    const bool hasComments = text.size() <= JsonLimits{}.maxBytes && text.find('/') != std::string_view::npos;
    const Result<json> document = hasComments ? parseJson(withoutJsonComments(text)) : parseJson(text);
    if (!document)
        return document.errors();
    SectionReading reading;
    readScenario(*document, reading);
    if (checked)
        for (Diagnostic& d : checkExcept(reading.scenario, reading.skipped))
            reading.diagnostics.push_back(std::move(d));
    if (hasErrors(reading.diagnostics))
        return reading.diagnostics;
    return reading.scenario;
}

} // namespace

Result<Scenario> scenarioFromJson(std::string_view text)
{
    return fromJson(text, true);
}
Result<Scenario> draftFromJson(std::string_view text)
{
    return fromJson(text, false);
}

} // namespace prism
