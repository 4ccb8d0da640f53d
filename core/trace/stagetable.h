// SPDX-License-Identifier: GPL-3.0-or-later
// Reads stage tables (one row per operation of a stage) and pipeline event files (begin and end of every forward and backward).
#pragma once

#include "core/trace/bytesource.h"
#include "core/trace/tracejob.h"

#include <string>

namespace prism {

/// Sizes from the file that accompanies a table; 0 = not stated, taken from the rows.
struct StageTableMeta {
    std::string name;
    int replicas = 0, stages = 0, chunks = 0;
};

/// Reads "key: value" lines or a JSON object with dp_size, pp_size, vpp_size and trial_name; other keys are left alone.
[[nodiscard]] Result<StageTableMeta> readStageTableMeta(const std::string& path);

/// Reads comma-separated rows with a header that names dp_rank, stage, step, optype, start_ts (s), duration (s) and, where they exist,
/// rank, seq_id, mc and mb_id, in any order; plain or gzip; at most 10,000,000 rows. Rows that cannot be used (broken, negative or
/// endless durations, unknown types, repeated) are dropped; so are replicas without all stages and steps without all workers; the job's
/// notes count each kind. Errors: no header, a stage that no row has, no complete step. One thread; memory 64 bytes a row.
[[nodiscard]] Result<TraceJob> readStageTable(const std::string& path, const StageTableMeta& meta = {}, const ReadControl& control = {});

/// Whether a folder holds such files (pp_rank_0.json).
[[nodiscard]] bool isPipelineEventFolder(const std::string& path);

/// Reads a folder of files pp_rank_N.json: an object that maps iterations to {fwd_start, fwd_end, bwd_start, bwd_end}, each an array in
/// milliseconds after the iteration's begin, and where it exists config.json (dp_size, pp_size, vp_size). Rank N is stage N modulo
/// pp_size of replica N / pp_size. Transfers are not recorded: what lies between computations is a gap. Intervals that end before they
/// begin are dropped and counted. Errors: no readable rank, no complete step. At most 64 MiB a file and 65,536 files.
[[nodiscard]] Result<TraceJob> readPipelineEvents(const std::string& folder, const ReadControl& control = {});

} // namespace prism
