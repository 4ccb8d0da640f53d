// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/draw/nodeshare.h"

#include "core/stats/normal.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace prism {

namespace {

/// Scores of a node over which integrals run: the trapezoidal rule is exact to 1e-9 for products of normal distributions.
constexpr double kEnd = 8.0, kStep = 0.125;
constexpr int kNodes = static_cast<int>(2.0 * kEnd / kStep) + 1;
/// Beyond this share all ranks of a node are taken as alike.
constexpr double kMostShare = 1.0 - 1e-6;

double upperTail(double z)
{
    return normalCdf(-z);
}
double scoreOfUniform(double u)
{
    return normalQuantile(u);
}
double clampedUniform(double u)
{
    return std::clamp(u, 0x1.0p-54, 1.0 - 0x1.0p-53);
}
double nodeScore(int i)
{
    return -kEnd + kStep * i;
}
double density(double z)
{
    return std::exp(-0.5 * z * z) / std::sqrt(2.0 * std::numbers::pi);
}

} // namespace

SpatialFactors::SpatialFactors(const StepGraph& graph)
    : m_sampler(graph.spatial),
      m_rareProbability(graph.spatial.rareProbability),
      m_rareMultiplier(graph.spatial.rareMultiplier),
      m_share(m_sampler.isDeterministic() || graph.nodeRanks < 2 ? 0.0 : std::min(graph.spatialNodeShare, kMostShare)),
      m_common(std::sqrt(m_share)),
      m_own(std::sqrt(1.0 - m_share)),
      m_ranks(graph.cellRanks()),
      m_nodeRanks(graph.nodeRanks)
{
}

double SpatialFactors::operator()(std::uint64_t seed, std::uint64_t job, std::uint64_t replica, std::uint64_t stage,
                                  std::uint64_t rank) const
{
    if (!sharesNodes())
        return spatialFactor(m_sampler, seed, job, replica, stage, rank);
    return atScore(score(seed, job, replica, stage, rank));
}

double SpatialFactors::score(std::uint64_t seed, std::uint64_t job, std::uint64_t replica, std::uint64_t stage, std::uint64_t rank) const
{
    const std::uint64_t node = rank / static_cast<std::uint64_t>(m_nodeRanks);
    const double common = scoreOfUniform(uniform(seed, purposeStream(Purpose::spatialNode, replica, stage, node), job));
    const double own = scoreOfUniform(uniform(seed, purposeStream(Purpose::spatial, replica, stage, rank), job));
    return m_common * common + m_own * own;
}

double SpatialFactors::atScore(double score) const
{
    const double upper = upperTail(score), p = m_rareProbability;
    if (p <= 0.0)
        return m_sampler.base(clampedUniform(1.0 - upper));
    if (upper < p)
        return m_rareMultiplier * m_sampler.base(clampedUniform(1.0 - upper / p));
    return m_sampler.base(clampedUniform((1.0 - upper) / (1.0 - p)));
}

double SpatialFactors::scoreOf(double x) const
{
    double low = -kEnd, high = kEnd;
    for (int i = 0; i < 48; ++i) {
        const double middle = 0.5 * (low + high);
        (atScore(middle) < x ? low : high) = middle;
    }
    return 0.5 * (low + high);
}

double SpatialFactors::someAbove(std::span<const double> bounds) const
{
    double logBelow = 0.0;
    for (std::size_t first = 0; first < bounds.size(); first += static_cast<std::size_t>(m_nodeRanks)) {
        const auto node = bounds.subspan(first, std::min(static_cast<std::size_t>(m_nodeRanks), bounds.size() - first));
        const bool alike = std::all_of(node.begin(), node.end(), [&](double b) { return b == node[0]; });
        double above = 0.0;
        for (int i = 0; i < kNodes; ++i) {
            const double z = nodeScore(i);
            double logNone = 0.0;
            for (const double bound : alike ? node.first(1) : node)
                logNone += std::log1p(-std::min(upperTail((bound - m_common * z) / m_own), 1.0 - 1e-16));
            logNone *= alike ? static_cast<double>(node.size()) : 1.0;
            above += kStep * density(z) * -std::expm1(logNone);
        }
        logBelow += std::log1p(-std::min(above, 1.0 - 1e-16));
    }
    return -std::expm1(logBelow);
}

double SpatialFactors::largestAt(double tail) const
{
    std::vector<double> bounds(static_cast<std::size_t>(m_ranks));
    double low = -kEnd, high = kEnd;
    for (int i = 0; i < 44; ++i) {
        const double middle = 0.5 * (low + high);
        std::fill(bounds.begin(), bounds.end(), middle);
        (someAbove(bounds) > tail ? low : high) = middle;
    }
    return 0.5 * (low + high);
}

/// A node's score given that `others` of its ranks lie below `largest` and, where it holds it, one lies there.
double SpatialFactors::nodeGiven(double largest, int others, bool holdsLargest, double u) const
{
    std::vector<double> weight(static_cast<std::size_t>(kNodes));
    double total = 0.0;
    for (int i = 0; i < kNodes; ++i) {
        const double z = nodeScore(i), own = (largest - m_common * z) / m_own;
        total += weight[static_cast<std::size_t>(i)] = density(z) * std::pow(upperTail(-own), others) * (holdsLargest ? density(own) : 1.0);
    }
    double left = u * total;
    for (int i = 0; i < kNodes; ++i) {
        const double w = weight[static_cast<std::size_t>(i)];
        if (left <= w && w > 0.0)
            return nodeScore(i) + kStep * (left / w - 0.5);
        left -= w;
    }
    return kEnd;
}

std::vector<double> SpatialFactors::cellGivenLargest(double largest, const std::function<double(int)>& u) const
{
    std::vector<double> out(static_cast<std::size_t>(m_ranks));
    const int slowest = std::min(static_cast<int>(u(0) * m_ranks), m_ranks - 1);
    for (int first = 0; first < m_ranks; first += m_nodeRanks) {
        const int last = std::min(first + m_nodeRanks, m_ranks);
        const bool holds = slowest >= first && slowest < last;
        const double z = nodeGiven(largest, last - first - (holds ? 1 : 0), holds, u(1 + m_ranks + first));
        const double most = upperTail(-(largest - m_common * z) / m_own); // P(own score below what the largest allows)
        for (int r = first; r < last; ++r)
            out[static_cast<std::size_t>(r)] =
                r == slowest ? largest : std::min(largest, m_common * z + m_own * scoreOfUniform(clampedUniform(most * u(1 + r))));
    }
    return out;
}

} // namespace prism
