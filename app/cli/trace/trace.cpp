// SPDX-License-Identifier: GPL-3.0-or-later
// trace: measured jobs from tables and traces. Each command below it is in a separate file.
#include "app/cli/trace/tracecommand.h"
#include "core/base/diagnostictext.h"
#include "core/trace/stagetable.h"
#include "core/trace/rankwindows.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <iostream>

namespace prism::cli {

void addJob(CLI::App& command, JobOptions& options, Cli& cli)
{
    command.add_option("table", options.table, "Table of operations, one row each (CSV, may be gzip), or a folder of pp_rank_N.json files")
        ->required();
    command.add_option("--meta", options.meta, "File with dp_size, pp_size and vpp_size of the job; without it they come from the rows");
    command.add_flag("--progress", options.progress, "Print the progress of reading on standard error");
    addOutput(command, options, cli);
}

ReadControl readControl(bool progress)
{
    ReadControl control;
    if (progress)
        control.progress = [reported = std::uint64_t{0}](std::uint64_t done, std::uint64_t total) mutable {
            const std::uint64_t tenth = total > 0 ? 10 * done / total : 0;
            if (tenth > reported)
                std::cerr << "read " << 10 * tenth << " %\n";
            reported = std::max(reported, tenth);
        };
    return control;
}

void addRepairs(CLI::App& command, JobOptions& options)
{
    command.add_option("--repair", options.repairs,
                       "Of profiler traces, as often as wanted: worker:RANK, slow_workers, no_gaps, steady_transfers, half_jitter, or "
                       "faster:WORDS=FACTOR for the kernels and collectives with these words in their name");
}

TraceJob loadJob(const JobOptions& options)
{
    if (!options.repairs.empty())
        throw InputError({errorAt("--repair", "this option does not apply to the trace", options.table, "profiler traces")});
    if (isPipelineEventFolder(options.table))
        return require(readPipelineEvents(options.table, readControl(options.progress)));
    StageTableMeta meta;
    if (!options.meta.empty())
        meta = require(readStageTableMeta(options.meta));
    return require(readStageTable(options.table, meta, readControl(options.progress)));
}

bool isProfile(const std::string& path)
{
    return path.ends_with(".json") || path.ends_with(".json.gz") || (std::filesystem::is_directory(path) && !isPipelineEventFolder(path));
}

bool isJobTrace(const std::vector<std::string>& paths)
{
    return paths.size() == 1 && (paths[0].ends_with(".csv") || paths[0].ends_with(".csv.gz") || isPipelineEventFolder(paths[0]));
}

std::vector<KinetoRank> loadRanks(const std::vector<std::string>& paths, bool progress, Diagnostics& notes)
{
    return require(readProfiles(paths, readControl(progress), notes));
}

nlohmann::ordered_json notesJson(const Diagnostics& notes)
{
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Diagnostic& d : notes)
        list.push_back({{"path", d.path}, {"text", d.message}, {"found", d.found}});
    return list;
}

nlohmann::ordered_json notesJson(const TraceJob& job, const Diagnostics& notes)
{
    nlohmann::ordered_json list = notesJson(job.notes);
    for (const nlohmann::ordered_json& n : notesJson(notes))
        list.push_back(n);
    return list;
}

std::string assumedText(const std::vector<std::string>& assumptions, const TraceJob& job, const Diagnostics& notes)
{
    std::string text;
    for (const std::string& a : assumptions)
        text += "assumed: " + a + "\n";
    return text + diagnosticsText(job.notes) + diagnosticsText(notes);
}

void addTrace(CLI::App& app, Cli& cli)
{
    CLI::App* command = app.add_subcommand("trace", "Measured jobs: analyse tables and traces of operations");
    command->require_subcommand(1);
    addTraceWhatIf(*command, cli);
    addTracePredict(*command, cli);
    addTraceReplicas(*command, cli);
    addTraceCompare(*command, cli);
    addTraceReport(*command, cli);
    addTraceExport(*command, cli);
}

} // namespace prism::cli
