// SPDX-License-Identifier: GPL-3.0-or-later
// merge: one search from the files of its shards.
#include "app/cli/frame/commands.h"
#include "app/cli/plan/explorerecords.h"
#include "app/cli/insight/insightcommand.h"

#include <CLI/CLI.hpp>

#include <memory>

namespace prism::cli {

namespace {

struct MergeOptions : InsightCommand {
    std::vector<std::string> files;
    std::string records;
};

void run(const MergeOptions& options)
{
    std::vector<ExploreRecords> shards;
    for (const std::string& file : options.files) {
        shards.push_back(recordsOf(file));
        if (const Diagnostics problems = tooLargeTogether(shards); !problems.empty())
            throw InputError(problems);
    }
    RecordsFile records(options.records);
    InsightOptions insight = insightOptions(options);
    insight.stop = records.stop();
    std::function<void(const std::string&)> write;
    if (!options.records.empty())
        write = [&records](const std::string& text) { records.write(text); };
    Evaluator evaluator;
    const Result<Exploration> merged = mergedExploration(evaluator, std::move(shards), insight, write);
    records.requireWritten();
    writeInsight(options, require(merged), explorationText);
}

} // namespace

void addMerge(CLI::App& app, Cli& cli)
{
    auto options = std::make_shared<MergeOptions>();
    CLI::App* command = app.add_subcommand("merge", "Merge the files of the shards of one search (explore --shard)");
    command->add_option("FILES", options->files, "Files of all shards of one search")->required();
    command->add_option("--records", options->records, "Also write the checkpoint file of the whole search");
    command->add_option("--threads", options->threads, "0 = all cores")->check(CLI::Range(0, 1024));
    addOutput(*command, *options, cli);
    addTableOptions(*command, *options);
    command->callback([options] { run(*options); });
}

} // namespace prism::cli
