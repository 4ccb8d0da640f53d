// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/step/sampled.h"

#include <algorithm>
#include <cmath>

namespace prism {

namespace {

/// Share of the excess's size that follows the regime, both in units of their means.
double shareThatFollows(const Sampled& sampled, const std::vector<double>& regime, double meanRegime)
{
    const std::size_t steps = sampled.location.size();
    double weight = 0.0, size = 0.0, first = 0.0, second = 0.0, both = 0.0;
    for (std::size_t i = 0; i < sampled.excess.size(); ++i) {
        const double w = sampled.weight[i], away = regime[i % steps] / meanRegime - 1.0, e = std::abs(sampled.excess[i]);
        weight += w;
        size += w * e;
        first += w * away;
        second += w * away * away;
        both += w * e * away;
    }
    const double spread = second - first * first / weight, slope = both - size * first / weight;
    return spread > 0.0 && size > 0.0 ? std::clamp(slope / spread * weight / size, 0.0, 1.0) : 0.0;
}

/// Fewest sampled replicas whose mean excess is told from that of the others.
constexpr std::size_t kFewestApart = 64;

} // namespace

void moveByRare(Sampled& sampled, const std::vector<double>& regime, const Distribution& of)
{
    const std::size_t steps = sampled.location.size();
    if (!(of.rareProbability > 0.0) || sampled.excess.empty())
        return;
    const double between = std::sqrt(of.rareMultiplier);
    const auto isRare = [&](std::size_t step) { return (regime[step] > between) == (between > 1.0) ? 1 : 0; };
    double weight[2] = {}, mean[2] = {};
    std::size_t count[2] = {};
    for (std::size_t i = 0; i < sampled.excess.size(); ++i) {
        const int rare = isRare(i % steps);
        weight[rare] += sampled.weight[i];
        mean[rare] += sampled.weight[i] * sampled.excess[i];
        ++count[rare];
    }
    if (std::min(count[0], count[1]) < kFewestApart)
        return;
    const double moved = mean[1] / weight[1] - mean[0] / weight[0];
    for (std::size_t j = 0; j < steps; ++j)
        sampled.location[j] += isRare(j) * moved;
    for (std::size_t i = 0; i < sampled.excess.size(); ++i)
        sampled.excess[i] -= isRare(i % steps) * moved;
}

void scaleByRegime(Sampled& sampled, const std::vector<double>& regime)
{
    const std::size_t steps = sampled.location.size();
    if (sampled.excess.empty()
        || std::all_of(regime.begin(), regime.begin() + static_cast<std::ptrdiff_t>(steps), [&](double r) { return r == regime.front(); }))
        return;
    double mean = 0.0;
    for (std::size_t j = 0; j < steps; ++j)
        mean += regime[j] / static_cast<double>(steps);
    const double follows = shareThatFollows(sampled, regime, mean);
    sampled.scale.resize(steps);
    for (std::size_t j = 0; j < steps; ++j)
        sampled.scale[j] = 1.0 + follows * (regime[j] / mean - 1.0);
    for (std::size_t i = 0; i < sampled.excess.size(); ++i)
        sampled.excess[i] /= sampled.scale[i % steps];
}

} // namespace prism
