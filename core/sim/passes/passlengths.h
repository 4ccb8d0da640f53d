// SPDX-License-Identifier: GPL-3.0-or-later
// The noise-free length of a pass as a function of its ranks' speeds, data and routing factors; 1 = all factors at their mean.
#pragma once

#include "core/sim/lanes/lanes.h"
#include "core/sim/passes/flatprogram.h"
#include "core/sim/passes/jobunits.h"

#include <numeric>
#include <vector>

namespace prism {

/// Seconds of a program's compute kernels, and how sharply its barriers take the maximum over ranks, groups and members. With kernel
/// noise the slowest of nearly equal ranks changes from barrier to barrier: beta is 1.35 over the spread of a segment in units of the pass.
struct PassShape {
    double fixedSeconds = 0.0;        ///< of kernels without a routing factor
    std::vector<double> layerSeconds; ///< of kernels with one, by layer
    double sensitivity = 1.0;         ///< of the pass to G: the mean of its kernels'
    float rankBeta = kSharp, groupBeta = kSharp, memberBeta = kSharp;

    [[nodiscard]] double routedSeconds() const { return std::accumulate(layerSeconds.begin(), layerSeconds.end(), 0.0); }
    [[nodiscard]] double seconds() const { return fixedSeconds + routedSeconds(); }
    /// Whether passes of both have the same length for the same factors.
    [[nodiscard]] bool sameLength(const PassShape& other) const;
};
[[nodiscard]] PassShape passShape(const StepGraph& graph, const FlatProgram& program, int members);

/// Factors of the ranks of a unit in one pass. Rows of lanes.
struct PassFactors {
    const float* data = nullptr;        ///< row of (member, owner) at data + (member * owners + owner) * kLanes
    const float* routing = nullptr;     ///< row of (member, layer) at routing + (member * layers + layer) * kLanes; or null
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
