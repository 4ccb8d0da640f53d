// SPDX-License-Identifier: GPL-3.0-or-later
// The commands of prism-cli. Each is in its own file and adds itself to the program.
#pragma once

#include "app/cli/frame/cli.h"

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace prism::cli {

// Each adds itself to the program, or to the command that the table in commands.cpp puts it below.
void addAttribution(CLI::App& app, Cli& cli);
void addCheck(CLI::App& app, Cli& cli);
void addCompare(CLI::App& app, Cli& cli);
void addCompletion(CLI::App& app, Cli& cli);
void addExplore(CLI::App& app, Cli& cli);
void addMetrics(CLI::App& app, Cli& cli);
void addFit(CLI::App& app, Cli& cli);
void addFleet(CLI::App& app, Cli& cli);
void addFollow(CLI::App& app, Cli& cli);
void addGraph(CLI::App& app, Cli& cli);
void addGuarantee(CLI::App& app, Cli& cli);
void addHelp(CLI::App& app, Cli& cli);
void addJob(CLI::App& app, Cli& cli);
void addImprove(CLI::App& app, Cli& cli);
void addImport(CLI::App& app, Cli& cli);
void addLimits(CLI::App& app, Cli& cli);
void addMerge(CLI::App& app, Cli& cli);
void addNew(CLI::App& app, Cli& cli);
void addParameters(CLI::App& app, Cli& cli);
void addPlacement(CLI::App& app, Cli& cli);
void addPredict(CLI::App& app, Cli& cli);
void addPresets(CLI::App& app, Cli& cli);
void addScale(CLI::App& app, Cli& cli);
void addSensitivity(CLI::App& app, Cli& cli);
void addSimulate(CLI::App& app, Cli& cli);
void addStudies(CLI::App& app, Cli& cli);
void addStudy(CLI::App& app, Cli& cli);
void addTimeline(CLI::App& app, Cli& cli);
void addTrace(CLI::App& app, Cli& cli);
void addTraceSample(CLI::App& trace, Cli& cli);
void addValidatePublished(CLI::App& app, Cli& cli);
void addValidateCollectives(CLI::App& app, Cli& cli);
void addValidateLogs(CLI::App& app, Cli& cli);
void addValidateOperators(CLI::App& app, Cli& cli);
void addValidateSample(CLI::App& app, Cli& cli);
void addValidateSteps(CLI::App& app, Cli& cli);

/// Some commands work by themselves and have commands below them. Where `words` name one below, the commands above it neither run nor need
/// their arguments.
void callOnlyTheLast(CLI::App& app, const std::vector<std::string>& words);

/// All of them, in the order of the program's help.
void addCommands(CLI::App& app, Cli& cli);

/// Gives the commands below `app` without a footer their example; a command without an example ends without a footer.
void addExamples(CLI::App& app);

/// Every option that names a file to write refuses (InputError) a file that another argument of the same command line names: an input, a
/// file in a folder that is read, another output. Two inputs may be written back: --base, which an import updates, and the scenario file of
/// `new`, which gets its comments. Call it when all commands have their options.
void guardOutputs(CLI::App& program);

} // namespace prism::cli
