// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/moments.h"

#include <hwy/contrib/sort/vqsort.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
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

void sortAscending(std::vector<double>& x)
{
    // As integers in the order of the numbers: Highway 1.0 takes 2^-52 for the distance of any two neighbouring numbers.
    const auto exchange = [](std::int64_t bits) { return bits ^ ((bits >> 63) & std::numeric_limits<std::int64_t>::max()); };
    std::vector<std::int64_t> keys(x.size());
    std::transform(x.begin(), x.end(), keys.begin(), [&](double v) { return exchange(std::bit_cast<std::int64_t>(v)); });
    constexpr std::size_t kFew = 64; // below, its buffer costs more than it gains
    if (keys.size() < kFew)
        std::sort(keys.begin(), keys.end());
    else
        hwy::Sorter()(keys.data(), keys.size(), hwy::SortAscending());
    std::transform(keys.begin(), keys.end(), x.begin(), [&](std::int64_t key) { return std::bit_cast<double>(exchange(key)); });
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
