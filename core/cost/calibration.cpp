// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/calibration.h"

#include "core/base/jsontext.h"
#include "core/cost/engineversion.h"

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
    {"gemm_efficiency", &GpuCalibration::gemmEfficiency},
    {"fp8_efficiency", &GpuCalibration::fp8Efficiency},
    {"fp4_efficiency", &GpuCalibration::fp4Efficiency},
    {"tile_overhead_k", &GpuCalibration::tileOverheadK},
    {"wave_quantisation", &GpuCalibration::waveQuantisation},
    {"memory_efficiency", &GpuCalibration::memoryEfficiency},
    {"launch_s", &GpuCalibration::launchSeconds},
    {"idle_w", &GpuCalibration::idleWatts},
    {"matrix_pj", &GpuCalibration::matrixEnergy},
    {"matrix_fp8_pj", &GpuCalibration::matrix8Energy},
    {"matrix_fp4_pj", &GpuCalibration::matrix4Energy},
};
struct NetworkField {
    const char* name;
    double NetworkCalibration::*member;
};
constexpr NetworkField kNetworkFields[] = {
    {"efficiency", &NetworkCalibration::efficiency},
    {"pair_efficiency", &NetworkCalibration::pairEfficiency},
    {"ring_hop", &NetworkCalibration::ringHop},
    {"tree_hop", &NetworkCalibration::treeHop},
    {"tree_efficiency", &NetworkCalibration::treeEfficiency},
    {"low_latency_gb_per_s", &NetworkCalibration::lowLatencyGbPerS},
};
struct SoftwareField {
    const char* name;
    double SoftwareCalibration::*member;
};
constexpr SoftwareField kSoftwareFields[] = {
    {"host_s_per_launch", &SoftwareCalibration::hostSecondsPerLaunch},
    {"host_s_per_expert_call", &SoftwareCalibration::expertCallSeconds},
    {"host_s_per_collective", &SoftwareCalibration::collectiveCallSeconds},
    {"checkpoint_s_per_layer", &SoftwareCalibration::checkpointSecondsPerLayer},
    {"pass_s", &SoftwareCalibration::passSeconds},
    {"routed_counts_s", &SoftwareCalibration::routedCountsSeconds},
    {"step_s", &SoftwareCalibration::stepSeconds},
    {"step_s_per_doubling", &SoftwareCalibration::syncSeconds},
};
constexpr const char* kOpNames[kCurveOps] = {"all_reduce", "all_gather", "reduce_scatter", "all_to_all"};
constexpr const char* kSizeNames[kCurveSizes] = {"2", "4", "8"};

/// Five significant digits: more would exceed the accuracy of the measurements.
double rounded(double x)
{
    if (x == 0 || !std::isfinite(x))
        return 0;
    const double scale = std::pow(10.0, 4 - std::floor(std::log10(std::abs(x))));
    return std::round(x * scale) / scale;
}

/// Reads a finite number of an object into `value`; anything else is an error.
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

/// Reads curves of the right length; others leave `share` unchanged.
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

void readBands(const Json& json, std::vector<ErrorBand>& bands, Diagnostics& errors)
{
    const auto list = json.find("bands");
    if (list == json.end() || !list->is_array())
        return;
    for (const Json& item : *list) {
        ErrorBand band;
        if (!item.is_object() || bands.size() >= 100)
            continue;
        read(item, "low", "bands", band.low, errors);
        read(item, "high", "bands", band.high, errors);
        read(item, "held", "bands", band.held, errors);
        const auto count = [&](const char* key) {
            double value = 0;
            read(item, key, "bands", value, errors);
            return static_cast<int>(std::clamp(value, 0.0, 1e6));
        };
        band.rows = count("rows");
        band.sources = count("sources");
        if (const auto kind = item.find("kind"); kind != item.end() && kind->is_string())
            band.kind = kind->get<std::string>();
        bands.push_back(std::move(band));
    }
}

