// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of measured operators: matrix products by m, n, k, and modules of a transformer layer with their forward and backward times.
#pragma once

#include "core/base/result.h"
#include "core/measured/operatorrows.h"

#include <string>
#include <string_view>
#include <vector>

namespace prism {

/// Kind of the rows of a table of modules.
enum class OperatorKind : std::uint8_t { product, qkv, feedForward, attention, activation, norm };

/// One pass of one operator.
struct MeasuredOperator {
    OperatorKind kind = OperatorKind::product;
    bool backward = false;
    MatrixPrecision precision = MatrixPrecision::bits16;
    double m = 0, n = 0, k = 0;                                             ///< product: C[m,n] = A[m,k] B[k,n]
    double batch = 0, heads = 0, sequence = 0, hidden = 0, tensorRanks = 1; ///< modules: sequences of a micro-batch, heads of the model ...
    std::string system;                                                     ///< as the table names the machine; empty = it does not
    double seconds = 0;
};

/// "qkv", "fc1", "attention", "activation" or "norm"; nothing for other words.
[[nodiscard]] bool operatorOf(std::string_view word, OperatorKind& kind);
/// The word of a kind.
[[nodiscard]] std::string_view operatorName(OperatorKind kind);

/// Reads CSV with a header, known by its columns in any case. With m, n and k: matrix products (times in time_s, time_ms, time_us,
/// latency_us, median_us or mean_us; optional dtype or dtypes, system or trace). With b, l and dim (mp: ranks of tensor parallelism,
/// h: heads): a module of the `modules` kind, its forward and backward microseconds in F_dur(us) and B_dur(us). Untrusted text: at most
/// 200,000 rows, the first 50 bad lines are errors.
[[nodiscard]] Result<std::vector<MeasuredOperator>> readOperatorTable(std::string_view text, OperatorKind modules);

/// Whether the header is that of a table of modules, whose kind a caller has to know.
[[nodiscard]] bool isModuleTable(std::string_view text);

} // namespace prism
