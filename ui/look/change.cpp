// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/look/change.h"

#include "core/base/valuetext.h"
#include "ui/look/format.h"

#include <QObject>

#include <algorithm>
#include <cmath>

namespace prism::ui::format {

using namespace Qt::StringLiterals;

namespace {

constexpr double kRoundingOf = 1e-6;  // of the metric that changed: the rounding error of its sums
constexpr double kThreeDigits = 99.5; // in its unit; smaller ones have two, as other changes on screen

/// The same with three digits at most.
QString shortMetric(double value, double halfWidth)
{
    const int digits = std::abs(value) >= kThreeDigits ? 3 : 2;
    double shown = std::pow(10.0, std::floor(std::log10(std::abs(value))) - digits + 1); // the last digit there is room for
    if (std::round(std::abs(value) / shown) >= std::pow(10.0, digits))
        shown *= 10; // 99.99 reads as 100
    return signedMetric(value, std::max(halfWidth, shown));
}

} // namespace

bool isFound(const Estimate& change, double of)
{
    return std::isfinite(change.value) && change.significant() && std::abs(change.value) > kRoundingOf * std::abs(of);
}

QString noDifference()
{
    return QObject::tr("no difference found");
}

QString signedMetric(double change, double halfWidth)
{
    return (change < 0 ? QString(QChar(0x2212)) : u"+"_s) + QString::fromStdString(earnedDigits(std::abs(change), halfWidth));
}

QString timeChange(const Estimate& seconds, double of)
{
    return timeChange(seconds, of, timeUnit(std::abs(seconds.value)));
}

QString timeChange(const Estimate& seconds, double of, const TimeUnit& unit)
{
    if (!isFound(seconds, of))
        return noDifference();
    return shortMetric(seconds.value * unit.perSecond, seconds.halfWidth * unit.perSecond) + u' ' + unit.name;
}

QString percentChange(const Estimate& share)
{
    if (!isFound(share, 1))
        return noDifference();
    constexpr double kOneDecimal = 0.0005; // a share that prints as 0.1 %
    return std::abs(share.value) >= kOneDecimal ? percentDelta(share.value)
                                                : shortMetric(100 * share.value, 100 * share.halfWidth) + u" %"_s;
}

QString intervalNextTo(double metric, double halfWidth)
{
    const double size = std::abs(metric);
    if (!(size < 1))
        return interval(halfWidth);
    const TimeUnit unit = timeUnit(std::max(size, std::abs(halfWidth)));
    return plainInterval(halfWidth * unit.perSecond) + u' ' + unit.name;
}

QString comparedSeconds(double value, double baseline, double halfWidth)
{
    const Estimate change{value - baseline, halfWidth};
    const QString words = isFound(change, baseline) ? timeChange(change) : noDifference();
    const bool hasShare = isFound(change, baseline) && baseline > 0;
    return u"%1 (%2)"_s.arg(seconds(value).text(),
                            hasShare ? percentChange({change.value / baseline, halfWidth / baseline}) + u", "_s + words : words);
}

} // namespace prism::ui::format
