// SPDX-License-Identifier: GPL-3.0-or-later
// Draws of a mean-1 factor from uniforms, as fast as a table and as exact as double precision needs.
#pragma once

#include "core/stats/distribution.h"

#include <cmath>
#include <vector>

namespace prism {

/// A factor's quantile function as cubic Hermite pieces in z = ln(u / (1 - u)), 32 pieces per unit over |z| <= 38, which covers
/// every uniform with 53 bits. Relative error below 1e-7 for the families at cv <= 0.5 (a test measures it); empirical pools are read
/// directly. Construction costs about 2,400 quantiles; a draw about 15 ns. Immutable; any thread.
class FactorSampler final {
public:
    explicit FactorSampler(const Distribution& distribution);

    /// The factor without its rare event at uniform u in (0, 1).
    [[nodiscard]] double base(double u) const;
    /// The factor with its rare event, which happens when uRare < rareProbability.
    [[nodiscard]] double draw(double u, double uRare) const
    {
        const double x = base(u);
        return uRare < m_rareProbability ? x * m_rareMultiplier : x;
    }
    [[nodiscard]] bool isDeterministic() const { return m_constant && m_rareProbability == 0.0; }
    [[nodiscard]] bool hasRareEvent() const { return m_rareProbability > 0.0; }

private:
    struct Knot {
        double value, slope; ///< Q and dQ/dz times the width of a piece
    };
    std::vector<Knot> m_knots;
    std::shared_ptr<const std::vector<double>> m_pool;
    double m_rareProbability, m_rareMultiplier;
    bool m_constant = false;
};

} // namespace prism
