// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/frame/commands.h"

#include "app/cli/frame/examples.h"
#include "app/cli/frame/outputguard.h"
#include "app/cli/frame/quantities.h"

#include <CLI/CLI.hpp>

#include <cctype>
#include <string>

namespace prism::cli {

namespace {

/// What an option does begins like a sentence, in the help as on the pages.
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

void addCommands(CLI::App& app, Cli& cli)
{
    for (void (*add)(CLI::App&, Cli&) : {addPredict,
                                         addSensitivity,
                                         addAttribution,
                                         addPlacement,
                                         addScale,
                                         addCompare,
                                         addGuarantee,
                                         addJob,
                                         addTimeline,
                                         addExplore,
                                         addMerge,
                                         addImprove,
                                         addFleet,
                                         addFigures,
                                         addTrace,
                                         addGraph,
                                         addFit,
                                         addFollow,
                                         addSimulate,
                                         addStudies,
                                         addStudy,
                                         addValidatePublished,
                                         addValidateCollectives,
                                         addValidateOperators,
                                         addValidateSteps,
                                         addNew,
                                         addCheck,
                                         addPresets,
                                         addParameters,
                                         addLimits,
                                         addImport,
                                         addHelp,
                                         addCompletion})
        add(app, cli);
    for (CLI::App* command : app.get_subcommands({}))
        command->fallthrough(); // --verbose may stand behind the command
    requirePlainNumbers(app);
    guardOutputs(app);
    addExamples(app);
    beginSentences(app);
}

} // namespace prism::cli
