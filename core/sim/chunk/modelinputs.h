// SPDX-License-Identifier: GPL-3.0-or-later
// What all kinds of cells of a graph are modelled from.
#pragma once

#include "core/sim/chunk/segment.h"

#include <vector>

namespace prism {

/// Range of regime factors over which collectives with hidden parts are tabulated.
struct RegimeRange {
    double low[2] = {1.0, 1.0}, high[2] = {1.0, 1.0};
};
[[nodiscard]] RegimeRange regimeRange(const StepGraph& graph);

/// What all kinds of cells of a graph are modelled from.
struct ModelInputs {
    StepGraph graph; ///< with the distinct optimizers as further programs
    ClassSet classes;
    RegimeRange regimes;
    MeasuredCells measured;
    std::vector<int> optimizerOfStage;   ///< program, -1 = none
    std::vector<ProgramShape> shapes;    ///< per program
    std::vector<std::vector<int>> apart; ///< per program: classes whose rare events are drawn one by one
    ContentHash content;                 ///< of everything above that a cell's models depend on
};
/// How often a micro-batch runs each program, summed over the stages: cells are ordered by the weighted sum.
[[nodiscard]] std::vector<double> programWeights(const StepGraph& graph);
[[nodiscard]] ModelInputs modelInputs(const StepGraph& graph, Recall& recall);

} // namespace prism
