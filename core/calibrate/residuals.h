// SPDX-License-Identifier: GPL-3.0-or-later
// How far off a set of predictions is.
#pragma once

#include <cmath>

namespace prism {

/// Relative errors (predicted over measured, less one) of the rows that were added so far.
struct Residuals {
    int rows = 0;
    double meanAbs = 0, bias = 0, worst = 0; ///< the mean of the sizes, the mean, and the largest with its sign; 0 without rows

    /// Takes one more row's error in; O(1).
    void add(double error)
    {
        ++rows;
        meanAbs += (std::abs(error) - meanAbs) / rows;
        bias += (error - bias) / rows;
        if (std::abs(error) > std::abs(worst))
            worst = error;
    }
};

} // namespace prism
