// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/headlineforms.h"

#include <QFontMetricsF>

#include <algorithm>
#include <cmath>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui {

namespace {
constexpr double kStep = 12, kGap = 10; // at scale 1
} // namespace

TextRuns firstThatFits(const QList<TextRuns>& forms, const Look& look, double room)
{
    for (const TextRuns& form : forms)
        if (widthOf(form, look) <= room)
            return form;
    return forms.value(forms.size() - 1);
}

QList<TextRuns> comparisonForms(const TextRuns& comparison, const TextRuns& samples)
{
    if (comparison.isEmpty())
        return {samples};
    QList<TextRuns> forms;
    if (!samples.isEmpty())
        forms << comparison + TextRuns{{u"  ·  "_s, Type::tick, Role::textTertiary}} + samples;
    forms << comparison;
    if (comparison.size() > 2) // the number in the middle, and the words after it
        forms << comparison.first(2);
    return forms;
}

QString firstThatFits(const QStringList& forms, const Look& look, Type type, double room)
{
    const QFontMetricsF metrics(look.font(type));
    for (const QString& form : forms)
        if (metrics.horizontalAdvance(form) <= room)
            return form;
    return forms.value(forms.size() - 1);
}

QStringList changeForms(const QString& change)
{
    return {change, change.section(u", "_s, -1), change.section(u", "_s, 0, 0)};
}

QStringList errorForms(const HeadlineCell& cell)
{
    if (cell.note.isEmpty() || cell.model.isEmpty())
        return {cell.note + cell.model};
    return {cell.note + u", "_s + cell.model, cell.model};
}

double minWidth(const HeadlineCell& cell, const Look& look, bool large)
{
    const auto wide = [&look](const QString& text, Type type) { return QFontMetricsF(look.font(type)).horizontalAdvance(text); };
    const QString unit = cell.unit.isEmpty() ? QString() : u' ' + cell.unit;
    const double metric = wide(cell.number, large ? Type::headline : Type::value) + wide(unit, Type::small);
    const double under =
        std::max({wide(changeForms(cell.delta).back(), Type::tickStrong), wide(cell.model, Type::tick),
                  cell.model.isEmpty() ? wide(cell.note, Type::tick) : 0.0, cell.stale ? wide(cell.staleNote, Type::tick) : 0.0});
    const double need = std::max({wide(cell.label, Type::tick), metric, under}) + look.pxF(kGap);
    return std::ceil(need / look.pxF(kStep)) * look.pxF(kStep);
}

} // namespace prism::ui
