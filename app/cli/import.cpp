// import: a Hugging Face config.json or Megatron-LM arguments become a scenario file; measured tables go into one.
#include "app/cli/commands.h"
#include "core/measured/importmeasured.h"
#include "core/scenario/import/importers.h"
#include "core/scenario/presets.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <iostream>
#include <memory>

namespace prism::cli {

namespace {

struct ImportOptions : CommonOptions {
    std::string input, base, name;
    NcclTestsOptions nccl;
};

/// What an import starts from when no base is named: one node of the default GPU with measured spreads.
Scenario defaultBase()
{
    Scenario base;
    base.parallelism.sequenceParallel = false;
    if (const auto spreads = variabilityPreset("measured-nvidia"); spreads.ok())
        base.variability = *spreads;
    return base;
}

Scenario baseOf(const ImportOptions& options)
{
    if (options.base.empty())
        return defaultBase();
    CommonOptions base;
    base.scenario = options.base;
    return loadScenario(base);
}

void write(const ImportOptions& options, ImportResult imported)
{
    imported.scenario.name = options.name;
    imported.scenario.note.clear();
    Diagnostics notes = std::move(imported.notes);
    for (Diagnostic& d : check(imported.scenario)) // a model alone need not fit the base yet: said, not refused
        notes.push_back(std::move(d));
    const std::string scenario = toJson(imported.scenario);
    if (options.json) {
        const nlohmann::ordered_json report{{"scenario", nlohmann::ordered_json::parse(scenario)},
                                            {"notes", nlohmann::ordered_json::parse(diagnosticsJson(notes))["errors"]}};
        writeOutput(options, report.dump(2) + "\n");
        return;
    }
    std::cerr << diagnosticsText(notes);
    writeOutput(options, scenario);
}

/// The base with measured rows added; its name stays.
void writeMeasured(const ImportOptions& options, std::vector<MeasuredRow> rows)
{
    ImportResult imported;
    imported.scenario = baseOf(options);
    const std::size_t read = rows.size();
    const int replaced = addMeasuredRows(imported.scenario, std::move(rows));
    imported.notes.push_back(
        {Severity::warning, "measured.rows",
         std::to_string(read) + " measured rows were read, " + std::to_string(replaced) + " of them in place of others", "", "", "", ""});
    ImportOptions kept = options;
    kept.name = imported.scenario.name;
    write(kept, std::move(imported));
}

CLI::App* addImport(CLI::App& parent, Cli& cli, const char* name, const char* help, const std::shared_ptr<ImportOptions>& options)
{
    CLI::App* command = parent.add_subcommand(name, help);
    command->add_option("file", options->input, "The file, or - for standard input")->required();
    command->add_option("--base", options->base, "Scenario that gives what the input does not say (file, preset name, ...)");
    command->add_option("--name", options->name, "Name of the new scenario")->capture_default_str();
    addOutput(*command, *options, cli);
    return command;
}

} // namespace

void addImport(CLI::App& app, Cli& cli)
{
    CLI::App* command = app.add_subcommand("import", "Make a scenario file from a model or launch description; notes go to standard error");
    command->require_subcommand(1);
    auto options = std::make_shared<ImportOptions>();
    options->name = "imported";
    addImport(*command, cli, "hf-config", "From a Hugging Face config.json (model)", options)->callback([options] {
        write(*options, require(importHuggingFaceConfig(readInput(options->input), baseOf(*options))));
    });
    addImport(*command, cli, "megatron-args", "From Megatron-LM arguments or a launch script (model, parallelism, training)", options)
        ->callback([options] { write(*options, require(importMegatronArguments(readInput(options->input), baseOf(*options)))); });
    CLI::App* nccl =
        addImport(*command, cli, "nccl-tests",
                  "Measured collectives from the log of all_reduce_perf and its like, into the base's measured table", options);
    nccl->add_option("--op", options->nccl.op, "The collective, where the log does not name it")
        ->check(CLI::IsMember({"all_reduce", "all_gather", "reduce_scatter", "all_to_all", "p2p"}));
    nccl->add_option("--ranks", options->nccl.ranks, "The number of ranks, where the log does not list them")
        ->check(CLI::Range(2, 1 << 20));
    nccl->callback([options] { writeMeasured(*options, require(ncclTestsRows(readInput(options->input), options->nccl))); });
    addImport(*command, cli, "operators",
              "Measured operators from CSV (op, m, n, k, dtype, ranks, bytes, time_us), into the base's measured table", options)
        ->callback([options] { writeMeasured(*options, require(operatorTableRows(readInput(options->input)))); });
}

} // namespace prism::cli
