// SPDX-License-Identifier: GPL-3.0-or-later
// A number as pieces of text in different weights and colours, and how it is drawn: shared by tables, legends and the headline.
#pragma once

#include "ui/look/look.h"

#include <QFontMetricsF>
#include <QList>
#include <QMetaType>
#include <QStringList>

namespace prism::ui {

/// One piece of a number's text.
struct TextRun {
    QString text;
    Type type = Type::body;
    Role role = Role::text;
    bool struck = false; ///< crossed out: the value of an impossible case
    bool isName = false; ///< shortened in its middle: names of copies differ at their ends
};
using TextRuns = QList<TextRun>;

/// A curve sample: the colour and dash of a scenario.
struct SeriesSample {
    int colour = -1;
    bool baseline = false, hidden = false;
};

/// Roles of item models that FigureDelegate understands besides the display text (which stays the accessible reading).
enum TextItemRole { kRunsRole = Qt::UserRole + 40, kSampleRole, kBrushedRole };

/// Draws a curve sample of `width` around the vertical centre of `rect`.
void drawSeriesSample(QPainter& painter, const QRectF& rect, const Look& look, int colour, bool baseline, bool hidden = false);
/// A name that fits into a width: what it shares with its nearest name among `others` at start and end gives way first, in whole words.
[[nodiscard]] QString elidedAmong(const QString& name, const QStringList& others, const QFontMetricsF& metrics, double width);
/// Pixels that runs take where nothing is elided.
[[nodiscard]] double widthOf(const TextRuns& runs, const Look& look);
/// Draws runs from the left, elided at the right end (names in their middle); returns the width used.
double drawRuns(QPainter& painter, const QRectF& rect, const TextRuns& runs, const Look& look, bool dimmed = false);
/// "5.0 %" with "± 0.4"; at the ends "< 0.1 %" and "> 99.9 %", which need no interval.
[[nodiscard]] TextRuns shareRuns(double share, double halfWidth);
[[nodiscard]] QString plainText(const TextRuns& runs);

} // namespace prism::ui

Q_DECLARE_METATYPE(prism::ui::TextRuns)
Q_DECLARE_METATYPE(prism::ui::SeriesSample)
