// SPDX-License-Identifier: GPL-3.0-or-later
// What the routing factors of its layers do to a pass, where a cell has one routing: to its time, its spread and its rare events.
#pragma once

#include "core/sim/chunk/programshape.h"

namespace prism {

/// A layer's factor whose effect is taken for that of all, in proportion: its rare event, or else one standard deviation more.
[[nodiscard]] double typicalRouting(const Distribution& routing);

/// What of a program's compute follows routing factors.
struct RoutedCompute {
    double share = 0.0, varianceShare = 0.0; ///< of its seconds; of the variance of its kernels
    std::vector<double> shareOfClass;        ///< of the seconds of each kernel class
    int layers = 0;                          ///< of one execution, each with a factor
};
[[nodiscard]] RoutedCompute routedCompute(const Program& program, const StepGraph& graph);

/// Whether shares say too little: a rare event stretches some of the kernels that meet, and the slowest of their ranks is another then.
[[nodiscard]] bool hasRoutedPrograms(const StepGraph& graph);
[[nodiscard]] bool needsRoutedProgram(const StepGraph& graph, const Program& program);
/// The program with one of its layers at typicalRouting, and how much an average layer does over what that one does.
struct RoutedProgram {
    Program program;
    double share = 1.0;
};
[[nodiscard]] RoutedProgram routedProgram(const StepGraph& graph, const Program& program);

} // namespace prism
