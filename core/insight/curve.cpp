// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/curve.h"

#include "core/engine/summary.h"

#include <boost/math/distributions/binomial.hpp>

#include <algorithm>
#include <cmath>

namespace prism {

namespace {

std::vector<double> finiteOf(const std::vector<double>& sorted, int* dropped)
{
    std::vector<double> kept;
    kept.reserve(sorted.size());
    for (const double x : sorted)
        if (std::isfinite(x))
            kept.push_back(x);
    if (dropped)
        *dropped = static_cast<int>(sorted.size() - kept.size());
    return kept;
}

/// The point at which `below` of n samples lie, with the band of the whole curve.
CurvePoint pointAt(double seconds, double below, double n)
{
    const double p = below / n, band = std::sqrt(std::log(2 / 0.05) / (2 * n));
    return {.seconds = seconds, .probability = p, .low = std::max(0.0, p - band), .high = std::min(1.0, p + band)};
}

} // namespace

std::vector<CurvePoint> cdfCurve(const std::vector<double>& sortedSeconds, int maxPoints, int* dropped)
{
    const std::vector<double> samples = finiteOf(sortedSeconds, dropped);
    std::vector<CurvePoint> curve;
    if (samples.empty() || maxPoints < 2)
        return curve;
    const auto n = static_cast<double>(samples.size());
    const int points = static_cast<int>(std::min<double>(maxPoints, n));
    curve.reserve(static_cast<std::size_t>(points) + 1);
    for (int i = 0; i < points; ++i) {
        // Even steps of a sine: close together at both ends, where the tails are read.
        const double t = points > 1 ? static_cast<double>(i) / (points - 1) : 1.0;
        const double share = 0.5 - 0.5 * std::cos(t * 3.14159265358979323846);
        const auto index = static_cast<std::size_t>(std::lround(share * (n - 1)));
        if (!curve.empty() && samples[index] <= curve.back().seconds)
            curve.pop_back(); // the same time again: more samples lie at or below it
        curve.push_back(pointAt(samples[index], static_cast<double>(index) + 1, n));
    }
    return curve;
}

void addPointIntervals(std::vector<CurvePoint>& curve, std::size_t samples)
{
    using boost::math::binomial_distribution;
    constexpr double kEachSide = 0.025;
    const auto n = static_cast<double>(samples);
    for (CurvePoint& p : curve) {
        const double below = std::round(p.probability * n);
        p.pointLow = binomial_distribution<>::find_lower_bound_on_p(n, below, kEachSide);
        p.pointHigh = binomial_distribution<>::find_upper_bound_on_p(n, below, kEachSide);
    }
}

std::vector<DensityPoint> densityCurve(const std::vector<double>& sortedSeconds, int points)
{
    const std::vector<double> samples = finiteOf(sortedSeconds, nullptr);
    if (samples.size() < 2 || points < 2 || samples.front() == samples.back())
        return {};
    const auto n = static_cast<double>(samples.size());
    double mean = 0, square = 0;
    for (const double x : samples)
        mean += x / n;
    for (const double x : samples)
        square += (x - mean) * (x - mean) / (n - 1);
    const double range = quantileOfSorted(samples, 0.75) - quantileOfSorted(samples, 0.25);
    double spread = std::sqrt(square);
    if (range > 0)
        spread = std::min(spread, range / 1.34);
    const double width = 0.9 * spread * std::pow(n, -0.2);
    const double low = quantileOfSorted(samples, 0.0005) - 3 * width, high = quantileOfSorted(samples, 0.9995) + 3 * width;
    std::vector<DensityPoint> curve(static_cast<std::size_t>(points));
    for (int i = 0; i < points; ++i) {
        const double x = low + (high - low) * i / (points - 1);
        const auto first = std::lower_bound(samples.begin(), samples.end(), x - 5 * width);
        const auto last = std::upper_bound(first, samples.end(), x + 5 * width);
        double sum = 0;
        for (auto s = first; s != last; ++s)
            sum += std::exp(-0.5 * (x - *s) * (x - *s) / (width * width));
        curve[static_cast<std::size_t>(i)] = {x, sum / (n * width * 2.50662827463100050242)};
    }
    return curve;
}

} // namespace prism
