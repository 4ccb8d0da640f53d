// SPDX-License-Identifier: GPL-3.0-or-later
// Which replicas of a step are simulated one by one, and which stand behind a common sample.
#pragma once

#include "core/sim/step/jobs.h"
#include "core/sim/step/parts.h"

#include <vector>

namespace prism {

/// Across jobs, up to this many equal replicas are simulated one by one; beyond, the step is the maximum over a common sample of
/// replicas, so that the cost does not grow with their number.
inline constexpr int kDirectReplicas = 4;
/// Within a job, the slowest replicas that are simulated one by one.
inline constexpr std::size_t kSlowestOfJob = 8;

/// Replicas by how they are sampled.
struct ReplicaLayout {
    std::vector<ReplicaDraw> single;
    int pooled = 0, pooledKind = 0;
    MemberScores members; ///< of the pooled replicas, the slowest without noise first; empty = drawn afresh
    bool brief = false;   ///< a small common sample, whose error nobody asks for
};

/// Across jobs: every replica with fresh lucks.
[[nodiscard]] ReplicaLayout acrossLayout(const Prepared& prepared);
/// Within a job: every replica has its own lucks. The slowest, and all of the rarer kinds, one by one. `firstReplica`: where the job's
/// replicas begin among those that were prepared.
[[nodiscard]] ReplicaLayout jobLayout(const Prepared& prepared, const JobScores& job, int firstReplica = 0, bool brief = false);

} // namespace prism
