// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/draw/draws.h"

#include "core/stats/normal.h"

#include <algorithm>
#include <cmath>

namespace prism {

namespace {

constexpr double kMaxNodeShare = 1.0 - 1e-6;

/// The second coordinate of a regime's streams; part of the meaning of a seed.
enum class Of : std::uint64_t { intraNode = 1, interNode = 2, compute = 3, routing = 4 };

/// One factor of all steps from step 0 on.
void draw(std::vector<RegimeFactors>& steps, double RegimeFactors::*factor, const Distribution& regime, double lag1, std::uint64_t seed,
          Run run, Of of)
{
    const FactorSampler sampler(regime);
    if (sampler.isDeterministic())
        return;
    const auto r = static_cast<std::uint64_t>(run);
    const auto s = static_cast<std::uint64_t>(of);
    const StreamId base = purposeStream(Purpose::regime, r, s);
    const StreamId rare = purposeStream(Purpose::regimeRare, r, s);
    const double rho = run == Run::within ? lag1 : 0.0;
    double z = 0.0;
    for (std::size_t t = 0; t < steps.size(); ++t) {
        double u = uniform(seed, base, t);
        if (rho != 0.0) {
            const double fresh = normalQuantile(u);
            z = t == 0 ? fresh : rho * z + std::sqrt(1.0 - rho * rho) * fresh;
            u = openUniform(normalCdf(z));
        }
        steps[t].*factor = sampler.draw(u, sampler.hasRareEvent() ? uniform(seed, rare, t) : 1.0);
    }
}

} // namespace

double nodeShare(const StepGraph& graph)
{
    return graph.spatial.isDeterministic() || graph.nodeRanks < 2 ? 0.0 : std::min(graph.spatialNodeShare, kMaxNodeShare);
}

SpatialFactors::SpatialFactors(const StepGraph& graph)
    : m_sampler(graph.spatial),
      m_rareProbability(graph.spatial.rareProbability),
      m_rareMultiplier(graph.spatial.rareMultiplier),
      m_share(nodeShare(graph)),
      m_nodeRanks(graph.nodeRanks)
{
}

double SpatialFactors::operator()(std::uint64_t seed, std::uint64_t job, std::uint64_t replica, std::uint64_t stage,
                                  std::uint64_t rank) const
{
    if (m_share == 0.0)
        return drawFactor(m_sampler, seed, Purpose::spatial, {replica, stage, rank}, job);
    const std::uint64_t node = rank / static_cast<std::uint64_t>(m_nodeRanks);
    const double common = normalQuantile(uniform(seed, purposeStream(Purpose::spatialNode, replica, stage, node), job));
    const double own = normalQuantile(uniform(seed, purposeStream(Purpose::spatial, replica, stage, rank), job));
    const double upper = normalCdf(-(std::sqrt(m_share) * common + std::sqrt(1.0 - m_share) * own)), p = m_rareProbability;
    if (upper < p)
        return m_rareMultiplier * m_sampler.base(openUniform(1.0 - upper / p));
    return m_sampler.base(openUniform((1.0 - upper) / (1.0 - p)));
}

std::vector<RegimeFactors> regimeSeries(const StepGraph& graph, std::uint64_t seed, Run run, std::size_t first, std::size_t count)
{
    std::vector<RegimeFactors> steps(first + count);
    draw(steps, &RegimeFactors::intra, graph.intraRegime, graph.regimeLag1, seed, run, Of::intraNode);
    draw(steps, &RegimeFactors::inter, graph.interRegime, graph.regimeLag1, seed, run, Of::interNode);
    draw(steps, &RegimeFactors::compute, graph.computeRegime, graph.computeRegimeLag1, seed, run, Of::compute);
    draw(steps, &RegimeFactors::routing, graph.routingRegime, graph.routingRegimeLag1, seed, run, Of::routing);
    steps.erase(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(first));
    return steps;
}

} // namespace prism
