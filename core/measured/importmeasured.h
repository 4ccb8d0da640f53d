// SPDX-License-Identifier: GPL-3.0-or-later
// nccl-tests logs and operator benchmark tables as measured rows of a scenario.
#pragma once

#include "core/scenario/scenario.h"

#include <string>
#include <string_view>
#include <vector>

namespace prism {

/// What the log itself may lack. Empty and 0 = from the log.
struct NcclTestsOptions {
    std::string op; ///< all_reduce, all_gather, reduce_scatter, all_to_all or p2p
    std::int64_t ranks = 0;
};

/// Reads the printed table of all_reduce_perf, all_gather_perf, reduce_scatter_perf, alltoall_perf and sendrecv_perf of any version
/// (out-of-place times). The op is in the line "# Collective test starting: ..." of new versions. Untrusted text: at most 64 MiB and
/// 20,000 rows; every bad line is an error with its number, all at once.
[[nodiscard]] Result<std::vector<MeasuredRow>> ncclTestsRows(std::string_view text, const NcclTestsOptions& options);

/// Reads CSV with a header: op, m, n, k, dtype, ranks, bytes and one time column (time_s, time_us or time_ms); `num_gpus` and
/// `latency_us` are taken for ranks and time. A table without op holds matrix products. Columns that are not known are omitted.
[[nodiscard]] Result<std::vector<MeasuredRow>> operatorTableRows(std::string_view text);

/// Adds rows to a scenario's measured table; a row of the same op, type, shape, ranks and bytes is replaced. Returns how many were.
int addMeasuredRows(Scenario& scenario, std::vector<MeasuredRow> rows);

} // namespace prism
