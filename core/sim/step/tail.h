// SPDX-License-Identifier: GPL-3.0-or-later
// A weighted sample as a distribution: quantiles far into the upper tail, for the maximum of many equal draws.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace prism {

/// What lies beyond the largest points of a sample: an exponential tail, or nothing (a bounded variable whose top was sampled).
enum class Beyond { exponential, largest };

/// Sorted weighted sample. Immutable; any thread.
class TailSample final {
public:
    /// Values need no order; weights > 0 (empty = all 1).
    TailSample(std::vector<double> values, std::vector<double> weights, Beyond beyond = Beyond::exponential);

    /// Value with upper tail probability `tail` in (0, 1): linear between points in the logarithm of the tail probability,
    /// and beyond the largest tenth of a per cent the fitted tail.
    [[nodiscard]] double upperQuantile(double tail) const;
    /// Its inverse: the tail probability beyond a value.
    [[nodiscard]] double tailAt(double value) const;
    /// Standard error of upperQuantile(tail) where it comes from the fitted tail: its threshold and its scale; 0 elsewhere.
    [[nodiscard]] double fittedError(double tail) const;
    /// Tail probability beyond which quantiles are extrapolated: about ten points lie above it.
    [[nodiscard]] double supportedTail() const { return m_supported; }

private:
    using Points = std::vector<std::pair<double, double>>; ///< value, weight; descending
    void extendBulk(Points& falling, double total);

    std::vector<double> m_value; ///< descending
    std::vector<double> m_tail;  ///< mid-point tail probability of each value, ascending
    std::size_t m_fitted = 0;    ///< points above the threshold of the fitted tail
    double m_threshold = 0.0, m_thresholdTail = 1.0, m_scale = 0.0, m_supported = 0.0;
    double m_fittedTail = 0.0, m_fittedScale = 0.0;    ///< from where on quantiles come from a fit, in which seconds per e-fold
    double m_thresholdError = 0.0, m_scaleError = 0.0; ///< relative: of the tail probability at the threshold, and of the scale
};

/// Tail probability of one variable at which the largest of `count` independent ones has probability `upper` of being beyond.
[[nodiscard]] double tailOfMaximum(double upper, int count);

} // namespace prism
