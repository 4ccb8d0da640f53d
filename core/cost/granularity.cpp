// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/granularity.h"

#include "core/cost/datatraffic.h"
#include "core/workload/memory.h"

#include <algorithm>
#include <cmath>

namespace prism {
namespace {

int whole(double x)
{
    return static_cast<int>(std::clamp(std::ceil(x), 1.0, 4096.0));
}

/// Chunks of a stage in the order of the path.
std::vector<ChunkLayers> chunksOf(const Schedule& schedule, const GranularityInputs& in, std::size_t stage)
{
    std::vector<ChunkLayers> out;
    for (std::size_t i = 0; i < in.chunks.size(); ++i)
        if (schedule.path[i][0] == static_cast<int>(stage))
            out.push_back(in.chunks[i]);
    return out;
}

int bucketsOf(const std::vector<ChunkLayers>& chunks, const GranularityInputs& in, bool first, bool overlap)
{
    const auto others = static_cast<double>(chunks.size()) - 1.0;
    if (!first || !overlap || chunks.empty())
        return whole(others + 1.0);
    const double parameters = stageParameters(in.scenario, in.shape, {chunks.front()}, in.shape.pp > 1).total();
    return whole(others + std::max(1.0, std::ceil(parameters / bucketParameters(in.layout.data.size))));
}

} // namespace

int lockstepReplicas(const Scenario& scenario, const Shape& shape)
{
    const std::int64_t ranksOfReplica = shape.cp * shape.groupsPerCell, shard = scenario.parallelism.hsdpShardSize;
    if (shard <= 0)
        return 0;
    const std::int64_t replicas = std::clamp<std::int64_t>(shard / ranksOfReplica, 1, shape.numReplicas);
    return shape.numReplicas % replicas == 0 ? static_cast<int>(replicas) : 0;
}

void setGranularity(StepGraph& graph, const GranularityInputs& in)
{
    const ParallelismConfig& par = in.scenario.parallelism;
    const int ranks = graph.cellRanks();
    for (auto* transfers : {&graph.sendForward, &graph.sendBackward})
        for (StepOp& op : *transfers)
            op.groups = op.kernelClass >= 0 ? ranks : 1;
    if (graph.embeddingAllReduce.kernelClass >= 0)
        graph.embeddingAllReduce.groups = ranks;
    for (std::size_t p = 0; p < graph.gradSync.size(); ++p) {
        const std::vector<ChunkLayers> chunks = chunksOf(graph.schedule, in, p);
        const StageParameters n = stageParameters(in.scenario, in.shape, chunks, in.shape.pp > 1);
        const auto groups = static_cast<int>(n.expert > n.dense ? in.shape.ep * in.shape.etp : in.shape.tp);
        const auto set = [&](StepOp& op, bool overlap) {
            if (op.kernelClass < 0)
                return;
            op.groups = groups;
            op.buckets = bucketsOf(chunks, in, p == 0, overlap);
        };
        set(graph.gradSync[p], par.overlapGradReduce);
        set(graph.paramGather[p], par.overlapParamGather);
    }
}

} // namespace prism
