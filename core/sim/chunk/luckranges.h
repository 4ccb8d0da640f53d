// SPDX-License-Identifier: GPL-3.0-or-later
// Cells of like luck: what a rare event adds depends on how slow the other ranks of the cell are that it hits.
#pragma once

#include "core/sim/chunk/cellkind.h"

#include <vector>

namespace prism {

/// First score node of each range of cells whose rare events are sampled apart, at most kLuckRanges: where factors are drawn those that
/// have a rare spatial event and the others by how slow they are (not by that where groups are drawn one by one), where they are measured
/// ranges of cells. One range: all are alike.
inline constexpr std::size_t kLuckRanges = 8;
[[nodiscard]] std::vector<int> luckRanges(const StepGraph& graph, const MeasuredCells& measured, bool groupwise);

/// Cells that rare events are sampled in, by their ranks' factors.
struct LuckyCells {
    SpatialSamples spatial;                    ///< of cells, or of single groups, each weighted by how many are like it
    std::vector<std::vector<GroupKind>> cells; ///< which of the single groups meet; empty = samples are of cells
    std::vector<int> node;                     ///< of each sample of cells: the score node at or below it
    /// One of the groups that meet has a rank with a rare spatial event, and each of the others has one with this probability;
    /// negative: their samples' weights say it.
    double othersHit = -1.0;
    double share = 1.0; ///< of all cells
};

/// Those of one range, [first, last) its score nodes.
[[nodiscard]] LuckyCells cellsOfRange(const LuckyCells& all, int first, int last);

} // namespace prism
