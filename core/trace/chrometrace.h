// SPDX-License-Identifier: GPL-3.0-or-later
// Writes measured and drawn steps as Chrome traces, which Perfetto opens.
#pragma once

#include "core/trace/kineto.h"
#include "core/trace/tracejob.h"

#include <string>

namespace prism {

/// GPU activities of the ranks with the times of their traces, microseconds; one process per rank, one thread per stream.
[[nodiscard]] std::string chromeTrace(const std::vector<KinetoRank>& ranks);
/// The operations of a step; one process per replica, one thread per stage for computations and one for transfers and collectives.
[[nodiscard]] std::string chromeTrace(const TraceStep& step, const TraceJob& job);

} // namespace prism
