// SPDX-License-Identifier: GPL-3.0-or-later
// How finely the communications of a step are cut: groups in parallel and buckets in sequence.
#pragma once

#include "core/step/layout.h"
#include "core/workload/shape.h"

namespace prism {

/// Sizes that determine the granularity of a step's communications.
struct GranularityInputs {
    const Scenario& scenario;
    const Shape& shape;
    const Layout& layout;
    const std::vector<ChunkLayers>& chunks; ///< by place on the schedule's path
};

/// Sets `groups` and `buckets` of every communication of the graph that is there; its schedule must be known. Means stay.
///
/// Groups: the senders of a transfer and the pairs of the embedding all-reduce are the ranks of a cell; the ranks of a cell lie in as
/// many gradient groups as there are tensor-parallel ranks, or expert and expert-tensor ranks where experts hold most parameters.
/// Buckets: Megatron-Core cuts gradients and parameters into buckets of max(40 M, 1 M x DP) parameters in the first chunk of stage
/// 0 where they overlap the backward, and makes one bucket of every other chunk (core/distributed/distributed_data_parallel.py).
void setGranularity(StepGraph& graph, const GranularityInputs& inputs);

/// Number of replicas that hold one copy of sharded parameters (Sync::replicas): hsdp_shard_size ranks of the data-parallel group, or
/// all of them: 0.
[[nodiscard]] int lockstepReplicas(const Scenario& scenario, const Shape& shape);

} // namespace prism
