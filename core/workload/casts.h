// SPDX-License-Identifier: GPL-3.0-or-later
// Memory traffic to quantise an operand of a matrix product, by recipe.
#pragma once

#include "core/scenario/scenario.h"

namespace prism {

/// Bytes read and written per element of a 16-bit operand; 0 where products run in 16 bit or wider. Transformer Engine
/// (common/recipe/__init__.py, docs/examples/gemm_profiling): delayed scaling knows its scale and casts in one pass; current scaling
/// (fp8_tensorwise) and NVFP4, whose blocks have a scale of the tensor above theirs, read the tensor once more for its maximum. Blocks
/// along the rows are not blocks along the columns, so block recipes write two copies with their scales; a scale per tensor needs the
/// second one only where the matrix units read FP8 in one layout alone (Hopper; those that have FP4 read both).
[[nodiscard]] double castBytes(const TrainingConfig& training, const GpuSpec& gpu);

} // namespace prism
