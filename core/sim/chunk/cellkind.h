// SPDX-License-Identifier: GPL-3.0-or-later
// Kinds of cells, and the spatial factors that the ranks of a cell may have.
#pragma once

#include "core/base/hash.h"
#include "core/step/stepgraph.h"

#include <algorithm>
#include <vector>

namespace prism {

/// The luck of a cell is one normal score: how slow its ranks' spatial factors make it among cells of its kind. Tables over
/// it are piecewise linear over kScoreNodes nodes from -kScoreLimit to kScoreLimit.
inline constexpr int kScoreNodes = 113;
inline constexpr double kScoreLimit = 5.6;

/// Ranks have spatial factors that are drawn for every job: they are random and not measured.
[[nodiscard]] bool variesSpatially(const StepGraph& graph);

/// Where a score lies in the tables. A rare event of the spatial factor makes cells jump: cells with such a rank have the scores from
/// `jump` on and the nodes from `firstHit` on, and nothing is interpolated between them and the others.
struct ScoreScale {
    double jump = 1e300;
    int firstHit = kScoreNodes;
    double perBelow = (kScoreNodes - 1) / (2.0 * kScoreLimit), perAbove = 0.0; ///< nodes per unit of score

    [[nodiscard]] double place(double score) const
    {
        if (score < jump)
            return std::clamp((score + kScoreLimit) * perBelow, 0.0, firstHit - 1.0);
        return std::clamp(firstHit + (score - jump) * perAbove, static_cast<double>(firstHit), kScoreNodes - 1.0);
    }
    /// Node at or below the place, such that the next one belongs to the same part.
    [[nodiscard]] std::size_t nodeBelow(double at) const
    {
        const bool hit = at >= firstHit;
        return std::min(static_cast<std::size_t>(at), static_cast<std::size_t>(hit ? kScoreNodes : firstHit) - 2);
    }
    [[nodiscard]] double scoreOf(double node) const
    {
        return node < firstHit ? node / perBelow - kScoreLimit : jump + (node - firstHit) / perAbove;
    }
};
/// Of the cells of a graph; the same for all kinds of cells, whose numbers of ranks are equal.
[[nodiscard]] ScoreScale scoreScale(const StepGraph& graph);

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

/// Weighted vectors of spatial factors for a cell: stratified by the slowest rank, with its upper tail to 1e-7 resolved; the cells
/// with a rare event come last.
struct SpatialSamples {
    std::vector<double> weight;
    std::size_t firstHit = 0;   ///< first sample with a rare event; 0 = none has one
    std::vector<double> factor; ///< [sample][rank]
    bool ordered = false;       ///< sample j belongs to score node j: measured cells
    ContentHash hash;           ///< of what they were made from
};
/// Groups of a cell that are alike: their samples, weighted, are drawn afresh for each of `count` groups.
struct GroupKind {
    std::size_t first = 0, last = 0;
    double count = 1.0;
    std::size_t firstHit = 0; ///< first sample with a rare event; 0 = none has one
};
[[nodiscard]] SpatialSamples spatialSamples(const StepGraph& graph, const CellKind& kind, const MeasuredCells& measured);

} // namespace prism
