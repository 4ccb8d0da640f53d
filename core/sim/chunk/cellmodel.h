// SPDX-License-Identifier: GPL-3.0-or-later
// How long a chunk takes in one kind of cell: mean and spread as functions of the cell's luck, and the shape of the rest.
#pragma once

#include "core/sim/chunk/modelinputs.h"
#include "core/sim/chunk/routedpass.h"

#include <stop_token>
#include <vector>

namespace prism {

/// Regime factors are tabulated on equal steps between the extreme values that a run can draw.
struct LinearTable {
    double low = 0.0, perUnit = 0.0; ///< node = (x - low) * perUnit
    std::vector<double> value;       ///< one value: constant
    [[nodiscard]] double at(double x) const;
};

/// One program in one kind of cell. Seconds and seconds squared.
struct ChunkModel {
    std::vector<float> computeMean, computeVariance; ///< per score node, at data factor 1 and regimes 1
    /// Where groups have data factors of their own: seconds per unit of the slowest group's factor that computeMean contains at the
    /// mean without rare events that are drawn apart. Empty: the one data factor of the cell scales its compute.
    std::vector<float> dataSeconds;
    std::vector<double> rareDataSeconds;                  ///< what such an event adds (GroupTables)
    LinearTable collectiveMean[2], collectiveVariance[2]; ///< by regime factor of scope intraNode, interNode
    /// Seconds per unit of the pass's mean routing factor (of the slowest lockstep member's where members have their own) that
    /// computeMean contains at 1. Empty: routing multiplies `routed.share` of the compute.
    std::vector<float> routedSeconds;
    /// What a layer at typicalRouting adds to computeVariance. Empty: `routed.varianceShare` of that is stretched.
    std::vector<float> routedVariance;
    RoutedCompute routed;
    RegisterTable shape; ///< standardised, with the frequent ones of the rare events
    bool isRandom = false;
    std::vector<RareEvent> rare; ///< by class: those that are drawn one by one; more frequent ones are in the shape
};

/// Models of every program in one kind of cell. The programs share the cell's score: cells are ordered by the time of all chunks
/// together. Immutable; any thread.
struct KindModels {
    std::vector<ChunkModel> program;
    ContentHash hash; ///< names the content: equal inputs, equal hash
};
/// A node ("cell models") of the evaluation graph. Null when stopped.
[[nodiscard]] std::shared_ptr<const KindModels> kindModels(const ModelInputs& inputs, const CellKind& kind, Recall& recall,
                                                           std::stop_token stop);

} // namespace prism
