// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/step/influence.h"

#include <algorithm>
#include <cmath>

namespace prism {

namespace {

/// Steps whose locations stand for all.
constexpr std::size_t kLocations = 96;
/// One of so many of them for a quantile, which is looked for in so many halvings.
constexpr std::size_t kFewer = 4;
constexpr int kQuantileHalvings = 32;
/// Beyond a fitted tail's threshold the mean is integrated in so many parts of its scale, over so many scales.
constexpr int kPartsOfScale = 8, kScalesBeyond = 24;
/// Sampled replicas at which it is, by about, while the number beyond them grows by a factor of e.
constexpr std::size_t kPlacesPerFold = 64;
/// n G from which on a replica is never the slowest.
constexpr double kHidden = 40.0;

/// Integrals of what a replica moves, from the first place on.
struct Integrals {
    std::vector<double> at, plain, height, perScale;
    [[nodiscard]] std::size_t placeOf(double x) const
    {
        return static_cast<std::size_t>(std::upper_bound(at.begin(), at.end(), x) - at.begin());
    }
};

/// Mean of max(0, x - c) over ascending c, at ascending x.
std::vector<double> meanBeyond(const std::vector<double>& x, std::vector<double> from)
{
    std::sort(from.begin(), from.end());
    std::vector<double> out;
    std::size_t below = 0;
    double sum = 0.0;
    for (const double value : x) {
        while (below < from.size() && from[below] <= value)
            sum += from[below++];
        out.push_back((static_cast<double>(below) * value - sum) / static_cast<double>(from.size()));
    }
    return out;
}

} // namespace

Influence::Moved Influence::of(double excess, double weight, const FittedTail* fitted) const
{
    const bool part = fitted != nullptr && weight > fitted->leastWeight;
    const double place = part ? std::min(excess, fitted->threshold) : excess;
    Moved out;
    if (!at.empty() && place >= at.front())
        out.byPoint = value[static_cast<std::size_t>(std::upper_bound(at.begin(), at.end(), place) - at.begin()) - 1];
    if (part && excess >= fitted->threshold)
        out.byHeight = height;
    if (part && excess > fitted->from)
        out.byScale = perScale * ((excess - fitted->from) / fitted->scale - 1.0);
    return out;
}

TailInfluence::TailInfluence(const Sampled& sampled, const TailSample& pool, int count)
    : m_sampled(sampled),
      m_pool(pool),
      m_count(count),
      m_stride(std::max<std::size_t>(1, sampled.location.size() / kLocations)),
      m_single(sampled.single)
{
    std::sort(m_single.begin(), m_single.end());
}

/// n (1 - G)^(n - 1).
double TailInfluence::slope(double tail) const
{
    return m_count * std::exp((m_count - 1.0) * std::log1p(-std::min(tail, 1.0 - 1e-12)));
}

TailInfluence::Exceedance TailInfluence::exceedance(double seconds) const
{
    const FittedTail* fitted = m_pool.fitted();
    Exceedance out;
    std::vector<std::pair<double, double>> steps; // s - L, and what a replica beyond it changes
    double number = 0.0;
    for (std::size_t j = 0; j < m_sampled.location.size(); j += m_stride, number += 1.0) {
        if (m_sampled.single[j] > seconds)
            continue;
        const double x = m_sampled.excessAt(seconds, j), tail = std::max(m_pool.tailAt(x), 1e-300), perReplica = slope(tail);
        steps.emplace_back(x, perReplica);
        out.perLog += perReplica * tail;
        if (fitted == nullptr || x <= fitted->threshold)
            continue;
        const double ofTail = perReplica * fitted->tailAt(x);
        out.influence.height += ofTail / fitted->thresholdShare;
        out.influence.perScale += ofTail * (x - fitted->threshold) / fitted->scale / fitted->fromShare;
    }
    std::sort(steps.begin(), steps.end());
    double sum = 0.0;
    for (const auto& [at, perReplica] : steps) {
        sum += perReplica / number;
        out.influence.at.push_back(at);
        out.influence.value.push_back(sum);
    }
    out.perLog /= number;
    out.influence.height /= number;
    out.influence.perScale /= number;
    return out;
}

double TailInfluence::quantile(double p, double factor) const
{
    const auto below = [&](double s) {
        double sum = 0.0, number = 0.0;
        for (std::size_t j = 0; j < m_sampled.location.size(); j += kFewer * m_stride, number += 1.0)
            sum += std::exp(m_count * std::log1p(-std::min(factor * m_pool.tailAt(m_sampled.excessAt(s, j)), 1.0 - 1e-12)));
        const auto singles = std::upper_bound(m_single.begin(), m_single.end(), s) - m_single.begin();
        return sum / number * static_cast<double>(singles) / static_cast<double>(m_single.size());
    };
    const double least = m_pool.upperQuantile(1.0 - 1e-9), most = m_pool.upperQuantile(1e-12);
    double low = m_sampled.secondsAt(least, 0), high = m_single.back();
    for (std::size_t j = 0; j < m_sampled.location.size(); ++j) {
        low = std::min(low, m_sampled.secondsAt(least, j));
        high = std::max(high, m_sampled.secondsAt(most, j));
    }
    for (int i = 0; i < kQuantileHalvings; ++i) {
        const double middle = 0.5 * (low + high);
        (below(middle) < p ? low : high) = middle;
    }
    return high;
}

/// Excesses at which the mean is integrated: sampled ones as far as the fitted tail, the closer the fewer lie beyond, and places along it.
std::vector<double> TailInfluence::places() const
{
    const FittedTail* fitted = m_pool.fitted();
    const double first = m_pool.upperQuantile(std::min(kHidden / m_count, 1.0 - 1e-9));
    const std::vector<double>& falling = m_pool.values();
    std::vector<double> out;
    for (std::size_t k = 0; k < falling.size() && falling[k] >= first; k += 1 + k / kPlacesPerFold)
        if ((fitted == nullptr || falling[k] <= fitted->threshold) && (out.empty() || falling[k] < out.back()))
            out.push_back(falling[k]);
    std::reverse(out.begin(), out.end());
    for (int k = 1; fitted != nullptr && k <= kPartsOfScale * kScalesBeyond; ++k)
        out.push_back(fitted->threshold + k * fitted->scale / kPartsOfScale);
    return out;
}

/// Excess below which each step is covered by the replicas simulated one by one.
std::vector<double> TailInfluence::covered() const
{
    std::vector<double> out;
    for (std::size_t j = 0; j < m_sampled.location.size(); j += m_stride)
        out.push_back(m_sampled.excessAt(m_sampled.single[j], j));
    return out;
}

/// A step is its replicas simulated one by one, or longer by what lies beyond them of the slowest of the others.
double TailInfluence::meanSeconds(double factor) const
{
    const std::vector<double> at = places();
    if (at.empty())
        return 0.0;
    std::vector<double> beyond(at.size(), 0.0); // integral of P(the slowest > x) from each place on
    double last = 0.0;
    for (std::size_t k = at.size(); k-- > 0;) {
        const double some = -std::expm1(m_count * std::log1p(-std::min(factor * m_pool.tailAt(at[k]), 1.0 - 1e-12)));
        if (k + 1 < at.size())
            beyond[k] = beyond[k + 1] + 0.5 * (some + last) * (at[k + 1] - at[k]);
        last = some;
    }
    double sum = 0.0, number = 0.0;
    for (std::size_t j = 0; j < m_sampled.location.size(); j += m_stride, number += 1.0) {
        const double from = std::max(at.front(), m_sampled.excessAt(m_sampled.single[j], j));
        const auto k = static_cast<std::size_t>(std::lower_bound(at.begin(), at.end(), from) - at.begin());
        sum += m_sampled.secondsAt(from + (k < at.size() ? beyond[k] : 0.0), j);
    }
    return sum / number;
}

Influence TailInfluence::mean() const
{
    const FittedTail* fitted = m_pool.fitted();
    Integrals sums;
    sums.at = places();
    double last[3] = {}, sum[3] = {};
    for (std::size_t k = 0; k < sums.at.size(); ++k) {
        const double x = sums.at[k], perReplica = slope(m_pool.tailAt(x));
        double now[3] = {perReplica, 0.0, 0.0};
        if (fitted != nullptr && x >= fitted->threshold) {
            now[1] = perReplica * fitted->tailAt(x);
            now[2] = now[1] * (x - fitted->threshold) / fitted->scale;
        }
        for (int i = 0; i < 3; ++i) {
            sum[i] += k > 0 ? 0.5 * (last[i] + now[i]) * (x - sums.at[k - 1]) : 0.0;
            last[i] = now[i];
        }
        sums.plain.push_back(sum[0]);
        sums.height.push_back(sum[1]);
        sums.perScale.push_back(sum[2]);
    }
    Influence out;
    if (sums.at.empty())
        return out;
    std::vector<double> from;
    for (const double c : covered()) {
        const std::size_t k = sums.placeOf(c);
        from.push_back(k > 0 ? sums.plain[k - 1] : 0.0);
        out.height += sum[1] - (k > 0 ? sums.height[k - 1] : 0.0);
        out.perScale += sum[2] - (k > 0 ? sums.perScale[k - 1] : 0.0);
    }
    if (fitted != nullptr) {
        out.height /= static_cast<double>(from.size()) * fitted->thresholdShare;
        out.perScale /= static_cast<double>(from.size()) * fitted->fromShare;
    }
    out.value = meanBeyond(sums.plain, std::move(from));
    out.at = std::move(sums.at);
    return out;
}

} // namespace prism
