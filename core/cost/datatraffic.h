// SPDX-License-Identifier: GPL-3.0-or-later
// The exposed part of the data-parallel traffic: chunks are reduced and gathered during the passes of the pipeline.
//
// Rules of Megatron-Core (core/pipeline_parallel/schedules.py: grad_sync_func, param_sync_func; core/distributed: buckets). All times in
// seconds; pure functions; any thread.
#pragma once

#include "core/cost/costmodel.h"
#include "core/cost/sharding.h"

#include <cstdint>
#include <vector>

namespace prism {

/// The chunks of one stage, in model order.
struct ChunkTraffic {
    double forward = 0, backward = 0; ///< one pass of one micro-batch
    double traffic = 0;               ///< the collectives of the chunk, alone on the network
};

/// Passes of one direction that a chunk runs before the next chunk's turn: the pipeline size, or the micro-batches where they are fewer.
[[nodiscard]] double passesBetweenChunks(std::int64_t pipelineSize, std::int64_t microbatches);

/// Interleaved schedule, gradients: a chunk is reduced as a whole when its last micro-batch's backward is through; `passes` backward
/// passes of each further chunk follow (passesBetweenChunks). Chunk 0 has none after it. One collective at a time. Exposed seconds after
/// the last backward.
[[nodiscard]] double exposedChunkReduction(const std::vector<ChunkTraffic>& chunks, double passes);

/// Interleaved schedule, parameters: chunks 0 and 1 are gathered at the start of the step, chunk c + 1 when the first micro-batch of
/// chunk c starts. Exposed seconds before and between the first passes.
[[nodiscard]] double exposedChunkGather(const std::vector<ChunkTraffic>& chunks, double passes);

/// Plain schedule, gradients in `buckets` equal buckets, each ready when its share of the last backward is done.
[[nodiscard]] double exposedBucketReduction(const ChunkTraffic& stage, double buckets);

/// Plain schedule, parameters: gathered by hooks before the layers, one bucket ahead.
[[nodiscard]] double exposedBucketGather(const ChunkTraffic& stage, double buckets);

/// Parameters of a bucket: max(40 M, 1 M x DP) (Megatron-Core's default).
[[nodiscard]] double bucketParameters(std::int64_t dataParallelSize);

/// `n` parameters of `bytes` each: gathered or reduced and scattered in the shard groups, or (all-reduce) the sums of each part between its
/// replicas.
[[nodiscard]] double stateSeconds(const CostModel& cost, CollectiveOp op, const StateSharding& sharding, const StageParameters& n,
                                  double bytes);

} // namespace prism
