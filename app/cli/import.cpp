// import: a Hugging Face config.json or Megatron-LM arguments become a scenario file.
#include "app/cli/commands.h"
#include "core/scenario/presets.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <iostream>
#include <memory>

namespace prism::cli {

namespace {

struct ImportOptions : CommonOptions {
    std::string input, base, name;
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
    addImport(*command, cli, "megatron-args", "From Megatron-LM arguments or a launch script (model, parallelism, training)", options)->callback([options] {
        write(*options, require(importMegatronArguments(readInput(options->input), baseOf(*options))));
    });
}

} // namespace prism::cli
