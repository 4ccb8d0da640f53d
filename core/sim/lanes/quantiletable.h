// SPDX-License-Identifier: GPL-3.0-or-later
// The value of a draw of 32 bits: a quantile function as cubic pieces that fit into registers, or as equally likely steps.
#pragma once

#include "core/stats/distribution.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace prism {

/// Equally likely steps of a function that no cubic follows; a power of two.
inline constexpr std::size_t kQuantileSteps = 4096;

/// Of a draw's 32 bits the highest selects above or below the median. The others, with their lowest seven set to 64, are t in [64, 2^31):
/// y = t / 2^31 is twice the tail probability, exact down to 1.5e-8. One cubic in y covers two octaves of the tail on either side; its
/// entry is ((e - 5) / 2) + 16 * above, where e is the exponent of t. Mean and variance are the given ones.
struct alignas(64) QuantileTable {
    float coefficient[4][32] = {}; ///< [power of y][entry]
    std::vector<float> steps;      ///< kQuantileSteps values by the upper bits of the draw, where cubics do not follow; else empty
    double mean = 0.0, variance = 0.0;

    [[nodiscard]] bool isConstant() const { return variance == 0.0; }
    [[nodiscard]] float at(std::uint32_t word) const;
};

/// Table of a function of lower and upper tail probability, shifted and scaled to `mean` and `variance`.
[[nodiscard]] QuantileTable quantileTable(const std::function<double(double lower, double upper)>& quantile, double mean, double variance);
[[nodiscard]] QuantileTable constantTable(double value);
/// Table of sampled values, with their mean and variance; sorts them.
[[nodiscard]] QuantileTable sampleTable(std::vector<double> values);

/// A factor with its rare event: with probability rareBelow / 2^32 the draw comes from `rare`, else from `body`.
struct DrawTable {
    QuantileTable body = constantTable(1.0), rare;
    std::uint32_t rareBelow = 0;
    double rareProbability = 0.0, mean = 1.0;
    [[nodiscard]] bool isConstant() const { return body.isConstant() && rareBelow == 0; }
    [[nodiscard]] float at(std::uint32_t word, std::uint32_t rareWord) const { return (rareWord < rareBelow ? rare : body).at(word); }
};
/// Table of a factor with mean 1 without its rare event.
[[nodiscard]] DrawTable drawTable(const Distribution& distribution);
/// The largest of `groups` means of `buckets` independent draws each; 2,048 values where some draw is rare and none is usual.
[[nodiscard]] DrawTable slowestMeanTable(const Distribution& distribution, int groups, int buckets);

/// The largest of scale[k] * draw_k, independent draws of one factor; 16,384 values. Some scale must be 1, none greater.
[[nodiscard]] DrawTable slowestScaledTable(const DrawTable& factor, const std::vector<float>& scale);

} // namespace prism
