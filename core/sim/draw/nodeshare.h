// SPDX-License-Identifier: GPL-3.0-or-later
// GPU-to-GPU speeds of which a part is shared by the GPUs of a node (cooling, power).
#pragma once

#include "core/sim/draw/draws.h"

namespace prism {

/// Spatial factors of the ranks of a job. Without a node share the ranks' draws are independent (spatialFactor). With a share w the normal
/// score of a rank is sqrt(w) z_node + sqrt(1 - w) z_rank (a Gaussian copula: the distribution of one rank stays the same), and the
/// rare event takes the top of the scale, so that it is correlated within a node as well. Nodes are nodeRanks consecutive ranks of a cell.
/// Immutable; any thread.
class SpatialFactors final {
public:
    explicit SpatialFactors(const StepGraph& graph);

    [[nodiscard]] bool isDeterministic() const { return m_sampler.isDeterministic(); }
    /// Factor of a rank at its uniform, for graphs without a node share or rare event.
    [[nodiscard]] double base(double u) const { return m_sampler.base(u); }
    [[nodiscard]] bool sharesNodes() const { return m_share > 0.0; }
    /// G of one rank in one job, without slow spots.
    [[nodiscard]] double operator()(std::uint64_t seed, std::uint64_t job, std::uint64_t replica, std::uint64_t stage,
                                    std::uint64_t rank) const;

private:
    [[nodiscard]] double atScore(double score) const;

    FactorSampler m_sampler;
    double m_rareProbability, m_rareMultiplier;
    double m_share, m_common, m_own; ///< w, sqrt(w), sqrt(1 - w)
    int m_nodeRanks;
};

} // namespace prism
