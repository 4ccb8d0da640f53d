// SPDX-License-Identifier: GPL-3.0-or-later
// Reads stage-level operation tables: one row per operation of a (replica, stage) of a profiled job.
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

} // namespace prism
