// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/empirical.h"

#include <algorithm>
#include <cmath>

namespace prism {

Estimate exceedance(const std::vector<double>& sorted, double x)
{
    if (sorted.empty())
        return {};
    const double n = static_cast<double>(sorted.size());
    return proportion(static_cast<double>(sorted.end() - std::upper_bound(sorted.begin(), sorted.end(), x)), n);
}

Estimate quantileEstimate(const std::vector<double>& sorted, double p)
{
    if (sorted.empty())
        return {};
    const double n = static_cast<double>(sorted.size()), width = normalReach() * std::sqrt(p * (1 - p) / n);
    const double low = quantileOfSorted(sorted, std::max(0.0, p - width)), high = quantileOfSorted(sorted, std::min(1.0, p + width));
    return {quantileOfSorted(sorted, p), 0.5 * (high - low)};
}

/// The half-window shrinks as n^(-1/3) (Bofinger 1975's order is n^(-1/5), which
/// is too wide in the tail) and never leaves (0, 1).
double sparsity(const std::vector<double>& sorted, double p)
{
    const double n = static_cast<double>(sorted.size());
    const double half = std::max(std::min({0.5 * std::min(p, 1 - p), std::pow(n, -1.0 / 3.0)}), 1.0 / n);
    const double low = std::max(p - half, 0.0), high = std::min(p + half, 1.0);
    return (quantileOfSorted(sorted, high) - quantileOfSorted(sorted, low)) / (high - low);
}

double sharedStdErr(const StepSamples& s, double p)
{
    if (p <= 0.5)
        return s.sharedStdErrP50;
    if (p <= 0.95)
        return std::lerp(s.sharedStdErrP50, s.sharedStdErrP95, (p - 0.5) / 0.45);
    return p <= 0.99 ? std::lerp(s.sharedStdErrP95, s.sharedStdErrP99, (p - 0.95) / 0.04) : s.sharedStdErrP99;
}

double sharedExceedanceStdErr(const StepSamples& samples, const std::vector<double>& sorted, double x)
{
    if (sorted.empty())
        return 0;
    const double p = 1 - exceedance(sorted, x).value, seconds = sharedStdErr(samples, p);
    const double slope = seconds > 0 ? sparsity(sorted, std::clamp(p, 0.005, 0.995)) : 0;
    // Where no sample lies on one side the density is unknown; the probability itself bounds the error.
    return slope > 0 ? std::min(seconds / slope, std::sqrt(p * (1 - p))) : 0;
}

} // namespace prism
