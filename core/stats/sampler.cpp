// SPDX-License-Identifier: GPL-3.0-or-later
// Quantile tables for drawing.
#include "core/stats/sampler.h"

#include "core/stats/quantile.h"

#include <algorithm>

namespace prism {

namespace {

constexpr double kHalfRange = 38.0; ///< ln(2^54) = 37.4: the outermost uniform of 53 bits
constexpr double kPiecesPerUnit = 32.0;

} // namespace

FactorSampler::FactorSampler(const Distribution& d) : m_rareProbability(d.rareProbability), m_rareMultiplier(d.rareMultiplier)
{
    if (d.family == Family::empirical) {
        m_pool = d.pool;
        m_constant = !d.pool || d.pool->empty();
        return;
    }
    if (d.family == Family::deterministic || !(d.cv > 0.0)) {
        m_constant = true;
        return;
    }
    const QuantileFunction quantile(d);
    const int pieces = static_cast<int>(2.0 * kHalfRange * kPiecesPerUnit);
    m_knots.reserve(static_cast<std::size_t>(pieces) + 2);
    for (int i = 0; i <= pieces; ++i) {
        const double z = -kHalfRange + i / kPiecesPerUnit;
        const double lower = 1.0 / (1.0 + std::exp(-z));
        const double upper = 1.0 / (1.0 + std::exp(z));
        const double slope = quantile.slope(lower, upper) * lower * upper / kPiecesPerUnit;
        m_knots.push_back({quantile.fromTails(lower, upper), std::isfinite(slope) ? slope : 0.0});
    }
    m_knots.push_back(m_knots.back());
}

double FactorSampler::base(double u) const
{
    if (m_constant)
        return 1.0;
    if (m_pool) {
        const auto n = m_pool->size();
        return (*m_pool)[std::min(static_cast<std::size_t>(u * static_cast<double>(n)), n - 1)];
    }
    const double place = (std::log(u / (1.0 - u)) + kHalfRange) * kPiecesPerUnit;
    const double bounded = std::clamp(place, 0.0, 2.0 * kHalfRange * kPiecesPerUnit);
    const auto i = static_cast<std::size_t>(bounded);
    const double t = bounded - static_cast<double>(i);
    const Knot& a = m_knots[i];
    const Knot& b = m_knots[i + 1];
    // Cubic Hermite on [0, 1].
    const double rise = b.value - a.value;
    const double c2 = 3.0 * rise - 2.0 * a.slope - b.slope;
    const double c3 = a.slope + b.slope - 2.0 * rise;
    return a.value + t * (a.slope + t * (c2 + t * c3));
}

} // namespace prism
