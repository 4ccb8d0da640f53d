// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/calibrate/clustercalibration.h"

#include "core/base/diagnostictext.h"
#include "core/base/jsontext.h"
#include "core/base/text.h"
#include "core/base/textfile.h"
#include "core/measured/importmeasured.h"
#include "core/scenario/parameters.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace prism {

namespace {

using Json = nlohmann::ordered_json;
using Values = decltype(ClusterCalibration::values);

std::string textOf(const nlohmann::json& value)
{
    return value.is_string() ? value.get<std::string>() : value.is_number_float() ? numberText(value.get<double>()) : value.dump();
}

/// The measured section as a scenario's reader takes it.
Result<MeasuredConfig> measuredFrom(const nlohmann::json& section)
{
    const nlohmann::json document{{"version", 1}, {"measured", section}};
    const Result<Scenario> draft = draftFromJson(document.dump());
    if (!draft.ok())
        return draft.errors();
    return draft->measured;
}

/// The measured section of a scenario that holds nothing else of interest.
Json measuredJson(const MeasuredConfig& measured)
{
    Scenario scenario;
    scenario.measured = measured;
    const auto document = parseOrderedJson(toJson(scenario));
    return document.ok() && document->contains("measured") ? Json((*document)["measured"]) : Json::object();
}

void readSources(const nlohmann::json& list, ClusterCalibration& out, Diagnostics& errors)
{
    const auto isTooLong = [&](const nlohmann::json& entries, const char* what) {
        if (entries.size() > kMaxCalibrationSources)
            errors.push_back(errorAt("sources", std::string("there are too many ") + what, std::to_string(entries.size()),
                                     "at most " + std::to_string(kMaxCalibrationSources)));
        return entries.size() > kMaxCalibrationSources;
    };
    if (isTooLong(list, "sources"))
        return;
    for (const nlohmann::json& item : list) {
        if (!item.is_object())
            continue;
        const auto field = [&](const char* key) { return item.contains(key) && item[key].is_string() ? item[key].get<std::string>() : ""; };
        CalibrationSource source{field("what"), field("input"), {}};
        if (item.contains("facts") && item["facts"].is_array() && !isTooLong(item["facts"], "facts"))
            for (const nlohmann::json& fact : item["facts"])
                if (fact.is_string())
                    source.facts.push_back(fact.get<std::string>());
        out.sources.push_back(std::move(source));
    }
}

FittedMachine machineFrom(const nlohmann::json& object)
{
    const auto number = [&](const char* key) {
        return object.contains(key) && object[key].is_number() ? std::clamp(object[key].get<double>(), 0.0, 1e6) : 0.0;
    };
    FittedMachine machine;
    if (object.contains("gpu") && object["gpu"].is_string())
        machine.gpu = object["gpu"].get<std::string>();
    machine.peakBf16Tflops = number("peak_bf16_tflops");
    machine.numSms = static_cast<int>(number("num_sms"));
    return machine;
}

bool isWithin(double a, double b, double share)
{
    return std::abs(a - b) <= share * b;
}

} // namespace

FittedMachine machineOf(const GpuSpec& gpu)
{
    return {gpu.name, gpu.peakBf16Tflops, gpu.numSms};
}

bool isEqual(const FittedMachine& machine, const GpuSpec& gpu)
{
    constexpr double kSms = 0.1, kPeak = 0.15;
    return !(machine.peakBf16Tflops > 0) || machine.numSms <= 0
           || (isWithin(machine.numSms, gpu.numSms, kSms) && isWithin(machine.peakBf16Tflops, gpu.peakBf16Tflops, kPeak));
}

Diagnostics check(const ClusterCalibration& calibration)
{
    Diagnostics errors;
    for (const auto& [path, text] : calibration.values)
        for (Diagnostic d : setParameter(Scenario{}, path, text).errors()) {
            d.path = "values." + d.path;
            errors.push_back(std::move(d));
        }
    return errors;
}

