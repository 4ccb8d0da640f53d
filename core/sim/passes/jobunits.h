// SPDX-License-Identifier: GPL-3.0-or-later
// Ranks that run together and slow ranks: units (replicas, or lockstep sets of them) and the kinds of their stages.
#pragma once

#include "core/step/stepgraph.h"

#include <algorithm>
#include <vector>

namespace prism {

/// Slowdown factors of slow spots on a unit at one stage.
struct UnitKind {
    std::vector<float> speed; ///< factor on G, [member][rank]; empty = all 1
    std::vector<float> link;  ///< link factor, [member]
    bool operator==(const UnitKind&) const = default;
    [[nodiscard]] float slowestLink() const { return *std::max_element(link.begin(), link.end()); }
    [[nodiscard]] float fastestLink() const { return *std::min_element(link.begin(), link.end()); }
};

/// Units with the same kind at every stage.
struct UnitPattern {
    std::vector<int> kind; ///< per stage: index into JobUnits::kinds
    int count = 0;
};

/// U units of K members with n ranks each.
struct JobUnits {
    int members = 1, units = 1, ranks = 1, groupRanks = 1, groups = 1;
    int dataOwners = 1; ///< data factors of a member and micro-batch
    std::vector<UnitKind> kinds;
    std::vector<UnitPattern> patterns;
    std::vector<int> patternOf;   ///< [unit]
    std::vector<float> stageLink; ///< slowest link of all units, per stage
    float link = 1.0F;            ///< slowest of the job
    [[nodiscard]] int unitRanks() const { return members * ranks; }
};
[[nodiscard]] JobUnits jobUnits(const StepGraph& graph);

} // namespace prism
