// SPDX-License-Identifier: GPL-3.0-or-later
// trace report and trace export: a report on traces of operations or kernels, and the same as a Chrome trace or as CSV.
#include "app/cli/frame/suggestion.h"
#include "app/cli/trace/tracecommand.h"
#include "core/insight/report.h"
#include "core/trace/barriers.h"
#include "core/base/valuetext.h"
#include "core/trace/chrometrace.h"
#include "core/trace/kinetoreport.h"
#include "core/trace/profilemodel.h"
#include "core/trace/stepmodel.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <memory>

namespace prism::cli {

namespace {

using Json = nlohmann::ordered_json;

struct TraceOptions : JobOptions {
    std::vector<std::string> paths;
    std::string as = "chrome";
    int step = -1;
    bool drawn = false;
    std::uint64_t seed = 1;
};

TraceJob jobOf(const TraceOptions& options)
{
    JobOptions job = options;
    job.table = options.paths[0];
    return loadJob(job);
}

Json rankJson(const RankReport& r)
{
    return {{"rank", r.rank},
            {"kernels", r.kernels},
            {"streams", r.streams},
            {"collectives", r.collectives},
            {"described_collectives", r.describedCollectives},
            {"clock_offset_s", r.clockOffsetSeconds},
            {"step_s", r.stepSeconds},
            {"span_s", r.spanSeconds},
            {"busy_s", r.busySeconds},
            {"host_gaps", {{"count", r.hostGaps}, {"total_s", r.hostGapSeconds}, {"longest_s", r.longestHostGapSeconds}}}};
}

std::string kinetoJson(const KinetoReport& report)
{
    Json ranks = Json::array(), groups = Json::array();
    for (const RankReport& r : report.ranks)
        ranks.push_back(rankJson(r));
    for (const CollectiveGroup& g : report.groups)
        groups.push_back({{"group", g.name},
                          {"operation", g.operation},
                          {"dtype", g.dtype},
                          {"group_size", g.groupSize},
                          {"bytes", g.bytes},
                          {"ranks_seen", g.ranksSeen},
                          {"kernels", g.calls},
                          {"matched", g.matched},
                          {"median_s", g.medianSeconds},
                          {"transfer_s", g.transferSeconds},
                          {"waiting_s", g.waitingSeconds},
                          {"split", g.split}});
    return report::dump({{"ranks", ranks},
                         {"collective_kernels", report.collectiveKernels},
                         {"matched_kernels", report.matchedKernels},
                         {"unmatched", report.unmatched},
                         {"groups", groups},
                         {"pools_found", report.pools.size()},
                         {"pools", poolsJson(report.pools)},
                         {"notes", notesJson(report.notes)}});
}

std::string kinetoText(const KinetoReport& report)
{
    std::string text = fmt::format("{} of {} collective kernels matched to {} groups; {} unmatched\n", report.matchedKernels,
                                   report.collectiveKernels, report.groups.size(), report.collectiveKernels - report.matchedKernels);
    for (const CollectiveGroup& g : report.groups)
        text +=
            fmt::format("  {:<16} {:>5} kernels, {} ranks seen, {} bytes: recorded {} s, transfer {} s ({})  {}\n", g.operation, g.calls,
                        g.ranksSeen, g.bytes, amountText(g.medianSeconds), amountText(g.transferSeconds), g.split, g.name.substr(0, 60));
    for (const std::string& u : report.unmatched)
        text += "  unmatched: " + u + "\n";
    for (const RankReport& r : report.ranks)
        text += fmt::format("Rank {}: {} kernels on {} streams, busy {} of {} s, {} host gaps of {} s together, {} steps\n", r.rank,
                            r.kernels, r.streams, amountText(r.busySeconds, 4), amountText(r.spanSeconds, 4), r.hostGaps,
                            amountText(r.hostGapSeconds), r.stepSeconds.size());
    text += fmt::format("{} pools of durations (trace export --as pools)\n", report.pools.size());
    return text + diagnosticsText(report.notes);
}

void report(const TraceOptions& options)
{
    if (isJobTrace(options.paths)) {
        const TraceJob job = jobOf(options);
        writeOutput(options, jobReport(job, options.json));
        return;
    }
    Diagnostics notes;
    KinetoReport found = kinetoReport(loadRanks(options.paths, options.progress, notes));
    found.notes.insert(found.notes.end(), notes.begin(), notes.end());
    writeOutput(options, options.json ? kinetoJson(found) : kinetoText(found));
}

TraceStep stepOf(const TraceJob& job, const TraceOptions& options)
{
    if (options.drawn) {
        const RegularJob regular = require(regularJob(job, hiddenBarriers(job).sets));
        const StepModel model = require(StepModel::make(regular));
        DrawnStep drawn;
        model.draw(options.seed, static_cast<std::uint64_t>(std::max(0, options.step)), drawn);
        return model.operations(drawn, std::max(0, options.step));
    }
    for (const TraceStep& step : job.steps)
        if (options.step < 0 || step.number == options.step)
            return step;
    throw InputError(
        {{Severity::error, "--step", "there is no such step", std::to_string(options.step), "a complete step of the table", "", ""}});
}

void exportTrace(const TraceOptions& options)
{
    if (isJobTrace(options.paths)) {
        const TraceJob job = jobOf(options);
        if (options.as == "graph")
            throw InputError({{Severity::error, "--as", "a step graph is made from profiler traces alone", "graph",
                               "chrome or pools; for stage tables: prism-cli import trace, then prism-cli graph", "", ""}});
        if (options.as == "pools")
            writeTable(options, poolsCsv(jobPools(job), textsOf(options)));
        else
            writeOutput(options, chromeTrace(stepOf(job, options), job));
        return;
    }
    Diagnostics notes;
    const std::vector<KinetoRank> ranks = loadRanks(options.paths, options.progress, notes);
    if (options.as == "pools")
        writeTable(options, poolsCsv(kinetoReport(ranks).pools, textsOf(options)));
    else
        writeOutput(options, options.as == "graph"
                                 ? toJson(require(profileGraph(require(repaired(require(profileModel(ranks)), options.repairs)))))
                                 : chromeTrace(ranks));
}

CLI::App* addPaths(CLI::App& parent, const char* name, const char* help, TraceOptions& options, Cli& cli)
{
    CLI::App* command = parent.add_subcommand(name, help);
    command
        ->add_option("paths", options.paths,
                     "Profiler traces (files or folders, one rank each), a stage table (.csv, .csv.gz) or a folder of pp_rank_N.json")
        ->required();
    command->add_option("--meta", options.meta, "Sizes of a stage table's job");
    command->add_flag("--progress", options.progress, "Print the progress of reading on standard error");
    addOutput(*command, options, cli);
    return command;
}

} // namespace

void addTraceReport(CLI::App& parent, Cli& cli)
{
    auto options = std::make_shared<TraceOptions>();
    addPaths(parent, "report", "Summarise traces: collectives and groups, host gaps, hidden barriers, schedule, pools", *options, cli)
        ->callback([options] { report(*options); });
}

void addTraceExport(CLI::App& parent, Cli& cli)
{
    auto options = std::make_shared<TraceOptions>();
    CLI::App* command =
        addPaths(parent, "export", "Write a Chrome trace (opens in Perfetto) or the pools of durations as CSV", *options, cli);
    command->add_option("--as", options->as, "chrome, pools, or graph (the step graph of profiler traces)")
        ->check(oneOf({"chrome", "pools", "graph"}))
        ->capture_default_str();
    command->add_option("--step", options->step, "Step of a stage table (default: the first); with --drawn the number of the draw");
    addRawText(*command, *options);
    addRepairs(*command, *options);
    command->add_flag("--drawn", options->drawn, "A step drawn from the fitted job instead of a measured one");
    command->add_option("--seed", options->seed, "Seed of all random numbers")->capture_default_str();
    command->callback([options] { exportTrace(*options); });
}

} // namespace prism::cli
