#include "ui/distribution/axis.h"

#include <algorithm>
#include <cmath>

namespace prism::ui {

QList<double> AxisTicks::values() const
{
    QList<double> list;
    const int count = static_cast<int>(std::lround((high - low) / step));
    for (int i = 0; i <= count; ++i)
        list.push_back(low + i * step);
    return list;
}

AxisTicks roundTicks(double low, double high, int count)
{
    if (!std::isfinite(low) || !std::isfinite(high))
        return {};
    if (!(high > low)) {
        const double pad = low != 0 ? std::abs(low) * 0.05 : 0.5;
        low -= pad;
        high += pad;
    }
    const double raw = (high - low) / std::max(1, count);
    const double power = std::pow(10.0, std::floor(std::log10(raw)));
    double step = 10 * power;
    for (const double factor : {1.0, 2.0, 2.5, 5.0})
        if (factor * power >= raw * 0.999) {
            step = factor * power;
            break;
        }
    AxisTicks ticks{std::floor(low / step + 1e-9) * step, std::ceil(high / step - 1e-9) * step, step, 0};
    for (double s = step; ticks.decimals < 9 && std::abs(s - std::round(s)) > 1e-6; s *= 10)
        ++ticks.decimals;
    return ticks;
}

} // namespace prism::ui
