// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/placement/tailsample.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace prism {

namespace {

/// Points that give a fitted tail's threshold, and above which enough lie.
constexpr std::size_t kThresholdPoints = 4, kSupportedPoints = 10;
/// Points below this share of the largest weight are oversampled ones (importance sampling).
constexpr double kFullWeight = 0.125;
/// Points that represent a fitted tail: this many per halving of its probability, and this many halvings.
constexpr int kPerHalving = 16, kHalvings = 24;

using Falling = std::vector<std::pair<double, double>>; ///< value, weight; by falling value

double weightOf(const Falling& falling, std::size_t count)
{
    double sum = 0.0;
    for (std::size_t i = 0; i < count; ++i)
        sum += falling[i].second;
    return sum;
}

/// Mean excess of the first points over the one after them: the scale of an exponential tail.
double meanExcess(const Falling& falling, std::size_t count)
{
    double excess = 0.0, mass = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
        excess += falling[i].second * (falling[i].first - falling[count].first);
        mass += falling[i].second;
    }
    return mass > 0.0 ? excess / mass : 0.0;
}

} // namespace

TailSample::TailSample(std::vector<double> values, std::vector<double> weights, Beyond beyond)
{
    const std::size_t n = values.size();
    Points falling(n);
    for (std::size_t i = 0; i < n; ++i)
        falling[i] = {values[i], weights.empty() ? 1.0 : weights[i]};
    std::sort(falling.begin(), falling.end(), std::greater<>());
    const double total = weights.empty() ? static_cast<double>(n) : std::accumulate(weights.begin(), weights.end(), 0.0);
    if (n >= 2 * kScalePoints && beyond == Beyond::exponential)
        extendBulk(falling, total);
    double above = 0.0;
    for (const auto& [value, weight] : falling) {
        const double w = weight / total;
        m_value.push_back(value);
        m_tail.push_back(above + 0.5 * w);
        above += w;
    }
    if (n < 2 * kScalePoints) {
        m_supported = n == 0 ? 1.0 : m_tail[0];
        return;
    }
    m_supported = std::max(m_supported, m_tail[kSupportedPoints]);
    if (beyond == Beyond::largest)
        return;
    // Exponential tail (the generalised Pareto with shape 0, Coles 2001, sec. 4.2) over the largest points.
    m_fitted = kThresholdPoints;
    m_threshold = m_value[m_fitted];
    m_thresholdTail = m_tail[m_fitted];
    m_scale = meanExcess(falling, kScalePoints);
    if (m_fit.scale > 0.0)
        return;
    m_fit = {m_threshold,
             m_thresholdTail,
             m_scale,
             weightOf(falling, m_fitted + 1) / total,
             falling[kScalePoints].first,
             weightOf(falling, kScalePoints) / total,
             0.0};
}

/// Where points of full weight make most of the upper tail, the oversampled points do not reach its cause, and their small weights
/// would hide how few the others are. Then a separate tail is fitted to the points of full weight, as above, and replaces
/// the largest of them; the oversampled points (rare events far beyond the others) are kept unchanged.
void TailSample::extendBulk(Points& falling, double total)
{
    double largest = 0.0, mass = 0.0, fullMass = 0.0;
    for (const auto& point : falling)
        largest = std::max(largest, point.second);
    Points full;
    for (const auto& point : falling) {
        const bool isFull = point.second > kFullWeight * largest;
        if (mass < 20.0 * largest) {
            mass += point.second;
            fullMass += isFull ? point.second : 0.0;
        }
        if (isFull)
            full.push_back(point);
    }
    if (fullMass <= 0.5 * mass || full.size() == falling.size() || full.size() < 2 * kScalePoints)
        return;
    const double threshold = full[kThresholdPoints].first, scale = meanExcess(full, kScalePoints);
    const double above = weightOf(full, kThresholdPoints);
    m_fit = {threshold,
             above / total,
             scale,
             weightOf(full, kThresholdPoints + 1) / total,
             full[kScalePoints].first,
             weightOf(full, kScalePoints) / total,
             kFullWeight * largest};
    m_supported = 0.0;
    for (std::size_t i = 0; i < kSupportedPoints; ++i)
        m_supported += full[i].second / total;
    std::erase_if(falling, [&](const auto& point) { return point.second > kFullWeight * largest && point.first > threshold; });
    const auto kept = static_cast<std::ptrdiff_t>(falling.size());
    double upper = 1.0;
    for (int h = 0; h < kHalvings; ++h, upper *= 0.5)
        for (int i = 0; i < kPerHalving; ++i) {
            const double share = h + 1 < kHalvings ? 0.5 * upper / kPerHalving : upper / kPerHalving;
            const double middle = upper - (i + 0.5) * share;
            falling.emplace_back(threshold - scale * std::log(middle), above * share);
        }
    std::reverse(falling.begin() + kept, falling.end()); // they rise: the middles fall
    std::inplace_merge(falling.begin(), falling.begin() + kept, falling.end(), std::greater<>());
}

double TailSample::upperQuantile(double tail) const
{
    if (m_value.empty())
        return 0.0;
    if (m_fitted > 0 && tail < m_thresholdTail)
        return m_threshold + m_scale * std::log(m_thresholdTail / tail);
    if (tail <= m_tail.front())
        return m_value.front();
    if (tail >= m_tail.back())
        return m_value.back();
    const auto it = std::lower_bound(m_tail.begin(), m_tail.end(), tail);
    const auto i = static_cast<std::size_t>(it - m_tail.begin());
    const double part = std::log(tail / m_tail[i - 1]) / std::log(m_tail[i] / m_tail[i - 1]);
    return m_value[i - 1] + part * (m_value[i] - m_value[i - 1]);
}

double TailSample::tailAt(double value) const
{
    if (m_value.empty())
        return 0.0;
    if (m_fitted > 0 && value > m_threshold)
        return m_scale > 0.0 ? m_thresholdTail * std::exp((m_threshold - value) / m_scale) : 0.0;
    if (value > m_value.front())
        return 0.0;
    if (value <= m_value.back())
        return 1.0;
    const auto it = std::lower_bound(m_value.begin(), m_value.end(), value, std::greater<>());
    const auto i = static_cast<std::size_t>(it - m_value.begin());
    if (i == 0 || m_value[i - 1] == m_value[i])
        return m_tail[i];
    const double part = (m_value[i - 1] - value) / (m_value[i - 1] - m_value[i]);
    return m_tail[i - 1] * std::pow(m_tail[i] / m_tail[i - 1], part);
}

double FittedTail::tailAt(double value) const
{
    return tail * std::exp((threshold - value) / scale);
}

} // namespace prism
