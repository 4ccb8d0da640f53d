// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/sectionreader.h"

#include "core/scenario/namedspreads.h"
#include "core/scenario/objectreader.h"
#include "core/scenario/scenariolimits.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace prism {
namespace {

using nlohmann::json;

void readVariabilityMaps(const json& object, SectionReading& reading)
{
    VariabilityConfig& v = reading.scenario.variability;
    if (const auto it = object.find("class_overrides"); it != object.end() && isObject(*it, "variability.class_overrides", reading)) {
        v.classOverrides.clear();
        for (const auto& [name, value] : it->items())
            readDistribution(value, "variability.class_overrides." + name, "variability.gemm.", v.classOverrides[name], reading);
    }
    if (const auto it = object.find("spatial_sensitivity");
        it != object.end() && isObject(*it, "variability.spatial_sensitivity", reading)) {
        v.spatialSensitivity.clear();
        for (const auto& [name, value] : it->items()) {
            ObjectReader reader(*it, "variability.spatial_sensitivity", reading.diagnostics);
            double sensitivity = 1;
            reader.real(name.c_str(), sensitivity, 0, 1);
            v.spatialSensitivity[name] = sensitivity;
        }
    }
}

} // namespace

void readModelFields(const json& object, SectionReading& reading)
{
    if (!isObject(object, "model", reading))
        return;
    ModelConfig& m = reading.scenario.model;
    readScalars(object, "model.", {"preset", "layer_pattern", "operators"}, reading);
    if (object.contains("layer_pattern"))
        m.layerPattern.clear();
    readList(object, "layer_pattern", "model", reading, [&](const json& item, const std::string& path) {
        LayerPatternEntry e;
        ObjectReader reader(item, path, reading.diagnostics);
        reader.word("kind", e.kind, {"attention", "mlp", "moe", "dense", "moe_layer", "mamba", "sliding"});
        reader.integer("count", e.count, 1, 4096);
        reader.finish();
        m.layerPattern.push_back(std::move(e));
    });
    if (object.contains("operators"))
        m.operators.clear();
    readList(object, "operators", "model", reading, [&](const json& item, const std::string& path) {
        GenericOperator o;
        ObjectReader reader(item, path, reading.diagnostics);
        reader.text("name", o.name);
        reader.real("flops", o.flops, 0, 1e30);
        reader.real("bytes", o.bytes, 0, 1e30);
        reader.integer("m", o.m, 0, std::int64_t{1} << 40);
        reader.integer("n", o.n, 0, std::int64_t{1} << 40);
        reader.integer("k", o.k, 0, std::int64_t{1} << 40);
        reader.integer("parameters", o.parameters, 0, std::int64_t{1} << 50);
        reader.integer("count", o.count, 1, 1'000'000);
        reader.ignore("source");
        reader.finish();
        m.operators.push_back(std::move(o));
    });
}

void readGpuFields(const json& object, SectionReading& reading)
{
    if (isObject(object, "cluster.gpu", reading))
        readScalars(object, "cluster.gpu.", {"preset"}, reading);
}

void readClusterFields(const json& object, SectionReading& reading)
{
    if (isObject(object, "cluster", reading))
        readScalars(object, "cluster.", {"gpu", "fabric"}, reading);
}

void readParallelism(const json& object, SectionReading& reading)
{
    if (!isObject(object, "parallelism", reading))
        return;
    readScalars(object, "parallelism.", {"custom_schedule"}, reading);
    std::vector<std::string>& stages = reading.scenario.parallelism.customSchedule;
    if (object.contains("custom_schedule"))
        stages.clear();
    readList(object, "custom_schedule", "parallelism", reading, [&](const json& item, const std::string& path) {
        if (item.is_string())
            stages.push_back(item.get<std::string>());
        else
            reportUnread(reading, invalidType(path, "the order of one stage as text, like \"F0 F1 B0 B1\"", item));
    });
}

void readTraining(const json& object, SectionReading& reading)
{
    if (isObject(object, "training", reading))
        readScalars(object, "training.", {}, reading);
}

