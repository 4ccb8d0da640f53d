// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/distance.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace prism {

double ksDistance(std::span<const double> a, std::span<const double> b)
{
    std::size_t i = 0;
    std::size_t j = 0;
    double largest = 0.0;
    while (i < a.size() && j < b.size()) {
        if (std::isnan(a[i]) || std::isnan(b[j]))
            return std::numeric_limits<double>::quiet_NaN();
        const double x = std::min(a[i], b[j]);
        while (i < a.size() && a[i] == x)
            ++i;
        while (j < b.size() && b[j] == x)
            ++j;
        largest = std::max(largest, std::abs(static_cast<double>(i) / static_cast<double>(a.size())
                                             - static_cast<double>(j) / static_cast<double>(b.size())));
    }
    return largest;
}

double ksDistance(std::span<const double> sorted, const std::function<double(double)>& cdf)
{
    const auto n = static_cast<double>(sorted.size());
    double largest = 0.0;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        const double f = cdf(sorted[i]);
        largest = std::max({largest, f - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - f});
    }
    return largest;
}

double ksCritical(std::size_t n, std::size_t m, double alpha)
{
    const double inverse = 1.0 / static_cast<double>(n) + (m == 0 ? 0.0 : 1.0 / static_cast<double>(m));
    return std::sqrt(-0.5 * std::log(0.5 * alpha) * inverse);
}

double ksPValue(double d, double effectiveSize)
{
    const double x = effectiveSize * d * d;
    if (x < 0.04) // the series converges slowly there and the value is 1 to ten digits
        return 1.0;
    double sum = 0.0;
    for (int k = 1; k <= 100; ++k) {
        const double term = std::exp(-2.0 * k * k * x);
        sum += k % 2 == 1 ? term : -term;
        if (term < 1e-17)
            break;
    }
    return std::clamp(2.0 * sum, 0.0, 1.0);
}

double wassersteinDistance(std::span<const double> a, std::span<const double> b)
{
    std::size_t i = 0;
    std::size_t j = 0;
    double position = 0.0;
    double total = 0.0;
    while (i < a.size() && j < b.size()) {
        const double endA = static_cast<double>(i + 1) / static_cast<double>(a.size());
        const double endB = static_cast<double>(j + 1) / static_cast<double>(b.size());
        const double end = std::min(endA, endB);
        total += (end - position) * std::abs(a[i] - b[j]);
        position = end;
        if (endA <= end)
            ++i;
        if (endB <= end)
            ++j;
    }
    return total;
}

double lag1Correlation(std::span<const double> series)
{
    if (series.size() < 2)
        return 0.0;
    const double mean = std::accumulate(series.begin(), series.end(), 0.0) / static_cast<double>(series.size());
    double variance = 0.0;
    double covariance = 0.0;
    for (std::size_t i = 0; i < series.size(); ++i) {
        variance += (series[i] - mean) * (series[i] - mean);
        if (i > 0)
            covariance += (series[i] - mean) * (series[i - 1] - mean);
    }
    return variance > 0.0 ? covariance / variance : 0.0;
}

} // namespace prism
