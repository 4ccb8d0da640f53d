// SPDX-License-Identifier: GPL-3.0-or-later
// import: a Hugging Face config.json or Megatron-LM arguments become a scenario file; measured tables go into one.
#include "app/cli/frame/suggestion.h"
#include "app/cli/scenario/importcommand.h"
#include "app/cli/measured/steplogoptions.h"
#include "core/base/jsontext.h"
#include "core/base/printable.h"
#include "core/base/text.h"
#include "core/measured/seriesshape.h"
#include "core/measured/speedtable.h"
#include "core/scenario/sectionpresets.h"
#include "core/scenario/presets.h"
#include "core/scenario/presetlibrary.h"
#include "core/scenario/scenariolimits.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <memory>

namespace prism::cli {

namespace {

/// The base of an import when none is named: one node of the default GPU with measured spreads.
Scenario defaultBase()
{
    Scenario base;
    base.parallelism.sequenceParallel = false;
    if (const auto spreads = variabilityPreset(measuredSpreadOf(base.cluster.gpu.preset)); spreads.ok())
        base.variability = *spreads;
    return base;
}

/// The base with measured rows added; its name stays.
void writeMeasured(const ImportOptions& options, std::vector<MeasuredRow> rows)
{
    ImportResult imported;
    imported.scenario = importBase(options);
    const std::size_t read = rows.size();
    const int replaced = addMeasuredRows(imported.scenario, std::move(rows));
    imported.notes.push_back(
        {Severity::warning, "measured.rows",
         std::to_string(read) + " measured rows were read, " + std::to_string(replaced) + " of them in place of others", "", "", "", ""});
    ImportOptions kept = options;
    kept.name = imported.scenario.name;
    writeImported(kept, std::move(imported));
}

/// The base with measured speeds of nodes or GPUs instead of its former ones.
void writeSpeeds(const ImportOptions& options)
{
    const SpeedTable table = require(readSpeedTable(readInput(options.input), options.input));
    ImportResult imported;
    imported.scenario = importBase(options);
    imported.scenario.measured.speeds.clear();
    for (const SpeedRow& row : table.rows)
        imported.scenario.measured.speeds.push_back({row.node, row.gpu, row.relativeSpeed});
    imported.notes = table.notes;
    ImportOptions kept = options;
    kept.name = imported.scenario.name;
    writeImported(kept, std::move(imported));
}

struct ImportStepsOptions : CommonOptions {
    StepLogInput log;
};

/// The steps as a table that every other command reads.
std::string stepsTable(const StepLog& log, TableText texts)
{
    std::string csv = "run,step,samples_seen,pause_s,step_time_s\n";
    const auto orEmpty = [](double x) { return x < 0 ? std::string() : numberText(x); };
    for (const LoggedRun& run : log.runs)
        for (const LoggedStep& s : run.steps)
            csv += tableLine({tableText(run.name, texts), s.number < 0 ? "" : std::to_string(s.number), orEmpty(s.samplesSeen),
                              orEmpty(s.pauseSeconds), numberText(s.seconds)});
    return csv;
}

/// The same as JSON. Two million steps as one JSON value would take more than 1 GiB: they are written one by one, in the place of null.
std::string stepsJson(const StepLog& log)
{
    using Json = nlohmann::ordered_json;
    const auto text = [](const Json& value) { return value.dump(2, ' ', false, Json::error_handler_t::replace); };
    const Json report{{"format", log.format},     {"lines", log.lines},       {"matched", log.matched},
                      {"repeated", log.repeated}, {"unusable", log.unusable}, {"steps", nullptr}};
    constexpr std::string_view kNull = "null\n}";
    std::string out = text(report);
    out.replace(out.size() - kNull.size(), kNull.size(), "[");
    for (const LoggedRun& run : log.runs)
        for (const LoggedStep& s : run.steps) {
            const Json step{{"run", run.name}, {"step", s.number}, {"samples_seen", s.samplesSeen}, {"step_time_s", s.seconds}};
            out.append(out.back() == '[' ? "\n    " : ",\n    ");
            for (const char c : text(step))
                out.append(c == '\n' ? "\n    " : std::string_view(&c, 1));
        }
    return out + "\n  ]\n}\n";
}

/// What was matched and found goes to standard error.
void writeSteps(const ImportStepsOptions& options)
{
    const StepLog log = loadStepLog(options.log, options);
    reportLine(options, reportText(log));
    const std::vector<RunShape> shapes = runShapes(log.runs);
    for (std::size_t i = 0; i < shapes.size(); ++i)
        reportLine(options, "  " + printable(log.runs[i].name, kMaxNameBytes) + ": " + shapeText(shapes[i]) + "\n");
    if (options.json)
        writeOutput(options, stepsJson(log));
    else
        writeTable(options, stepsTable(log, textsOf(options)));
}

CLI::App* addImport(CLI::App& parent, Cli& cli, const char* name, const char* help, const std::shared_ptr<ImportOptions>& options)
{
    CLI::App* command = parent.add_subcommand(name, help);
    command->add_option("file", options->input, "The file, or - for standard input")->required();
    command->add_option("--base", options->base, "Scenario that supplies what the input does not state (file, preset name, ...)");
    command->add_option("--name", options->name, "Name of the new scenario")->capture_default_str();
    addOutput(*command, *options, cli);
    return command;
}

} // namespace

Scenario importBase(const ImportOptions& options)
{
    if (options.base.empty())
        return defaultBase();
    CommonOptions base;
    base.scenario = options.base;
    return loadScenario(base);
}

void writeImported(const ImportOptions& options, ImportResult imported)
{
    imported.scenario.name = options.name;
    imported.scenario.note.clear();
    Diagnostics notes = std::move(imported.notes);
    for (Diagnostic& d : check(imported.scenario))
        notes.push_back(std::move(d));
    if (hasErrors(notes)) // check must accept what import accepts
        throw InputError(notes);
    const std::string scenario = toJson(imported.scenario);
    if (options.json) {
        const nlohmann::ordered_json report{{"scenario", require(parseOrderedJson(scenario))},
                                            {"notes", require(parseOrderedJson(diagnosticsJson(notes)))["errors"]}};
        writeOutput(options, report.dump(2) + "\n");
        return;
    }
    reportDiagnostics(options, notes);
    writeOutput(options, scenario);
}

void addImport(CLI::App& app, Cli& cli)
{
    CLI::App* command = app.add_subcommand("import", "Make a scenario file from a model or launch description; notes go to standard error");
    command->require_subcommand(1);
    auto options = std::make_shared<ImportOptions>();
    options->name = "imported";
    addImport(*command, cli, "hf-config", "From a Hugging Face config.json (model)", options)->callback([options] {
        writeImported(*options, require(importHuggingFaceConfig(readInput(options->input), importBase(*options)), options->input));
    });
    addImport(*command, cli, "megatron-args", "From Megatron-LM arguments or a launch script (model, parallelism, training)", options)
        ->callback([options] {
            writeImported(*options, require(importMegatronArguments(readInput(options->input), importBase(*options)), options->input));
        });
    CLI::App* nccl =
        addImport(*command, cli, "nccl-tests",
                  "Measured collectives from the log of all_reduce_perf and its like, into the base's measured table", options);
    nccl->add_option("--op", options->nccl.op, "The collective, where the log does not name it")
        ->check(oneOf({"all_reduce", "all_gather", "reduce_scatter", "all_to_all", "p2p"}));
    nccl->add_option("--ranks", options->nccl.ranks, "The number of ranks, where the log does not list them")
        ->check(CLI::Range(2, 1 << 20));
    nccl->callback(
        [options] { writeMeasured(*options, require(ncclTestsRows(readInput(options->input), options->nccl), options->input)); });
    addImport(*command, cli, "operators",
              "Measured operators from CSV (op, m, n, k, dtype, ranks, bytes, time_us), into the base's measured table", options)
        ->callback([options] { writeMeasured(*options, require(operatorTableRows(readInput(options->input)), options->input)); });
    addImport(*command, cli, "speeds",
              "Measured speeds of nodes or GPUs from CSV (node, gpu, speed or TFLOP/s), into the base's measured table", options)
        ->callback([options] { writeSpeeds(*options); });
    addImportTrace(*command, cli);
    auto steps = std::make_shared<ImportStepsOptions>();
    CLI::App* stepsCommand =
        command->add_subcommand("steps", "Step times of a training log, as a table that validate steps, fit and follow read");
    addStepLog(*stepsCommand, steps->log);
    addOutput(*stepsCommand, *steps, cli);
    addRawText(*stepsCommand, *steps);
    stepsCommand->callback([steps] { writeSteps(*steps); });
}

} // namespace prism::cli
