// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/placement/tailsample.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace prism {

namespace {

/// Points beyond the threshold of a fitted tail, and those whose mean excess is its scale.
constexpr std::size_t kThresholdPoints = 4, kScalePoints = 40;

} // namespace

TailSample::TailSample(std::vector<double> values) : m_value(std::move(values)), m_isFitted(m_value.size() >= 2 * kScalePoints)
{
    std::sort(m_value.begin(), m_value.end(), std::greater<>());
    if (!m_isFitted)
        return;
    m_threshold = m_value[kThresholdPoints];
    double excess = 0.0;
    for (std::size_t i = 0; i < kScalePoints; ++i)
        excess += m_value[i] - m_value[kScalePoints];
    m_scale = excess / static_cast<double>(kScalePoints);
}

double TailSample::tailOf(std::size_t point) const
{
    return (static_cast<double>(point) + 0.5) / static_cast<double>(m_value.size());
}

double TailSample::upperQuantile(double tail) const
{
    if (m_value.empty())
        return 0.0;
    if (m_isFitted && tail < tailOf(kThresholdPoints))
        return m_threshold + m_scale * std::log(tailOf(kThresholdPoints) / tail);
    const std::size_t last = m_value.size() - 1;
    if (tail <= tailOf(0))
        return m_value.front();
    if (tail >= tailOf(last))
        return m_value.back();
    const auto i = std::clamp<std::size_t>(static_cast<std::size_t>(std::ceil(tail * static_cast<double>(m_value.size()) - 0.5)), 1, last);
    const double part = std::log(tail / tailOf(i - 1)) / std::log(tailOf(i) / tailOf(i - 1));
    return m_value[i - 1] + part * (m_value[i] - m_value[i - 1]);
}

double TailSample::tailAt(double value) const
{
    if (m_value.empty())
        return 0.0;
    if (m_isFitted && value > m_threshold)
        return m_scale > 0.0 ? tailOf(kThresholdPoints) * std::exp((m_threshold - value) / m_scale) : 0.0;
    if (value > m_value.front())
        return 0.0;
    if (value <= m_value.back())
        return 1.0;
    const auto it = std::lower_bound(m_value.begin(), m_value.end(), value, std::greater<>());
    const auto i = static_cast<std::size_t>(it - m_value.begin());
    if (i == 0 || m_value[i - 1] == m_value[i])
        return tailOf(i);
    const double part = (m_value[i - 1] - value) / (m_value[i - 1] - m_value[i]);
    return tailOf(i - 1) * std::pow(tailOf(i) / tailOf(i - 1), part);
}

} // namespace prism
