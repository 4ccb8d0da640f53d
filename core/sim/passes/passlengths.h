// SPDX-License-Identifier: GPL-3.0-or-later
// Noise-free length of each lane's pass, from speeds, data and routing factors of a unit, by rows of lanes.
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
    const float* memberExtra = nullptr; ///< added to the length of each member for its slow links; or null
    const float* extraScale = nullptr;  ///< row: factor of the regimes on it relative to compute; null = 1
};

/// One thread; reuse it, since it keeps its buffers.
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
