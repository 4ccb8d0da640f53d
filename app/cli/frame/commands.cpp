// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/frame/commands.h"

#include "app/cli/frame/quantities.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cctype>
#include <string>

namespace prism::cli {

namespace {

/// Capitalises the first letter of each option's description, in the help and on the pages.
void beginSentences(CLI::App& app)
{
    for (CLI::Option* option : app.get_options()) {
        std::string text = option->get_description();
        if (!text.empty())
            text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
        option->description(text);
    }
    for (CLI::App* command : app.get_subcommands({}))
        beginSentences(*command);
}

} // namespace

void callOnlyTheLast(CLI::App& app, const std::vector<std::string>& words)
{
    CLI::App* command = &app;
    for (const std::string& word : words) {
        const std::vector<CLI::App*> below = command->get_subcommands({});
        const auto next = std::find_if(below.begin(), below.end(), [&](const CLI::App* c) { return c->get_name() == word; });
        if (next == below.end() && command != &app)
            return;
        if (next == below.end())
            continue; // this option belongs to the program, not to a command
        for (CLI::Option* option : command->get_options())
            if (option->get_positional())
                option->required(false);
        command->callback({});
        command = *next;
    }
}

void addCommands(CLI::App& app, Cli& cli)
{
    const auto noun = [&](const char* name, const char* help) {
        CLI::App* command = app.add_subcommand(name, help);
        command->require_subcommand(1);
        return command;
    };
    const auto below = [&](const char* name) { return app.get_subcommand(name); };
    for (void (*add)(CLI::App&, Cli&) :
         {addPredict, addSensitivity, addPlacement, addScale, addCompare, addGuarantee, addTimeline, addExplore, addImprove, addJob, addNew,
          addCheck, addImport, addGraph, addStudy, addPresets, addTrace, addHelp})
        add(app, cli);
    CLI::App* validate = noun(
        "validate",
        "Compare predictions with measurements (steps, a growing log, published runs, collectives, operators), and two logs of one job");
    CLI::App* calibrate = noun("calibrate", "Fit a cluster's level and variability to its logs and tables");
    for (void (*add)(CLI::App&, Cli&) : {addValidateSteps, addValidateLogs, addFollow, addValidatePublished, addValidateCollectives,
                                         addValidateOperators, addValidateSample})
        add(*validate, cli);
    addTraceSample(*below("trace"), cli);
    addFit(*calibrate, cli);
    addAttribution(*below("sensitivity"), cli);
    addMerge(*below("explore"), cli);
    addFleet(*below("job"), cli);
    addSimulate(*below("graph"), cli);
    addStudies(*below("presets"), cli);
    for (void (*add)(CLI::App&, Cli&) : {addMetrics, addParameters, addLimits, addCompletion})
        add(*below("help"), cli);
    requirePlainNumbers(app);
    guardOutputs(app);
    addExamples(app);
    beginSentences(app);
}

} // namespace prism::cli
