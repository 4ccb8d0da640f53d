// SPDX-License-Identifier: GPL-3.0-or-later
// GPU-to-GPU speeds of which a part is shared by the GPUs of a node (cooling, power).
#pragma once

#include "core/sim/draw/draws.h"

#include <functional>
#include <span>
#include <vector>

namespace prism {

/// Spatial factors of the ranks of a job. Without a node share every rank draws for itself (spatialFactor). With a share w the normal
/// score of a rank is sqrt(w) z_node + sqrt(1 - w) z_rank (a Gaussian copula: the distribution of one rank stays the same), and the
/// rare event takes the top of the scale, so that it comes in nodes as well. Nodes are nodeRanks consecutive ranks of a cell.
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
    /// Normal score of the same; for graphs with a node share.
    [[nodiscard]] double score(std::uint64_t seed, std::uint64_t job, std::uint64_t replica, std::uint64_t stage, std::uint64_t rank) const;
    /// Factor at a normal score, the rare event at the top.
    [[nodiscard]] double atScore(double score) const;
    /// The score at which the factor is x.
    [[nodiscard]] double scoreOf(double x) const;
    /// Score that the largest of a cell exceeds with probability `tail` in (0, 1).
    [[nodiscard]] double largestAt(double tail) const;
    /// Probability that some rank of a cell lies above its bound: bounds are scores, one per rank.
    [[nodiscard]] double someAbove(std::span<const double> bounds) const;
    /// Scores of the ranks of a cell whose largest score is `largest`; `u(i)` gives independent uniforms.
    [[nodiscard]] std::vector<double> cellGivenLargest(double largest, const std::function<double(int)>& u) const;

private:
    [[nodiscard]] double nodeGiven(double largest, int others, bool holdsLargest, double u) const;

    FactorSampler m_sampler;
    double m_rareProbability, m_rareMultiplier;
    double m_share, m_common, m_own; ///< w, sqrt(w), sqrt(1 - w)
    int m_ranks, m_nodeRanks;
};

} // namespace prism
