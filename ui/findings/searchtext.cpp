// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/findings/searchtext.h"

#include "core/scenario/parameters.h"

#include <QRegularExpression>
#include <QStringList>

#include <algorithm>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

/// "2 … 16" as "2..16", "1 , 2" as "1,2".
QString plainValues(const QString& values)
{
    static const QRegularExpression range(u"\\s*(?:\\x{2026}|\\.\\.+|\\bto\\b|\\x{2013})\\s*"_s), comma(u"\\s*,\\s*"_s);
    return values.trimmed().replace(range, u".."_s).replace(comma, u","_s);
}

/// "TP 4, 8" as "tp=4,8"; "training.x=1,2" as it is.
QString plainAxis(const QString& axis)
{
    static const QRegularExpression name(u"^([A-Za-z_.]+)\\s*:?\\s*(.*)$"_s);
    if (const qsizetype equals = axis.indexOf(u'='); equals > 0)
        return axis.left(equals).trimmed().toLower() + u'=' + plainValues(axis.mid(equals + 1));
    const QRegularExpressionMatch match = name.match(axis);
    return match.hasMatch() ? match.captured(1).toLower() + u'=' + plainValues(match.captured(2)) : axis;
}

} // namespace

QStringList rangeOf(const Parameter& parameter, const QString& text)
{
    const bool number = parameter.type == ParameterType::integer || parameter.type == ParameterType::real;
    QString values = plainValues(text);
    if (!number || (!values.contains(u".."_s) && !values.contains(u',')))
        return {};
    static const QRegularExpression decimalComma(u"^[-+]?\\d+,\\d+\\D*$"_s); // "1,5" is one number, "1, 5" and "1,5,9" are lists
    if (parameter.type == ParameterType::real && decimalComma.match(text.trimmed()).hasMatch())
        return {};
    if (parameter.isPercent)
        values.replace(QRegularExpression(u"(\\d)(?=,|$)"_s), u"\\1%"_s); // the unit of the field is "%": a bare number is meant as one
    const Result<SearchAxis> axis = searchAxis(parameter.id + '=' + values.toStdString());
    QStringList list;
    for (std::size_t i = 0; axis.ok() && i < axis->values.size(); ++i)
        list << QString::fromStdString(axis->values[i].front());
    return list.size() > 1 ? list : QStringList();
}

QString withAxis(const QString& text, const Parameter& parameter, const QStringList& values)
{
    QStringList parts;
    for (const QString& part : text.split(u';', Qt::SkipEmptyParts)) {
        const Result<SearchAxis> axis = searchAxis(plainAxis(part.trimmed()).toStdString());
        if (!axis.ok() || axis->ids.front() != parameter.id)
            parts << part.trimmed();
    }
    const QString name = QString::fromStdString(parameter.shortName.empty() ? parameter.id + "=" : parameter.shortName + " ");
    if (!values.isEmpty())
        parts << name + values.join(u", "_s);
    return parts.join(u"; "_s);
}

Result<SearchSpace> searchSpaceOf(const QString& text, const Scenario& scenario)
{
    SearchSpace space;
    Diagnostics errors;
    static const QRegularExpression between(u"[;\n]"_s);
    for (const QString& part : text.split(between, Qt::SkipEmptyParts)) {
        const QString axis = part.trimmed();
        if (axis.isEmpty())
            continue;
        const Result<SearchAxis> made = searchAxis(plainAxis(axis).toStdString());
        if (made.ok()) {
            space.axes.push_back(*made);
            continue;
        }
        const Diagnostics& found = made.errors();
        errors.insert(errors.end(), found.begin(), found.end());
    }
    if (!errors.empty())
        return errors;
    return space.axes.empty() ? defaultSpace(scenario) : space;
}

namespace {

/// Settings with a short name as "TP8", others in words; `isWanted(has a short name)` selects which of them.
template <class IsRequested>
QString settingsOf(const ExploreCandidate& candidate, IsRequested isRequested)
{
    QStringList parts;
    for (const auto& [id, value] : candidate.values) {
        const Parameter* p = findParameter(id);
        const bool isShort = p && !p->shortName.empty();
        const QString text = QString::fromStdString(value);
        if (!isRequested(isShort))
            continue;
        if (isShort)
            parts << QString::fromStdString(p->shortName) + (text.front().isDigit() ? QString() : u" "_s) + text;
        else if (id == "parallelism.pipeline_schedule")
            parts << text;
        else if (p && value != "none" && value != "0")
            parts << QString::fromStdString(p->label).toLower() + u' ' + text;
    }
    return parts.join(u' ');
}

} // namespace

QString candidateName(const ExploreCandidate& candidate)
{
    return settingsOf(candidate, [](bool) { return true; });
}

QString layoutName(const ExploreCandidate& candidate)
{
    return settingsOf(candidate, [](bool isShort) { return isShort; });
}

QString furtherSettings(const ExploreCandidate& candidate)
{
    return settingsOf(candidate, [](bool isShort) { return !isShort; });
}

Result<Scenario> candidateScenario(const Scenario& base, const ExploreCandidate& candidate)
{
    Scenario scenario = base;
    for (const auto& [id, value] : candidate.values) {
        Result<Scenario> next = setParameter(scenario, id, value);
        if (!next.ok())
            return next.errors();
        scenario = std::move(next).value();
    }
    scenario.name = candidateName(candidate).toStdString();
    scenario.note.clear();
    return scenario;
}

bool isCandidate(const Scenario& scenario, const ExploreCandidate& candidate)
{
    const auto holds = [&scenario](const ExploreCandidate::Values& values) {
        return std::all_of(values.begin(), values.end(), [&](const auto& setting) {
            const Parameter* p = findParameter(setting.first);
            const Result<Scenario> same = p ? setParameter(scenario, setting.first, setting.second) : Result<Scenario>(Diagnostics{});
            return same.ok() && p->get(*same) == p->get(scenario);
        });
    };
    return holds(candidate.values) || std::any_of(candidate.equals.begin(), candidate.equals.end(), holds);
}

QString equalText(const ExploreCandidate& candidate)
{
    return candidate.equals.empty() ? QString()
                                    : QObject::tr("Identical in every metric: %1").arg(QString::fromStdString(equalsText(candidate)));
}

} // namespace prism::ui
