// SPDX-License-Identifier: GPL-3.0-or-later
// Cells whose groups meet with data factors of their own (expert groups, replicas in lockstep), or of very many groups.
#pragma once

#include "core/sim/chunk/chunkbuilder.h"
#include "core/sim/chunk/grouplucks.h"
#include "core/sim/chunk/meeting.h"

namespace prism {

/// Whether cells of the graph are modelled group by group: each group has a data factor of its own that varies, or there are more
/// groups than vectors of spatial factors are drawn for.
[[nodiscard]] bool isGroupwise(const StepGraph& graph);

/// The factors, rare events included, that groups of a cell or the members that they belong to draw for themselves.
[[nodiscard]] GroupFactors groupFactors(const StepGraph& graph);

/// Compute seconds of one program in such a cell, per score node: mean, variance of its own, and seconds per unit of the data factor of
/// the slowest group (dataFactorOf) that its mean contains; empty where groups have none of their own.
struct GroupTables {
    std::vector<float> mean, variance, data;
    std::vector<double>
        rareData;              ///< seconds added where the slowest group's factor has a rare event, at rising values; empty: none is apart
    std::vector<float> routed; ///< seconds per unit of the slowest lockstep member's routing (layersOfSlowest); empty where it has none
};
/// Tables of the programs, in their order. The builders have their segments' models and made their chunks. Null where stopped: empty.
[[nodiscard]] std::vector<GroupTables> groupTables(const ModelInputs& inputs, const GroupLucks& lucks,
                                                   const std::vector<ChunkBuilder>& builders, const std::vector<double>& programWeights,
                                                   std::stop_token stop);

/// The data factor that a cell's durations follow: its own, or that of the slowest of its groups.
[[nodiscard]] ClassModelPtr dataFactorOf(const StepGraph& graph, Recall& recall);
/// The same without the groups' rare event, where that is drawn apart.
[[nodiscard]] ClassModelPtr plainDataFactorOf(const StepGraph& graph, Recall& recall);
/// Values of the slowest group's factor where some group has a rare event that is drawn apart, from low to high, at which cells' times
/// are worked out.
[[nodiscard]] std::vector<double> rareDataValues(const StepGraph& graph, const ClassModel& factor);

} // namespace prism
