// SPDX-License-Identifier: GPL-3.0-or-later
// A sample as a distribution: quantiles far into the upper tail, for the maximum of many equal draws.
#pragma once

#include <cstddef>
#include <vector>

namespace prism {

/// Sorted sample. Immutable; any thread.
class TailSample final {
public:
    /// Values need no order. From 80 values on an exponential tail (the generalised Pareto with shape 0, Coles 2001, sec. 4.2) continues
    /// beyond the four largest; its scale is the mean excess of the forty largest over the next one.
    explicit TailSample(std::vector<double> values);

    /// Value with upper tail probability `tail` in (0, 1): linear between points in the logarithm of the tail probability, and beyond the
    /// threshold by the fitted tail.
    [[nodiscard]] double upperQuantile(double tail) const;
    /// Its inverse: the tail probability beyond a value.
    [[nodiscard]] double tailAt(double value) const;

private:
    [[nodiscard]] double tailOf(std::size_t point) const; ///< mid-point tail probability of a value

    std::vector<double> m_value; ///< descending
    bool m_isFitted = false;
    double m_threshold = 0.0, m_scale = 0.0; ///< of the fitted tail
};

} // namespace prism
