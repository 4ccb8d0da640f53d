// SPDX-License-Identifier: GPL-3.0-or-later
// new: a commented scenario file to start from.
#include "app/cli/frame/commands.h"
#include "core/scenario/sectionpresets.h"
#include "core/scenario/scenariotemplate.h"

#include <CLI/CLI.hpp>

#include <memory>

namespace prism::cli {

namespace {

struct NewOptions : CommonOptions {
    std::string name;
    bool all = false;
};

} // namespace

void addNew(CLI::App& app, Cli& /*cli*/)
{
    auto options = std::make_shared<NewOptions>();
    CLI::App* command = app.add_subcommand("new", "Write a scenario file with a comment for every parameter, to be edited");
    command->add_option("scenario", options->scenario,
                        "Scenario to start from: a JSON file, a preset name, or STUDY.prism:NAME (default: the first of the sample study)");
    command->add_option("--set", options->overrides, "Override one parameter: path=value (repeatable)")->allow_extra_args(false);
    command->add_option("--name", options->name, "Name of the new scenario");
    command->add_flag("--all", options->all, "Include rarely used parameters");
    command->add_option("--output", options->output, "Write to this file instead of standard output");
    command->footer("The file is JSON with // comments, which every command and the window read.\n"
                    "Example: prism-cli new llama3-70b-256-h100 --output mine.json && prism-cli predict mine.json");
    command->callback([options] {
        if (options->scenario.empty())
            options->scenario = defaultPreset("scenario");
        Scenario scenario = loadScenario(*options);
        if (!options->name.empty())
            scenario.name = options->name;
        writeOutput(*options, commentedScenario(scenario, options->all));
    });
}

} // namespace prism::cli
