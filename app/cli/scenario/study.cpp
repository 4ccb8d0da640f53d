// SPDX-License-Identifier: GPL-3.0-or-later
// study: look into study files, put scenarios in and take them out, compare, check, compact, salvage.
#include "app/cli/frame/commands.h"
#include "app/cli/frame/quantities.h"
#include "core/base/jsontext.h"
#include "core/base/printable.h"
#include "core/scenario/parameters.h"
#include "core/scenario/scenariodifferences.h"
#include "core/study/study.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>

#include <charconv>
#include <ctime>
#include <filesystem>
#include <memory>

namespace prism::cli {

namespace {

using Json = nlohmann::ordered_json;

struct StudyCommand : CommonOptions {
    std::string file;          ///< the study
    std::string first, second; ///< names, or what to add or import
    std::string name, note;
    int revision = 0; ///< 1 = the first; 0 = the current one
    double waitSeconds = 2;
    bool replace = false, dropHistory = false;
};

std::string jsonText(const Json& json)
{
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string timeText(std::int64_t ms)
{
    const std::time_t seconds = ms / 1000;
    std::tm utc{};
    char text[32] = "?";
    if (gmtime_r(&seconds, &utc))
        (void)std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &utc);
    return text;
}

void requireDone(const CommonOptions& options, const Diagnostics& diagnostics)
{
    if (hasErrors(diagnostics))
        throw InputError(diagnostics);
    reportDiagnostics(options, diagnostics);
}

StudyOptions studyOptions(const StudyCommand& command, StudyAccess access)
{
    return {.access = access, .waitSeconds = command.waitSeconds, .program = "prism-cli", .backupFolder = studyBackupFolder()};
}

Study openStudy(const StudyCommand& command, StudyAccess access)
{
    Study study = require(Study::open(command.file, studyOptions(command, access)));
    reportDiagnostics(command, study.notes());
    if (access == StudyAccess::readWrite && study.readOnly())
        throw InputError({{Severity::error, std::string(study_problem::kReadOnly), "The study cannot be changed. " + study.readOnlyReason(),
                           command.file}});
    return study;
}

Json jsonOrText(const std::string& text)
{
    Result<Json> json = parseOrderedJson(text);
    return json.ok() ? std::move(json).value() : Json(text);
}

/// "NAME", or "NAME@N" for its Nth revision, 1 = the first.
std::string scenarioText(const Study& study, const std::string& name, int revision = 0)
{
    std::string plain = name;
    if (!study.scenario(name).ok())
        if (const auto at = name.rfind('@'); at != std::string::npos) {
            const auto [end, error] = std::from_chars(name.data() + at + 1, name.data() + name.size(), revision);
            if (error == std::errc() && end == name.data() + name.size())
                plain = name.substr(0, at);
        }
    const StudyScenario scenario = require(study.scenario(plain));
    if (revision == 0)
        return scenario.json;
    const auto revisions = require(study.revisions(scenario.id));
    if (revision < 1 || revision > static_cast<int>(revisions.size()))
        throw InputError({{Severity::error, name, "The scenario has no such revision.", std::to_string(revision),
                           "1 to " + std::to_string(revisions.size())}});
    return require(study.revisionJson(revisions[static_cast<std::size_t>(revision - 1)].id));
}

void list(const StudyCommand& command)
{
    const Study study = openStudy(command, StudyAccess::readOnly);
    const auto scenarios = study.scenarios();
    const ScenarioId baseline = study.baseline();
    Json rows = Json::array();
    std::string text = fmt::format("{}  ({} scenarios)\n", printable(study.name().empty() ? command.file : study.name()), scenarios.size());
    for (const StudyScenario& s : scenarios) {
        const auto revisions = require(study.revisions(s.id)).size();
        const auto parent = s.parent.value ? study.scenario(s.parent) : Result<StudyScenario>(StudyScenario{});
        rows.push_back({{"id", s.id.value},
                        {"name", s.name},
                        {"note", s.note},
                        {"colour", s.colour},
                        {"line_style", s.lineStyle},
                        {"visible", s.visible},
                        {"archived", s.archived},
                        {"baseline", s.id == baseline},
                        {"parent", parent.ok() ? parent->name : ""},
                        {"revisions", revisions}});
        text += fmt::format("{} {:<32} {:>5} revisions{}{}{}\n", s.id == baseline ? "*" : " ", printable(s.name), revisions,
                            s.visible ? "" : "  hidden", s.archived ? "  archived" : "", s.note.empty() ? "" : "  " + printable(s.note));
    }
    const auto imports = require(study.attachments());
    Json attachments = Json::array();
    for (const StudyAttachment& a : imports) {
        attachments.push_back({{"id", a.id.value}, {"kind", a.kind}, {"name", a.name}, {"source", a.source}, {"bytes", a.bytes}});
        text += fmt::format("  import {:<25} {} from {}, {} bytes\n", printable(a.name), printable(a.kind), printable(a.source), a.bytes);
    }
    const Json json{{"file", command.file},
                    {"name", study.name()},
                    {"scenarios", std::move(rows)},
                    {"attachments", std::move(attachments)},
                    {"result_bytes", require(study.storedResultBytes())}};
    writeOutput(command, command.json ? jsonText(json) : text);
}

void show(const StudyCommand& command)
{
    const Study study = openStudy(command, StudyAccess::readOnly);
    const StudyScenario scenario = require(study.scenario(command.first));
    const auto revisions = require(study.revisions(scenario.id));
    const std::string body = scenarioText(study, command.first, command.revision);
    Json history = Json::array();
    std::string text = fmt::format("{}{}\n", printable(scenario.name), scenario.note.empty() ? "" : ": " + printable(scenario.note));
    for (std::size_t i = 0; i < revisions.size(); ++i) {
        const bool current = revisions[i].id == scenario.current;
        history.push_back(
            {{"number", i + 1}, {"time", timeText(revisions[i].timeMs)}, {"label", revisions[i].label}, {"current", current}});
        text += fmt::format("{} {:>5}  {}  {}\n", current ? "*" : " ", i + 1, timeText(revisions[i].timeMs), printable(revisions[i].label));
    }
    const Json json{{"name", scenario.name}, {"note", scenario.note}, {"scenario", jsonOrText(body)}, {"revisions", std::move(history)}};
    writeOutput(command, command.json ? jsonText(json) : text + "\n" + jsonText(jsonOrText(body)));
}

void add(const StudyCommand& command)
{
    CommonOptions source = command;
    source.scenario = command.first;
    const Scenario scenario = loadScenario(source);
    const std::string name = command.name.empty() ? scenario.name : command.name;
    std::error_code none;
    Study study = std::filesystem::exists(command.file, none)
                      ? openStudy(command, StudyAccess::readWrite)
                      : require(Study::create(command.file, studyOptions(command, StudyAccess::readWrite)));
    const auto existing = study.scenario(name);
    ScenarioId id;
    if (existing.ok() && command.replace) {
        id = existing->id;
        (void)require(study.updateScenario(id, {.json = toJson(scenario), .label = "Replaced from the command line"}));
    } else {
        id = require(study.addScenario(name, toJson(scenario)));
    }
    if (!command.note.empty())
        requireDone(command, study.setNote(id, command.note));
    const std::string kept = require(study.scenario(id)).name;
    writeOutput(command, command.json
                             ? jsonText({{"file", command.file}, {"name", kept}, {"id", id.value}, {"hash", scenario.hash().text()}})
                             : fmt::format("{}: {} \"{}\"\n", command.file, existing.ok() && command.replace ? "replaced" : "added", kept));
}

void exportTo(const StudyCommand& command)
{
    const Study study = openStudy(command, StudyAccess::readOnly);
    if (!command.first.empty()) {
        const std::string text = scenarioText(study, command.first, command.revision);
        writeOutput(command, text.ends_with('\n') ? text : text + "\n");
        return;
    }
    if (command.output.empty())
        throw InputError(
            {{Severity::error, "--output", "A whole study is exported into a folder.", "", "--output FOLDER, or the name of a scenario"}});
    requireDone(command, study.exportFolder(command.output));
    writeStandardOutput(command.json ? jsonText({{"folder", command.output}, {"scenarios", study.scenarios().size()}})
                                     : fmt::format("{}: {} scenarios\n", command.output, study.scenarios().size()));
}

void import(const StudyCommand& command)
{
    if (std::error_code none; !std::filesystem::is_directory(command.first, none)) {
        add(command);
        return;
    }
    const Study study = require(Study::importFolder(command.first, command.file, studyOptions(command, StudyAccess::readWrite)));
    writeOutput(command, command.json ? jsonText({{"file", command.file}, {"scenarios", study.scenarios().size()}})
                                      : fmt::format("{}: {} scenarios\n", command.file, study.scenarios().size()));
}

void diff(const StudyCommand& command)
{
    const Study study = openStudy(command, StudyAccess::readOnly);
    const Scenario a = require(scenarioFromJson(scenarioText(study, command.first)));
    const Scenario b = require(scenarioFromJson(scenarioText(study, command.second)));
    Json rows = Json::array();
    std::string text;
    for (const Difference& d : allDifferences(a, b)) {
        const std::string unit = d.parameter ? d.parameter->unit : "";
        rows.push_back({{"path", d.path}, {"label", d.parameter ? d.parameter->label : d.label}, {"unit", unit}, {"a", d.a}, {"b", d.b}});
        text += fmt::format("{:<50} {:>20}  {:>20} {}\n", d.path, printable(d.a), printable(d.b), unit);
    }
    const bool same = text.empty();
    if (same)
        text = "no differences\n";
    writeOutput(command, command.json ? jsonText(
                             {{"a", command.first}, {"b", command.second}, {"same_result", same}, {"differences", std::move(rows)}})
                                      : text);
}

void check(const StudyCommand& command, Cli& cli)
{
    StudyOptions options = studyOptions(command, StudyAccess::readOnly);
    options.checkBudgetSeconds = 0; // the whole check follows
    const Result<Study> study = Study::open(command.file, options);
    Diagnostics findings = study.ok() ? study->check() : study.errors();
    Json rows = Json::array();
    for (const Diagnostic& d : findings)
        rows.push_back({{"path", d.path}, {"message", d.message}, {"found", d.found}, {"accepted", d.accepted}});
    writeOutput(command, command.json ? jsonText({{"file", command.file}, {"sound", findings.empty()}, {"findings", std::move(rows)}})
                                      : (findings.empty() ? command.file + ": sound\n" : diagnosticsText(findings)));
    cli.exitCode = findings.empty() ? exitDone : exitInvalidInput;
}

/// 0 where there is no such file.
std::uint64_t bytesOf(const std::string& path)
{
    std::error_code none;
    const std::uintmax_t bytes = std::filesystem::file_size(path, none);
    return none ? 0 : bytes;
}

void compact(const StudyCommand& command)
{
    const std::uint64_t before = bytesOf(command.file);
    Study study = openStudy(command, StudyAccess::readWrite);
    requireDone(command, study.compact(command.dropHistory));
    const std::uint64_t after = bytesOf(command.file);
    writeOutput(command, command.json ? jsonText({{"file", command.file}, {"bytes_before", before}, {"bytes_after", after}})
                                      : fmt::format("{}: {} bytes, before {} bytes\n", command.file, after, before));
}

void salvage(const StudyCommand& command)
{
    if (command.output.empty())
        throw InputError({{Severity::error, "--output", "Salvage writes a new study.", "", "--output NEW.prism"}});
    const SalvageReport report = require(salvageInChild(command.file, command.output, studyOptions(command, StudyAccess::readWrite)));
    Json losses = Json::array();
    for (const Diagnostic& d : report.losses)
        losses.push_back({{"path", d.path}, {"message", d.message}, {"found", d.found}});
    if (command.json)
        writeStandardOutput(jsonText({{"file", command.output},
                                      {"scenarios", report.scenarios},
                                      {"revisions", report.revisions},
                                      {"attachments", report.attachments},
                                      {"results", report.results},
                                      {"undo_steps", report.steps},
                                      {"losses", std::move(losses)}}));
    else
        writeStandardOutput(fmt::format("{}: {} scenarios, {} revisions, {} imports, {} results, {} undo steps\n", command.output,
                                        report.scenarios, report.revisions, report.attachments, report.results, report.steps)
                            + (report.losses.empty() ? "nothing was lost\n" : diagnosticsText(report.losses)));
}

/// One subcommand: FILE, the common output options, and what runs.
CLI::App* addCommand(CLI::App& study, Cli& cli, const std::shared_ptr<StudyCommand>& command, const char* name, const char* help,
                     const std::function<void()>& run)
{
    CLI::App* app = study.add_subcommand(name, help);
    app->add_option("file", command->file, "Study file (.prism)")->required();
    addOutput(*app, *command, cli);
    app->callback(run);
    return app;
}

void addWait(CLI::App& app, StudyCommand& command)
{
    inUnit(app.add_option("--wait", command.waitSeconds, "Time to wait while another program has the study"), "s")
        ->check(CLI::Range(0.0, 3600.0))
        ->capture_default_str();
}

void addSource(CLI::App& app, StudyCommand& command, const char* option, const char* help)
{
    app.add_option(option, command.first, help)->required();
    app.add_option("--set", command.overrides, "Override one parameter: path=value (repeatable)")->expected(1)->allow_extra_args(false);
    app.add_option("--name", command.name, "Name in the study; otherwise the scenario's own");
    app.add_option("--note", command.note, "Note of the scenario");
    app.add_flag("--replace", command.replace, "A scenario of this name gets a new revision instead of a numbered namesake");
    addWait(app, command);
}

void addRevision(CLI::App& app, StudyCommand& command)
{
    app.add_option("--revision", command.revision, "Revision: 1 = the first, 0 = the current one")->check(CLI::Range(0, 1'000'000'000));
}

} // namespace

void addStudy(CLI::App& app, Cli& cli)
{
    CLI::App* study = app.add_subcommand("study", "Study files: scenarios with their history in one file");
    study->require_subcommand(1);
    study->footer("Any SCENARIO of the other commands may be STUDY.prism:NAME.\n"
                  "Example: prism-cli study add plan.prism llama3-405b-16k-h100 --name base");
    const auto c = std::make_shared<StudyCommand>();

    addCommand(*study, cli, c, "list", "The scenarios of a study", [c] { list(*c); });
    CLI::App* sub = addCommand(*study, cli, c, "show", "One scenario and its history", [c] { show(*c); });
    sub->add_option("name", c->first, "Scenario of the study")->required();
    addRevision(*sub, *c);
    sub = addCommand(*study, cli, c, "add", "Add a scenario; a missing study is created", [c] { add(*c); });
    addSource(*sub, *c, "scenario", "Scenario: a JSON file, - for standard input, a preset name, or STUDY.prism:NAME");
    sub = addCommand(*study, cli, c, "export", "One scenario as JSON, or the study as a folder of JSON and CSV", [c] { exportTo(*c); });
    sub->add_option("name", c->first, "Scenario of the study; without it the whole study goes to the folder --output");
    addRevision(*sub, *c);
    sub = addCommand(*study, cli, c, "import", "A folder made by export as a new study, or a scenario file into a study",
                     [c] { import(*c); });
    addSource(*sub, *c, "source", "Exported folder, or a scenario file");
    sub = addCommand(*study, cli, c, "diff", "The parameters in which two scenarios differ", [c] { diff(*c); });
    sub->add_option("a", c->first, "Scenario, or NAME@N for its Nth revision")->required();
    sub->add_option("b", c->second, "Scenario, or NAME@N for its Nth revision")->required();
    addCommand(*study, cli, c, "check", "Check the whole file; exit code 1 when it is damaged", [c, &cli] { check(*c, cli); });
    sub = addCommand(*study, cli, c, "compact", "Free unused space", [c] { compact(*c); });
    sub->add_flag("--drop-history", c->dropHistory, "Also delete undo steps, removed scenarios and earlier revisions");
    addWait(*sub, *c);
    addCommand(*study, cli, c, "salvage", "Copy everything readable of a damaged study into a new one (--output)", [c] { salvage(*c); });
}

} // namespace prism::cli
