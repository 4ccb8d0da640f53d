// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/poisson.h"

#include <cmath>

namespace prism {

int poissonCount(double mean, double u, int largest)
{
    double term = std::exp(-mean), sum = term;
    int k = 0;
    while (u > sum && k < largest) {
        ++k;
        term *= mean / k;
        sum += term;
    }
    return k;
}

} // namespace prism
