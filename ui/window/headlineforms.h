// SPDX-License-Identifier: GPL-3.0-or-later
// Longer and shorter texts for below a number of the headline, and how wide the number must be.
#pragma once

#include "ui/look/look.h"
#include "ui/workspace/headline.h"

namespace prism::ui {

/// The first of several forms of a text that fits, else the last; the tip has them whole.
[[nodiscard]] TextRuns firstThatFits(const QList<TextRuns>& forms, const Look& look, double room);
[[nodiscard]] QString firstThatFits(const QStringList& forms, const Look& look, Type type, double room);

/// "−1.6 %, −140 ± 3 ms", else its last part, else its first.
[[nodiscard]] QStringList changeForms(const QString& change);

/// Both errors of a metric on one line, else the model's alone: it is the larger one.
[[nodiscard]] QStringList errorForms(const HeadlineCell& cell);

/// Pixels that a metric needs with the shortest forms; in steps, so that another value does not move its neighbours.
[[nodiscard]] double minWidth(const HeadlineCell& cell, const Look& look, bool large);
/// The lines under the answer.
struct ScenarioLines {
    TextRuns second;       ///< "Baseline of this study", "compared with A"
    QList<TextRuns> third; ///< how it compares with the baseline and from how many samples; shorter from form to form
};

/// "Faster in 97.2 % ± 0.4 of steps · n 10,000, 95 %" and shorter forms of it.
[[nodiscard]] QList<TextRuns> comparisonForms(const TextRuns& comparison, const TextRuns& samples);

} // namespace prism::ui
