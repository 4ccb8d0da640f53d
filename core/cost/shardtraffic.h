// SPDX-License-Identifier: GPL-3.0-or-later
// Seconds of what sharded model state sends.
#pragma once

#include "core/cost/costmodel.h"
#include "core/cost/sharding.h"

namespace prism {

/// Every rank of a shard group gets what `n` parameters of `bytes` each have on the others.
[[nodiscard]] double gatherSeconds(const CostModel& cost, const StateSharding& sharding, const StageParameters& n, double bytes);
/// Gradients are summed inside of the shard groups, and the sums of each part between its replicas.
[[nodiscard]] double scatterSeconds(const CostModel& cost, const StateSharding& sharding, const StageParameters& n, double bytes);
[[nodiscard]] double replicaSeconds(const CostModel& cost, const StateSharding& sharding, const StageParameters& n, double bytes);

} // namespace prism
