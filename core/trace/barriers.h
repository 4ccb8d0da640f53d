// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the barriers that a trace does not record.
#pragma once

#include "core/trace/blockinggraph.h"

namespace prism {

/// A found barrier and the waiting time that it explains.
struct FoundBarriers {
    HiddenBarriers sets;
    std::vector<std::string> texts; ///< one sentence for each set
};

/// Tests, in sequence, whether the last stage (then every other), a replica's stages (the first replica first) and the whole job
/// wait for each other before the tail. A set counts as a barrier where, with it inserted, the gaps behind it stay >= -1 ms (all but one in
/// a hundred, for clock errors) and their mean falls to half or less of at least 1 ms; where replicas left no record and may be what the
/// others wait for, their starts instead must lie within a quarter of the time over which they became ready. Waits that are barriers would
/// else be drawn as gaps and counted twice. O(steps x candidates x workers).
[[nodiscard]] FoundBarriers hiddenBarriers(const TraceJob& job);

} // namespace prism
