// A quantile function that fits in registers: cubic pieces over octaves of tail probability, drawn from with 16 bits.
#pragma once

#include "core/sim/griddist.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace prism {

/// Draw q in 0 ... 65535 stands for the probability (q + 1/2) / 65536. With t = q below the median and 65535 - q above, the odd
/// number x = 2 t + 1 has its exponent o = 0 ... 15 as octave and its mantissa m in [1, 2) as argument of the octave's cubic.
/// Entry ((127 + o) ^ (above ? 16 : 0)) & 31 of coefficient[k] belongs to m^k. Mean and variance over the 65,536 draws are exact.
struct alignas(64) RegisterTable {
    float coefficient[4][32] = {};
    /// Where cubics cannot follow the function (measured pools with few values): quantiles at (i + 1/2) / size, else empty.
    std::vector<float> steps;

    [[nodiscard]] float at(std::uint16_t draw) const;
};

/// Table of a quantile function given by lower and upper tail probability, scaled to `mean` and `variance`.
[[nodiscard]] RegisterTable registerTable(const std::function<double(double lower, double upper)>& quantile, double mean,
                                          double variance);

/// Table of the standardised variable (mean 0, variance 1).
[[nodiscard]] RegisterTable standardTable(const GridDist& dist);

} // namespace prism
