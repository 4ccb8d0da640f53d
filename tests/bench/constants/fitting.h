// SPDX-License-Identifier: GPL-3.0-or-later
// Common parts of the calibration's fits: a search along one constant.
#pragma once

#include <cmath>
#include <vector>

namespace prism {

/// Golden-section search of one constant on a logarithmic scale.
template <class Loss>
double minimum(double low, double high, int steps, Loss loss)
{
    const double ratio = (std::sqrt(5.0) - 1) / 2;
    double a = std::log(low), b = std::log(high), c = b - ratio * (b - a), d = a + ratio * (b - a);
    double fc = loss(std::exp(c)), fd = loss(std::exp(d));
    for (int i = 0; i < steps; ++i) {
        if (fc < fd) {
            b = d;
            d = c;
            fd = fc;
            c = b - ratio * (b - a);
            fc = loss(std::exp(c));
        } else {
            a = c;
            c = d;
            fc = fd;
            d = a + ratio * (b - a);
            fd = loss(std::exp(d));
        }
    }
    return std::exp(fc < fd ? c : d);
}

} // namespace prism