void readVariabilityFields(const json& object, SectionReading& reading)
{
    if (!isObject(object, "variability", reading))
        return;
    std::vector<const char*> own = {"preset", "class_overrides", "spatial_sensitivity", "slow"};
    for (const NamedSpread& s : kNamedSpreads)
        own.push_back(s.name);
    readScalars(object, "variability.", own, reading);
    for (const NamedSpread& s : kNamedSpreads) {
        const std::string path = std::string("variability.") + s.name;
        if (const auto it = object.find(s.name); it != object.end())
            readDistribution(*it, path, path + ".", reading.scenario.variability.*s.member, reading);
    }
    readVariabilityMaps(object, reading);
    std::vector<SlowEntry>& slow = reading.scenario.variability.slow;
    if (object.contains("slow"))
        slow.clear();
    readList(object, "slow", "variability", reading, [&](const json& item, const std::string& path) {
        SlowEntry e;
        ObjectReader reader(item, path, reading.diagnostics);
        reader.integer("node", e.node, -1, kMaxNodes - 1);
        reader.integer("rank", e.rank, -1, kMaxNodes - 1);
        reader.real("compute_factor", e.computeFactor, 0.1, 1000);
        reader.real("link_factor", e.linkFactor, 0.1, 1000);
        reader.ignore("source");
        reader.finish();
        slow.push_back(e);
    });
}

void readJobFields(const json& object, SectionReading& reading)
{
    if (!isObject(object, "job", reading))
        return;
    readScalars(object, "job.", {"preset", "failures"}, reading);
    std::vector<FailureCause>& failures = reading.scenario.job.failures;
    if (object.contains("failures"))
        failures.clear();
    readList(object, "failures", "job", reading, [&](const json& item, const std::string& path) {
        FailureCause f;
        ObjectReader reader(item, path, reading.diagnostics);
        reader.text("name", f.name);
        reader.real("per_1000_node_days", f.per1000NodeDays, 0, 1e6);
        reader.boolean("replaces_node", f.replacesNode);
        reader.ignore("source");
        reader.finish();
        failures.push_back(std::move(f));
    });
}

void readMeasured(const json& object, SectionReading& reading)
{
    if (!isObject(object, "measured", reading))
        return;
    readScalars(object, "measured.", {"kernels", "rows", "speeds", "node_order"}, reading);
    MeasuredConfig& m = reading.scenario.measured;
    constexpr double kMaxSeconds = 1e6;
    readList(object, "kernels", "measured", reading, [&](const json& item, const std::string& path) {
        MeasuredKernel k;
        ObjectReader reader(item, path, reading.diagnostics);
        reader.text("kernel_class", k.kernelClass);
        reader.real("mean_s", k.meanSeconds, 0, kMaxSeconds);
        reader.finish();
        m.kernels.push_back(std::move(k));
    });
    readList(object, "rows", "measured", reading, [&](const json& item, const std::string& path) {
        MeasuredRow r;
        ObjectReader reader(item, path, reading.diagnostics);
        reader.word("op", r.op, {"gemm", "all_reduce", "all_gather", "reduce_scatter", "all_to_all", "p2p"});
        reader.text("dtype", r.dtype);
        reader.integer("m", r.m, 0, kMaxMeasuredSize);
        reader.integer("n", r.n, 0, kMaxMeasuredSize);
        reader.integer("k", r.k, 0, kMaxMeasuredSize);
        reader.integer("ranks", r.ranks, 0, kMaxMeasuredRanks);
        reader.integer("bytes", r.bytes, 0, kMaxMeasuredSize);
        reader.real("time_s", r.seconds, 0, kMaxSeconds);
        reader.finish();
        m.rows.push_back(std::move(r));
    });
    readList(object, "speeds", "measured", reading, [&](const json& item, const std::string& path) {
        MeasuredSpeed s;
        ObjectReader reader(item, path, reading.diagnostics);
        reader.integer("node", s.node, 0, kMaxNodes - 1);
        reader.integer("gpu", s.gpu, -1, 1023);
        reader.real("relative_speed", s.relativeSpeed, 0.001, 1000);
        reader.finish();
        m.speeds.push_back(s);
    });
    readList(object, "node_order", "measured", reading, [&](const json& item, const std::string& path) {
        std::int64_t node = -1;
        if (!wholeNumber(item, node) || node < 0 || node >= kMaxNodes)
            reportUnread(reading, invalidType(path, "a node number from 0 to 1048575", item));
        m.nodeOrder.push_back(static_cast<int>(std::clamp<std::int64_t>(node, 0, kMaxNodes - 1)));
    });
}

} // namespace prism
