#include "ui/plot/ticks.h"

#include "ui/theme/format.h"

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

Ticks niceTicks(double low, double high, int most)
{
    Ticks ticks;
    if (!std::isfinite(low) || !std::isfinite(high) || !(high > low))
        return ticks;
    const double raw = (high - low) / std::clamp(most, 2, 20);
    const double power = std::pow(10.0, std::floor(std::log10(raw)));
    if (!(power > 0) || !std::isfinite(power))
        return ticks;
    ticks.step = 10 * power;
    for (const double multiple : {1.0, 2.0, 2.5, 5.0})
        if (multiple * power >= raw * (1 - 1e-9)) {
            ticks.step = multiple * power;
            break;
        }
    const auto decimalsOf = [](double step) {
        int decimals = 0;
        while (decimals < 12 && std::abs(step - std::round(step)) > 1e-6 * step) {
            step *= 10;
            ++decimals;
        }
        return decimals;
    };
    ticks.decimals = decimalsOf(ticks.step);
    const double first = std::ceil(low / ticks.step - 1e-9);
    for (int i = 0; i < 64; ++i) {
        const double value = (first + i) * ticks.step;
        if (value > high + ticks.step * 1e-9)
            break;
        ticks.values.push_back(std::abs(value) < ticks.step * 1e-9 ? 0.0 : value);
    }
    return ticks;
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
