// SPDX-License-Identifier: GPL-3.0-or-later
// Longer and shorter ways to say what stands under a figure of the headline, and how wide a figure must be.
#pragma once

#include "ui/look/look.h"
#include "ui/workspace/headline.h"

namespace prism::ui {

/// The first of some ways to say a thing that fits, else the last; the tip has them whole.
[[nodiscard]] double widthOf(const FigureRuns& runs, const Look& look);
[[nodiscard]] FigureRuns firstThatFits(const QList<FigureRuns>& forms, const Look& look, double room);
[[nodiscard]] QString firstThatFits(const QStringList& forms, const Look& look, Type type, double room);

/// "−1.6 %, −140 ± 3 ms", else its last part, else its first.
[[nodiscard]] QStringList changeForms(const QString& change);

/// Both errors of a figure on one line, else the model's alone: it is the larger one.
[[nodiscard]] QStringList errorForms(const HeadlineCell& cell);

/// Pixels that a figure needs with the shortest forms; in steps, so that another value does not move its neighbours.
[[nodiscard]] double leastWidth(const HeadlineCell& cell, const Look& look, bool large);
/// Pixels for both errors on one line, apart from what stands beside it; 0 where they stand on two.
[[nodiscard]] double wantedWidth(const HeadlineCell& cell, const Look& look);

/// What stands beneath the name of the scenario.
struct ScenarioLines {
    FigureRuns plain;        ///< "Baseline of this study"; empty = it is compared
    QString against;         ///< name of the baseline; may be shortened
    QList<FigureRuns> third; ///< how it stands against the baseline and from how many samples; shorter from form to form
    /// "compared with A", or shorter words where the name would have no room.
    [[nodiscard]] FigureRuns second(const Look& look, double room) const;
    /// Room for the shortest words, and for enough of the baseline's name to know it.
    [[nodiscard]] double least(const Look& look) const;
    [[nodiscard]] QString reading() const;
};

/// "Faster in 97.2 % ± 0.4 of steps · n 10,000, 95 %" and shorter forms of it.
[[nodiscard]] QList<FigureRuns> comparisonForms(const FigureRuns& comparison, const FigureRuns& samples);

} // namespace prism::ui
