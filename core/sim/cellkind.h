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

/// Where spatial factors are measured (fixedSpatial) the score is linear in the slowest rank's factor instead, slow spots included.
struct FixedRange {
    double low = 1.0, high = 1.0;
    std::vector<double> sorted; ///< all ranks' factors
    [[nodiscard]] float score(double slowest) const;
};
[[nodiscard]] FixedRange fixedRange(const StepGraph& graph);

/// Weighted vectors of spatial factors for a cell: stratified by the slowest rank, with its upper tail to 1e-7 resolved.
struct SpatialSamples {
    std::vector<double> weight;
    std::vector<double> factor; ///< [sample][rank]
    bool ordered = false;       ///< sample j belongs to score node j: measured factors
    ContentHash hash;           ///< of what they were made from
};
[[nodiscard]] SpatialSamples spatialSamples(const StepGraph& graph, const CellKind& kind, const FixedRange& fixed);

} // namespace prism
