// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/moments.h"

#include <algorithm>
#include <numeric>

namespace prism {

double meanOf(const std::vector<double>& x)
{
    return x.empty() ? 0 : std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}

double varianceOf(const std::vector<double>& x)
{
    const double mean = meanOf(x);
    double sum = 0;
    for (const double v : x)
        sum += (v - mean) * (v - mean);
    return x.size() > 1 ? sum / static_cast<double>(x.size() - 1) : 0;
}

double quantileOfSorted(const std::vector<double>& sorted, double probability)
{
    if (sorted.empty())
        return 0.0;
    const double at = std::clamp(probability, 0.0, 1.0) * static_cast<double>(sorted.size() - 1);
    const auto i = std::min(static_cast<std::size_t>(at), sorted.size() - 1);
    const auto j = std::min(i + 1, sorted.size() - 1);
    return sorted[i] + (at - static_cast<double>(i)) * (sorted[j] - sorted[i]);
}

double medianOf(std::vector<double> x)
{
    if (x.empty())
        return 0;
    const auto middle = x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2);
    std::nth_element(x.begin(), middle, x.end());
    return x.size() % 2 == 1 ? *middle : 0.5 * (*std::max_element(x.begin(), middle) + *middle);
}

double correlationTime(const std::vector<double>& series)
{
    const double mean = meanOf(series);
    const auto covariance = [&](std::size_t lag) {
        double sum = 0;
        for (std::size_t i = lag; i < series.size(); ++i)
            sum += (series[i] - mean) * (series[i - lag] - mean);
        return sum;
    };
    const double own = covariance(0);
    if (!(own > 0))
        return 1;
    double time = 1;
    for (std::size_t lag = 1; lag + 1 < series.size() / 4; lag += 2) {
        const double pair = covariance(lag) + covariance(lag + 1);
        if (pair <= 0)
            break;
        time += 2 * pair / own;
    }
    return std::max(1.0, time);
}

} // namespace prism
