// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/empirical.h"

#include "core/stats/confidence.h"
#include "core/stats/moments.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace prism {

namespace {
constexpr double kEndless = std::numeric_limits<double>::infinity();
}

Estimate exceedance(const std::vector<double>& sorted, double x)
{
    if (sorted.empty())
        return {};
    const auto n = static_cast<double>(sorted.size());
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
    return {quantileOfSorted(sorted, p), halfWidthOfQuantile(sorted, p)};
}

/// The half-window shrinks as n^(-1/3) (Bofinger 1975's order is n^(-1/5), which
/// is too wide in the tail) and never leaves (0, 1).
double sparsity(const std::vector<double>& sorted, double p)
{
    const auto n = static_cast<double>(sorted.size());
    const double half = std::max(std::min({0.5 * std::min(p, 1 - p), std::pow(n, -1.0 / 3.0)}), 1.0 / n);
    const double low = std::max(p - half, 0.0), high = std::min(p + half, 1.0);
    return (quantileOfSorted(sorted, high) - quantileOfSorted(sorted, low)) / (high - low);
}

SharedError::Part sharedPart(const SharedError& s, double p)
{
    const auto between = [](const SharedError::Part& a, const SharedError::Part& b, double part) {
        const auto inverse = [](const SharedError::Part& p) { return p.degrees > 0 ? 1 / p.degrees : 0.0; };
        const double unknown = std::lerp(inverse(a), inverse(b), part);
        return SharedError::Part{std::lerp(a.stdErr, b.stdErr, part), unknown > 0 ? 1 / unknown : 0.0};
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
    if (!(seconds.stdErr > 0))
        return {};
    // By how much the distribution would have to lie to one side for a probability that much smaller or larger: the density at x alone
    // would be inaccurate in a tail, where one side changes more than the other.
    const auto below = [&](double probability) {
        return errorCdf((quantileOfSorted(sorted, 1 - probability) - x) / seconds.stdErr, seconds.degrees);
    };
    const auto held = [&](double h) { return (above > h ? below(above - h) : 1.0) - (above + h < 1 ? below(above + h) : 0.0); };
    return {minHalfWidth(1.0, held) * seconds.stdErr / halfWidth95(seconds), seconds.degrees};
}

double sharedExceedanceStdErr(const StepSamples& samples, const std::vector<double>& sorted, double x)
{
    return sharedExceedancePart(samples.acrossShared, sorted, x).stdErr;
}

Estimate RunMetrics::exceedance(double x) const
{
    const Estimate own = prism::exceedance(m_sorted, x);
    const double stdErr = own.halfWidth / normalReach() * std::sqrt(correlationTimeWithin(x, kEndless));
    return {own.value, halfWidth95(together({stdErr, 0}, sharedExceedancePart(m_shared, m_sorted, x)))};
}

Estimate RunMetrics::between(double low, double high) const
{
    const Estimate own = probabilityBetween(m_sorted, low, high);
    const double stdErr = own.halfWidth / normalReach() * std::sqrt(correlationTimeWithin(low, high));
    const auto sharedAt = [this](double x) { return sharedPart(m_shared, 1 - prism::exceedance(m_sorted, x).value); };
    const SharedError::Part lower = sharedAt(low), upper = sharedAt(high);
    double moved = 0;
    for (const double side : {-1.0, 1.0}) // the distribution lies to this side by one standard error
        moved = std::max(moved,
                         std::abs(probabilityBetween(m_sorted, low + side * lower.stdErr, high + side * upper.stdErr).value - own.value));
    return {own.value, halfWidth95(together(SharedError::Part{stdErr, 0}, SharedError::Part{moved, upper.degrees}))};
}

Estimate RunMetrics::quantile(double p) const
{
    const double value = quantileOfSorted(m_sorted, p);
    const double own = halfWidthOfQuantile(m_sorted, p, correlationTimeWithin(value, kEndless));
    return {value, halfWidth95(together({own / normalReach(), 0}, sharedPart(m_shared, p)))};
}

double RunMetrics::correlationTimeWithin(double low, double high) const
{
    if (m_series == nullptr)
        return 1;
    std::vector<double> inside;
    for (const double step : *m_series)
        inside.push_back(step > low && step <= high ? 1.0 : 0.0);
    return correlationTime(inside);
}

} // namespace prism