Result<ClusterCalibration> clusterCalibrationFromJson(std::string_view text)
{
    const Result<nlohmann::json> document = parseJson(text);
    if (!document.ok())
        return document.errors();
    if (!document->is_object() || !document->contains("format") || (*document)["format"] != kClusterFormat)
        return errorAt("format", "not a calibration of a cluster", document->is_object() ? "another format" : "no object", kClusterFormat);
    ClusterCalibration out;
    Diagnostics errors;
    if (document->contains("values") && (*document)["values"].is_object())
        for (const auto& [path, value] : (*document)["values"].items())
            out.values.emplace_back(path, textOf(value));
    if (document->contains("fitted_with")) { // of older fits, which did not hash the job
        std::string settings = textOf((*document)["fitted_with"]);
        for (const std::string_view section : {"training.", "cluster.gpu."})
            for (std::size_t at = settings.find(section); at != std::string::npos; at = settings.find(section))
                settings.erase(at, section.size());
        out.values.emplace_back("measured.level_job", settings);
    }
    errors = check(out);
    if (document->contains("machine") && (*document)["machine"].is_object())
        out.machine = machineFrom((*document)["machine"]);
    if (document->contains("compute_regime_pool")) {
        const nlohmann::json& pool = (*document)["compute_regime_pool"];
        const auto isFactor = [](const nlohmann::json& v) { return v.is_number() && v.get<double>() > 0 && v.get<double>() < 1e6; };
        if (!pool.is_array() || pool.size() > kMaxCalibrationPool || !std::all_of(pool.begin(), pool.end(), isFactor))
            errors.push_back(errorAt("compute_regime_pool", "the pool is not a list of factors", pool.type_name(),
                                     "up to " + std::to_string(kMaxCalibrationPool) + " numbers > 0"));
        else
            out.regimePool = pool.get<std::vector<double>>();
    }
    if (document->contains("measured")) {
        Result<MeasuredConfig> measured = measuredFrom((*document)["measured"]);
        if (measured.ok())
            out.measured = std::move(measured).value();
        else
            errors.insert(errors.end(), measured.errors().begin(), measured.errors().end());
    }
    if (document->contains("sources") && (*document)["sources"].is_array())
        readSources((*document)["sources"], out, errors);
    if (!errors.empty())
        return errors;
    return out;
}

