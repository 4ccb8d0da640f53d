// SPDX-License-Identifier: GPL-3.0-or-later
// What the trace commands share: the table with its sizes, how it is read, how notes are shown.
#pragma once

#include "app/cli/commands.h"
#include "core/trace/bytesource.h"
#include "core/trace/tracejob.h"

#include <nlohmann/json_fwd.hpp>

namespace prism::cli {

/// A measured job on the command line: a stage table or a folder of pipeline events.
struct JobOptions : CommonOptions {
    std::string table, meta;
    bool progress = false;
};

void addJob(CLI::App& command, JobOptions& options, Cli& cli); ///< TABLE, --meta, --progress, --json, --output

/// Reads the job. Throws InputError.
[[nodiscard]] TraceJob loadJob(const JobOptions& options);
/// Progress on standard error, in tenths, when asked for.
[[nodiscard]] ReadControl readControl(bool progress);
/// Notes as an array of {path, text, found}.
[[nodiscard]] nlohmann::ordered_json notesJson(const Diagnostics& notes);

void addTraceExport(CLI::App& parent, Cli& cli);
void addTracePredict(CLI::App& parent, Cli& cli);
void addTraceReport(CLI::App& parent, Cli& cli);
void addTraceWhatIf(CLI::App& parent, Cli& cli);

} // namespace prism::cli
