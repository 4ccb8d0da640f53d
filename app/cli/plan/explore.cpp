// SPDX-License-Identifier: GPL-3.0-or-later
// explore: which configuration is best by a percentile of the step, or by what a token costs; in one run, in shards, or as a Slurm script.
#include "core/explore/explore.h"

#include "app/cli/frame/commands.h"
#include "app/cli/plan/explorerecords.h"
#include "app/cli/insight/insightcommand.h"
#include "app/cli/frame/quantities.h"
#include "core/base/outputfile.h"
#include "core/base/platform/process.h"
#include "core/explore/slurm.h"

#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>

#include <filesystem>
#include <memory>

namespace prism::cli {

namespace {

struct ExploreOptions : InsightCommand {
    std::vector<std::string> axes;
    std::string objective = "p95", pareto = "time,memory,cost", shard, records, slurm;
    int shards = 4;
    ExploreQuery query;
};

ExploreQuery queryOf(const ExploreOptions& options, const Scenario& scenario)
{
    ExploreQuery query = options.query;
    query.objective = require(exploreObjective(options.objective));
    query.pareto = require(paretoAxes(options.pareto));
    for (const std::string& axis : options.axes)
        query.space.axes.push_back(require(searchAxis(axis)));
    if (options.axes.empty())
        query.space = defaultSpace(scenario);
    if (!options.shard.empty())
        query.shard = require(searchShard(options.shard));
    return query;
}

/// The arguments of a shard: the options of this call, a file by its whole path.
std::vector<std::string> argumentsOf(const ExploreOptions& o)
{
    std::error_code none;
    const bool isFile = std::filesystem::exists(o.scenario, none);
    std::vector<std::string> arguments = {isFile ? std::filesystem::absolute(o.scenario, none).string() : o.scenario};
    const auto add = [&](const char* name, const std::string& value) { arguments.insert(arguments.end(), {name, value}); };
    for (const std::string& value : o.overrides)
        add("--set", value);
    for (const std::string& axis : o.axes)
        add("--axis", axis);
    add("--objective", o.objective);
    add("--pareto", o.pareto);
    add("--keep", std::to_string(o.query.keep));
    add("--most", std::to_string(o.query.maxSampled));
    add("--confidence", fmt::format("{}", o.query.confidence));
    add("--memory-margin", fmt::format("{}", o.query.constraints.memoryMarginGib));
    add("--max-gpus", std::to_string(o.query.constraints.maxGpus));
    add("--seed", std::to_string(o.seed));
    if (o.query.drawPoints > 0)
        add("--draw", std::to_string(o.query.drawPoints));
    if (o.query.constraints.tensorInsideNode)
        arguments.emplace_back("--tp-in-node");
    if (o.query.listRejected)
        arguments.emplace_back("--list-rejected");
    return arguments;
}

/// Writes the script instead of searching.
void writeSlurm(const ExploreOptions& options)
{
    if (options.scenario == "-")
        throw InputError(
            {{Severity::error, "--slurm", "A script cannot read the scenario from standard input.", "-", "a file or a name", "", ""}});
    std::error_code none;
    const std::string path = std::filesystem::absolute(options.slurm, none).string();
    const SlurmJob job{programFolder() + "/prism-cli", argumentsOf(options), options.shards, path};
    if (const Diagnostics problems = check(job); !problems.empty())
        throw InputError(problems);
    if (const Diagnostics problems = writeFile(options.slurm, slurmScript(job)); !problems.empty())
        throw InputError(problems);
    writeStandardOutput(fmt::format("Start the {} shards with: sbatch {}\nWhen they have ended: prism-cli explore merge {}-*.jsonl\n",
                                    options.shards, shellQuoted(options.slurm), shellQuoted(path)));
}

void run(const ExploreOptions& options)
{
    const Scenario scenario = loadScenario(options);
    const ExploreQuery query = queryOf(options, scenario);
    if (!options.slurm.empty()) {
        if (const Diagnostics errors = check(query); hasErrors(errors))
            throw InputError(errors);
        writeSlurm(options);
        return;
    }
    const bool isShard = !options.shard.empty();
    const std::string file = isShard ? options.output : options.records;
    if (isShard && file.empty())
        throw InputError({{Severity::error, "--shard", "A shard writes its results to a file.", "no --output", "--output FILE", "", ""}});
    RecordsFile records(file);
    InsightOptions insight = insightOptions(options);
    insight.stop = records.stop();
    Evaluator evaluator;
    const ExploreCheckpoint checkpoint = records.checkpoint({scenario, query, options.seed}, query.shard);
    const Result<Exploration> found = explore(evaluator, scenario, query, insight, checkpoint);
    records.requireWritten();
    const Exploration e = require(found);
    const auto text = [](const Exploration& x) { return explorationText(x); };
    if (!isShard)
        writeInsight(options, e, text);
    else {
        ExploreOptions toStandardOutput = options; // --output names the file of the shard's records
        toStandardOutput.output.clear();
        writeInsight(toStandardOutput, e, text);
    }
}

void addSearchOptions(CLI::App& command, ExploreOptions& o)
{
    command
        .add_option("--axis", o.axes,
                    "NAME=VALUES, e.g. tp=1,2,4 or micro_batch_size=1..8 (repeatable; default: TP, PP, VPP, schedule, ...)")
        ->allow_extra_args(false);
    command
        .add_option("--objective", o.objective,
                    "mean, p50, p95, p99: seconds per token; cost_p95, ...: dollars; energy_p95, ...: kWh; tokens_per_s; tokens_per_usd; "
                    "over:4.0s: P(longer step); deadline:30: P(job not done in this number of days)")
        ->capture_default_str();
    command.add_option("--pareto", o.pareto, "Dimensions of the front: two or three of time, memory, cost, gpus, energy")
        ->capture_default_str();
    command.add_option("--keep", o.query.keep, "Number of top configurations to rank")->check(CLI::Range(1, 100))->capture_default_str();
    command.add_option("--most", o.query.maxSampled, "Maximum number of configurations to sample")
        ->check(CLI::Range(1, kMaxSampledPoints))
        ->capture_default_str();
    asShare(
        command.add_option("--confidence", o.query.confidence, "Probability that sampling noise eliminates none of the top configurations"))
        ->check(CLI::Range(0.5, 0.9999))
        ->capture_default_str();
    inUnit(command.add_option("--memory-margin", o.query.constraints.memoryMarginGib, "Memory of a GPU that must stay free, in GiB"), "GiB")
        ->check(CLI::Range(0.0, 10'000.0));
    asGpuCount(command.add_option("--max-gpus", o.query.constraints.maxGpus, "No more GPUs than these"))->check(CLI::Range(0, 1 << 20));
    command.add_flag("--tp-in-node", o.query.constraints.tensorInsideNode, "Tensor parallelism stays inside a node");
    asCount(command.add_option("--draw", o.query.drawPoints, "Evaluate a random subset of this many configurations of a large space"))
        ->check(CLI::Range(1, 2'000'000));
    command.add_flag("--list-rejected", o.query.listRejected, "With --json: list rejected configurations with every reason");
}

} // namespace

void addExplore(CLI::App& app, Cli& cli)
{
    auto options = std::make_shared<ExploreOptions>();
    CLI::App* command =
        app.add_subcommand("explore", "Rank configurations by p95 step time, cost or another objective, with confidence intervals");
    addInsight(*command, *options, cli, kMaxSamples);
    addSearchOptions(*command, *options);
    CLI::Option* shard = command->add_option("--shard", options->shard, "I/N: search part I of N and write its results to --output");
    CLI::Option* records = command->add_option("--records", options->records, "Checkpoint file; an interrupted search resumes from it");
    CLI::Option* slurm =
        command->add_option("--slurm", options->slurm, "Write a batch script for an array of shards to FILE, search nothing");
    command->add_option("--shards", options->shards, "Tasks of that array")
        ->needs(slurm)
        ->check(CLI::Range(1, 1'000))
        ->capture_default_str();
    shard->excludes(records)->excludes(slurm);
    records->excludes(slurm);
    command->callback([options] { run(*options); });
}

} // namespace prism::cli
