#include "core/scenario/sectionreader.h"

#include "core/base/text.h"
#include "core/scenario/objectreader.h"
#include "core/scenario/parametercheck.h"
#include "core/scenario/presets.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace prism {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxListSize = 100'000;

void report(SectionReading& reading, Diagnostic diagnostic)
{
    reading.skipped.push_back(diagnostic.path);
    reading.diagnostics.push_back(std::move(diagnostic));
}

std::optional<ParameterValue> valueFromJson(const Parameter& p, const json& found, SectionReading& reading)
{
    std::int64_t whole = 0;
    switch (p.type) {
    case ParameterType::integer:
        if (wholeNumber(found, whole))
            return ParameterValue(whole);
        break;
    case ParameterType::real:
        if (found.is_number())
            return ParameterValue(found.get<double>());
        break;
    case ParameterType::boolean:
        if (found.is_boolean())
            return ParameterValue(found.get<bool>());
        break;
    case ParameterType::choice:
    case ParameterType::text:
        if (found.is_string())
            return ParameterValue(found.get<std::string>());
        break;
    }
    Diagnostic error = wrongType(p.id, acceptedText(p), found);
    if (p.type == ParameterType::integer && found.is_number())
        error.message = p.label + " is not a whole number in range";
    report(reading, std::move(error));
    return std::nullopt;
}

void readParameter(const Parameter& p, const json& found, SectionReading& reading)
{
    const auto value = valueFromJson(p, found, reading);
    if (!value)
        return;
    if (auto error = rangeError(p, *value))
        report(reading, std::move(*error));
    else
        p.set(reading.scenario, *value);
}

/// Names of the parameters directly below `prefix` ("parallelism." gives "zero_stage", ...) and further keys.
std::vector<std::string> keysBelow(const std::string& prefix, std::initializer_list<const char*> more)
{
    std::vector<std::string> keys;
    for (const Parameter& p : parameters())
        if (p.id.starts_with(prefix) && p.id.find('.', prefix.size()) == std::string::npos)
            keys.push_back(p.id.substr(prefix.size()));
    for (const char* key : more)
        if (std::find(keys.begin(), keys.end(), key) == keys.end())
            keys.emplace_back(key);
    return keys;
}

/// Reads every scalar of the object by the table; keys in `handled` belong to the caller, others are unknown.
void readScalars(const json& object, const std::string& prefix, std::initializer_list<const char*> handled, SectionReading& reading)
{
    for (const auto& [key, value] : object.items()) {
        if (key == "source" || key == "sources" || std::find(handled.begin(), handled.end(), key) != handled.end())
            continue;
        if (const Parameter* p = findParameter(prefix + key); p != nullptr && key.find('.') == std::string::npos)
            readParameter(*p, value, reading);
        else
            reading.diagnostics.push_back(unknownName(prefix + key, "key", key, keysBelow(prefix, handled)));
    }
}

bool isObject(const json& value, const char* path, SectionReading& reading)
{
    if (value.is_object())
        return true;
    reading.diagnostics.push_back(wrongType(path, "an object", value));
    return false;
}

/// Text of a preset key, or nothing (reported when it is no text).
std::optional<std::string> presetName(const json& object, const char* key, const std::string& path, SectionReading& reading)
{
    const auto it = object.find(key);
    if (it == object.end())
        return std::nullopt;
    if (it->is_string())
        return it->get<std::string>();
    report(reading, wrongType(path, "the name of a preset", *it));
    return std::nullopt;
}

template <class T>
const T* loaded(const Result<T>& preset, const std::string& path, SectionReading& reading)
{
    if (preset.ok())
        return &preset.value();
    for (Diagnostic error : preset.errors()) {
        error.path = path;
        report(reading, std::move(error));
    }
    return nullptr;
}

/// Calls read(item, path) for every entry of a list, with a bound on its size.
template <class Read>
void readList(const json& object, const char* key, const std::string& section, SectionReading& reading, Read read)
{
    const auto it = object.find(key);
    if (it == object.end())
        return;
    const std::string path = section + "." + key;
    if (!it->is_array()) {
        report(reading, wrongType(path, "a list", *it));
        return;
    }
    if (it->size() > kMaxListSize) {
        report(reading, {.path = path,
                         .message = "the list is too long",
                         .found = std::to_string(it->size()) + " entries",
                         .accepted = "at most " + std::to_string(kMaxListSize)});
        return;
    }
    for (std::size_t i = 0; i < it->size(); ++i)
        read((*it)[i], path + "[" + std::to_string(i) + "]");
}

