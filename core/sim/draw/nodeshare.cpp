// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/draw/nodeshare.h"

#include "core/stats/normal.h"

#include <algorithm>
#include <cmath>

namespace prism {

namespace {

/// Largest share of the variance that the ranks of a node have in common; 1 would make them equal.
constexpr double kMaxShare = 1.0 - 1e-6;

double upperTail(double z)
{
    return normalCdf(-z);
}
double clampedUniform(double u)
{
    return std::clamp(u, 0x1.0p-54, 1.0 - 0x1.0p-53);
}

} // namespace

SpatialFactors::SpatialFactors(const StepGraph& graph)
    : m_sampler(graph.spatial),
      m_rareProbability(graph.spatial.rareProbability),
      m_rareMultiplier(graph.spatial.rareMultiplier),
      m_share(m_sampler.isDeterministic() || graph.nodeRanks < 2 ? 0.0 : std::min(graph.spatialNodeShare, kMaxShare)),
      m_common(std::sqrt(m_share)),
      m_own(std::sqrt(1.0 - m_share)),
      m_nodeRanks(graph.nodeRanks)
{
}

double SpatialFactors::operator()(std::uint64_t seed, std::uint64_t job, std::uint64_t replica, std::uint64_t stage,
                                  std::uint64_t rank) const
{
    if (!sharesNodes())
        return spatialFactor(m_sampler, seed, job, replica, stage, rank);
    const std::uint64_t node = rank / static_cast<std::uint64_t>(m_nodeRanks);
    const double common = normalQuantile(uniform(seed, purposeStream(Purpose::spatialNode, replica, stage, node), job));
    const double own = normalQuantile(uniform(seed, purposeStream(Purpose::spatial, replica, stage, rank), job));
    return atScore(m_common * common + m_own * own);
}

/// Factor at a normal score, the rare event at the top.
double SpatialFactors::atScore(double score) const
{
    const double upper = upperTail(score), p = m_rareProbability;
    if (p <= 0.0)
        return m_sampler.base(clampedUniform(1.0 - upper));
    if (upper < p)
        return m_rareMultiplier * m_sampler.base(clampedUniform(1.0 - upper / p));
    return m_sampler.base(clampedUniform((1.0 - upper) / (1.0 - p)));
}

} // namespace prism
