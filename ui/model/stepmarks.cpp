// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/model/stepmarks.h"

#include "core/scenario/quantity.h"

#include "ui/look/format.h"

#include <QJsonObject>
#include <QObject>
#include <QRegularExpression>

#include <algorithm>
#include <cmath>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype kMaxLetters = 60; ///< of the words of a mark

void sort(std::vector<TimeMark>& marks)
{
    std::stable_sort(marks.begin(), marks.end(), [](const TimeMark& a, const TimeMark& b) { return a.seconds < b.seconds; });
}

Diagnostic invalidLine(int number, const QString& found)
{
    Diagnostic d;
    d.path = QObject::tr("line %1").arg(number).toStdString();
    d.message = QObject::tr("A mark is a time and words.").toStdString();
    d.found = found.left(kMaxLetters).toStdString();
    d.accepted = "6.8 s the contract";
    return d;
}

} // namespace

double secondsFrom(const QString& text)
{
    const Result<double> seconds = quantityFromText(text.trimmed().toStdString(), "s", false);
    return seconds.ok() && *seconds > 0 ? *seconds : 0;
}

Result<std::vector<TimeMark>> marksFrom(const QString& text)
{
    static const QRegularExpression line(u"^\\s*([0-9][0-9.,eE+-]*\\s*(?:ms|µs|us|s))\\s+(\\S.*)$"_s);
    std::vector<TimeMark> marks;
    Diagnostics errors;
    int number = 0;
    for (const QString& typed : text.split(u'\n')) {
        ++number;
        if (typed.trimmed().isEmpty())
            continue;
        const QRegularExpressionMatch found = line.match(typed);
        const double seconds = found.hasMatch() ? secondsFrom(found.captured(1)) : 0;
        if (seconds > 0)
            marks.push_back({seconds, found.captured(2).simplified().left(kMaxLetters).toStdString()});
        else
            errors.push_back(invalidLine(number, typed.trimmed()));
    }
    if (marks.size() > kMaxMarks)
        errors.push_back(invalidLine(number, QObject::tr("%1 marks; %2 at most").arg(marks.size()).arg(kMaxMarks)));
    if (!errors.empty())
        return errors;
    sort(marks);
    return marks;
}

QString textOf(const std::vector<TimeMark>& marks)
{
    QStringList lines;
    for (const TimeMark& m : marks)
        lines << u"%1 s %2"_s.arg(QString::number(m.seconds, 'g', QLocale::FloatingPointShortest), QString::fromStdString(m.text));
    return lines.join(u'\n');
}

QString letterOf(std::size_t mark)
{
    return {QChar(u'A' + static_cast<char16_t>(mark))};
}

QString keyOf(const std::vector<TimeMark>& marks)
{
    QStringList parts;
    for (std::size_t i = 0; i < marks.size(); ++i)
        parts << u"%1 %2 %3"_s.arg(letterOf(i), format::seconds(marks[i].seconds).text(), QString::fromStdString(marks[i].text));
    return parts.join(u"; "_s);
}

QJsonArray marksJson(const std::vector<TimeMark>& marks)
{
    QJsonArray array;
    for (const TimeMark& m : marks)
        array << QJsonObject{{u"seconds"_s, m.seconds}, {u"text"_s, QString::fromStdString(m.text)}};
    return array;
}

std::vector<TimeMark> marksFrom(const QJsonArray& array)
{
    std::vector<TimeMark> marks;
    for (const auto& value : array) {
        const QJsonObject mark = value.toObject();
        const double seconds = mark[u"seconds"_s].toDouble();
        const QString words = mark[u"text"_s].toString().simplified().left(kMaxLetters);
        if (seconds > 0 && std::isfinite(seconds) && !words.isEmpty() && marks.size() < kMaxMarks)
            marks.push_back({seconds, words.toStdString()});
    }
    sort(marks);
    return marks;
}

} // namespace prism::ui
