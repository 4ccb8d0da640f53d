// SPDX-License-Identifier: GPL-3.0-or-later
// The noise-free length of a pass as a function of its ranks' speeds, data and routing factors; 1 = all factors at their mean.
#pragma once

#include "core/sim/lanes/lanes.h"
#include "core/sim/passes/flatprogram.h"

#include <vector>

namespace prism {

/// Seconds of a program's compute kernels, and how sharply its barriers take the maximum over ranks, groups and members. With kernel
/// noise the slowest of nearly equal ranks changes from barrier to barrier: beta is 1.35 over the spread of a segment in units of the pass.
struct PassShape {
    double fixedSeconds = 0.0;        ///< of kernels without a routing factor
    std::vector<double> layerSeconds; ///< of kernels with one, by layer
    double sensitivity = 1.0;         ///< of the pass to G: the mean of its kernels'
    float rankBeta = kSharp, groupBeta = kSharp, memberBeta = kSharp;

    [[nodiscard]] double routedSeconds() const;
    [[nodiscard]] double seconds() const { return fixedSeconds + routedSeconds(); }
    /// Whether passes of both have the same length for the same factors.
    [[nodiscard]] bool sameLength(const PassShape& other) const;
};
[[nodiscard]] PassShape passShape(const StepGraph& graph, const FlatProgram& program, int members);

} // namespace prism
