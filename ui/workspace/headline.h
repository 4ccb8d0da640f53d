// The figures of the headline: nine values of the current scenario with their change to the baseline and their interval.
#pragma once

#include "ui/look/figures.h"
#include "ui/workspace/changescache.h"
#include "ui/workspace/workspace.h"

namespace prism::ui {

/// One figure of the headline.
struct HeadlineCell {
    QString label, number, unit;
    QString delta; ///< "−1.6 %, −140 ms"; empty without a baseline
    Role deltaRole = Role::textSecondary;
    QString note;       ///< interval, capacity
    bool stale = false; ///< not of the present input
    QString staleNote;  ///< "last valid input", "computing"
    [[nodiscard]] QString reading() const;
};

/// What the headline says about the current scenario of a context; made of core's figures only.
[[nodiscard]] QList<HeadlineCell> headlineCells(const PageContext& context, ChangesCache& cache, const ScenarioResult& result,
                                                const QStringList& fieldProblems);

} // namespace prism::ui
