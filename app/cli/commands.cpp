// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"

#include <CLI/CLI.hpp>

namespace prism::cli {

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
                                         addCalibrate,
                                         addBench,
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
}

} // namespace prism::cli
