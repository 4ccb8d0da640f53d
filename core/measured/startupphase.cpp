// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measured/seriesshape.h"

#include "core/stats/moments.h"

#include <boost/math/distributions/binomial.hpp>

#include <algorithm>

namespace prism {

namespace {

constexpr std::size_t kHalfWindow = 4;
/// Fifty lengths are tested, which share most of their steps: the false-positive rate is about one series in some hundred.
constexpr double kProbability = 1e-3;
constexpr int kMinLong = 4;

std::vector<bool> longSteps(const CountedSteps& run)
{
    const std::size_t n = run.seconds.size();
    std::vector<bool> isLong(n, false);
    for (std::size_t i = 0; i < n; ++i) {
        if (!run.counts[i])
            continue;
        const auto first = static_cast<std::ptrdiff_t>(i - std::min(i, kHalfWindow));
        const auto last = static_cast<std::ptrdiff_t>(std::min(n, i + kHalfWindow + 1));
        isLong[i] = run.seconds[i] - medianOf({run.seconds.begin() + first, run.seconds.begin() + last}) > run.minExcess;
    }
    return isLong;
}

/// Long steps and all steps that count, up to each length of the start.
struct Counts {
    std::vector<int> longUpTo, upTo; ///< [length]
    int allLong = 0, all = 0;
};

Counts countsOf(const std::vector<CountedSteps>& runs, int largest)
{
    Counts c;
    c.longUpTo.assign(static_cast<std::size_t>(largest) + 1, 0);
    c.upTo = c.longUpTo;
    for (const CountedSteps& run : runs) {
        const std::vector<bool> isLong = longSteps(run);
        for (std::size_t i = 0; i < isLong.size(); ++i) {
            c.all += run.counts[i] ? 1 : 0;
            c.allLong += isLong[i] ? 1 : 0;
            for (std::size_t w = i + 1; w < c.upTo.size(); ++w) {
                c.upTo[w] += run.counts[i] ? 1 : 0;
                c.longUpTo[w] += isLong[i] ? 1 : 0;
            }
        }
    }
    return c;
}

} // namespace

int startUpSteps(const std::vector<CountedSteps>& runs)
{
    int largest = runs.empty() ? 0 : kMaxStartUp;
    for (const CountedSteps& run : runs)
        largest = std::min(largest, static_cast<int>(std::min<std::size_t>(run.seconds.size() / 5, kMaxStartUp)));
    const Counts c = countsOf(runs, largest);
    int best = 0;
    double smallest = kProbability;
    for (int w = 1; w <= largest; ++w) {
        const auto at = static_cast<std::size_t>(w);
        if (c.longUpTo[at] == c.longUpTo[at - 1] || c.longUpTo[at] < kMinLong)
            continue;
        const boost::math::binomial_distribution<> evenly(c.allLong, static_cast<double>(c.upTo[at]) / c.all);
        const double probability = boost::math::cdf(boost::math::complement(evenly, c.longUpTo[at] - 1));
        if (probability < smallest) {
            smallest = probability;
            best = w;
        }
    }
    return best;
}

} // namespace prism
