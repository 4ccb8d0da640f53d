// SPDX-License-Identifier: GPL-3.0-or-later
// fleet: a queue of jobs on a cluster under several policies.
#include "core/fleet/fleet.h"
#include "core/fleet/jobtable.h"

#include "app/cli/frame/commands.h"
#include "app/cli/insight/insightcommand.h"
#include "core/base/valuetext.h"
#include "core/base/timeunits.h"
#include "core/scenario/presetlibrary.h"

#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <memory>

namespace prism::cli {

namespace {

struct FleetOptions : InsightCommand {
    std::string jobs, cluster;
    FleetQuery query;
};

std::string hours(double seconds)
{
    return fmt::format("{:.3g}", seconds / kSecondsPerHour);
}

std::string fleetText(const FleetReport& r)
{
    std::string text =
        fmt::format("{} jobs on {} nodes with {} GPUs, {} runs; they ask for {:.0f} % of the cluster until the last is submitted\n", r.jobs,
                    r.nodes, r.gpus, r.runs, 100 * r.offeredLoad);
    if (r.withoutGpus + r.withoutDuration > 0)
        text += fmt::format("Omitted: {} rows without GPUs, {} that never ran\n", r.withoutGpus, r.withoutDuration);
    text += fmt::format("\n{:<14} {:>8} {:>8} {:>8} {:>8} {:>6}   {:<16} {:<16} {:<16}\n", "", "mean h", "p50 h", "p95 h", "queue h",
                        "used", "mean / fifo", "p95 / fifo", "queue / fifo");
    const auto ratio = [](const Estimate& e) { return plusMinus(e.value, e.halfWidth); };
    for (const FleetPolicyResult& p : r.policies)
        text += fmt::format("{:<14} {:>8} {:>8} {:>8} {:>8} {:>4.0f} %   {:<16} {:<16} {:<16}\n", policyName(p.policy), hours(p.mean.value),
                            hours(p.p50.value), hours(p.p95.value), hours(p.queueing.value), 100 * p.utilisation.value, ratio(p.meanRatio),
                            ratio(p.p95Ratio), ratio(p.queueingRatio));
    return text + "\n" + noteLines(r.notes);
}

constexpr const char* kQueue = "queue";

bool isPreset(const char* kind, const std::string& name)
{
    const std::vector<std::string> names = presetNames(kind);
    return std::find(names.begin(), names.end(), name) != names.end();
}

void run(const FleetOptions& options)
{
    const std::string json =
        isPreset("fleet", options.cluster) ? require(presetText("fleet", options.cluster)) : readInput(options.cluster);
    const InsightOptions insight = insightOptions(options);
    Evaluator evaluator;
    Result<FleetCluster> cluster = fleetCluster(evaluator, json, insight);
    const Result<JobTable> jobs = isPreset(kQueue, options.jobs) ? modelledQueue(require(presetText(kQueue, options.jobs)),
                                                                                 cluster.ok() ? cluster->gpus() : 1, insight.seed)
                                                                 : jobTable(readInput(options.jobs, kMaxJobTableBytes), options.jobs);
    Diagnostics errors = cluster.errors();
    for (Diagnostic& d : errors)
        d.path = options.cluster + ": " + d.path;
    for (const Diagnostic& d : jobs.errors())
        errors.push_back(d);
    if (!errors.empty())
        throw InputError(errors);
    writeInsight(options, require(fleet(*jobs, *cluster, options.query, insight)), fleetText);
}

} // namespace

void addFleet(CLI::App& app, Cli& cli)
{
    auto options = std::make_shared<FleetOptions>();
    options->samples = 2'000;
    CLI::App* command =
        app.add_subcommand("fleet", "A queue of jobs on a cluster: completion times by policy, against first come first served");
    command
        ->add_option("JOBS", options->jobs,
                     "Table of jobs (CSV; columns as Philly, Helios or Acme name them), or a queue of the library (presets queue)")
        ->required();
    command->add_option("CLUSTER", options->cluster, "A cluster: a JSON file or the name of a preset (presets fleet)")->required();
    command->add_option("--runs", options->query.runs, "Runs with other draws of node speeds and durations")
        ->check(CLI::Range(1, 1'000))
        ->capture_default_str();
    addSampling(*command, *options);
    addOutput(*command, *options, cli);
    addTableOptions(*command, *options);
    command->callback([options] { run(*options); });
}

} // namespace prism::cli
