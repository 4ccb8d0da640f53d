// SPDX-License-Identifier: GPL-3.0-or-later
// Pools of durations of workers at the same place of the layout, and a bound on unrecorded slow workers.
#pragma once

#include "core/trace/pools.h"
#include "core/trace/stepmodel.h"

namespace prism {

/// Pools of a measured job, largest total time first: computations by type, stage and chunk over the worker's persistent factor; transfers
/// and collectives by type and stage, without waiting; the gaps before each type by stage. Workers at the same place of the layout (all
/// replicas of a stage) share a pool. Pure; any thread.
[[nodiscard]] std::vector<DurationPool> durationPools(const RegularJob& job, const ComputeFactors& factors);

/// Text on slow workers among those without a record: of `seen` workers `slow` were slow, `whole` take part. Empty where all were seen. The
/// largest share of slow ones among the rest is the 95 % bound of Clopper and Pearson (Biometrika 26, 1934).
[[nodiscard]] std::string unseenText(int seen, int slow, int whole);

} // namespace prism
