// SPDX-License-Identifier: GPL-3.0-or-later
// graph: the step graph of a scenario as a file that `simulate`, or another simulator, can run; and whether such a file is right.
#include "app/cli/frame/commands.h"
#include "app/cli/frame/progressline.h"
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
    std::string chakra, ranks;
};

/// The description of a valid graph file.
void validateGraph(const GraphOptions& options)
{
    const StepGraph g = require(stepGraphFromJson(readInput(options.scenario)), options.scenario);
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

/// FOLDER/rank.N.json for every rank that is requested.
void writeChakra(const GraphOptions& options, const StepGraph& graph)
{
    const std::vector<std::int64_t> ranks = require(chakraRanks(graph, options.ranks));
    std::error_code error;
    std::filesystem::create_directories(options.chakra, error); // writing reports the error
    ProgressLine progress(!options.quiet);
    double written = 0;
    for (const std::int64_t rank : ranks) {
        CommonOptions file;
        file.output = (std::filesystem::path(options.chakra) / fmt::format("rank.{}.json", rank)).string();
        writeOutput(file, chakraTrace(graph, rank));
        progress.show(++written / static_cast<double>(ranks.size()), "traces written");
    }
    progress.clear();
    reportLine(options, fmt::format("{} {} in {}.\n", ranks.size(), ranks.size() == 1 ? "trace" : "traces", options.chakra));
}

} // namespace

void addGraph(CLI::App& app, Cli& cli)
{
    auto options = std::make_shared<GraphOptions>();
    CLI::App* command = app.add_subcommand("graph", "Write the step graph of a scenario as JSON (format: resources/help/stepgraph.md)");
    addScenario(*command, *options);
    addOutput(*command, *options, cli);
    auto* validate = command->add_flag("--validate", options->validate, "SCENARIO is a step graph: list every error in it");
    auto* chakra = command->add_option("--chakra", options->chakra,
                                       "Write execution traces of MLCommons Chakra, one per rank, into this folder instead");
    chakra->excludes(validate)->excludes(command->get_option("--output"))->excludes(command->get_option("--json"));
    command->add_option("--ranks", options->ranks, "With --chakra: only these ranks, as in 0-7,12 (a large job is refused as a whole)")
        ->needs(chakra);
    validate->excludes(command->get_option("--set"))->excludes(command->get_option("--strict"));
    command->footer("Example: prism-cli graph gpt3-175b-1024-a100 | prism-cli graph simulate -");
    command->callback([options] {
        if (options->validate)
            return validateGraph(*options);
        const CostedStep costed = require(costStep(loadScenario(*options)));
        reportDiagnostics(*options, costed.warnings);
        if (!options->chakra.empty())
            return writeChakra(*options, costed.graph);
        writeOutput(*options, toJson(costed.graph));
    });
}

} // namespace prism::cli
