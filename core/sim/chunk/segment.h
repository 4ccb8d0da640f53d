// SPDX-License-Identifier: GPL-3.0-or-later
// What one rank's kernels between two meetings take, and the meeting: the slowest rank of a group, for sampled spatial factors.
#pragma once

#include "core/sim/chunk/cellkind.h"
#include "core/sim/chunk/classmodel.h"
#include "core/sim/chunk/maximum.h"
#include "core/sim/chunk/programshape.h"

#include <stop_token>

namespace prism {

/// Classes of a graph with their factors, and the hash of each class's content.
struct ClassSet {
    std::vector<ClassModelPtr> factor; ///< per class
    std::vector<ContentHash> hash;     ///< per class: scope, sensitivity, factor
    std::vector<bool> rare;            ///< per class: has a rare event
};
[[nodiscard]] ClassSet classSet(const StepGraph& graph, Recall& recall);

/// Sum of a rank's kernels in a segment as a function of its spatial factor: mean = a + b G, variance = v0 + v1 G + v2 G^2.
struct RankSum {
    double a = 0.0, b = 0.0, v0 = 0.0, v1 = 0.0, v2 = 0.0;
    GridDist atOne, bulkAtOne; ///< with and, where the request has rare events, without them
    StandardCdf shape;
    [[nodiscard]] double mean(double g) const { return a + b * g; }
    [[nodiscard]] double sigma(double g) const;
};

/// One segment in one kind of cell. Immutable; any thread.
struct SegmentModel {
    RankSum sum;
    GridDist maximumAtOne;      ///< slowest rank of a group, all spatial factors at 1
    GridDist bulkMaximumAtOne;  ///< the same without rare events; empty = there are none
    std::vector<Moments> group; ///< [spatial sample][group]: of the slowest rank of the group
};
using SegmentModelPtr = std::shared_ptr<const SegmentModel>;

/// A segment that somebody needs; `withRare` puts rare events into the factors of a term.
struct SegmentRequest {
    SegmentTerms terms;
    std::vector<bool> withRare; ///< per term
    bool operator==(const SegmentRequest&) const = default;
};

/// Models of the requests, in their order; nodes ("segment") of the evaluation graph, the missing ones computed side by side.
/// Empty when stopped.
[[nodiscard]] std::vector<SegmentModelPtr> segmentModels(const StepGraph& graph, const ClassSet& classes, const SpatialSamples& spatial,
                                                         const std::vector<SegmentRequest>& requests, Recall& recall, std::stop_token stop);

} // namespace prism