void readPool(const json& found, const std::string& path, Distribution& d, SectionReading& reading)
{
    std::vector<double> pool;
    if (found.is_array() && found.size() <= kMaxListSize)
        for (const json& v : found)
            if (v.is_number())
                pool.push_back(v.get<double>());
    const bool positive = std::all_of(pool.begin(), pool.end(), [](double v) { return v > 0 && v < 1e18; });
    if (!found.is_array() || pool.empty() || pool.size() != found.size() || !positive) {
        report(reading, {.path = path,
                         .message = "the pool is no list of positive numbers",
                         .found = jsonShort(found),
                         .accepted = "1 to " + std::to_string(kMaxListSize) + " numbers > 0"});
        return;
    }
    const Distribution empirical = empiricalDistribution(pool);
    const auto same = [](double a, double b) { return std::abs(a - b) <= 1e-12 * std::abs(b); };
    const bool normalised = std::equal(pool.begin(), pool.end(), empirical.pool->begin(), same);
    // A pool that was saved is sorted with mean 1 already: kept to the last bit, so that saving and reading is lossless.
    d.pool = normalised ? std::make_shared<const std::vector<double>>(std::move(pool)) : empirical.pool;
    if (!normalised || std::abs(d.cv - empirical.cv) > 1e-9)
        d.cv = empirical.cv;
}

/// A distribution object whose ranges are those of the table entries below `table` ("variability.gemm.").
void readDistribution(const json& object, const std::string& path, const std::string& table, Distribution& target, SectionReading& reading)
{
    if (!object.is_object()) {
        report(reading, wrongType(path, "an object like {\"family\": \"lognormal\", \"cv\": 0.02}", object));
        return;
    }
    SectionReading scratch;
    readScalars(object, table, {"pool"}, scratch);
    for (Diagnostic& d : scratch.diagnostics) {
        d.path.replace(0, table.size(), path + ".");
        if (d.fixPath.starts_with(table))
            d.fixPath.clear();
        reading.diagnostics.push_back(std::move(d));
    }
    if (const Parameter* p = findParameter(table + "family"); object.contains("family") && object["family"].is_string())
        if (const auto family = familyFromName(object["family"].get<std::string>()); family && p != nullptr)
            target.family = *family;
    const auto number = [&](const char* key, double& field) {
        const Parameter* p = findParameter(table + key);
        if (object.contains(key) && object[key].is_number() && !rangeError(*p, object[key].get<double>()))
            field = object[key].get<double>();
    };
    number("cv", target.cv);
    number("rare_probability", target.rareProbability);
    number("rare_multiplier", target.rareMultiplier);
    if (object.contains("pool"))
        readPool(object["pool"], path + ".pool", target, reading);
}

struct NamedDistribution {
    const char* key;
    Distribution VariabilityConfig::*member;
};

constexpr NamedDistribution kDistributions[] = {
    {"spatial", &VariabilityConfig::spatial},
    {"gemm", &VariabilityConfig::gemm},
    {"attention", &VariabilityConfig::attention},
    {"memory_bound", &VariabilityConfig::memoryBound},
    {"intra_collective", &VariabilityConfig::intraCollective},
    {"inter_collective", &VariabilityConfig::interCollective},
    {"p2p", &VariabilityConfig::p2p},
    {"intra_regime", &VariabilityConfig::intraRegime},
    {"inter_regime", &VariabilityConfig::interRegime},
    {"compute_regime", &VariabilityConfig::computeRegime},
    {"data", &VariabilityConfig::data},
    {"moe_imbalance", &VariabilityConfig::moeImbalance},
};

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

void readGpuOverrides(const json& object, SectionReading& reading)
{
    if (object.is_string()) {
        const Result<GpuSpec> preset = gpuPreset(object.get<std::string>());
        if (const GpuSpec* gpu = loaded(preset, "cluster.gpu.preset", reading))
            reading.scenario.cluster.gpu = *gpu;
        return;
    }
    if (isObject(object, "cluster.gpu", reading))
        readGpu(object, reading);
}

} // namespace

void readModel(const json& object, SectionReading& reading)
{
    if (!isObject(object, "model", reading))
        return;
    ModelConfig& m = reading.scenario.model;
    if (const auto name = presetName(object, "preset", "model.preset", reading); name && !name->empty())
        if (const Result<ModelConfig> preset = modelPreset(*name); const ModelConfig* model = loaded(preset, "model.preset", reading))
            m = *model;
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

void readGpu(const json& object, SectionReading& reading)
{
    GpuSpec& gpu = reading.scenario.cluster.gpu;
    if (const auto name = presetName(object, "preset", "cluster.gpu.preset", reading); name && !name->empty()) {
        const Result<GpuSpec> preset = gpuPreset(*name);
        if (const GpuSpec* found = loaded(preset, "cluster.gpu.preset", reading))
            gpu = *found;
    } else if (name) {
        gpu.preset.clear();
    }
    readScalars(object, "cluster.gpu.", {"preset"}, reading);
}

void readCluster(const json& object, SectionReading& reading)
{
    if (!isObject(object, "cluster", reading))
        return;
    if (const auto gpu = object.find("gpu"); gpu != object.end())
        readGpuOverrides(*gpu, reading);
    if (const auto name = presetName(object, "fabric", "cluster.fabric", reading); name && !name->empty()) {
        const Result<ClusterConfig> preset = fabricPreset(*name, reading.scenario.cluster);
        if (const ClusterConfig* cluster = loaded(preset, "cluster.fabric", reading))
            reading.scenario.cluster = *cluster;
    } else if (name) {
        reading.scenario.cluster.fabricPreset.clear();
    }
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
            report(reading, wrongType(path, "the order of one stage as text, like \"F0 F1 B0 B1\"", item));
    });
}

