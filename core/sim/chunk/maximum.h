// SPDX-License-Identifier: GPL-3.0-or-later
// The maximum of independent variables of one shape: mean and variance by quadrature over the product of their CDFs.
#pragma once

#include "core/stats/griddist.h"
#include "core/stats/moments.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace prism {

/// CDF of a standardised variable (mean 0, variance 1), tabulated on the grid of its distribution. Immutable; any thread.
class StandardCdf final {
public:
    StandardCdf() = default;
    explicit StandardCdf(const GridDist& dist);
    /// With rare events: `bulk` is the same variable without them. The maximum of `ranks` such variables is then integrated finely
    /// over the bulk, and beyond it from integrals of 1 - F^ranks.
    StandardCdf(const GridDist& dist, const GridDist& bulk, int ranks);

    [[nodiscard]] bool empty() const { return m_cell.empty(); }
    /// Where the CDF leaves 0 and reaches 1, in standard deviations.
    [[nodiscard]] double zMin() const { return m_zMin; }
    [[nodiscard]] double zMax() const { return m_zMax; }
    /// Centre, standard deviation and upper end of the bulk, in standard deviations of the whole.
    [[nodiscard]] double bulkCenter() const { return m_bulkCenter; }
    [[nodiscard]] double bulkSigma() const { return m_bulkSigma; }
    [[nodiscard]] double bulkMax() const { return m_beyond.empty() ? m_zMax : m_bulkMax; }
    /// Integrals from z on of 1 - F^ranks, and of the same times the distance from z. Zero without rare events.
    [[nodiscard]] Moments beyond(double z) const;
    /// Places beyond the bulk between which 1 - F^ranks is nearly a line, ascending; empty without rare events.
    [[nodiscard]] const std::vector<double>& knots() const { return m_knots; }
    [[nodiscard]] double at(double z) const { return valueAt((z - m_low) * m_perUnit); }
    /// Multiplies factors[i] by the CDF of mean + sigma Z at x[i]; a step where sigma is 0.
    void multiply(double mean, double sigma, const double* x, double* factors, std::size_t n) const;

private:
    /// Value at a grid place and its rise to the next; the last one rises no more.
    struct Cell {
        float value, rise;
    };
    [[nodiscard]] double valueAt(double place) const
    {
        const double t = std::clamp(place, 0.0, m_last);
        const auto i = static_cast<std::int32_t>(t);
        const Cell c = m_cell[static_cast<std::size_t>(i)];
        return static_cast<double>(c.value) + (t - i) * static_cast<double>(c.rise);
    }

    double m_low = 0.0, m_perUnit = 1.0, m_zMin = -1.0, m_zMax = 1.0, m_last = 0.0;
    double m_bulkCenter = 0.0, m_bulkSigma = 1.0, m_bulkMax = 0.0;
    std::vector<Cell> m_cell;
    std::vector<Moments> m_beyond; ///< per cell
    std::vector<double> m_knots;
};

/// Mean and variance of max_r (means[r] + sigmas[r] Z_r), Z_r independent with the CDF `shape`. `n` >= 1.
[[nodiscard]] Moments maximumMoments(const StandardCdf& shape, const double* means, const double* sigmas, int n);

} // namespace prism
