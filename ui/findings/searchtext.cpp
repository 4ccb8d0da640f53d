// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/findings/searchtext.h"

#include "core/scenario/parameters.h"

#include <QRegularExpression>
#include <QStringList>

#include <algorithm>

namespace prism::ui {

using namespace Qt::StringLiterals;

Result<SearchSpace> searchSpaceOf(const QString& text, const Scenario& scenario)
{
    SearchSpace space;
    Diagnostics errors;
    static const QRegularExpression between(u"[;\n]"_s), name(u"^([A-Za-z_.][A-Za-z_.]*)\\s*[=:]?\\s*(.*)$"_s),
        range(u"\\s*(?:\\x{2026}|\\.\\.+|\\bto\\b|\\x{2013})\\s*"_s);
    for (const QString& part : text.split(between, Qt::SkipEmptyParts)) {
        const QString axis = part.trimmed();
        if (axis.isEmpty())
            continue;
        const QRegularExpressionMatch match = name.match(axis);
        QString values = match.captured(2).trimmed();
        values.replace(range, u".."_s).replace(QRegularExpression(u"\\s*,\\s*"_s), u","_s);
        const Result<SearchAxis> made = searchAxis((match.hasMatch() ? match.captured(1).toLower() + u'=' + values : axis).toStdString());
        if (made.ok()) {
            space.axes.push_back(*made);
            continue;
        }
        const Diagnostics found = made.errors();
        errors.insert(errors.end(), found.begin(), found.end());
    }
    if (!errors.empty())
        return errors;
    return space.axes.empty() ? defaultSpace(scenario) : space;
}

QString candidateName(const ExploreCandidate& candidate)
{
    QStringList parts;
    for (const auto& [id, value] : candidate.values) {
        const Parameter* p = findParameter(id);
        const bool isShort = p && !p->shortName.empty();
        const QString text = QString::fromStdString(value);
        if (isShort)
            parts << QString::fromStdString(p->shortName) + (text.front().isDigit() ? QString() : u" "_s) + text;
        else if (id == "parallelism.pipeline_schedule")
            parts << text;
        else if (p && value != "none" && value != "0")
            parts << QString::fromStdString(p->label).toLower() + u' ' + text;
    }
    return parts.join(u' ');
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
    scenario.note = "from " + base.name;
    return scenario;
}

bool isCandidate(const Scenario& scenario, const ExploreCandidate& candidate)
{
    return std::all_of(candidate.values.begin(), candidate.values.end(), [&](const auto& setting) {
        const Parameter* p = findParameter(setting.first);
        const Result<Scenario> same = p ? setParameter(scenario, setting.first, setting.second) : Result<Scenario>(Diagnostics{});
        return same.ok() && p->get(*same) == p->get(scenario);
    });
}

} // namespace prism::ui
