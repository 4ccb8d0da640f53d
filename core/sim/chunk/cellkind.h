// SPDX-License-Identifier: GPL-3.0-or-later
// Kinds of cells, and the spatial factors that the ranks of a cell may have.
#pragma once

#include "core/base/hash.h"
#include "core/step/stepgraph.h"

#include <vector>

namespace prism {

/// The luck of a cell is one normal score: how slow its ranks' spatial factors make it among cells of its kind. Tables over
/// it are piecewise linear over kScoreNodes nodes from -kScoreLimit to kScoreLimit.
inline constexpr int kScoreNodes = 113;
inline constexpr double kScoreLimit = 5.6;

/// Ranks of a cell as far as they differ: the user's slow factors and, where measured, the spatial factors themselves.
struct CellKind {
    std::vector<double> computeFactor; ///< per rank; empty = all 1
    double linkFactor = 1.0;           ///< of interNode collectives
    bool operator==(const CellKind&) const = default;
};
[[nodiscard]] CellKind cellKind(const StepGraph& graph, int replica, int stage);

/// Cells of a job whose ranks' spatial factors are given (fixedSpatial), slow spots included. Up to kScoreNodes distinct cells have a
/// score node each and are exact. Of more, representative ones lie on the nodes, evenly in how slow they are, and the others between.
struct MeasuredCells {
    std::vector<double> factor; ///< [node][rank], ranks in no special order inside a group; empty: nothing is measured
    std::vector<float> score;   ///< [replica][stage]
};
[[nodiscard]] MeasuredCells measuredCells(const StepGraph& graph);

/// Weighted vectors of spatial factors for a cell: stratified by the slowest rank, with its upper tail to 1e-7 resolved.
struct SpatialSamples {
    std::vector<double> weight;
    std::vector<double> factor; ///< [sample][rank]
    bool ordered = false;       ///< sample j belongs to score node j: measured cells
    ContentHash hash;           ///< of what they were made from
};
[[nodiscard]] SpatialSamples spatialSamples(const StepGraph& graph, const CellKind& kind, const MeasuredCells& measured);

} // namespace prism
