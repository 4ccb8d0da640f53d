// SPDX-License-Identifier: GPL-3.0-or-later
// A weighted sample as a distribution: quantiles far into the upper tail, for the maximum of many equal draws.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace prism {

/// Model of the tail beyond the largest points of a sample: an exponential tail, or nothing (a bounded variable whose top was sampled).
enum class Beyond { exponential, largest };

/// Points from which the scale of a fitted tail is estimated.
inline constexpr std::size_t kScalePoints = 40;

/// An exponential tail over the largest points of a sample, or over those of full weight: its parameters and its origin.
struct FittedTail {
    double threshold = 0.0, tail = 0.0, scale = 0.0; ///< value, tail probability there, and how much further it takes to fall by 1 / e
    double thresholdShare = 0.0;                     ///< share of the sample's weight at and beyond the threshold
    double from = 0.0, fromShare = 0.0;              ///< the scale is the mean excess of the points beyond this value, and their share
    double minWeight = 0.0;                          ///< points of less weight are excluded
    [[nodiscard]] double tailAt(double value) const;
};

/// Sorted weighted sample. Immutable; any thread.
class TailSample final {
public:
    /// Values need no order; weights > 0 (empty = all 1).
    TailSample(std::vector<double> values, std::vector<double> weights, Beyond beyond = Beyond::exponential);

    /// Value with upper tail probability `tail` in (0, 1): linear between points in the logarithm of the tail probability,
    /// and beyond the threshold of the fitted tail by that tail.
    [[nodiscard]] double upperQuantile(double tail) const;
    /// Its inverse: the tail probability beyond a value.
    [[nodiscard]] double tailAt(double value) const;
    /// The tail that takes over beyond the largest points; null where there is none.
    [[nodiscard]] const FittedTail* fitted() const { return m_fit.scale > 0.0 ? &m_fit : nullptr; }
    /// Values of the sample, descending; where points of full weight have a separate tail, points of it replace the largest of them.
    [[nodiscard]] const std::vector<double>& values() const { return m_value; }
    /// Tail probability beyond which quantiles are extrapolated: about ten points lie above it.
    [[nodiscard]] double supportedTail() const { return m_supported; }

private:
    using Points = std::vector<std::pair<double, double>>; ///< value, weight; descending
    void extendBulk(Points& falling, double total);

    std::vector<double> m_value; ///< descending
    std::vector<double> m_tail;  ///< mid-point tail probability of each value, ascending
    std::size_t m_fitted = 0;    ///< points above the threshold of the fitted tail
    double m_threshold = 0.0, m_thresholdTail = 1.0, m_scale = 0.0, m_supported = 0.0;
    FittedTail m_fit;
};

} // namespace prism
