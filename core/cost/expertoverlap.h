// SPDX-License-Identifier: GPL-3.0-or-later
// Expert all-to-all of one micro-batch beside the compute of another (overlap_moe_expert_parallel_comm of Megatron-Core, DualPipe).
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

/// Share of the forward passes that run beside a backward pass of another micro-batch: those of the warm-up have none. Mean over
/// the stages; 0 where all forwards come first.
[[nodiscard]] double pairedShare(const Schedule& schedule);

/// Dispatch and combine of the forward pass hide under the compute of a backward pass, those of the backward under that of a forward
/// (DeepSeek-V3, arXiv 2412.19437, section 3.2.1), in `share` of the passes; what exceeds that compute is exposed. The compute
/// beside takes `slowdown` times the shared seconds longer.
void hideExpertTraffic(CostedPass forward, CostedPass backward, double share, double slowdown);

} // namespace prism
