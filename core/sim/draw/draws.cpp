// SPDX-License-Identifier: GPL-3.0-or-later
// Regime series.
#include "core/sim/draw/draws.h"

#include "core/stats/normal.h"

#include <algorithm>
#include <cmath>

namespace prism {

namespace {

/// The second coordinate of a regime's streams; part of the meaning of a seed.
enum class Of : std::uint64_t { intraNode = 1, interNode = 2, compute = 3, routing = 4 };

std::vector<double> series(const Distribution& regime, double lag1, std::uint64_t seed, Run run, Of of, int numSteps)
{
    std::vector<double> factors(static_cast<std::size_t>(std::max(0, numSteps)), 1.0);
    const FactorSampler sampler(regime);
    if (sampler.isDeterministic())
        return factors;
    const auto r = static_cast<std::uint64_t>(run);
    const auto s = static_cast<std::uint64_t>(of);
    const StreamId base = purposeStream(Purpose::regime, r, s);
    const StreamId rare = purposeStream(Purpose::regimeRare, r, s);
    const double rho = run == Run::within ? lag1 : 0.0;
    double z = 0.0;
    for (std::size_t t = 0; t < factors.size(); ++t) {
        double u = uniform(seed, base, t);
        if (rho != 0.0) {
            const double fresh = normalQuantile(u);
            z = t == 0 ? fresh : rho * z + std::sqrt(1.0 - rho * rho) * fresh;
            u = std::clamp(normalCdf(z), 0x1.0p-54, 1.0 - 0x1.0p-53);
        }
        factors[t] = sampler.draw(u, sampler.hasRareEvent() ? uniform(seed, rare, t) : 1.0);
    }
    return factors;
}

} // namespace

RegimeSeries regimeSeries(const StepGraph& graph, std::uint64_t seed, Run run, int numSteps)
{
    return {series(graph.intraRegime, graph.regimeLag1, seed, run, Of::intraNode, numSteps),
            series(graph.interRegime, graph.regimeLag1, seed, run, Of::interNode, numSteps),
            series(graph.computeRegime, graph.computeRegimeLag1, seed, run, Of::compute, numSteps),
            series(graph.routingRegime, graph.routingRegimeLag1, seed, run, Of::routing, numSteps)};
}

} // namespace prism