void readTraining(const json& object, SectionReading& reading)
{
    if (isObject(object, "training", reading))
        readScalars(object, "training.", {}, reading);
}

void readVariability(const json& object, SectionReading& reading)
{
    if (!isObject(object, "variability", reading))
        return;
    if (const auto name = presetName(object, "preset", "variability.preset", reading); name && !name->empty()) {
        const Result<VariabilityConfig> preset = variabilityPreset(*name);
        if (const VariabilityConfig* variability = loaded(preset, "variability.preset", reading))
            reading.scenario.variability = *variability;
    }
    readScalars(object, "variability.",
                {"preset", "spatial", "gemm", "attention", "memory_bound", "intra_collective", "inter_collective", "p2p", "intra_regime",
                 "inter_regime", "compute_regime", "data", "moe_imbalance", "class_overrides", "spatial_sensitivity", "slow"},
                reading);
    for (const NamedDistribution& d : kDistributions) {
        const std::string path = std::string("variability.") + d.key;
        if (const auto it = object.find(d.key); it != object.end())
            readDistribution(*it, path, path + ".", reading.scenario.variability.*d.member, reading);
    }
    readVariabilityMaps(object, reading);
    std::vector<SlowEntry>& slow = reading.scenario.variability.slow;
    if (object.contains("slow"))
        slow.clear();
    readList(object, "slow", "variability", reading, [&](const json& item, const std::string& path) {
        SlowEntry e;
        ObjectReader reader(item, path, reading.diagnostics);
        reader.integer("node", e.node, -1, (1 << 20) - 1);
        reader.integer("rank", e.rank, -1, (1 << 20) - 1);
        reader.real("compute_factor", e.computeFactor, 0.1, 1000);
        reader.real("link_factor", e.linkFactor, 0.1, 1000);
        reader.ignore("source");
        reader.finish();
        slow.push_back(e);
    });
}

void readMeasured(const json& object, SectionReading& reading)
{
    if (!isObject(object, "measured", reading))
        return;
    readScalars(object, "measured.", {"kernels", "rows", "speeds", "node_order"}, reading);
    MeasuredConfig& m = reading.scenario.measured;
    constexpr double kMaxSeconds = 1e6;
    constexpr std::int64_t kMaxSize = std::int64_t{1} << 50;
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
        reader.integer("m", r.m, 0, kMaxSize);
        reader.integer("n", r.n, 0, kMaxSize);
        reader.integer("k", r.k, 0, kMaxSize);
        reader.integer("ranks", r.ranks, 0, 1 << 20);
        reader.integer("bytes", r.bytes, 0, kMaxSize);
        reader.real("time_s", r.seconds, 0, kMaxSeconds);
        reader.finish();
        m.rows.push_back(std::move(r));
    });
    readList(object, "speeds", "measured", reading, [&](const json& item, const std::string& path) {
        MeasuredSpeed s;
        ObjectReader reader(item, path, reading.diagnostics);
        reader.integer("node", s.node, 0, (1 << 20) - 1);
        reader.integer("gpu", s.gpu, -1, 1023);
        reader.real("relative_speed", s.relativeSpeed, 0.001, 1000);
        reader.finish();
        m.speeds.push_back(s);
    });
    readList(object, "node_order", "measured", reading, [&](const json& item, const std::string& path) {
        std::int64_t node = -1;
        if (!wholeNumber(item, node) || node < 0 || node >= (1 << 20))
            report(reading, wrongType(path, "a node number from 0 to 1048575", item));
        m.nodeOrder.push_back(static_cast<int>(std::clamp<std::int64_t>(node, 0, (1 << 20) - 1)));
    });
}

void readScenario(const json& object, SectionReading& reading)
{
    if (!object.is_object()) {
        reading.diagnostics.push_back(
            wrongType("", "an object with the sections model, cluster, parallelism, training, variability", object));
        return;
    }
    ObjectReader reader(object, "", reading.diagnostics);
    reader.integer("version", reading.scenario.version, 1, 1);
    if (!object.contains("version"))
        reading.diagnostics.push_back({.path = "version",
                                       .message = "the version is missing",
                                       .found = "nothing",
                                       .accepted = "1",
                                       .fixPath = "version",
                                       .fixValue = "1"});
    reader.text("name", reading.scenario.name, 200);
    reader.text("note", reading.scenario.note, 20'000);
    for (const char* key : {"source", "sources"})
        reader.ignore(key);
    const auto section = [&](const char* key, void (*read)(const json&, SectionReading&)) {
        if (const json* value = reader.value(key))
            read(*value, reading);
    };
    section("model", readModel);
    section("cluster", readCluster);
    section("parallelism", readParallelism);
    section("training", readTraining);
    section("variability", readVariability);
    section("measured", readMeasured);
    reader.finish();
}

} // namespace prism
