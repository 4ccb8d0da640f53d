// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/shardtraffic.h"

namespace prism {
namespace {

double seconds(const CostModel& cost, CollectiveOp op, const GroupGeometry& dense, const GroupGeometry& expert,
               const StageParameters& bytes)
{
    return cost.collectiveSeconds(op, dense, bytes.dense) + cost.collectiveSeconds(op, expert, bytes.expert);
}

} // namespace

double gatherSeconds(const CostModel& cost, const StateSharding& sharding, const StageParameters& n, double bytes)
{
    return seconds(cost, CollectiveOp::allGather, sharding.dense.shard, sharding.expert.shard, {n.dense * bytes, n.expert * bytes});
}

double scatterSeconds(const CostModel& cost, const StateSharding& sharding, const StageParameters& n, double bytes)
{
    return seconds(cost, CollectiveOp::reduceScatter, sharding.dense.shard, sharding.expert.shard, {n.dense * bytes, n.expert * bytes});
}

double replicaSeconds(const CostModel& cost, const StateSharding& sharding, const StageParameters& n, double bytes)
{
    const StateGroups &dense = sharding.dense, &expert = sharding.expert;
    return seconds(cost, CollectiveOp::allReduce, dense.replica, expert.replica,
                   {n.dense * bytes / static_cast<double>(dense.shard.size), n.expert * bytes / static_cast<double>(expert.shard.size)});
}

} // namespace prism
