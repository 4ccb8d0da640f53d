// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/model/lineage.h"

#include "core/scenario/parameternames.h"
#include "core/scenario/parameters.h"

#include <QObject>

namespace prism::ui {

using namespace Qt::StringLiterals;

QString lineage(const StudyState& state, const ScenarioEntry& entry)
{
    constexpr int kReported = 4;
    const ScenarioEntry* parent = state.find(entry.parentId);
    if (!parent)
        return {};
    const QString from = QString::fromStdString(parent->scenario->name);
    QStringList parts;
    int more = 0;
    for (const Parameter* p : differences(*parent->scenario, *entry.scenario)) {
        if (parts.size() == kReported) {
            ++more;
            continue;
        }
        const QString name = QString::fromStdString(shortLabel(*p));
        parts << u"%1 %2 → %3"_s.arg(name, QString::fromStdString(parameterText(*p, *parent->scenario)),
                                     QString::fromStdString(parameterText(*p, *entry.scenario)));
    }
    if (parent->scenario->variability.slow != entry.scenario->variability.slow)
        parts << QObject::tr("other slow nodes");
    if (more > 0)
        parts << QObject::tr("%1 more").arg(more);
    return parts.isEmpty() ? QObject::tr("from %1").arg(from) : QObject::tr("against %1: %2").arg(from, parts.join(u", "_s));
}

QStringList lineageForms(const StudyState& state, const ScenarioEntry& entry)
{
    const ScenarioEntry* parent = state.find(entry.parentId);
    if (!parent)
        return {};
    QStringList edits;
    for (const Parameter* p : differences(*parent->scenario, *entry.scenario))
        edits << u"%1 %2"_s.arg(QString::fromStdString(shortLabel(*p)), QString::fromStdString(parameterText(*p, *entry.scenario)));
    if (parent->scenario->variability.slow != entry.scenario->variability.slow)
        edits << QObject::tr("slow nodes");
    if (edits.size() < 2)
        return edits;
    return {edits.join(u", "_s), u"%1 +%2"_s.arg(edits.front()).arg(edits.size() - 1), QObject::tr("%1 differences").arg(edits.size())};
}

} // namespace prism::ui
