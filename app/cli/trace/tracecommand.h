// SPDX-License-Identifier: GPL-3.0-or-later
// Common parts of the trace commands: the table with its sizes, how it is read, how notes are shown.
#pragma once

#include "app/cli/frame/commands.h"
#include "core/trace/kineto.h"
#include "core/trace/pools.h"
#include "core/trace/repairs.h"
#include "core/trace/tracejob.h"

#include <nlohmann/json_fwd.hpp>

namespace prism::cli {

/// A measured job on the command line: a stage table or a folder of pipeline events.
struct JobOptions : CommonOptions {
    std::string table, meta;
    std::vector<std::string> repairs; ///< of profiler traces
    bool progress = false;
};

void addJob(CLI::App& command, JobOptions& options, Cli& cli); ///< TABLE, --meta, --progress, --json, --output

void addRepairs(CLI::App& command, JobOptions& options); ///< --repair

/// A profiler trace (*.json, *.json.gz) or a folder that is not one of pipeline events.
[[nodiscard]] bool isProfile(const std::string& path);
/// A stage table by its name, or a folder of pipeline events; else profiler traces.
[[nodiscard]] bool isJobTrace(const std::vector<std::string>& paths);
/// Profiler traces of files and folders; what could not be read goes to `notes`. Throws InputError where nothing could.
[[nodiscard]] std::vector<KinetoRank> loadRanks(const std::vector<std::string>& paths, bool progress, Diagnostics& notes);
/// Reads the job. Throws InputError.
[[nodiscard]] TraceJob loadJob(const JobOptions& options);
/// Progress on standard error, in tenths, when requested.
[[nodiscard]] ReadControl readControl(bool progress);
/// Notes as an array of {path, text, found}.
[[nodiscard]] nlohmann::ordered_json notesJson(const Diagnostics& notes);
/// Notes of reading and of what was computed, one array.
[[nodiscard]] nlohmann::ordered_json notesJson(const TraceJob& job, const Diagnostics& notes);
/// The assumptions and the notes, as text.
[[nodiscard]] std::string assumedText(const std::vector<std::string>& assumptions, const TraceJob& job, const Diagnostics& notes);

/// The first pools with their fits, longest total first.
[[nodiscard]] nlohmann::ordered_json poolsJson(const std::vector<DurationPool>& pools);
/// Pools of a job's operations; none where no two steps agree.
[[nodiscard]] std::vector<DurationPool> jobPools(const TraceJob& job);
/// Slow workers as {dp_rank, stage, over_median}, and as lines.
[[nodiscard]] nlohmann::ordered_json slowWorkersJson(const TraceJob& job, const std::vector<SlowWorker>& slow);
[[nodiscard]] std::string slowWorkersText(const TraceJob& job, const std::vector<SlowWorker>& slow);
[[nodiscard]] std::string jobReport(const TraceJob& job, bool json);

void addTraceCompare(CLI::App& parent, Cli& cli);
void addTraceExport(CLI::App& parent, Cli& cli);
void addTracePredict(CLI::App& parent, Cli& cli);
void addTraceReplicas(CLI::App& parent, Cli& cli);
void addTraceReport(CLI::App& parent, Cli& cli);
void addTraceWhatIf(CLI::App& parent, Cli& cli);

} // namespace prism::cli
