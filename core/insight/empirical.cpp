// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/empirical.h"

#include "core/stats/moments.h"

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

Estimate probabilityBetween(const std::vector<double>& sorted, double low, double high)
{
    if (sorted.empty())
        return {};
    const auto first = std::upper_bound(sorted.begin(), sorted.end(), low), last = std::upper_bound(sorted.begin(), sorted.end(), high);
    return proportion(static_cast<double>(std::max<std::ptrdiff_t>(last - first, 0)), static_cast<double>(sorted.size()));
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

SharedError::Part sharedPart(const SharedError& s, double p)
{
    const auto between = [](const SharedError::Part& a, const SharedError::Part& b, double part) {
        const double degrees = a.degrees > 0 && b.degrees > 0 ? std::min(a.degrees, b.degrees) : std::max(a.degrees, b.degrees);
        return SharedError::Part{std::lerp(a.stdErr, b.stdErr, part), degrees};
    };
    if (p <= 0.5)
        return s.p50;
    if (p <= 0.95)
        return between(s.p50, s.p95, (p - 0.5) / 0.45);
    return p <= 0.99 ? between(s.p95, s.p99, (p - 0.95) / 0.04) : s.p99;
}

SharedError::Part sharedExceedancePart(const SharedError& shared, const std::vector<double>& sorted, double x)
{
    if (sorted.empty())
        return {};
    const double above = exceedance(sorted, x).value;
    const SharedError::Part seconds = sharedPart(shared, 1 - above);
    const double reach = halfWidth95(seconds);
    if (!(reach > 0))
        return {};
    // The distribution moved by the whole reach either way: in a tail the density at x says too little. The larger side counts.
    const double most = std::max(exceedance(sorted, x - reach).value - above, above - exceedance(sorted, x + reach).value);
    return {most * seconds.stdErr / reach, seconds.degrees};
}

double sharedExceedanceStdErr(const StepSamples& samples, const std::vector<double>& sorted, double x)
{
    return sharedExceedancePart(samples.acrossShared, sorted, x).stdErr;
}

Estimate RunFigures::exceedance(double x) const
{
    const Estimate own = prism::exceedance(m_sorted, x);
    const double stdErr = own.halfWidth / normalReach() * std::sqrt(correlationTimeAbove(x));
    return {own.value, halfWidth95(together({stdErr, 0}, sharedExceedancePart(m_shared, m_sorted, x)))};
}

Estimate RunFigures::quantile(double p) const
{
    const Estimate own = quantileEstimate(m_sorted, p);
    const double stdErr = own.halfWidth / normalReach() * std::sqrt(correlationTimeAbove(own.value));
    return {own.value, halfWidth95(together({stdErr, 0}, sharedPart(m_shared, p)))};
}

double RunFigures::correlationTimeAbove(double x) const
{
    if (m_series == nullptr)
        return 1;
    std::vector<double> above;
    for (const double step : *m_series)
        above.push_back(step > x ? 1.0 : 0.0);
    return correlationTime(above);
}

} // namespace prism
