// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/confidence.h"

#include "core/stats/moments.h"
#include "core/stats/normal.h"

#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/beta.hpp>

#include <algorithm>

namespace prism {

namespace {

constexpr double kHeld = 0.95;
constexpr int kHalvings = 48;

/// Rank of x among ascending values, linear between them; 0 below and n + 1 above them.
double rankOf(const std::vector<double>& sorted, double x)
{
    const auto above = std::upper_bound(sorted.begin(), sorted.end(), x);
    if (above == sorted.begin())
        return 0.0;
    const auto rank = static_cast<double>(above - sorted.begin());
    return above == sorted.end() ? rank + 1.0 : rank + (x - above[-1]) / (*above - above[-1]);
}

} // namespace

double minHalfWidth(double largest, const std::function<double(double)>& held)
{
    double low = 0.0, high = largest;
    for (int i = 0; i < kHalvings; ++i) {
        const double middle = 0.5 * (low + high);
        (held(middle) < kHeld ? low : high) = middle;
    }
    return high;
}

double halfWidthOfQuantile(const std::vector<double>& sorted, double p, double correlationTime)
{
    if (sorted.size() < 2 || !(p > 0.0 && p < 1.0))
        return 0.0;
    const double at = quantileOfSorted(sorted, p), n = static_cast<double>(sorted.size()), independent = n / correlationTime;
    const auto below = [&](double x) {
        const double rank = rankOf(sorted, x);
        if (rank <= 0.0 || rank > n) // the distribution is not resolved beyond the sampled values
            return rank > n ? 1.0 : 0.0;
        const double r = (rank - 0.5) / correlationTime + 0.5;
        return boost::math::ibetac(r, std::max(independent - r + 1.0, 0.5), p);
    };
    return minHalfWidth(std::max(at - sorted.front(), sorted.back() - at), [&](double h) { return below(at + h) - below(at - h); });
}

double jointReach(double degrees, std::size_t together)
{
    constexpr double kBeyond = 0.025; // on either side of one interval
    const boost::math::students_t_distribution<> student(degrees);
    return boost::math::quantile(boost::math::complement(student, kBeyond / static_cast<double>(together)));
}

double errorCdf(double standardErrors, double degrees)
{
    if (!(degrees > 0.0))
        return normalCdf(standardErrors);
    return boost::math::cdf(boost::math::students_t_distribution<>(degrees), standardErrors);
}

} // namespace prism
