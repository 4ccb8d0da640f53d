// SPDX-License-Identifier: GPL-3.0-or-later
// Reads pipeline event files: per rank and iteration the begin and end of every forward and backward.
#pragma once

#include "core/trace/bytesource.h"
#include "core/trace/tracejob.h"

#include <string>

namespace prism {

/// Whether a folder holds such files (pp_rank_0.json).
[[nodiscard]] bool isPipelineEventFolder(const std::string& path);

/// Reads a folder of files pp_rank_N.json: an object that maps iterations to {fwd_start, fwd_end, bwd_start, bwd_end}, each an array in
/// milliseconds after the iteration's begin, and where it exists config.json (dp_size, pp_size, vp_size). Rank N is stage N modulo
/// pp_size of replica N / pp_size. Transfers are not recorded: what lies between computations is a gap. Intervals that end before they
/// begin are dropped and counted. Errors: no readable rank, no complete step. At most 64 MiB a file and 65,536 files.
[[nodiscard]] Result<TraceJob> readPipelineEvents(const std::string& folder, const ReadControl& control = {});

} // namespace prism
