// How long a chunk takes in one kind of cell: mean and spread as functions of the cell's luck, and the shape of the rest.
#pragma once

#include "core/sim/griddist.h"
#include "core/sim/programshape.h"

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
    std::vector<double> computeMean, computeVariance;      ///< per score node, at data factor 1 and regimes 1
    LinearTable collectiveMean[2], collectiveVariance[2];  ///< by regime factor of scope intraNode, interNode
    std::vector<float> shape;                              ///< standardised quantiles at (i + 0.5) / size
    double noiseFreeSeconds = 0.0;                         ///< every factor at 1, no rare events, slow spots as marked
    [[nodiscard]] bool isRandom() const { return !shape.empty(); }
};

/// Ranks of a cell as far as they differ: the user's slow factors and, where measured, the spatial factors themselves.
struct CellKind {
    std::vector<double> computeFactor; ///< per rank; empty = all 1
    std::vector<double> fixedSpatial;  ///< per rank; empty = drawn
    double linkFactor = 1.0;           ///< of interNode collectives
    bool operator==(const CellKind&) const = default;
};

/// Range of regime factors over which collectives with hidden parts are tabulated.
struct RegimeRange {
    double low[2] = {1.0, 1.0}, high[2] = {1.0, 1.0};
};
[[nodiscard]] RegimeRange regimeRange(const StepGraph& graph);

/// Quantile points of every class's temporal factor.
[[nodiscard]] std::vector<QuantilePoints> classPoints(const StepGraph& graph);

/// Models of `programs` (indices) in one kind of cell, which share the cell's score. `weights` says how often a step runs
/// each program: cells are ordered by the weighted sum. Any thread; stops early with an empty result.
[[nodiscard]] std::vector<ChunkModel> chunkModels(const StepGraph& graph, const CellKind& kind, const std::vector<int>& programs,
                                                  const std::vector<double>& weights, const std::vector<QuantilePoints>& points,
                                                  const RegimeRange& regimes, std::stop_token stop);

/// Value at a normal score of a table with kScoreNodes nodes.
[[nodiscard]] double atScore(const std::vector<double>& table, double score);

} // namespace prism
