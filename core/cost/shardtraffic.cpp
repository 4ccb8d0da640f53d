// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/shardtraffic.h"

namespace prism {

double stateSeconds(const CostModel& cost, CollectiveOp op, const StateSharding& sharding, const StageParameters& n, double bytes)
{
    const auto seconds = [&](const StateGroups& groups, double parameters) {
        return op == CollectiveOp::allReduce
                   ? cost.collectiveSeconds(op, groups.replica, parameters * bytes / static_cast<double>(groups.shard.size))
                   : cost.collectiveSeconds(op, groups.shard, parameters * bytes);
    };
    return seconds(sharding.dense, n.dense) + seconds(sharding.expert, n.expert);
}

} // namespace prism
