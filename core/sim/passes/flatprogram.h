// SPDX-License-Identifier: GPL-3.0-or-later
// The kernels of a pass and its barriers: a program as segments that end at barriers.
#pragma once

#include "core/step/stepgraph.h"

#include <vector>

namespace prism {

/// Scope of a barrier: a group (TP x CP), a cell (all groups of a replica's stage), or a unit (the cells of a lockstep set).
enum class Barrier : std::uint8_t { none, group, cell, unit };

/// Kernels of one class within a segment.
struct FlatKernels {
    int kernelClass = 0;
    std::vector<float> meanSeconds;
    std::vector<int> layer; ///< of the routing factor; -1 = not routed
};

/// Kernels up to a collective; the last one may end without.
struct Segment {
    std::vector<FlatKernels> kernels;
    Barrier barrier = Barrier::none;
    int collective = -1; ///< kernel class
    double meanSeconds = 0.0, hiddenSeconds = 0.0;
};

struct FlatProgram {
    std::vector<Segment> segments;
    int layers = 0; ///< with a routing factor
};

/// `lockstep`: replicas of a set. A group of a single rank has barriers too, for the seconds that they take.
[[nodiscard]] FlatProgram flatten(const StepGraph& graph, const Program& program, int lockstep);

} // namespace prism
