// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of operator benchmarks: matrix products and bus bandwidths, and the meaning of the words in such tables.
#pragma once

#include "core/step/layout.h"
#include "core/workload/kernel.h"

#include <cstdint>
#include <string>

namespace prism {

enum class MatrixPrecision : std::uint8_t { fp32, tf32, bits16, fp8, fp4 };

/// The precision that a row's dtype names ("bf16", "half", "fp8", "nvfp4", "float"); 16 bit when it names none.
[[nodiscard]] MatrixPrecision precisionOf(const std::string& dtype);
/// The collective of a row's op; false when it is a matrix product.
[[nodiscard]] bool collectiveOf(const std::string& op, CollectiveOp& collective);

/// A bandwidth of a collective: op (0 all-reduce, 1 all-gather, 2 reduce-scatter, 3 all-to-all), ranks, bytes, bus GB/s, and the
/// bandwidth of the link that it ran over.
struct BusRow {
    std::string type; ///< "a100", "h200", ...
    int op = 0, ranks = 2;
    double bytes = 0, busGbPerS = 0, linkGbPerS = 1;
};
/// A matrix product and its time; `outputBytes` of traffic per element of C (2 = written once in 16 bit, 8 = added up in FP32).
struct GemmRow {
    std::string family;
    MatrixPrecision precision = MatrixPrecision::bits16;
    double m = 0, n = 0, k = 0, seconds = 0, outputBytes = 2;
};
} // namespace prism
