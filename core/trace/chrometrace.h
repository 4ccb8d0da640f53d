// SPDX-License-Identifier: GPL-3.0-or-later
// Writes measured and drawn steps as Chrome traces, which Perfetto opens, and pools of durations as CSV.
#pragma once

#include "core/trace/kinetoreport.h"
#include "core/trace/tracejob.h"

#include <string>

namespace prism {

/// GPU activities of the ranks with the times of their traces, microseconds; one process per rank, one thread per stream.
[[nodiscard]] std::string chromeTrace(const std::vector<KinetoRank>& ranks);
/// The operations of a step; one process per replica, one thread per stage for computations and one for transfers and collectives.
[[nodiscard]] std::string chromeTrace(const TraceStep& step, const TraceJob& job);
/// signature, n, mean_s, cv, p50_s, p95_s, family, ks, ks_p, warning; a line for each pool, in their order.
[[nodiscard]] std::string poolsCsv(const std::vector<DurationPool>& pools);

} // namespace prism