std::string toJson(const ClusterCalibration& calibration)
{
    Json values = Json::object(), sources = Json::array();
    for (const auto& [path, text] : calibration.values) {
        const auto number = doubleFromText(text);
        values[path] = number ? Json(*number) : Json(text);
    }
    for (const CalibrationSource& s : calibration.sources)
        sources.push_back({{"what", s.what}, {"input", s.input}, {"facts", s.facts}});
    Json document{{"format", kClusterFormat}};
    if (calibration.machine.peakBf16Tflops > 0)
        document["machine"] = {{"gpu", calibration.machine.gpu},
                               {"peak_bf16_tflops", calibration.machine.peakBf16Tflops},
                               {"num_sms", calibration.machine.numSms}};
    document["values"] = values;
    if (!calibration.regimePool.empty())
        document["compute_regime_pool"] = calibration.regimePool;
    document["measured"] = measuredJson(calibration.measured);
    document["sources"] = sources;
    return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

ClusterCalibration joined(ClusterCalibration first, const ClusterCalibration& second)
{
    for (const auto& [path, text] : second.values) {
        const auto known =
            std::find_if(first.values.begin(), first.values.end(), [&path = path](const auto& v) { return v.first == path; });
        if (known == first.values.end())
            first.values.emplace_back(path, text);
        else
            known->second = text;
    }
    if (!second.regimePool.empty())
        first.regimePool = second.regimePool;
    if (second.machine.peakBf16Tflops > 0)
        first.machine = second.machine;
    Scenario rows;
    rows.measured = std::move(first.measured);
    addMeasuredRows(rows, second.measured.rows);
    first.measured = std::move(rows.measured);
    if (!second.measured.kernels.empty())
        first.measured.kernels = second.measured.kernels;
    if (!second.measured.speeds.empty())
        first.measured.speeds = second.measured.speeds;
    if (!second.measured.nodeOrder.empty())
        first.measured.nodeOrder = second.measured.nodeOrder;
    first.sources.insert(first.sources.end(), second.sources.begin(), second.sources.end());
    return first;
}

Result<Scenario> calibratedScenario(Scenario scenario, const ClusterCalibration& calibration)
{
    Diagnostics errors;
    const bool holds = isEqual(calibration.machine, scenario.cluster.gpu);
    for (const auto& [path, text] : holds ? calibration.values : Values()) {
        Result<Scenario> changed = setParameter(scenario, path, text);
        if (changed.ok())
            scenario = std::move(changed).value();
        else
            errors.insert(errors.end(), changed.errors().begin(), changed.errors().end());
    }
    if (!errors.empty())
        return errors;
    if (holds && !calibration.regimePool.empty())
        scenario.variability.computeRegime = empiricalDistribution(calibration.regimePool);
    std::vector<MeasuredRow> own = std::move(scenario.measured.rows);
    scenario.measured.rows = calibration.measured.rows;
    addMeasuredRows(scenario, std::move(own));
    if (scenario.measured.kernels.empty())
        scenario.measured.kernels = calibration.measured.kernels;
    if (scenario.measured.speeds.empty())
        scenario.measured.speeds = calibration.measured.speeds;
    if (scenario.measured.nodeOrder.empty())
        scenario.measured.nodeOrder = calibration.measured.nodeOrder;
    return scenario;
}

Diagnostics excludedFrom(const ClusterCalibration& calibration, const Scenario& scenario)
{
    if (isEqual(calibration.machine, scenario.cluster.gpu))
        return {};
    return {{Severity::warning, "measured.calibration",
             "Level and variability were fitted on another chip and are omitted: they do not apply to this one.", calibration.machine.gpu,
             "a fit on " + scenario.cluster.gpu.name + ", or on a GPU of the same chip", "", ""}};
}

Result<ImportResult> withCalibrationFile(Scenario scenario, const std::string& folder)
{
    if (scenario.measured.calibration.empty())
        return ImportResult{std::move(scenario), {}};
    std::filesystem::path path = scenario.measured.calibration;
    std::error_code error;
    if (const auto nextTo = std::filesystem::path(folder) / path; path.is_relative() && std::filesystem::exists(nextTo, error))
        path = nextTo;
    // A scenario comes from others: what it names is opened only if it is a file, never a device or a pipe that would not end.
    if (!std::filesystem::is_regular_file(path, error))
        return errorAt("measured.calibration", "There is no such file.", scenario.measured.calibration,
                       "a file that fit or calibrate join wrote");
    const Result<std::string> text = readTextFile(path.string());
    if (!text)
        return text.errors();
    const Result<ClusterCalibration> calibration = clusterCalibrationFromJson(*text);
    if (!calibration)
        return calibration.errors();
    Diagnostics notes = excludedFrom(*calibration, scenario);
    Result<Scenario> calibrated = calibratedScenario(std::move(scenario), *calibration);
    if (!calibrated)
        return calibrated.errors();
    return ImportResult{std::move(calibrated).value(), std::move(notes)};
}

Result<ImportResult> setParameterAndRead(const Scenario& scenario, std::string_view id, std::string_view text)
{
    Result<Scenario> changed = setParameter(scenario, id, text);
    if (!changed)
        return changed.errors();
    if (changed->measured.calibration == scenario.measured.calibration)
        return ImportResult{std::move(changed).value(), {}};
    return withCalibrationFile(std::move(changed).value(), {});
}

} // namespace prism
