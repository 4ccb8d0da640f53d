#include "app/cli/cli.h"

#include "core/calibrate/clustercalibration.h"
#include "core/scenario/parameters.h"
#include "core/scenario/presets.h"
#include "core/study/study.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

namespace prism::cli {

namespace {

Diagnostic inputProblem(const std::string& path, const std::string& message, const std::string& accepted)
{
    Diagnostic d;
    d.path = path;
    d.message = message;
    d.accepted = accepted;
    return d;
}

std::string readStream(std::istream& in, const std::string& name, std::size_t limitBytes)
{
    std::string text;
    std::vector<char> buffer(std::size_t{1} << 16);
    while (in.read(buffer.data(), static_cast<std::streamsize>(buffer.size())) || in.gcount() > 0) {
        text.append(buffer.data(), static_cast<std::size_t>(in.gcount()));
        if (text.size() > limitBytes)
            throw InputError({inputProblem(name, "The input is too large.", "at most " + std::to_string(limitBytes >> 20) + " MiB")});
    }
    return text;
}

Scenario applyOverrides(Scenario scenario, const std::vector<std::string>& overrides)
{
    Diagnostics errors;
    for (const std::string& text : overrides) {
        const auto equals = text.find('=');
        if (equals == std::string::npos) {
            errors.push_back(inputProblem("--set " + text, "An override needs a path and a value.", "--set path=value"));
            continue;
        }
        auto changed = setParameter(scenario, text.substr(0, equals), text.substr(equals + 1));
        if (changed.ok()) {
            scenario = std::move(changed).value();
        } else {
            for (Diagnostic& d : changed.errors())
                errors.push_back(d);
        }
    }
    if (hasErrors(errors))
        throw InputError(errors);
    Diagnostics found = overrides.empty() ? Diagnostics{} : check(scenario);
    if (hasErrors(found))
        throw InputError(found);
    return scenario;
}

/// Where "STUDY.prism:NAME" splits; npos when it is no such name.
std::size_t studyNameSeparator(const std::string& name)
{
    const auto end = name.find(".prism:");
    return end == std::string::npos ? end : end + std::strlen(".prism");
}

std::string scenarioNames()
{
    std::string names;
    for (const PresetInfo& info : presetList())
        if (info.kind == "scenario")
            names += (names.empty() ? "" : ", ") + info.name;
    return names;
}

} // namespace

void addScenario(CLI::App& command, CommonOptions& options)
{
    command.add_option("scenario", options.scenario, "Scenario: a JSON file, - for standard input, a preset name, or STUDY.prism:NAME")
        ->required();
    command.add_option("--set", options.overrides, "Override one parameter: path=value (repeatable)")->allow_extra_args(false);
}

void addSampling(CLI::App& command, CommonOptions& options)
{
    command.add_option("--seed", options.seed, "Seed of all random numbers")->capture_default_str();
    command.add_option("--samples", options.samples, "Steps to sample")->check(CLI::Range(2, 10'000'000))->capture_default_str();
    command.add_option("--threads", options.threads, "Threads (0 = all cores); the result does not depend on it")
        ->check(CLI::Range(0, 1024))
        ->capture_default_str();
}

void addOutput(CLI::App& command, CommonOptions& options, Cli& cli)
{
    command.add_flag("--json", options.json, "Print JSON for programs instead of text")->each([&cli](const std::string&) {
        cli.json = true;
    });
    command.add_option("--output", options.output, "Write to this file instead of standard output");
}

std::string readInput(const std::string& path, std::size_t limitBytes)
{
    if (path == "-")
        return readStream(std::cin, "standard input", limitBytes);
    std::error_code error;
    if (std::filesystem::is_directory(path, error))
        throw InputError({inputProblem(path, "This is a folder, not a file.", "a file")});
    std::ifstream in(path, std::ios::binary);
    if (!in)
        throw InputError({inputProblem(path, std::string("The file cannot be read: ") + std::strerror(errno) + ".", "a readable file")});
    return readStream(in, path, limitBytes);
}

void writeOutput(const CommonOptions& options, const std::string& text)
{
    if (options.output.empty()) {
        std::cout << text;
        std::cout.flush();
        if (!std::cout)
            throw InputError({inputProblem("standard output", "The output cannot be written.", "a writable place")});
        return;
    }
    const std::string temporary = options.output + ".part";
    {
        std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
        out << text;
        out.flush();
        if (!out)
            throw InputError({inputProblem(options.output, "The file cannot be written.", "a writable place")});
    }
    std::error_code error;
    std::filesystem::rename(temporary, options.output, error);
    if (error)
        throw InputError({inputProblem(options.output, "The file cannot be written: " + error.message() + ".", "a writable place")});
}

namespace {

/// The scenario as it is named, without --set.
Scenario namedScenario(const std::string& name)
{
    std::error_code error;
    if (name.ends_with(".prism") && std::filesystem::exists(name, error))
        return require(scenarioFromStudy(name, ""));
    if (name == "-" || std::filesystem::exists(name, error))
        return require(scenarioFromJson(readInput(name)));
    for (const PresetInfo& info : presetList())
        if (info.kind == "scenario" && info.name == name)
            return require(scenarioPreset(name));
    if (const auto colon = studyNameSeparator(name); colon != std::string::npos)
        return require(scenarioFromStudy(name.substr(0, colon), name.substr(colon + 1)));
    throw InputError({inputProblem(name, "There is no such file, and no scenario preset of this name.",
                                   "a file, -, STUDY.prism:NAME, or one of " + scenarioNames())});
}

/// The file is read from the scenario's folder where its path is relative.
Scenario withCalibration(Scenario scenario, const std::string& scenarioName)
{
    if (scenario.measured.calibration.empty())
        return scenario;
    std::filesystem::path path = scenario.measured.calibration;
    std::error_code error;
    if (path.is_relative() && std::filesystem::is_regular_file(scenarioName, error))
        if (const auto beside = std::filesystem::path(scenarioName).parent_path() / path; std::filesystem::exists(beside, error))
            path = beside;
    return require(calibratedScenario(std::move(scenario), require(clusterCalibrationFromJson(readInput(path.string())))));
}

} // namespace

Scenario loadScenario(const CommonOptions& options)
{
    const Scenario named = applyOverrides(namedScenario(options.scenario), options.overrides);
    if (named.measured.calibration.empty())
        return named;
    return applyOverrides(withCalibration(named, options.scenario), options.overrides); // what is set goes over what was measured
}

std::string diagnosticsText(const Diagnostics& diagnostics)
{
    std::string text;
    for (const Diagnostic& d : diagnostics) {
        const char* kind = d.severity == Severity::error ? "error" : d.severity == Severity::warning ? "warning" : "note";
        text += std::string(kind) + ": " + (d.path.empty() ? "" : d.path + ": ") + d.message;
        if (!d.found.empty())
            text += " Found: " + d.found + ".";
        if (!d.accepted.empty())
            text += " Accepted: " + d.accepted + ".";
        if (!d.fixPath.empty())
            text += " Fix: --set " + d.fixPath + "=" + d.fixValue;
        text += "\n";
    }
    return text;
}

std::string diagnosticsJson(const Diagnostics& diagnostics)
{
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Diagnostic& d : diagnostics) {
        nlohmann::ordered_json entry{{"severity", d.severity == Severity::error     ? "error"
                                                  : d.severity == Severity::warning ? "warning"
                                                                                    : "note"},
                                     {"path", d.path},
                                     {"message", d.message},
                                     {"found", d.found},
                                     {"accepted", d.accepted}};
        if (!d.fixPath.empty())
            entry["fix"] = {{"path", d.fixPath}, {"value", d.fixValue}};
        list.push_back(std::move(entry));
    }
    return nlohmann::ordered_json{{"errors", std::move(list)}}.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

} // namespace prism::cli
