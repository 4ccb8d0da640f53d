// SPDX-License-Identifier: GPL-3.0-or-later
// Expert all-to-all of one micro-batch hidden behind compute of another (overlap_moe_expert_parallel_comm of Megatron-Core, DualPipe).
#pragma once

#include "core/schedule/schedule.h"
#include "core/step/stepgraph.h"
#include "core/workload/kernel.h"

#include <vector>

namespace prism {

/// One pass of a layer: its kernels and, in the same order, their costed operations.
struct CostedPass {
    const std::vector<Kernel>& kernels;
    std::vector<Op>& ops;
};

/// Share of the forward passes that overlap a backward pass of another micro-batch, for schedules that do not state which (no pieces):
/// those of the warm-up have none. Mean over the stages; 0 where all forwards come first.
[[nodiscard]] double pairedShare(const Schedule& schedule);

/// What F&B, a forward and a backward in one piece, takes: the compute of both, their tensor-parallel and other collectives as they are
/// alone, and of the expert-parallel dispatch and combine what does not fit under the other's compute. Those of a layer's forward hide
/// under the compute of a backward (dgrad and wgrad) of a layer of its kind that no other collective overlaps, those of its backward
/// under that of its forward (DeepSeek-V3, arXiv 2412.19437, section 3.2.1), each second of compute once; with `share` < 1 in this share
/// of the passes. The mean hides; what a draw is longer is exposed. The overlapped compute takes longer by `slowdown` times these seconds.
void hideExpertTraffic(CostedPass forward, CostedPass backward, double share, double slowdown);

} // namespace prism
