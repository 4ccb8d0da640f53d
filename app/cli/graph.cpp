// SPDX-License-Identifier: GPL-3.0-or-later
// graph: the step graph of a scenario as a file that `simulate`, or another simulator, can run.
#include "app/cli/commands.h"
#include "core/cost/predictor.h"

#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>

namespace prism::cli {

void addGraph(CLI::App& app, Cli& cli)
{
    auto options = std::make_shared<CommonOptions>();
    CLI::App* command = app.add_subcommand("graph", "Write the step graph of a scenario as JSON (format: resources/help/stepgraph.md)");
    addScenario(*command, *options);
    addOutput(*command, *options, cli);
    command->footer("Example: prism-cli graph gpt3-175b-1024-a100 | prism-cli simulate -");
    command->callback([options] {
        const CostedStep costed = require(costStep(loadScenario(*options)));
        std::cerr << diagnosticsText(costed.warnings);
        writeOutput(*options, toJson(costed.graph));
    });
}

} // namespace prism::cli
