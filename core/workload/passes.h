// SPDX-License-Identifier: GPL-3.0-or-later
// Number of passes over their tensors in memory of kernels without matrix products, from which their bytes follow.
#pragma once

#include "core/scenario/scenario.h"

namespace prism {

inline constexpr double kFp32Bytes = 4.0;

/// Backward of a norm, passes over one tensor. Its first kernel reads the gradient and the input and writes the input's gradient: 3. Its
/// second reads both again for the weights' gradient: 2 more if nothing of them were left in the L2 cache, 0 if a fused kernel did both (as
/// in Apex's and Transformer Engine's). Deduced, not measured: a quarter of the second kernel's reads reach the memory.
inline constexpr double kNormBackwardPasses = 3.5;

/// Bytes per element of a 16-bit norm that runs as single operations (torchtitan's RMSNorm), reads and writes counted. Forward:
/// cast to FP32 6, square 8, mean 4, scale 8, cast 6, weight 4. Backward: weight and its sum 12, cast 6, scale and its sum 24, square 16,
/// addition 12, cast 6.
inline constexpr double kEagerNormForward = 36.0, kEagerNormBackward = 76.0;
/// Backward of torch's LayerNorm, passes over one tensor: one kernel for the input's gradient (3), one for the weights' (2).
inline constexpr double kEagerLayerNormBackwardPasses = 5.0;
/// The same of a rotary embedding, either way: cast to FP32 6, complex product 8, cast 6.
inline constexpr double kEagerRotary = 20.0;
/// Bytes per logit of torch's cross entropy in FP32: medians on A100 at 85 % of its bandwidth, 16k tokens of 131k words (Liger-Kernel,
/// benchmark/data/all_benchmark_data.csv).
inline constexpr double kEagerLossForward = 17.0, kEagerLossBackward = 32.0;

/// Router, passes over the FP32 scores [tokens, experts], counted from the operations of Megatron-Core's TopKRouter. Forward: softmax
/// reads and writes, top-k reads, the routing map is written. Backward: the gradient of the chosen ones is read and scattered, softmax
/// backward reads scores and gradient and writes, the result is cast.
inline constexpr double kRouterForwardPasses = 4.0, kRouterBackwardPasses = 6.0;

/// Bytes read and written per element of a 16-bit operand; 0 where products run in 16 bit or wider. Transformer Engine
/// (common/recipe/__init__.py, docs/examples/gemm_profiling): delayed scaling knows its scale and casts in one pass; current scaling
/// (fp8_tensorwise) and NVFP4, whose blocks have a scale of the tensor above theirs, read the tensor once more for its maximum. Blocks
/// along the rows are not blocks along the columns, so block recipes write two copies with their scales; a scale per tensor needs the
/// second one only where the matrix units read FP8 in one layout alone (Hopper; those that have FP4 read both).
[[nodiscard]] double castBytes(const TrainingConfig& training, const GpuSpec& gpu);

} // namespace prism
