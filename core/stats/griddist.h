// SPDX-License-Identifier: GPL-3.0-or-later
// Distributions as probability mass on a uniform grid: sums by fast Fourier transform.
#pragma once

#include "core/stats/distribution.h"

#include <span>
#include <vector>

namespace prism {

/// A quantile function as weighted points, refined towards both tails down to a tail probability of 2^-26.
/// Weights sum to 1; mean and variance are the family's own. Points of the rare event follow those of the bulk.
struct QuantilePoints {
    std::vector<double> value, weight;
    double mean = 1.0, variance = 0.0, largest = 1.0;
    double bulkVariance = 0.0; ///< without the rare event: how fine a grid must be
};
/// Points of a factor without its rare event. About a millisecond for gamma, microseconds for most others.
[[nodiscard]] QuantilePoints quantilePoints(const Distribution& distribution);
/// Adds the rare event to points made without it.
[[nodiscard]] QuantilePoints withRareEvent(QuantilePoints base, const Distribution& distribution);

/// Probability mass mass[i] at origin + i * step. Values in seconds (or in units of a standard deviation).
struct GridDist {
    double origin = 0.0, step = 1.0;
    std::vector<double> mass;

    [[nodiscard]] double mean() const;
    [[nodiscard]] double variance() const;
    /// Quantile by linear interpolation in the mass, with each point uniform over its cell.
    [[nodiscard]] double quantile(double lower) const;
};

/// One summand: `count` independent copies of scale * factor.
struct Summand {
    const QuantilePoints* factor = nullptr;
    double scale = 1.0;
    int count = 1;
};
/// Distribution of shift + sum of the summands, on `fewestCells` (a power of two) grid cells that hold +-9 standard deviations of the sum
/// and the largest jump of any summand; on more, up to 65,536, where rare events make that range wide against the sum's bulk. Mean and
/// variance are exact to rounding and cell width.
[[nodiscard]] GridDist sumDistribution(std::span<const Summand> summands, double shift, int minCells = 1024);

/// Quantiles of a grid distribution in logarithmic time. Refers to the grid.
class GridQuantiles final {
public:
    explicit GridQuantiles(const GridDist& dist);
    [[nodiscard]] double at(double lower) const;

private:
    const GridDist& m_dist;
    std::vector<double> m_below; ///< mass below each cell
};

} // namespace prism