/// Where the fit starts: boards near their limit.
void startPower(GpuCalibration& g)
{
    if (g.family == "a100") {
        g.idleWatts = 80;
        g.matrixEnergy = 0.91;
    } else if (g.family == "h100") {
        g.idleWatts = 120;
        g.matrixEnergy = 0.55;
        g.matrix8Energy = 0.25;
    } else if (g.family == "b200") {
        g.idleWatts = 220;
        g.matrixEnergy = 0.43;
        g.matrix8Energy = 0.128;
        g.matrix4Energy = 0.048;
    }
}

} // namespace

Calibration uncalibrated()
{
    Calibration c;
    c.software.syncSeconds = 2e-3;
    for (const char* family : {"a100", "h100", "b200", "mi300x", "generic"}) {
        GpuCalibration g;
        g.family = family;
        for (auto& op : g.busShare)
            for (auto& curve : op)
                for (std::size_t k = 0; k < kCurveKnots; ++k) // half of 0.76 of the link at 4 MB, latency below 32 KB
                    curve[k] = 0.76 / (1 + std::exp2(22 - kCurveFirstLog2 - static_cast<double>(k)));
        if (g.family == "b200") // streams as measured (SimuMax, B200 system file, Apache-2.0)
            g.memoryEfficiency = 0.666;
        startPower(g);
        c.gpus.push_back(std::move(g));
    }
    return c;
}

std::string calibrationJson(const Calibration& c, const std::string& notesJson)
{
    Json out;
    out["title"] = "Fitted constants of the cost model";
    out["format"] = "prism-calibration-1";
    for (const ErrorBand& b : c.bands)
        out["bands"].push_back({{"kind", b.kind},
                                {"low", rounded(b.low)},
                                {"high", rounded(b.high)},
                                {"rows", b.rows},
                                {"sources", b.sources},
                                {"held", rounded(b.held)}});
    const CalibrationDomain& d = c.domain;
    out["domain"] = {{"covered", d.covered},
                     {"max_gpus", d.maxGpus},
                     {"min_hidden_size", d.minHiddenSize},
                     {"max_seq_length", d.maxSeqLength},
                     {"band_low", rounded(d.bandLow)},
                     {"band_high", rounded(d.bandHigh)}};
    for (const NetworkField& f : kNetworkFields)
        out["network"][f.name] = rounded(c.network.*f.member);
    for (const SoftwareField& f : kSoftwareFields)
        out["software"][f.name] = rounded(c.software.*f.member);
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
    const Json network = section(json, "network"), software = section(json, "software"), gpus = section(json, "gpu");
    readBands(json, c.bands, errors);
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
    for (const SoftwareField& f : kSoftwareFields)
        read(software, f.name, "software", c.software.*f.member, errors);
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
        if (constantsText())
            if (Result<Calibration> read = calibrationFromJson(*constantsText()))
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

namespace {

/// The band of the first of these kinds that has one.
ErrorBand firstBand(const Calibration& calibration, const std::vector<std::string>& kinds)
{
    for (const std::string& kind : kinds)
        for (const ErrorBand& band : calibration.bands)
            if (band.kind == kind)
                return band;
    return ErrorBand{};
}

} // namespace

ErrorBand errorBand(const Calibration& calibration, const Scenario& scenario)
{
    return firstBand(calibration, bandKinds(scenario));
}

ErrorBand errorBand(const Calibration& calibration, std::string_view kind)
{
    return firstBand(calibration, {std::string(kind), ""});
}

std::vector<NamedConstant> namedConstants(Calibration& c)
{
    std::vector<NamedConstant> list;
    for (GpuCalibration& g : c.gpus)
        for (const Field& f : kGpuFields)
            list.push_back({g.family + "." + f.name, &(g.*f.member)});
    for (const NetworkField& f : kNetworkFields)
        list.push_back({std::string("network.") + f.name, &(c.network.*f.member)});
    for (const SoftwareField& f : kSoftwareFields)
        list.push_back({std::string("software.") + f.name, &(c.software.*f.member)});
    return list;
}

} // namespace prism
