// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/attention.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace prism {
namespace {

/// Sequence lengths of the tables: 2,048 x 2^i tokens.
constexpr int kLengths = 5;
constexpr double kFirstLength = 2048;
using Row = std::array<double, kLengths>;

struct Table {
    std::string_view family, type, backend;
    double peakTflops;     ///< dense 16-bit peak of the GPU that was measured
    Row forward, backward; ///< TFLOP/s of causal attention, heads of 128, the causal half of the FLOPs counted
};

// cuDNN: NVIDIA/cudnn-frontend benchmark/sdpa_benchmark_training (9.19 on H200, 9.22 on GB200 and GB300), BF16. FlashAttention-2 on
// B200: the same. FlashAttention on A100 and H100: Dao-AILab/flash-attention assets. H100's backward of FlashAttention-3 is published
// without mask: a causal kernel of twice the length does as much, and its first value follows from the second. A100 and H100
// FlashAttention-1 and A100 FlashAttention-2 are published for both passes together; the forward is taken 1.17 times both on A100 and
// 1.1 times on H100 (arXiv 2307.08691, figures 5 and 6, recalled). FP8: cudnn-frontend's own rows, per-tensor scaling. Triton's
// kernel of 2022: slopes over the sequence length of LLM Foundry's tables (512 to 65,536 tokens; 95 to 98 TFLOP/s on A100 and 170 to 178 on
// H100 without recomputation, 98 to 106 and 183 with it, which separates forward and backward; the same for heads of 64 and 128).
constexpr Table kTables[] = {
    {"a100", "", "triton", 312, {127, 127, 127, 127, 127}, {88, 88, 88, 88, 88}},
    {"h100", "", "triton", 989.4, {240, 240, 240, 240, 240}, {155, 155, 155, 155, 155}},
    {"a100", "", "flash1", 312, {81, 89, 94, 97, 97}, {65, 72, 76, 79, 79}},
    {"h100", "", "flash1", 989.4, {119, 139, 149, 151, 151}, {104, 122, 130, 132, 132}},
    {"a100", "", "flash2", 312, {181, 202, 213, 221, 221}, {147, 164, 172, 179, 179}},
    {"h100", "", "flash2", 989.4, {298, 319, 333, 335, 335}, {254, 285, 299, 325, 325}},
    {"h100", "", "flash3", 989.4, {521, 579, 602, 616, 616}, {440, 501, 542, 559, 561}},
    {"h100", "", "cudnn", 989.4, {484, 591, 644, 673, 688}, {370, 474, 541, 579, 581}},
    {"b200", "", "flash2", 2250, {254, 343, 400, 425, 436}, {199, 273, 318, 337, 346}},
    {"b200", "", "cudnn", 2500, {1097, 1408, 1574, 1708, 1622}, {885, 1148, 1332, 1328, 1226}},
    {"b200", "gb300", "cudnn", 2500, {1373, 1703, 1856, 1915, 1953}, {967, 1248, 1435, 1507, 1490}},
    {"b200", "b300", "cudnn", 2500, {1373, 1703, 1856, 1915, 1953}, {967, 1248, 1435, 1507, 1490}},
    {"h100", "", "cudnn_fp8", 989.4, {698, 854, 964, 1010, 1042}, {393, 471, 430, 374, 370}},
    {"b200", "", "cudnn_fp8", 2500, {1420, 1805, 2047, 2154, 2197}, {831, 1178, 1454, 1632, 1687}},
    {"b200", "gb300", "cudnn_fp8", 2500, {1954, 2532, 2897, 3054, 3108}, {944, 1396, 1781, 2035, 2128}},
    {"b200", "b300", "cudnn_fp8", 2500, {1954, 2532, 2897, 3054, 3108}, {944, 1396, 1781, 2035, 2128}},
};

/// Heads of 64 over heads of 128: A100 FlashAttention-2, 140 to 171 of 155 to 189; H100 FlashAttention-3, 371 to 473 of 521 to 616.
constexpr double kNarrowMatrix = 0.905, kNarrowHopper = 0.74;
/// Latent attention (192 / 128): GB200 cuDNN 1072/1406/1585 of 1097/1408/1574 forward, 846/1057/1193 of 885/1148/1332 backward.
constexpr double kLatentForward = 0.99, kLatentBackward = 0.93;
/// Scales by blocks (MXFP8) over one for the whole tensor: GB200, 6 to 7 % below forward, 10 to 15 % backward (cudnn-frontend).
constexpr double kBlockForward = 0.935, kBlockBackward = 0.875;

/// The table of a GPU: its type's, else its family's; of a backend that the GPU does not have the next simpler or older one.
const Table* tableOf(std::string_view family, std::string_view type, std::string_view backend)
{
    const auto find = [&](std::string_view name) {
        const Table* found = nullptr;
        for (const Table& t : kTables)
            if (t.family == family && t.backend == name && (t.type == type || (t.type.empty() && found == nullptr)))
                found = &t;
        return found;
    };
    const Table* table = find(backend);
    if (table == nullptr)
        table = find(backend == "cudnn_fp8" ? "cudnn" : backend == "triton" ? "flash1" : "flash2");
    return table != nullptr ? table : find("flash2");
}

/// Between the lengths in the logarithm; below the first by S / (S + h) through the first two values; constant beyond the last.
double at(const Row& row, double sequence)
{
    const double position = std::log2(std::max(1.0, sequence) / kFirstLength);
    if (position <= 0) {
        const double ratio = std::clamp(row[1] / row[0], 1.0, 1.9);
        const double half = 2 * kFirstLength * (ratio - 1) / (2 - ratio);
        return row[0] * sequence / (sequence + half) * (kFirstLength + half) / kFirstLength;
    }
    const auto left = std::min<std::size_t>(static_cast<std::size_t>(position), kLengths - 2);
    const double f = std::min(1.0, position - static_cast<double>(left));
    return row[left] + f * (row[left + 1] - row[left]);
}

double headFactor(const AttentionShape& shape, std::string_view backend)
{
    if (shape.queryDim > shape.valueDim)
        return shape.backward ? kLatentBackward : kLatentForward;
    const double narrow = backend == "triton" ? 1.0 : backend == "flash2" || backend == "flash1" ? kNarrowMatrix : kNarrowHopper;
    return shape.valueDim >= 128 ? 1.0 : narrow + (1 - narrow) * std::clamp((shape.valueDim - 64) / 64, -0.5, 1.0);
}

} // namespace

double attentionRate(std::string_view family, std::string_view type, std::string_view backend, double peak, const AttentionShape& shape)
{
    const Table* table = tableOf(family, type, backend);
    if (table == nullptr)
        table = tableOf("a100", "", "flash2");
    const double block = shape.blockScaled && table->backend == "cudnn_fp8" ? (shape.backward ? kBlockBackward : kBlockForward) : 1.0;
    const double tflops = block * at(shape.backward ? table->backward : table->forward, shape.sequence);
    return tflops / table->peakTflops * peak * headFactor(shape, table->backend);
}

} // namespace prism
