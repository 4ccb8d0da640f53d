#include "core/cost/calibration.h"

#include "core/base/jsontext.h"

#include "core/scenario/presets.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <cmath>

namespace prism {
namespace {

using Json = nlohmann::ordered_json;

struct Field {
    const char* name;
    double GpuCalibration::*member;
};
constexpr Field kGpuFields[] = {
    {"gemm_efficiency", &GpuCalibration::gemmEfficiency},     {"fp8_efficiency", &GpuCalibration::fp8Efficiency},
    {"fp4_efficiency", &GpuCalibration::fp4Efficiency},       {"tile_overhead_k", &GpuCalibration::tileOverheadK},
    {"wave_quantisation", &GpuCalibration::waveQuantisation}, {"memory_efficiency", &GpuCalibration::memoryEfficiency},
    {"attention_forward", &GpuCalibration::attentionForward}, {"attention_backward", &GpuCalibration::attentionBackward},
    {"attention_rows", &GpuCalibration::attentionRows},       {"launch_s", &GpuCalibration::launchSeconds},
    {"training_factor", &GpuCalibration::trainingFactor},     {"fp8_training_factor", &GpuCalibration::fp8TrainingFactor},
};
struct NetworkField {
    const char* name;
    double NetworkCalibration::*member;
};
constexpr NetworkField kNetworkFields[] = {
    {"efficiency", &NetworkCalibration::efficiency}, {"pair_efficiency", &NetworkCalibration::pairEfficiency},
    {"base_s", &NetworkCalibration::baseSeconds},    {"ring_hop", &NetworkCalibration::ringHop},
    {"tree_hop", &NetworkCalibration::treeHop},      {"tree_efficiency", &NetworkCalibration::treeEfficiency},
};
struct SoftwareField {
    const char* name;
    double SoftwareCalibration::*member;
};
constexpr SoftwareField kSoftwareFields[] = {
    {"host_s_per_launch", &SoftwareCalibration::hostSecondsPerLaunch},
    {"checkpoint_host_s_per_layer", &SoftwareCalibration::checkpointHostSecondsPerLayer},
    {"step_overhead_s", &SoftwareCalibration::stepOverheadSeconds},
};
constexpr const char* kOpNames[kCurveOps] = {"all_reduce", "all_gather", "reduce_scatter", "all_to_all"};
constexpr const char* kSizeNames[kCurveSizes] = {"2", "4", "8"};

/// Five significant digits: more would say more than was measured.
double rounded(double x)
{
    if (x == 0 || !std::isfinite(x))
        return 0;
    const double scale = std::pow(10.0, 4 - std::floor(std::log10(std::abs(x))));
    return std::round(x * scale) / scale;
}

/// A finite number of an object into `value`; anything else is reported.
void read(const Json& object, const char* key, const std::string& path, double& value, Diagnostics& errors)
{
    const auto it = object.find(key);
    if (it == object.end())
        return;
    if (it->is_number() && std::isfinite(it->get<double>()))
        value = it->get<double>();
    else
        errors.push_back({Severity::error, path + "." + key, "this is not a finite number", it->dump().substr(0, 40), "a number", "", ""});
}

Json busShareJson(const BusShare& share)
{
    Json out;
    for (std::size_t op = 0; op < kCurveOps; ++op)
        for (std::size_t n = 0; n < kCurveSizes; ++n)
            for (const double x : share[op][n])
                out[kOpNames[op]][kSizeNames[n]].push_back(rounded(x));
    return out;
}

/// Curves of the right length; others leave what is there.
void readBusShare(const Json& json, BusShare& share)
{
    for (std::size_t op = 0; op < kCurveOps && json.is_object(); ++op) {
        const auto byRanks = json.find(kOpNames[op]);
        for (std::size_t n = 0; n < kCurveSizes && byRanks != json.end() && byRanks->is_object(); ++n) {
            const auto it = byRanks->find(kSizeNames[n]);
            if (it == byRanks->end() || !it->is_array() || it->size() != kCurveKnots)
                continue;
            for (std::size_t k = 0; k < kCurveKnots; ++k)
                if ((*it)[k].is_number() && (*it)[k].get<double>() > 0)
                    share[op][n][k] = (*it)[k].get<double>();
        }
    }
}

} // namespace

Calibration uncalibrated()
{
    Calibration c;
    c.eager.hostSecondsPerLaunch = 1e-4; // vTrain's single-node table: about 3 ms per layer and micro-batch, however small
    c.eager.checkpointHostSecondsPerLayer = 1e-3;
    c.fused.hostSecondsPerLaunch = 0.5e-4;
    for (const char* family : {"a100", "h100", "b200", "mi300x", "generic"}) {
        GpuCalibration g;
        g.family = family;
        for (auto& op : g.busShare)
            for (auto& curve : op)
                curve = {0.05, 0.08, 0.12, 0.2, 0.3, 0.4, 0.5, 0.58, 0.65, 0.7, 0.72, 0.74, 0.75, 0.755, 0.76};
        if (g.family == "b200") { // streams and fused attention as measured (SimuMax, B200 system file, Apache-2.0)
            g.memoryEfficiency = 0.666;
            g.attentionForward = 0.51;
            g.attentionBackward = 0.405;
        }
        c.gpus.push_back(std::move(g));
    }
    return c;
}

std::string calibrationJson(const Calibration& c, const std::string& notesJson)
{
    Json out;
    out["title"] = "Fitted constants of the cost model";
    out["format"] = "prism-calibration-1";
    out["band"] = {{"low", rounded(c.bandLow)}, {"high", rounded(c.bandHigh)}};
    const CalibrationDomain& d = c.domain;
    out["domain"] = {{"covered", d.covered},
                     {"max_gpus", d.maxGpus},
                     {"min_hidden_size", d.minHiddenSize},
                     {"max_seq_length", d.maxSeqLength},
                     {"band_low", rounded(d.bandLow)},
                     {"band_high", rounded(d.bandHigh)}};
    for (const NetworkField& f : kNetworkFields)
        out["network"][f.name] = rounded(c.network.*f.member);
    for (const SoftwareField& f : kSoftwareFields) {
        out["software"]["eager"][f.name] = rounded(c.eager.*f.member);
        out["software"]["fused"][f.name] = rounded(c.fused.*f.member);
    }
    for (const GpuCalibration& g : c.gpus) {
        Json& gpu = out["gpu"][g.family];
        for (const Field& f : kGpuFields)
            gpu[f.name] = rounded(g.*f.member);
        gpu["bus_share"] = busShareJson(g.busShare);
    }
    for (const BusCurves& curves : c.curves)
        out["bus_share"][curves.type] = busShareJson(curves.share);
    const auto notes = parseOrderedJson(notesJson);
    out["notes"] = notes.ok() ? *notes : nlohmann::ordered_json::object();
    return out.dump(1) + "\n";
}

Result<Calibration> calibrationFromJson(std::string_view text)
{
    Calibration c = uncalibrated();
    Diagnostics errors;
    const Result<Json> document = parseOrderedJson(text);
    if (!document)
        return document.errors();
    const Json& json = *document;
    if (!json.is_object() || json.value("format", Json()) != "prism-calibration-1")
        return Diagnostic{Severity::error, "format", "this is not a calibration", "", "a file of the format prism-calibration-1", "", ""};
    const auto section = [](const Json& from, const char* key) -> Json {
        return from.is_object() && from.contains(key) && from[key].is_object() ? from[key] : Json::object();
    };
    const Json band = section(json, "band"), network = section(json, "network"), software = section(json, "software"),
               gpus = section(json, "gpu");
    read(band, "low", "band", c.bandLow, errors);
    read(band, "high", "band", c.bandHigh, errors);
    const Json domain = section(json, "domain");
    CalibrationDomain& d = c.domain;
    for (const auto& [key, value] : {std::pair{"max_gpus", &d.maxGpus},
                                     {"min_hidden_size", &d.minHiddenSize},
                                     {"max_seq_length", &d.maxSeqLength},
                                     {"band_low", &d.bandLow},
                                     {"band_high", &d.bandHigh}})
        read(domain, key, "domain", *value, errors);
    if (const auto it = domain.find("covered"); it != domain.end() && it->is_array())
        for (const Json& what : *it)
            if (what.is_string())
                d.covered.push_back(what.get<std::string>());
    std::sort(d.covered.begin(), d.covered.end());
    for (const NetworkField& f : kNetworkFields)
        read(network, f.name, "network", c.network.*f.member, errors);
    const Json eager = section(software, "eager"), fused = section(software, "fused");
    for (const SoftwareField& f : kSoftwareFields) {
        read(eager, f.name, "software.eager", c.eager.*f.member, errors);
        read(fused, f.name, "software.fused", c.fused.*f.member, errors);
    }
    for (GpuCalibration& g : c.gpus) {
        const Json gpu = section(gpus, g.family.c_str());
        for (const Field& f : kGpuFields)
            read(gpu, f.name, "gpu." + g.family, g.*f.member, errors);
        readBusShare(section(gpu, "bus_share"), g.busShare);
    }
    const Json byType = section(json, "bus_share");
    for (const auto& [type, share] : byType.items()) {
        c.curves.push_back({type, c.gpus.back().busShare});
        readBusShare(share, c.curves.back().share);
    }
    if (!errors.empty())
        return errors;
    return c;
}

const Calibration& calibration()
{
    static const Calibration instance = [] {
        const Result<std::string> text = presetText("calibration", "default");
        if (text)
            if (Result<Calibration> read = calibrationFromJson(*text))
                return std::move(read).value();
        return uncalibrated();
    }();
    return instance;
}

std::string_view gpuFamily(const GpuSpec& gpu)
{
    std::string name = gpu.preset + " " + gpu.name;
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const auto has = [&](const char* part) { return name.find(part) != std::string::npos; };
    if (has("a100") || has("a800"))
        return "a100";
    if (has("b200") || has("b300") || has("b100"))
        return "b200";
    if (has("h100") || has("h200") || has("h800") || has("h20"))
        return "h100";
    if (has("mi300") || has("mi325") || has("mi35"))
        return "mi300x";
    return "generic";
}

GpuCalibration gpuCalibration(const Calibration& calibration, const GpuSpec& gpu)
{
    const std::string_view family = gpuFamily(gpu);
    const auto of =
        std::find_if(calibration.gpus.begin(), calibration.gpus.end(), [&](const GpuCalibration& g) { return g.family == family; });
    GpuCalibration found = of != calibration.gpus.end() ? *of : calibration.gpus.back();
    const std::string type = gpuType(gpu);
    for (const BusCurves& curves : calibration.curves)
        if (curves.type == type)
            found.busShare = curves.share;
    return found;
}

std::vector<NamedConstant> namedConstants(Calibration& c)
{
    std::vector<NamedConstant> list;
    for (GpuCalibration& g : c.gpus)
        for (const Field& f : kGpuFields)
            list.push_back({g.family + "." + f.name, &(g.*f.member)});
    for (const NetworkField& f : kNetworkFields)
        list.push_back({std::string("network.") + f.name, &(c.network.*f.member)});
    for (const SoftwareField& f : kSoftwareFields) {
        list.push_back({std::string("eager.") + f.name, &(c.eager.*f.member)});
        list.push_back({std::string("fused.") + f.name, &(c.fused.*f.member)});
    }
    return list;
}

} // namespace prism
