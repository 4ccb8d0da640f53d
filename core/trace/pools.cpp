// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/pools.h"

#include "core/base/table.h"
#include "core/base/text.h"
#include "core/stats/moments.h"
#include "core/stats/quantile.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace prism {

namespace {

constexpr std::size_t kMinForFit = 8, kFewForFit = 30, kFewForTail = 100;
constexpr double kRefuted = 0.05;

double totalSeconds(const DurationPool& pool)
{
    return meanOf(pool.seconds) * static_cast<double>(pool.seconds.size());
}

} // namespace

std::string DurationPool::standIn() const
{
    const bool passes = fit && seconds.size() >= kFewForFit && fit->ksPValue >= kRefuted;
    return std::string(familyName(passes ? fit->distribution.family : Family::empirical));
}

DurationPool fittedPool(std::string signature, std::vector<double> seconds)
{
    DurationPool pool{.signature = std::move(signature), .seconds = std::move(seconds)};
    std::vector<double> positive;
    std::copy_if(pool.seconds.begin(), pool.seconds.end(), std::back_inserter(positive), [](double x) { return x > 0; });
    if (positive.size() >= kMinForFit && varianceOf(positive) > 0)
        if (const auto fits = fitFamilies(positive); fits.ok() && !fits->empty())
            pool.fit = fits->front();
    if (pool.seconds.size() < kFewForFit)
        pool.warning = "few values: the family is a guess and the tail is not known";
    else if (pool.fit && pool.fit->ksPValue < kRefuted)
        pool.warning = "no family fits: use the pool itself";
    else if (pool.seconds.size() < kFewForTail)
        pool.warning = "fewer than 100 values: the slowest one in a hundred has not been seen";
    return pool;
}

void sortByTotal(std::vector<DurationPool>& pools)
{
    std::stable_sort(pools.begin(), pools.end(), [](const auto& a, const auto& b) { return totalSeconds(a) > totalSeconds(b); });
}

std::string poolsCsv(const std::vector<DurationPool>& pools, TableText texts)
{
    std::string text = tableLine({"signature", "n", "mean_s", "cv", "p50_s", "p95_s", "family", "ks", "ks_p", "stand_in", "warning"});
    for (const DurationPool& p : pools) {
        std::vector<double> sorted = p.seconds;
        std::sort(sorted.begin(), sorted.end());
        const double mean = meanOf(sorted);
        text += tableLine({tableText(p.signature, texts), std::to_string(sorted.size()), numberText(mean),
                           numberText(mean > 0 ? std::sqrt(varianceOf(sorted)) / mean : 0), numberText(quantileOfSorted(sorted, 0.5)),
                           numberText(quantileOfSorted(sorted, 0.95)), p.fit ? std::string(familyName(p.fit->distribution.family)) : "",
                           p.fit ? numberText(p.fit->ksDistance) : "", p.fit ? numberText(p.fit->ksPValue) : "", p.standIn(), p.warning});
    }
    return text;
}

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
    constexpr double kRounding = 1e-9; // of the value: differences of time stamps
    const double span = sorted.back() - sorted.front();
    const bool areEqual = span <= kRounding * std::abs(sorted.back());
    const int bins = areEqual ? 1 : binsOf(sorted);
    h.low = sorted.front();
    h.width = areEqual ? 0 : span / bins;
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
