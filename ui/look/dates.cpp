// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/look/dates.h"

#include "ui/look/format.h"

#include <QLocale>

#include <cmath>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui::format {

QDate dateAfter(const std::string& start, double days)
{
    const QDate first = QDate::fromString(QString::fromStdString(start), Qt::ISODate);
    return first.isValid() && std::isfinite(days) && std::abs(days) < 1e6 ? first.addDays(static_cast<qint64>(std::floor(days))) : QDate();
}

QString dayOfRun(const std::string& start, double days)
{
    const QDate date = dateAfter(start, days), first = dateAfter(start, 0);
    if (!date.isValid())
        return u"day %1"_s.arg(std::isfinite(days) ? QString::number(std::floor(days), 'f', 0) : u"–"_s);
    return QLocale::c().toString(date, date.year() == first.year() ? u"d MMMM"_s : u"d MMMM yyyy"_s);
}

QString byDeadline(const std::string& start, double days)
{
    if (dateAfter(start, days - 1).isValid())
        return u"by "_s + dayOfRun(start, days - 1);
    return (days == 1 ? u"within %1 day"_s : u"within %1 days"_s)
        .arg(days == std::floor(days) && days < 1e9 ? count(static_cast<std::int64_t>(days)) : QString::number(days, 'g', 9));
}

std::optional<double> deadlineDays(const QString& text, const std::string& start)
{
    QString typed = text.trimmed();
    const QDate first = dateAfter(start, 0);
    for (const QString& form : {u"yyyy-MM-dd"_s, u"d MMMM yyyy"_s, u"d MMM yyyy"_s})
        if (const QDate date = QLocale::c().toDate(typed, form); date.isValid() && first.isValid() && first.daysTo(date) >= 0)
            return static_cast<double>(first.daysTo(date)) + 1;
    for (const QString& unit : {u"days"_s, u"day"_s, u"d"_s})
        if (typed.endsWith(unit)) {
            typed.chop(unit.size());
            break;
        }
    bool isNumber = false;
    const double days = typed.trimmed().toDouble(&isNumber);
    return isNumber && days > 0 && std::isfinite(days) ? std::optional(days) : std::nullopt;
}

SpanUnit spanUnit(double seconds)
{
    if (seconds < 120)
        return {1, u"s"_s};
    return seconds < 7200 ? SpanUnit{60, u"min"_s} : SpanUnit{3600, u"h"_s};
}

QString span(double seconds)
{
    if (!std::isfinite(seconds))
        return u"never"_s;
    const SpanUnit unit = spanUnit(seconds);
    return Quantity{number(seconds / unit.seconds, 2), unit.name}.text();
}

} // namespace prism::ui::format
