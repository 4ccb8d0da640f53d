// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/look/format.h"

#include "core/base/valuetext.h"

#include <QHash>
#include <QRegularExpression>
#include <QStringList>

#include <algorithm>
#include <cmath>
#include <span>

namespace prism::ui::format {

using namespace Qt::StringLiterals;

namespace {

constexpr QChar kMinus(0x2212), kTimes(0x00D7), kPlusMinus(0x00B1), kMissing(0x2013);

/// Decimals that show `digits` significant digits of `value` after rounding to them.
int decimalsFor(double value, int digits)
{
    if (value == 0)
        return digits - 1;
    int exponent = static_cast<int>(std::floor(std::log10(std::abs(value))));
    const double rounded = std::round(std::abs(value) * std::pow(10.0, digits - 1 - exponent));
    if (rounded >= std::pow(10.0, digits))
        ++exponent;
    return digits - 1 - exponent;
}

QString grouped(QString digits)
{
    const qsizetype point = digits.indexOf(u'.');
    for (qsizetype at = (point < 0 ? digits.size() : point) - 3; at > 0; at -= 3)
        digits.insert(at, u',');
    return digits;
}

struct Unit {
    double size;
    QStringView name;
};

/// The largest unit in which the rounded value is at least 1.
Quantity scaled(double value, std::span<const Unit> units)
{
    if (!std::isfinite(value))
        return {QString(kMissing), units.back().name.toString()};
    const Unit* chosen = &units.back();
    for (const Unit& unit : units)
        if (std::abs(value) >= unit.size * 0.9995) {
            chosen = &unit;
            break;
        }
    if (value == 0)
        chosen = units.data();
    return {number(value / chosen->size), chosen->name.toString()};
}

constexpr Unit kTime[] = {{1, u"s"}, {1e-3, u"ms"}, {1e-6, u"µs"}, {1e-9, u"ns"}};
constexpr double kKib = 1024, kMib = kKib * 1024, kGib = kMib * 1024, kTib = kGib * 1024;

QString signedText(double value, const QString& magnitude)
{
    const bool zero = std::all_of(magnitude.begin(), magnitude.end(), [](QChar c) { return !c.isDigit() || c == u'0'; });
    return zero ? magnitude : (value < 0 ? QString(kMinus) : u"+"_s) + magnitude;
}

} // namespace

QString fixed(double value, int decimals)
{
    if (!std::isfinite(value))
        return {kMissing};
    const QString digits = grouped(QString::number(std::abs(value), 'f', std::max(decimals, 0)));
    const bool zero = std::all_of(digits.begin(), digits.end(), [](QChar c) { return !c.isDigit() || c == u'0'; });
    return value < 0 && !zero ? kMinus + digits : digits;
}

QString number(double value, int digits)
{
    if (!std::isfinite(value))
        return {kMissing};
    const int decimals = decimalsFor(value, std::clamp(digits, 1, 15));
    if (decimals >= 0)
        return fixed(value, decimals);
    const double step = std::pow(10.0, -decimals);
    return fixed(std::round(value / step) * step, 0);
}

QString signedNumber(double value, int digits)
{
    return std::isfinite(value) ? signedText(value, number(std::abs(value), digits)) : QString(kMissing);
}

QString count(std::int64_t value)
{
    return value < 0 ? kMinus + grouped(QString::number(value).mid(1)) : grouped(QString::number(value));
}

Quantity seconds(double seconds)
{
    return scaled(seconds, kTime);
}

QString secondsDelta(double seconds)
{
    if (!std::isfinite(seconds))
        return {kMissing};
    const TimeUnit unit = timeUnit(std::abs(seconds));
    const double magnitude = std::abs(seconds) * unit.perSecond;
    const QString text = magnitude == 0 ? u"0"_s : magnitude >= 99.5 ? number(magnitude, 3) : number(magnitude, 2);
    return signedText(seconds, text) + u' ' + unit.name;
}

QString plainInterval(double halfWidth)
{
    if (!std::isfinite(halfWidth))
        return QString(kPlusMinus) + u' ' + kMissing;
    const double magnitude = std::abs(halfWidth);
    const bool whole = magnitude >= 9.95; // what rounds to 10 has one digit
    return QString(kPlusMinus) + u' ' + (magnitude == 0 ? u"0"_s : number(magnitude, whole ? 2 : 1));
}

QString interval(double halfWidthSeconds)
{
    const TimeUnit unit = timeUnit(std::abs(halfWidthSeconds));
    return plainInterval(halfWidthSeconds * unit.perSecond) + u' ' + unit.name;
}

QString band(double low, double high)
{
    if (!std::isfinite(low) || !std::isfinite(high))
        return {kMissing};
    const int digits = std::max(std::abs(low), std::abs(high)) < 0.03 ? 1 : 0; // a measured level
    const auto percent = [digits](double share) { return signedText(share, fixed(std::abs(share) * 100, digits)); };
    return u"%1 to %2 %"_s.arg(percent(low), percent(high));
}

TimeUnit timeUnit(double largestSeconds)
{
    for (const Unit& unit : kTime)
        if (std::abs(largestSeconds) >= unit.size * 0.9995)
            return {1 / unit.size, unit.name.toString()};
    return largestSeconds == 0 || !std::isfinite(largestSeconds) ? TimeUnit{1, u"s"_s} : TimeUnit{1e9, u"ns"_s};
}

DeltaScale deltaScale(double largestSeconds)
{
    const TimeUnit unit = timeUnit(std::abs(largestSeconds));
    const double magnitude = std::abs(largestSeconds) * unit.perSecond;
    return {unit, magnitude >= 99.5 ? 0 : magnitude >= 9.95 ? 1 : 2};
}

QString secondsDelta(double seconds, const DeltaScale& scale)
{
    if (!std::isfinite(seconds))
        return {kMissing};
    const double magnitude = std::abs(seconds) * scale.unit.perSecond;
    const bool nothing = magnitude < 0.5 * std::pow(10.0, -scale.decimals);
    return (nothing ? u"0"_s : signedText(seconds, fixed(magnitude, scale.decimals))) + u' ' + scale.unit.name;
}

QString interval(double halfWidthSeconds, const DeltaScale& scale)
{
    if (!std::isfinite(halfWidthSeconds))
        return QString(kPlusMinus) + u' ' + kMissing;
    const double half = std::abs(halfWidthSeconds) * scale.unit.perSecond, smallest = std::pow(10.0, -scale.decimals);
    const QString text = half > 0 && half < smallest / 2 ? u"< "_s + fixed(smallest, scale.decimals)
                         : half > 0                      ? fixed(half, scale.decimals)
                                                         : u"0"_s;
    return QString(kPlusMinus) + u' ' + text + u' ' + scale.unit.name;
}

QString percent(double share)
{
    if (!std::isfinite(share))
        return {kMissing};
    if (share > 0 && share < 1)
        return QString::fromStdString(probabilityText(share));
    const double value = share * 100;
    return fixed(value, std::abs(value) >= 1000 ? 0 : 1) + u" %"_s;
}

QString percentDelta(double share)
{
    if (!std::isfinite(share))
        return {kMissing};
    return readsAsTimes(share) ? factor(1 + share) : signedText(share, fixed(std::abs(share) * 100, 1)) + u" %"_s;
}

QString pointsDelta(double share)
{
    return std::isfinite(share) ? signedText(share, fixed(std::abs(share) * 100, 1)) + u" points"_s : QString(kMissing);
}

QString factor(double value)
{
    return number(value) + kTimes;
}

Quantity bytes(double bytes)
{
    static constexpr Unit units[] = {{kTib, u"TiB"}, {kGib, u"GiB"}, {kMib, u"MiB"}, {kKib, u"KiB"}, {1, u"B"}};
    return bytes == 0 ? Quantity{u"0"_s, u"B"_s} : scaled(bytes, units);
}

Quantity gib(double gib)
{
    return {number(gib), u"GiB"_s};
}

Quantity bandwidth(double bytesPerSecond)
{
    static constexpr Unit units[] = {{1e12, u"TB/s"}, {1e9, u"GB/s"}, {1e6, u"MB/s"}, {1e3, u"kB/s"}, {1, u"B/s"}};
    return bytesPerSecond == 0 ? Quantity{u"0"_s, u"GB/s"_s} : scaled(bytesPerSecond, units);
}

Quantity si(double value)
{
    static constexpr Unit units[] = {{1e15, u"P"}, {1e12, u"T"}, {1e9, u"G"}, {1e6, u"M"}, {1e3, u"k"}, {1, u""}};
    if (std::abs(value) < 1)
        return {number(value), QString()};
    return scaled(value, units);
}

Quantity days(double days)
{
    static constexpr Unit units[] = {{1, u"d"}, {1.0 / 24, u"h"}, {1.0 / 1440, u"min"}};
    return scaled(days, units);
}

Quantity dollars(double usd)
{
    static constexpr Unit units[] = {{1e9, u"G$"}, {1e6, u"M$"}, {1e3, u"k$"}, {1, u"$"}};
    return usd == 0 ? Quantity{u"0"_s, u"$"_s} : scaled(usd, units);
}

Quantity energy(double mwh)
{
    static constexpr Unit units[] = {{1e3, u"GWh"}, {1, u"MWh"}, {1e-3, u"kWh"}};
    return scaled(mwh, units);
}

Quantity tonnes(double tonnes)
{
    static constexpr Unit units[] = {{1e3, u"kt"}, {1, u"t"}, {1e-3, u"kg"}};
    return scaled(tonnes, units);
}

QString kernelClass(const QString& name)
{
    static const QHash<QString, QString> words{{u"all_gather"_s, u"AllGather"_s},
                                               {u"reduce_scatter"_s, u"ReduceScatter"_s},
                                               {u"all_reduce"_s, u"AllReduce"_s},
                                               {u"all_to_all"_s, u"AllToAll"_s},
                                               {u"send_recv"_s, u"send and receive"_s},
                                               {u"fc1"_s, u"MLP first"_s},
                                               {u"fc2"_s, u"MLP second"_s},
                                               {u"mlp"_s, u"MLP"_s},
                                               {u"qkv"_s, u"QKV"_s},
                                               {u"proj"_s, u"projection"_s},
                                               {u"lm_head"_s, u"LM head"_s},
                                               {u"grad_norm"_s, u"Gradient norm"_s}};
    const qsizetype dot = name.indexOf(u'.');
    const QString group = dot < 0 ? QString() : name.left(dot), rest = name.mid(dot + 1);
    QString text = words.value(rest, QString(rest).replace(u'_', u' '));
    static const QStringList parallel{u"tp"_s, u"pp"_s, u"dp"_s, u"cp"_s, u"ep"_s};
    if (parallel.contains(group))
        return group.toUpper() + u' ' + text;
    if (group == u"gemm"_s)
        text += u" GEMM"_s;
    else if (!group.isEmpty())
        text = words.value(group, QString(group).replace(u'_', u' ')) + u' ' + text;
    if (!text.isEmpty())
        text[0] = text[0].toUpper();
    return text;
}

QString sentence(const QString& text)
{
    static const QRegularExpression times(u"(?<=[\\w)]) x (?=[\\w(])"_s);
    static const QRegularExpression whole(u"(?<!node )(?<!rank )(?<!seed )(?<![\\w.,:/-])\\d{4,}(?![\\w:/-]|[.,]\\d)"_s);
    QString out = QString(text).replace(times, u" %1 "_s.arg(kTimes));
    for (QRegularExpressionMatch at = whole.match(out); at.hasMatch(); at = whole.match(out, at.capturedEnd()))
        out.replace(at.capturedStart(), at.capturedLength(), wholeNumber(at.captured()));
    return out;
}

QString wholeNumber(const QString& text)
{
    bool whole = false;
    const qlonglong value = text.toLongLong(&whole);
    return whole ? count(value) : text;
}

QString tableCell(const QString& raw)
{
    bool isNumber = false;
    const double value = raw.toDouble(&isNumber);
    if (!isNumber)
        return raw;
    if (value == std::floor(value) && std::abs(value) < 1e15)
        return count(static_cast<std::int64_t>(value));
    return std::abs(value) >= 1e-4 ? number(value, 4) : QString::number(value, 'g', 4).replace(u'-', kMinus);
}

QString tableHeader(const QString& raw)
{
    if (!raw.contains(u'_'))
        return raw;
    QStringList words = raw.split(u'_');
    const bool seconds = words.back() == u"s"_s;
    if (seconds)
        words.pop_back();
    QString text = words.join(u' ');
    text.replace(u"half width"_s, u"half-width"_s)
        .replace(u"p step over limit"_s, u"P(step over limit)"_s)
        .replace(u"p step between limits"_s, u"P(step between limits)"_s)
        .replace(u"p faster than baseline"_s, u"P(faster than baseline)"_s);
    return seconds ? text + u" [s]"_s : text;
}

QString samplesAndSeed(std::int64_t samples, std::uint64_t seed, const QString& what)
{
    return u"n = %1 %2, seed %3"_s.arg(count(samples), what, QString::number(seed));
}

} // namespace prism::ui::format
