// SPDX-License-Identifier: GPL-3.0-or-later
// What rare events add to one execution of a program: how many events hit, then what each adds beyond the slowest of the others.
#pragma once

#include "core/sim/chunk/luckranges.h"
#include "core/sim/chunk/segment.h"

#include <optional>

namespace prism {

/// Factors of a cell's groups, each shared by so many neighbouring ones; none = they have none of their own.
struct GroupFactors {
    std::optional<QuantilePoints> data, routing;
    int sharingData = 1, sharingRouting = 1;
};

/// What a program's events are sampled from. All of it must outlive the use.
struct RareContext {
    const StepGraph& graph;
    const ClassSet& classes;
    const LuckyCells& lucky;
    const ProgramShape& shape;
    const std::vector<SegmentModelPtr>& segments; ///< of the shape, in its order
    const std::vector<GridDist>& groupAtOne;      ///< per section: time of one group; only with several groups
    const std::vector<Moments>& groupCollectives; ///< per section: what of it the collectives take; only with several groups
    const GroupFactors& groups;
    std::vector<double> routedShare; ///< per section: of its compute that routing factors multiply
    double linkFactor = 1.0;         ///< of interNode collectives
};

/// Expected number of events of a class in one execution.
[[nodiscard]] double rareRate(const StepGraph& graph, const ProgramShape& shape, int kernelClass);

/// The events of one class in one execution: probability that there is any, and quantiles of the seconds that they add then, at
/// regimes and data factor 1. An event on one rank delays a meeting only by what it exceeds the slowest of the other ranks; the ranks'
/// spatial factors are drawn with it. Any number of events may coincide.
[[nodiscard]] RareEvent rareEventOf(const RareContext& context, int kernelClass);

} // namespace prism
