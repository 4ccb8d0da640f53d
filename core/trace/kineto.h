// SPDX-License-Identifier: GPL-3.0-or-later
// Traces of PyTorch's profiler (Kineto, Chrome trace JSON): the kernels of each rank, their collectives and the profiled steps.
#pragma once

#include "core/trace/bytesource.h"
#include "core/trace/kinetorank.h"

#include <string>
#include <string_view>
#include <vector>

namespace prism {

/// Whether a kernel belongs to NCCL or RCCL: "ncclKernel_...", "ncclDevKernel_...", "ncclKern_...", "rcclGenericKernel" and their like.
[[nodiscard]] bool isCollectiveKernel(std::string_view name);

/// Reads one file, plain or gzip. Ranks of one file are distinguished by device. Streamed: one window of a few MiB besides what is
/// kept, about 100 bytes for each GPU activity. Broken events, negative durations, a cut end: counted in the notes, the rest is read.
/// Error: not readable, no traceEvents, cancelled, no GPU activity. One thread.
[[nodiscard]] Result<std::vector<KinetoRank>> readKineto(const std::string& path, const ReadControl& control = {});

/// Trace files named by files and folders (*.json, *.json.gz, searched through), ascending, at most 65,536. Error: one that is not there.
[[nodiscard]] Result<std::vector<std::string>> kinetoFiles(const std::vector<std::string>& paths);

/// The ranks of all trace files of these paths, windows joined. Files that cannot be read go to `problems`. Errors: none can be, cancelled.
[[nodiscard]] Result<std::vector<KinetoRank>> readProfiles(const std::vector<std::string>& paths, const ReadControl& control,
                                                           Diagnostics& problems);

} // namespace prism
