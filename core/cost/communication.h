// SPDX-License-Identifier: GPL-3.0-or-later
// Communication split into overlapped and exposed: per class and scope, in the noise-free step.
#pragma once

#include "core/step/deterministicstep.h"

#include <string>
#include <vector>

namespace prism {

/// One communication class over one step, in seconds of one GPU; the means over the stages weight every GPU equally.
struct ClassCommunication {
    std::string name; ///< kernel class, e.g. "tp.reduce_scatter"
    Scope scope = Scope::none;
    Category category = Category::other;
    double hiddenSeconds = 0, exposedSeconds = 0;         ///< on the busiest stage
    double meanHiddenSeconds = 0, meanExposedSeconds = 0; ///< over all stages: GPU-hours
};

struct Communication {
    int stage = 0;                                     ///< the busiest: its passes and step operations take longest
    std::vector<ClassCommunication> classes;           ///< those that occur, in the order of StepGraph::classes
    std::vector<CategorySeconds> hidden;               ///< of each stage: overlapped with compute
    std::array<std::string, kCategories> longestClass; ///< of each category on the busiest stage, compute too; empty = none runs
    double exposedSeconds = 0;                         ///< on the busiest stage
    double exposedShare = 0;                           ///< of the step, on the busiest stage
    double exposedShareOfGpuHours = 0;                 ///< of all GPUs' time; MAD-Max (arXiv 2310.02784) reports 14 to 32 % for fleets
};

/// `stepSeconds` is the noise-free step. Transfers between stages count as exposed where they occupy the sender, else as hidden: a wait for
/// them is a bubble. Pure function; any thread; one pass over the programs.
[[nodiscard]] Communication communicationOf(const StepGraph& graph, double stepSeconds);

} // namespace prism
