// SPDX-License-Identifier: GPL-3.0-or-later
// Operations on whole rows of lanes, vectorised by Highway with run-time dispatch. Targets with multiply-add give the same bits.
#pragma once

#include "core/sim/lanes/lanewords.h"
#include "core/sim/lanes/quantiletable.h"

#include <cstdint>

namespace prism {

/// Sharpness of a maximum of nearly equal ranks: ln(mean exp(beta (x - max))) / beta is added to it. Beyond kSharp it is the plain maximum.
inline constexpr float kSharp = 3e4F;

/// A row of a factor with its rare event. `row` is aligned as RowsOf aligns it; so are all rows below.
void drawRow(const DrawTable& table, const LaneSeeds& seeds, LaneKey key, float* row);
/// The raw 32 bits of a draw.
void drawWords(const LaneSeeds& seeds, LaneKey key, std::uint32_t* row);
/// out[lane] = soft maximum with the sharpness beta over n rows, row i at rows + i * kLanes; n >= 1; `out` may be the first row.
void softMaximum(const float* rows, std::size_t n, float beta, float* out);
/// Soft maximum over ranks of 1 + sensitivity * (G * slow - 1). `slow`: a factor per rank, or null.
void slowestOfRanks(const float* speeds, const float* slow, std::size_t ranks, float sensitivity, float beta, float* out);
/// out = scale * (base + sum of weight[i] * row i); row i at rows + i * stride.
void weightedSum(const float* rows, std::size_t stride, const float* weights, std::size_t n, float base, const float* scale, float* out);
/// The sums over kernels of meanSeconds * e for `ranks` ranks, in sequence, times 1 + sensitivity * (G - 1) and the data factor,
/// are added to the ranks' clocks. Draws are numbered from `key` on.
struct KernelRun {
    const DrawTable* table = nullptr;
    const float* meanSeconds = nullptr;
    const float* const* routing = nullptr; ///< per kernel a row, or null
    std::size_t kernels = 0, ranks = 0, ranksPerOwner = 1;
    float sensitivity = 1.0F;
    const float* speeds = nullptr; ///< row per rank
    const float* data = nullptr;   ///< row per owner
    bool withRare = true;          ///< rare events are drawn here; else the caller adds them
};
void runKernels(const KernelRun& run, const LaneSeeds& seeds, std::uint64_t firstKey, float* clocks);
/// Names a draw within one execution of runKernels.
[[nodiscard]] LaneKey executionKey(std::uint64_t number);

} // namespace prism
