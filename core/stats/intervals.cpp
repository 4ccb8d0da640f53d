// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/intervals.h"

#include "core/stats/confidence.h"
#include "core/stats/moments.h"
#include "core/stats/normal.h"

#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

#include <cmath>

namespace prism {

namespace {

constexpr double kUpper = 0.975; // probability below the upper end of a two-sided 95 % interval

} // namespace

double normalReach()
{
    static const double kReach = boost::math::quantile(boost::math::normal_distribution<>(), kUpper);
    return kReach;
}

double studentReach(double degrees)
{
    return boost::math::quantile(boost::math::students_t_distribution<>(degrees), kUpper);
}

Estimate proportion(double hits, double n)
{
    if (n <= 0)
        return {};
    const double p = hits / n;
    const auto below = [&](double q) {
        if (q <= 0.0 || q >= 1.0)
            return q <= 0.0 ? 0.0 : 1.0;
        return normalCdf((q - p) / std::sqrt(q * (1.0 - q) / n));
    };
    return {p, minHalfWidth(1.0, [&](double h) { return below(p + h) - below(p - h); })};
}

double halfWidthOfMean(const std::vector<double>& values)
{
    return values.size() < 2 ? 0.0 : normalReach() * std::sqrt(varianceOf(values) / static_cast<double>(values.size()));
}

double halfWidthOfSeriesMean(const std::vector<double>& values)
{
    constexpr std::size_t kShortestBatch = 20;
    const std::size_t length = values.size() / kSeriesBatches;
    if (length < kShortestBatch)
        return halfWidthOfMean(values);
    std::vector<double> means;
    for (std::size_t b = 0; b < kSeriesBatches; ++b) {
        const auto from = values.begin() + static_cast<std::ptrdiff_t>(b * length);
        means.push_back(meanOf({from, from + static_cast<std::ptrdiff_t>(length)}));
    }
    return studentReach(kSeriesBatches - 1) * std::sqrt(varianceOf(means) / kSeriesBatches);
}

} // namespace prism
