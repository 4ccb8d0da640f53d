// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/sharding.h"

#include <algorithm>

namespace prism {
namespace {

/// `ranks` neighbours of a group, and those of the same place in every such set.
StateGroups split(const GroupGeometry& group, std::int64_t ranks)
{
    StateGroups out;
    out.shard = groupOf(std::min(ranks, group.size), group.ranksPerNode, group.stride);
    out.shard.nodesInPod = group.nodesInPod > 0 && group.nodesInPod < out.shard.nodes ? group.nodesInPod : 0;
    out.replica = groupOf(group.size / out.shard.size, group.ranksPerNode / out.shard.size, group.stride * out.shard.size);
    if (group.nodesInPod > 0) { // the ranks of a pod hold as many of the copies as shards fit into it
        const std::int64_t copies = std::max<std::int64_t>(1, group.nodesInPod * group.ranksPerNode / out.shard.size);
        const std::int64_t nodes = std::max<std::int64_t>(1, copies / out.replica.ranksPerNode);
        out.replica.nodesInPod = nodes < out.replica.nodes ? nodes : 0;
    }
    return out;
}

} // namespace

double StateSharding::held(const StageParameters& n) const
{
    return n.dense / static_cast<double>(dense.shard.size) + n.expert / static_cast<double>(expert.shard.size);
}

Sharding shardingOf(const ParallelismConfig& par, const Layout& layout)
{
    const std::int64_t ranks = layout.data.size, copies = par.hsdpShardSize > 0 ? std::max<std::int64_t>(1, ranks / par.hsdpShardSize) : 1;
    const auto state = [&](int fromStage) {
        const bool sharded = par.zeroStage >= fromStage;
        return StateSharding{split(layout.data, sharded ? ranks / copies : 1),
                             split(layout.expertData, sharded ? layout.expertData.size / copies : 1)};
    };
    return {state(3), state(2), state(1), par.zeroStage >= 2, par.zeroStage >= 3};
}

StateBytes stateBytesOf(const Scenario& scenario)
{
    const TrainingConfig& t = scenario.training;
    StateBytes b;
    const bool full = t.precision == "fp32";
    const bool masterAlone = full || scenario.parallelism.zeroStage >= 3; // FSDP keeps FP32 shards and casts what it gathers
    b.weight = masterAlone ? 4 : 2;
    b.gradient = t.gradReduceInFp32 || full ? 4 : 2;
    const double moments = t.optimizer == "sgd" ? 4 : 8;
    b.optimizer = moments + (masterAlone ? 0 : 4); // and the FP32 master weights
    b.update = 2 * (moments + 4) + b.gradient + (masterAlone ? 0 : b.weight);
    b.gathered = scenario.parallelism.fp8ParamGather && t.precision.starts_with("fp8") ? 1 : full ? 4 : 2;
    return b;
}

} // namespace prism
