// SPDX-License-Identifier: GPL-3.0-or-later
// Kernels with means, gathered into the programs of a step graph.
#pragma once

#include "core/cost/costmodel.h"

namespace prism {

/// Programs of every (stage, chunk) and what they cost.
struct CostedPrograms {
    std::vector<Program> programs;
    std::vector<std::vector<std::array<int, kPhases>>> programOf; ///< as StepGraph::programOf
    std::vector<double> seconds;                                  ///< per program: sum of exposed means
};

/// Whether the same layers are in both.
[[nodiscard]] bool sameContents(const ChunkLayers& a, const ChunkLayers& b);

/// One program per distinct (chunk contents, phase); chunks of the same contents share. Where expert communication is overlapped and the
/// schedule joins forwards and backwards to pieces, each has two: alone nothing of it is hidden, in a piece all that fits
/// (expertoverlap.h). `chunks` is in path order.
[[nodiscard]] CostedPrograms costedPrograms(const Scenario& scenario, const Shape& shape, const CostModel& cost, const Schedule& schedule,
                                            const std::vector<ChunkLayers>& chunks);

/// Exposed mean seconds of a program.
[[nodiscard]] double programSeconds(const Program& program);

} // namespace prism
