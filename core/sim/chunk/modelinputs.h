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
    std::vector<int> optimizerOfStage; ///< program, -1 = none
    ContentHash content;               ///< of everything above that a cell's models depend on
};
[[nodiscard]] ModelInputs modelInputs(const StepGraph& graph, Recall& recall);

} // namespace prism
