// SPDX-License-Identifier: GPL-3.0-or-later
// TFLOP/s of fused attention by generation of kernel and GPU: measured tables, forward and backward separately.
#pragma once

#include <string_view>

namespace prism {

/// One fused attention kernel; lengths in tokens, dimensions of a head.
struct AttentionShape {
    double sequence = 4096; ///< keys that a causal query row attends to at most; a kernel without mask is like a causal one of twice that
    double queryDim = 128, valueDim = 128;
    bool backward = false;
    bool blockScaled = false; ///< in FP8: a scale for each block (MXFP8) instead of one for the tensor
};

/// FLOP/s that a full GPU reaches, at the clock of a short benchmark. `family` and `type` as gpuFamily and gpuType give them, `backend` a
/// value of training.attention_backend (not "unfused"), `peak` the dense 16-bit FLOP/s of the GPU. A GPU without a separate table
/// takes the share of the peak of its family's table, one without a family's that of A100. Any thread.
[[nodiscard]] double attentionRate(std::string_view family, std::string_view type, std::string_view backend, double peak,
                                   const AttentionShape& shape);

} // namespace prism
