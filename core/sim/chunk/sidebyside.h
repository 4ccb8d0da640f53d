// SPDX-License-Identifier: GPL-3.0-or-later
// The factor of a communication of equal groups side by side, each of several buckets one after another.
#pragma once

#include "core/sim/chunk/classmodel.h"

namespace prism {

/// Tail probabilities of one of n independent equal variables where their largest has these: lower^(1/n).
struct TailPair {
    double lower = 0.5, upper = 0.5;
};
[[nodiscard]] TailPair tailsOfOne(TailPair ofLargest, int n);

/// The largest of `groups` independent means of `buckets` draws of a distribution: resources/help/stepgraph.md, "Durations". A node
/// ("factor") of the evaluation graph; classModel() where both are 1. The table holds the factor without rare events; with one or more
/// of them among all draws (up to an even chance) the factor is drawn anew, from `rare`. groups, buckets >= 1. Milliseconds.
[[nodiscard]] ClassModelPtr sideBySide(const Distribution& distribution, int groups, int buckets, Recall& recall);
/// The same for one group, with all rare events in the table.
[[nodiscard]] ClassModelPtr meanOf(const Distribution& distribution, int draws, Recall& recall);

/// 1, and what the mean over `layers` draws of the largest of `members` is beyond its expectation; all rare events in the table.
[[nodiscard]] ClassModelPtr layersOfSlowest(const Distribution& distribution, int members, int layers, Recall& recall);

} // namespace prism
