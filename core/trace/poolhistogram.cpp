// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/poolhistogram.h"

#include "core/stats/moments.h"
#include "core/stats/quantile.h"

#include <algorithm>
#include <cmath>

namespace prism {
namespace {

int binsOf(const std::vector<double>& sorted)
{
    const double range = sorted.back() - sorted.front();
    const double iqr = quantileOfSorted(sorted, 0.75) - quantileOfSorted(sorted, 0.25);
    const double width = 2 * iqr / std::cbrt(static_cast<double>(sorted.size()));
    if (!(range > 0))
        return 1;
    return width > 0 ? static_cast<int>(std::clamp(std::ceil(range / width), 1.0, static_cast<double>(kMaxPoolBins))) : kMaxPoolBins;
}

} // namespace

PoolHistogram poolHistogram(const DurationPool& pool)
{
    std::vector<double> sorted;
    for (const double s : pool.seconds)
        if (std::isfinite(s))
            sorted.push_back(s);
    std::sort(sorted.begin(), sorted.end());
    PoolHistogram h;
    h.values = sorted.size();
    if (sorted.empty())
        return h;
    const int bins = binsOf(sorted);
    h.low = sorted.front();
    h.width = (sorted.back() - sorted.front()) / bins;
    h.shares.assign(static_cast<std::size_t>(bins), 0);
    const double each = 1.0 / static_cast<double>(sorted.size());
    for (const double s : sorted) {
        const int bin = h.width > 0 ? static_cast<int>((s - h.low) / h.width) : 0;
        h.shares[static_cast<std::size_t>(std::clamp(bin, 0, bins - 1))] += each;
    }
    if (!pool.fit || !(pool.fit->mean > 0) || !(h.width > 0))
        return h;
    const QuantileFunction family(pool.fit->distribution);
    for (int bin = 0; bin < bins; ++bin) {
        const double from = (h.low + bin * h.width) / pool.fit->mean, to = (h.low + (bin + 1) * h.width) / pool.fit->mean;
        h.familyShares.push_back(std::max(0.0, family.cdf(to) - family.cdf(from)));
    }
    return h;
}

} // namespace prism
