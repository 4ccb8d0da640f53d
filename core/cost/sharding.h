// SPDX-License-Identifier: GPL-3.0-or-later
// Sharding of the parameters, gradients and optimizer state of a stage: shard ranks and replica ranks.
//
// One description of ZeRO 1 to 3 (Rajbhandari et al. 2020, arXiv 1910.02054), HSDP and MiCS (shard groups smaller than the data-parallel
// group) and Megatron-LM's --num-distributed-optimizer-instances (DP x CP / shard size). Memory, traffic and lockstep read it.
#pragma once

#include "core/step/layout.h"
#include "core/workload/memory.h"

namespace prism {

/// The two parts of a data-parallel group: `shard` ranks split one copy, `replica` ranks hold the same part of it.
struct StateGroups {
    GroupGeometry shard, replica;
};

/// How one kind of model state lies on the ranks.
struct StateSharding {
    StateGroups dense, expert;
    /// Number of the `n` parameters of a stage that one rank holds.
    [[nodiscard]] double held(const StageParameters& n) const;
};

struct Sharding {
    StateSharding parameters, gradients, optimizer;
    bool reducesEachPass = false; ///< ZeRO 2 and 3: gradients are reduced in every micro-batch (FSDP, DeepSpeed)
    bool gathersEachPass = false; ///< ZeRO 3: parameters are gathered for every pass
};
[[nodiscard]] Sharding shardingOf(const ParallelismConfig& parallelism, const Layout& layout);

/// Bytes of model state per parameter (arXiv 1910.02054, section 3.1), and of a parameter that is gathered.
struct StateBytes {
    double weight = 2, gradient = 4, optimizer = 12, gathered = 2;
    double update = 30; ///< read and written by the optimizer
};
[[nodiscard]] StateBytes stateBytesOf(const Scenario& scenario);

} // namespace prism
