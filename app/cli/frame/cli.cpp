// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/frame/cli.h"

#include "app/cli/frame/quantities.h"
#include "core/base/diagnostictext.h"
#include "core/base/outputfile.h"
#include "core/base/platform/process.h"
#include "core/base/printable.h"
#include "core/base/table.h"
#include "core/base/text.h"
#include "core/calibrate/clustercalibration.h"
#include "core/cost/predictor.h"
#include "core/scenario/parameters.h"
#include "core/scenario/presets.h"
#include "core/study/study.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <limits>

namespace prism::cli {

namespace {

constexpr std::size_t kMaxSentenceBytes = 4'000; ///< of one diagnostic: a list of what is accepted may be long

Diagnostic inputProblem(const std::string& path, const std::string& message, const std::string& accepted)
{
    Diagnostic d;
    d.path = path;
    d.message = message;
    d.accepted = accepted;
    return d;
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
            for (const Diagnostic& d : changed.errors())
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

/// Where "STUDY.prism:NAME" splits; npos when it is not such a name.
std::size_t studyNameSeparator(const std::string& name)
{
    const auto end = name.find(".prism:");
    return end == std::string::npos ? end : end + std::strlen(".prism");
}

/// Neither a file nor a preset: the presets, the nearest first, and what else SCENARIO may be.
Diagnostic unknownScenario(const std::string& name)
{
    const std::vector<std::string> names = presetNames("scenario");
    if (names.empty())
        return inputProblem(name, "There is no such file.", "a file, - or STUDY.prism:NAME; there are no presets here");
    Diagnostic unknown = unknownName(name, "file or scenario preset", name, names);
    unknown.accepted = "a file, -, STUDY.prism:NAME, or a preset (prism-cli presets list), " + unknown.accepted;
    return unknown;
}

/// The scenario as it is named, without --set.
Scenario namedScenario(const std::string& name)
{
    std::error_code error;
    if (name.ends_with(".prism") && std::filesystem::exists(name, error))
        return require(scenarioFromStudy(name, ""));
    if (name == "-" || std::filesystem::exists(name, error))
        return require(scenarioFromJson(readInput(name)), name);
    for (const PresetInfo& info : presetList())
        if (info.kind == "scenario" && info.name == name)
            return require(scenarioPreset(name));
    if (const auto colon = studyNameSeparator(name); colon != std::string::npos)
        return require(scenarioFromStudy(name.substr(0, colon), name.substr(colon + 1)));
    throw InputError({unknownScenario(name)});
}

/// The first of them, and how many more there are where a file has thousands.
Diagnostics fewOf(const Diagnostics& diagnostics)
{
    constexpr std::size_t kMaxShown = 200;
    if (diagnostics.size() <= kMaxShown)
        return diagnostics;
    Diagnostics few(diagnostics.begin(), diagnostics.begin() + kMaxShown);
    few.push_back(
        {few.back().severity, "", "there are " + std::to_string(diagnostics.size() - kMaxShown) + " more of these", "", "", "", ""});
    return few;
}

/// As long as a diagnostic may be: keys and values of a hostile file are cut at a character.
std::string bounded(const std::string& text)
{
    return text.size() <= kMaxSentenceBytes ? text : printable(text, kMaxSentenceBytes);
}

/// The file that a place is in, where the place itself does not begin with it.
std::string fileOf(const Diagnostic& d, const std::string& file)
{
    const std::string name = file == "-" ? "standard input" : file;
    return d.path.starts_with(name) ? std::string() : name;
}

/// Everything that --strict refuses: what is only a warning otherwise.
void requireNoWarnings(Diagnostics found)
{
    std::erase_if(found, [](const Diagnostic& d) { return d.severity == Severity::note; });
    for (Diagnostic& d : found)
        d.severity = Severity::error;
    if (!found.empty())
        throw InputError(found);
}

/// A relative path of the calibration starts at the scenario's folder.
Scenario withCalibration(Scenario scenario, const CommonOptions& options)
{
    std::error_code error;
    const std::filesystem::path file = options.scenario;
    const bool isFile = std::filesystem::is_regular_file(file, error);
    ImportResult read = require(withCalibrationFile(std::move(scenario), isFile ? file.parent_path().string() : std::string()));
    if (options.strict)
        requireNoWarnings(read.notes);
    reportDiagnostics(options, read.notes);
    return std::move(read.scenario);
}

} // namespace

void addScenario(CLI::App& command, CommonOptions& options)
{
    command.add_option("scenario", options.scenario, "Scenario: a JSON file, - for standard input, a preset name, or STUDY.prism:NAME")
        ->required();
    command.add_option("--set", options.overrides, "Override one parameter: path=value (repeatable)")->allow_extra_args(false);
    command.add_flag("--strict", options.strict, "Treat warnings as errors, for example when the job exceeds GPU memory");
}

void addSampling(CLI::App& command, CommonOptions& options)
{
    command.add_option("--seed", options.seed, "Seed of all random numbers")->capture_default_str();
    asCount(command.add_option("--samples", options.samples, "Steps to sample"))->check(CLI::Range(2, 10'000'000))->capture_default_str();
    command.add_option("--threads", options.threads, "Threads (0 = all cores, which is also the maximum); results do not depend on it")
        ->check(CLI::Range(0, 1024))
        ->capture_default_str();
    command.add_flag("--allow-long", options.allowLong, "Allow evaluations that are estimated to take more than 12 s of CPU");
    options.isSampled = true;
    command.parse_complete_callback([&options] { options.threads = std::min(options.threads, usableCores()); });
}

void addOutput(CLI::App& command, CommonOptions& options, Cli& cli)
{
    command.add_flag("--json", options.json, "Print JSON for programs instead of text")->each([&cli](const std::string&) {
        cli.json = true;
    });
    command.add_option("--output", options.output, "Write to this file instead of standard output");
    command.add_flag("--quiet", options.quiet, "Print only errors on standard error: no notes, warnings or progress");
}

std::string readInput(const std::string& path, std::size_t limitBytes)
{
    return require(readTextFile(path, limitBytes));
}

void writeOutput(const CommonOptions& options, const std::string& text)
{
    if (options.output.empty()) {
        writeStandardOutput(text);
        return;
    }
    if (const Diagnostics problems = writeFile(options.output, printableLines(text)); !problems.empty())
        throw InputError(problems);
}

void addRawText(CLI::App& command, CommonOptions& options)
{
    command.add_flag("--raw-text", options.rawText,
                     "Write texts of CSV exactly as they are: without it, control and bidirectional characters are removed and texts that "
                     "begin with = + - or @ get an apostrophe in front");
}

TableText textsOf(const CommonOptions& options)
{
    return options.rawText ? TableText::exact : TableText::forSheets;
}

void writeTable(const CommonOptions& options, const std::string& table)
{
    if (options.output.empty() && isTerminal(StandardStream::output)) {
        writeStandardOutput(table);
    } else if (options.output.empty()) {
        writeStyledOutput(table);
    } else if (const Diagnostics problems = writeFile(options.output, table); !problems.empty()) {
        throw InputError(problems);
    }
}

void writeStyledOutput(const std::string& text)
{
    std::cout << text;
    std::cout.flush();
    if (!std::cout)
        throw InputError({inputProblem("standard output", "The output cannot be written.", "a writable place")});
}

bool isForTerminal(const CommonOptions& options)
{
    return options.output.empty() && !options.json && isTerminal(StandardStream::output);
}

void reportLine(const CommonOptions& options, const std::string& line)
{
    if (options.quiet)
        return;
    for (TextLines lines(line); lines.next();)
        std::cerr << printable(lines.text(), kMaxSentenceBytes) << '\n';
}

void reportDiagnostics(const CommonOptions& options, const Diagnostics& diagnostics)
{
    if (!options.quiet)
        std::cerr << diagnosticsText(diagnostics, Style(StandardStream::error));
}

void writeSamples(const std::string& file, const std::vector<double>& seconds)
{
    if (file.empty())
        return;
    std::string text = "sample,step_time_s\n";
    for (std::size_t i = 0; i < seconds.size(); ++i)
        text += fmt::format("{},{}\n", i, seconds[i]);
    CommonOptions options;
    options.output = file;
    writeOutput(options, text);
}

void writeStandardOutput(const std::string& text)
{
    writeStyledOutput(printableLines(text));
}

Scenario loadScenario(const CommonOptions& options)
{
    Scenario scenario = applyOverrides(namedScenario(options.scenario), options.overrides);
    if (!scenario.measured.calibration.empty()) // what is set goes over what was measured
        scenario = applyOverrides(withCalibration(std::move(scenario), options), options.overrides);
    if (options.isSampled)
        requireAffordable(options, evaluationSize(scenario, options.samples));
    if (options.strict)
        requireNoWarnings(require(costStep(scenario)).warnings);
    return scenario;
}

void requireAffordable(const CommonOptions& options, const EvaluationSize& size)
{
    if (const Diagnostics problems = tooCostly(size, options.allowLong ? std::numeric_limits<double>::infinity() : kMaxQuickSeconds);
        !problems.empty())
        throw InputError(problems);
    if (estimatedCost(size).cpuSeconds > kMaxQuickSeconds)
        reportLine(options, "Estimate: " + costText(size));
}

std::string diagnosticsText(const Diagnostics& diagnostics, const Style& style, const std::string& file)
{
    std::string text;
    for (Diagnostic d : fewOf(diagnostics)) {
        if (const std::string of = fileOf(d, file); !of.empty())
            d.path = of + (d.path.empty() ? "" : ": " + d.path);
        const std::string name(severityName(d.severity));
        const std::string kind = d.severity == Severity::error     ? style.red(name)
                                 : d.severity == Severity::warning ? style.yellow(name)
                                                                   : style.blue(name);
        text += kind + ": " + printable(sentence(d), kMaxSentenceBytes);
        if (!d.fixPath.empty())
            text += " Fix: --set " + printable(d.fixPath) + "=" + printable(d.fixValue);
        text += "\n";
    }
    return text;
}

std::string diagnosticsJson(const Diagnostics& diagnostics, const std::string& file)
{
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Diagnostic& d : fewOf(diagnostics)) {
        nlohmann::ordered_json entry{{"severity", severityName(d.severity)},
                                     {"path", bounded(d.path)},
                                     {"message", bounded(d.message)},
                                     {"found", bounded(d.found)},
                                     {"accepted", bounded(d.accepted)}};
        if (const std::string of = fileOf(d, file); !of.empty())
            entry["file"] = of;
        if (!d.fixPath.empty())
            entry["fix"] = {{"path", d.fixPath}, {"value", d.fixValue}};
        list.push_back(std::move(entry));
    }
    return nlohmann::ordered_json{{"errors", std::move(list)}}.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

} // namespace prism::cli
