// SPDX-License-Identifier: GPL-3.0-or-later
// A quantile function that fits in registers: cubic pieces over octaves of tail probability, drawn from with 16 bits.
#pragma once

#include "core/stats/griddist.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace prism {

/// Of a draw's 16 bits the highest says above or below the median; the others are t, and the tail probability is (t + 1/2) / 65536.
/// x = (2 t + 1) 2^11 has the float exponent e = 138 ... 153: an octave of tail probability, and one cubic in x for each side. Its
/// entry is (e + (above ? 16 : 0)) & 31. Mean and variance over the 65,536 draws are exact.
struct alignas(64) RegisterTable {
    float coefficient[4][32] = {}; ///< [power of x][entry]
    float row[32][4] = {};         ///< the same by entry, for registers that do not hold a whole coefficient[k]
    /// Where cubics cannot follow the function (measured pools with few values): by the draw's upper 12 bits, else empty.
    std::vector<float> steps;
    double mean = 0.0, variance = 0.0;

    [[nodiscard]] float at(std::uint16_t draw) const;
};

/// Table of a quantile function given by lower and upper tail probability, scaled to `mean` and `variance`.
[[nodiscard]] RegisterTable registerTable(const std::function<double(double lower, double upper)>& quantile, double mean, double variance);

/// Table of the standardised variable (mean 0, variance 1).
[[nodiscard]] RegisterTable standardTable(const GridDist& dist);

} // namespace prism
