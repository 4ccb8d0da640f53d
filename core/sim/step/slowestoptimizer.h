// SPDX-License-Identifier: GPL-3.0-or-later
// The slowest optimizer of a stage over replicas that share a common sample.
#pragma once

#include "core/sim/kernel/rows.h"
#include "core/sim/step/lucks.h"
#include "core/sim/step/prepared.h"

#include <vector>

namespace prism {

/// Quantiles of the slowest optimizer of each stage over `pooled` replicas. It is drawn apart from the replicas' ends: everyone waits
/// for the gradient synchronisation in between. Stages without one give 0: ReplicaSweep adds a replica's own. Immutable; any thread.
class SlowestOptimizer final {
public:
    SlowestOptimizer() = default;
    /// `members`: scores of the replicas; empty = drawn afresh.
    SlowestOptimizer(const Prepared& prepared, int kind, int pooled, const MemberScores& members);

    /// One row of seconds per stage for a block of steps.
    void draw(std::uint64_t seed, std::uint64_t block, Rows& out) const;

private:
    std::vector<std::vector<float>> m_quantile; ///< per stage, at (i + 1/2) / size
};

} // namespace prism
