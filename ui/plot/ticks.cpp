// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/ticks.h"

#include "ui/look/format.h"

#include <algorithm>
#include <cmath>

namespace prism::ui {

QString Ticks::label(double value) const
{
    return format::fixed(value, decimals);
}

QString Ticks::signedLabel(double value) const
{
    const QString text = label(value);
    return value > step * 1e-6 ? QLatin1Char('+') + text : text;
}

namespace {

/// The step of about `most` ticks over a length, with its decimals; no values yet. Step 0 for lengths that have none.
Ticks stepOver(double length, int largest)
{
    Ticks ticks;
    const double raw = length / std::clamp(largest, 2, 20);
    const double power = std::pow(10.0, std::floor(std::log10(raw)));
    ticks.step = 0;
    if (!(power > 0) || !std::isfinite(power))
        return ticks;
    ticks.step = 10 * power;
    for (const double multiple : {1.0, 2.0, 2.5, 5.0})
        if (multiple * power >= raw * (1 - 1e-9)) {
            ticks.step = multiple * power;
            break;
        }
    for (double step = ticks.step; ticks.decimals < 12 && std::abs(step - std::round(step)) > 1e-6 * step; step *= 10)
        ++ticks.decimals;
    return ticks;
}

void fill(Ticks& ticks, double first, double last)
{
    constexpr int kMax = 64;
    for (int i = 0; i < kMax && first + i <= last; ++i) {
        const double value = (first + i) * ticks.step;
        ticks.values.push_back(std::abs(value) < ticks.step * 1e-9 ? 0.0 : value);
    }
}

} // namespace

Ticks niceTicks(double low, double high, int largest)
{
    if (!std::isfinite(low) || !std::isfinite(high) || !(high > low))
        return {};
    Ticks ticks = stepOver(high - low, largest);
    if (!(ticks.step > 0))
        return {};
    fill(ticks, std::ceil(low / ticks.step - 1e-9), std::floor(high / ticks.step + 1e-9));
    return ticks;
}

Ticks coveringTicks(double low, double high, int largest)
{
    Ticks unit{{0, 1}, 1, 0};
    if (!std::isfinite(low) || !std::isfinite(high))
        return unit;
    if (!(high > low)) {
        const double pad = low != 0 ? std::abs(low) * 0.05 : 0.5;
        low -= pad;
        high += pad;
    }
    Ticks ticks = stepOver(high - low, largest);
    if (!(ticks.step > 0))
        return unit;
    fill(ticks, std::floor(low / ticks.step + 1e-9), std::ceil(high / ticks.step - 1e-9));
    return ticks.values.size() > 1 ? ticks : unit;
}

double niceCeiling(double value)
{
    if (!(value > 0) || !std::isfinite(value))
        return 1;
    const double power = std::pow(10.0, std::floor(std::log10(value)));
    for (const double multiple : {1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0})
        if (multiple * power >= value * (1 - 1e-12))
            return multiple * power;
    return 10 * power;
}

} // namespace prism::ui
