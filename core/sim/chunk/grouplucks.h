// SPDX-License-Identifier: GPL-3.0-or-later
// Lucks of the groups of a cell: which kinds of group meet there, and how the slowest of them follows the cell's score.
#pragma once

#include "core/sim/chunk/modelinputs.h"

#include <vector>

namespace prism {

/// Lucks of single groups, and which of them meet.
struct GroupLucks {
    StepGraph graph;                           ///< of one group per cell: what segments are modelled for
    SpatialSamples samples;                    ///< of one group's ranks
    std::vector<std::vector<GroupKind>> cells; ///< one where lucks are drawn, else one per score node
    bool drawn = false;                        ///< lucks are drawn: tables over the score follow the slowest group
};
[[nodiscard]] GroupLucks groupLucks(const ModelInputs& inputs, const CellKind& kind);

/// Alike groups that meet: samples of their lucks by number, weighted.
struct Lot {
    double count = 1.0;
    std::vector<std::size_t> sample;
    std::vector<double> weight;
};

/// Cells whose score lies on so many nodes: who meets there, and how the luck of the slowest rises with the score, standardised.
struct GroupPart {
    int firstNode = 0, lastNode = kScoreNodes;
    std::vector<Lot> lots;
    std::vector<double> shape; ///< per node from firstNode on
};

/// Parts of the score's nodes, `time` the seconds of each luck: cells none of whose groups has a rank with a rare spatial event, and those
/// of which one has it, if there may be one. In the latter the others are hit as often as makes the expected number right.
[[nodiscard]] std::vector<GroupPart> partsOf(const StepGraph& graph, const GroupLucks& lucks, const std::vector<double>& time);

} // namespace prism
