// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/datatraffic.h"

#include <algorithm>
#include <cmath>

namespace prism {

double passesBetweenChunks(std::int64_t pipelineSize, std::int64_t microbatches)
{
    return static_cast<double>(std::min(pipelineSize, microbatches));
}

double exposedChunkReduction(const std::vector<ChunkTraffic>& chunks, double passes)
{
    double now = 0, busyUntil = 0; // now: when the last backward of the chunk at hand is done
    for (auto chunk = chunks.rbegin(); chunk != chunks.rend(); ++chunk) {
        now += passes * chunk->backward;
        busyUntil = std::max(busyUntil, now) + chunk->traffic;
    }
    return std::max(0.0, busyUntil - now);
}

double exposedChunkGather(const std::vector<ChunkTraffic>& chunks, double passes)
{
    double now = 0, exposed = 0, issued = 0, busyUntil = 0;
    for (std::size_t c = 0; c < chunks.size(); ++c) {
        busyUntil = std::max(busyUntil, issued) + chunks[c].traffic;
        const double wait = std::max(0.0, busyUntil - now);
        exposed += wait;
        now += wait;
        issued = c == 0 ? 0 : now; // chunk 1 goes out with chunk 0
        now += passes * chunks[c].forward;
    }
    return exposed;
}

double exposedBucketReduction(const ChunkTraffic& stage, double buckets)
{
    const double n = std::max(1.0, std::ceil(buckets));
    double busyUntil = 0;
    for (double i = 1; i <= n; ++i)
        busyUntil = std::max(busyUntil, i / n * stage.backward) + stage.traffic / n;
    return std::max(0.0, busyUntil - stage.backward);
}

double exposedBucketGather(const ChunkTraffic& stage, double buckets)
{
    const double n = std::max(1.0, std::ceil(buckets));
    return stage.traffic / n + (n - 1) / n * std::max(0.0, stage.traffic - stage.forward);
}

double bucketParameters(std::int64_t dataParallelSize)
{
    return std::max(40e6, 1e6 * static_cast<double>(dataParallelSize));
}

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
