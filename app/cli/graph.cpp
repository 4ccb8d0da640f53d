// SPDX-License-Identifier: GPL-3.0-or-later
// graph: the step graph of a scenario as a file that `simulate`, or another simulator, can run; and whether such a file is right.
#include "app/cli/commands.h"
#include "core/base/printable.h"
#include "core/cost/predictor.h"
#include "core/step/chakratrace.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>

#include <filesystem>
#include <memory>

namespace prism::cli {

namespace {

struct GraphOptions : CommonOptions {
    bool validate = false;
    std::string chakra;
};

/// What a graph file describes, where nothing is wrong with it.
void validateGraph(const GraphOptions& options)
{
    const StepGraph g = require(stepGraphFromJson(readInput(options.scenario)));
    const std::int64_t ranks = static_cast<std::int64_t>(g.numReplicas) * g.schedule.numStages * g.cellRanks();
    if (options.json)
        return writeOutput(options, nlohmann::ordered_json{{"ok", true},
                                                           {"name", g.name},
                                                           {"hash", g.hash().text()},
                                                           {"ranks", ranks},
                                                           {"replicas", g.numReplicas},
                                                           {"stages", g.schedule.numStages},
                                                           {"chunks", g.schedule.numChunks},
                                                           {"microbatches", g.schedule.numMicrobatches},
                                                           {"classes", g.classes.size()}}
                                            .dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace)
                                        + "\n");
    writeOutput(options,
                fmt::format("{}: nothing is wrong. {} ranks: {} replicas of {} stages with {} ranks each, {} chunks, {} micro-batches, "
                            "{} kernel classes. Hash {}.\n",
                            printable(g.name), ranks, g.numReplicas, g.schedule.numStages, g.cellRanks(), g.schedule.numChunks,
                            g.schedule.numMicrobatches, g.classes.size(), g.hash().text()));
}

/// FOLDER/rank.N.json for every rank.
void writeChakra(const GraphOptions& options, const StepGraph& graph)
{
    const int ranks = require(chakraRanks(graph));
    std::error_code error;
    std::filesystem::create_directories(options.chakra, error); // writing says what is wrong
    for (int rank = 0; rank < ranks; ++rank) {
        CommonOptions file;
        file.output = (std::filesystem::path(options.chakra) / fmt::format("rank.{}.json", rank)).string();
        writeOutput(file, chakraTrace(graph, rank));
    }
    sayLine(options, fmt::format("{} traces in {}\n", ranks, options.chakra));
}

} // namespace

void addGraph(CLI::App& app, Cli& cli)
{
    auto options = std::make_shared<GraphOptions>();
    CLI::App* command = app.add_subcommand("graph", "Write the step graph of a scenario as JSON (format: resources/help/stepgraph.md)");
    addScenario(*command, *options);
    addOutput(*command, *options, cli);
    auto* validate = command->add_flag("--validate", options->validate, "SCENARIO is a step graph: say everything that is wrong with it");
    command->add_option("--chakra", options->chakra, "Write execution traces of MLCommons Chakra, one per rank, into this folder instead")
        ->excludes(validate)
        ->excludes(command->get_option("--output"))
        ->excludes(command->get_option("--json"));
    validate->excludes(command->get_option("--set"))->excludes(command->get_option("--strict"));
    command->footer("Example: prism-cli graph gpt3-175b-1024-a100 | prism-cli simulate -");
    command->callback([options] {
        if (options->validate)
            return validateGraph(*options);
        const CostedStep costed = require(costStep(loadScenario(*options)));
        sayDiagnostics(*options, costed.warnings);
        if (!options->chakra.empty())
            return writeChakra(*options, costed.graph);
        writeOutput(*options, toJson(costed.graph));
    });
}

} // namespace prism::cli
