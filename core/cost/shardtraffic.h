// SPDX-License-Identifier: GPL-3.0-or-later
// Seconds of the traffic of sharded model state.
#pragma once

#include "core/cost/costmodel.h"
#include "core/cost/sharding.h"

namespace prism {

/// `n` parameters of `bytes` each: gathered or reduced and scattered in the shard groups, or (all-reduce) the sums of each part between its
/// replicas.
[[nodiscard]] double stateSeconds(const CostModel& cost, CollectiveOp op, const StateSharding& sharding, const StageParameters& n,
                                  double bytes);

} // namespace prism
