// How long a chunk takes in one kind of cell: mean and spread as functions of the cell's luck, and the shape of the rest.
#pragma once

#include "core/sim/griddist.h"
#include "core/sim/programshape.h"
#include "core/sim/sweepkernel.h"

#include <stop_token>
#include <vector>

namespace prism {

/// The luck of a cell is one normal score: how slow its ranks' spatial factors make it among cells of its kind. Tables
/// below are piecewise linear in it over kScoreNodes nodes from -kScoreLimit to kScoreLimit.
inline constexpr int kScoreNodes = 113;
inline constexpr double kScoreLimit = 5.6;

/// Regime factors are tabulated on kRegimeNodes equal steps between the extreme values that a run can draw.
struct LinearTable {
    double low = 0.0, perUnit = 0.0; ///< node = (x - low) * perUnit
    std::vector<double> value;       ///< one value: constant
    [[nodiscard]] double at(double x) const;
};

/// One program in one kind of cell. Seconds and seconds squared.
struct ChunkModel {
    std::vector<float> computeMean, computeVariance;       ///< per score node, at data factor 1 and regimes 1
    LinearTable collectiveMean[2], collectiveVariance[2];  ///< by regime factor of scope intraNode, interNode
    RegisterTable shape;                                   ///< standardised
    bool isRandom = false;
    RareEvent rare;                                        ///< probability 0: none, or frequent enough to be in the shape
};

/// Ranks of a cell as far as they differ: the user's slow factors and, where measured, the spatial factors themselves.
struct CellKind {
    std::vector<double> computeFactor; ///< per rank; empty = all 1
    double linkFactor = 1.0;           ///< of interNode collectives
    bool operator==(const CellKind&) const = default;
};

/// Range of regime factors over which collectives with hidden parts are tabulated.
struct RegimeRange {
    double low[2] = {1.0, 1.0}, high[2] = {1.0, 1.0};
};
[[nodiscard]] RegimeRange regimeRange(const StepGraph& graph);

/// Quantile points of every class's temporal factor, with and without its rare event.
struct ClassPoints {
    std::vector<QuantilePoints> all, base;
};
[[nodiscard]] ClassPoints classPoints(const StepGraph& graph);

/// Where spatial factors are measured (fixedSpatial) the score is linear in the slowest rank's factor instead, slow spots included.
struct FixedRange {
    double low = 1.0, high = 1.0;
    std::vector<double> sorted; ///< all ranks' factors
    [[nodiscard]] float score(double slowest) const;
};
[[nodiscard]] FixedRange fixedRange(const StepGraph& graph);

/// Models of `programs` (indices) in one kind of cell, which share the cell's score. `weights` says how often a step runs
/// each program: cells are ordered by the weighted sum. Any thread; stops early with an empty result.
[[nodiscard]] std::vector<ChunkModel> chunkModels(const StepGraph& graph, const CellKind& kind, const std::vector<int>& programs,
                                                  const std::vector<double>& weights, const ClassPoints& points,
                                                  const RegimeRange& regimes, const FixedRange& fixed, std::stop_token stop);

} // namespace prism
