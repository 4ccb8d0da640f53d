// SPDX-License-Identifier: GPL-3.0-or-later
// How long would each lane's pass take without noise? Speeds, data and routing factors of a unit to lengths, by rows of lanes.
#pragma once

#include "core/sim/lanes/rows.h"
#include "core/sim/passes/jobunits.h"
#include "core/sim/passes/passshape.h"

#include <vector>

namespace prism {

/// Factors of the ranks of a unit in one pass. Rows of lanes.
struct PassFactors {
    const float* data = nullptr; ///< row of (member, owner) at data + (member * dataStride + owner) * kLanes
    std::size_t dataStride = 0;
    const float* routing = nullptr; ///< row of (member, layer) at routing + (member * routingStride + layer) * kLanes
    std::size_t routingStride = 0;
    const float* memberExtra = nullptr; ///< added to the length of each member: what its slow links add; or null
    const float* extraScale = nullptr;  ///< row: by how much regimes scale it against compute; null = 1
};

/// One thread; worth keeping for its memory.
class PassLengths final {
public:
    explicit PassLengths(const JobUnits& job);

    /// Slowest rank of each group: rows [member][group] from rows [member][rank] of G.
    void slowestOfGroups(const PassShape& shape, const UnitKind& kind, const Rows& speeds, float* out) const;
    /// Length of the pass of the whole unit, 1 = mean.
    void length(const PassShape& shape, const float* groups, const PassFactors& factors, float* out);

private:
    const JobUnits& m_job;
    Rows m_group, m_member;
};

} // namespace prism
