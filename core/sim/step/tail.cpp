// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/step/tail.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace prism {

namespace {

/// Points of a falling sample: up to which a tail is fitted, which give its scale, and above which enough lie.
struct Places {
    std::size_t fitted = 4, scale = 40, supported = 10;
};

/// Where most of the upper tail's mass are points of full weight, those drawn on purpose do not reach what makes the tail, and their small
/// weights would hide how few the others are: then points are counted by full weights.
Places placesOf(const std::vector<std::pair<double, double>>& falling, const std::vector<double>& tail, double total)
{
    constexpr double kFull = 0.125; // of the largest weight
    Places out;
    double largest = 0.0, mass = 0.0, full = 0.0;
    for (const auto& [value, weight] : falling)
        largest = std::max(largest, weight);
    const auto indexAt = [&](double points) {
        const auto it = std::lower_bound(tail.begin(), tail.end(), points * largest / total);
        return std::min(static_cast<std::size_t>(it - tail.begin()), tail.size() - 2);
    };
    for (std::size_t i = 0, last = indexAt(20.0); i <= last; ++i) {
        mass += falling[i].second;
        full += falling[i].second > kFull * largest ? falling[i].second : 0.0;
    }
    if (full > 0.5 * mass)
        out = {std::max(out.fitted, indexAt(4.5)), std::max(out.scale, indexAt(40.5)), std::max(out.supported, indexAt(10.5))};
    return out;
}

} // namespace

TailSample::TailSample(std::vector<double> values, std::vector<double> weights, Beyond beyond)
{
    const std::size_t n = values.size();
    std::vector<std::pair<double, double>> order(n); // value, weight
    for (std::size_t i = 0; i < n; ++i)
        order[i] = {values[i], weights.empty() ? 1.0 : weights[i]};
    std::sort(order.begin(), order.end(), std::greater<>());
    const double total = weights.empty() ? static_cast<double>(n) : std::accumulate(weights.begin(), weights.end(), 0.0);
    double above = 0.0;
    m_value.reserve(n);
    m_tail.reserve(n);
    for (const auto& [value, weight] : order) {
        const double w = weight / total;
        m_value.push_back(value);
        m_tail.push_back(above + 0.5 * w);
        above += w;
    }
    // Exponential tail (the generalised Pareto with shape 0, Coles 2001, sec. 4.2) over the ten largest points' threshold,
    // its scale from the forty largest.
    if (n < 80) {
        m_supported = n == 0 ? 1.0 : m_tail[0];
        return;
    }
    const Places at = placesOf(order, m_tail, total);
    m_supported = m_tail[at.supported];
    if (beyond == Beyond::largest)
        return;
    m_fitted = at.fitted;
    m_threshold = m_value[m_fitted];
    m_thresholdTail = m_tail[m_fitted];
    double excess = 0.0, mass = 0.0;
    for (std::size_t i = 0; i < at.scale; ++i) {
        const double w = m_tail[i + 1] - m_tail[i];
        excess += w * (m_value[i] - m_value[at.scale]);
        mass += w;
    }
    m_scale = mass > 0.0 ? excess / mass : 0.0;
    // Of k points with equal weights: 1 / sqrt(k).
    const auto relative = [&](std::size_t count) {
        double sum = 0.0, square = 0.0;
        for (std::size_t i = 0; i < count; ++i) {
            sum += order[i].second;
            square += order[i].second * order[i].second;
        }
        return std::sqrt(square) / sum;
    };
    m_thresholdError = relative(m_fitted + 1);
    m_scaleError = relative(at.scale);
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

double TailSample::fittedError(double tail) const
{
    if (m_fitted == 0 || tail >= m_thresholdTail)
        return 0.0;
    return m_scale * std::hypot(m_thresholdError, m_scaleError * std::log(m_thresholdTail / tail));
}

double tailOfMaximum(double upper, int count)
{
    return -std::expm1(std::log1p(-upper) / count);
}

} // namespace prism
