// SPDX-License-Identifier: GPL-3.0-or-later
// The metrics of the headline: nine values of the current scenario with their change to the baseline and their interval.
#pragma once

#include "core/engine/verdict.h"
#include "ui/look/textruns.h"
#include "ui/workspace/changescache.h"
#include "ui/workspace/workspace.h"

namespace prism::ui {

/// One metric of the headline.
struct HeadlineCell {
    QString key; ///< of the metric, as in the table of metrics ("step_time_s.p95")
    QString label, number, unit;
    QString delta; ///< "−1.6 %, −140 ± 3 ms", or that no difference was found; empty without a baseline
    Role deltaRole = Role::textSecondary;
    QString note;  ///< sampling interval, capacity
    QString model; ///< the model's own error band next to it: "−14 to +7 % model"
    Role noteRole = Role::textTertiary;
    bool struck = false; ///< a metric of a job that cannot run
    bool stale = false;  ///< not of the present input
    QString staleNote;   ///< "last valid input", "computing"
    [[nodiscard]] QString reading() const;
};

/// The caveats on a scenario's results, as one mark with its reasons.
struct HeadlineBadge {
    QString label;       ///< "Does not fit", "Outside calibration"; empty = nothing
    QStringList reasons; ///< sentences, worst first
    bool impossible = false;
};
[[nodiscard]] HeadlineBadge headlineBadge(const Snapshot& snapshot);

/// A scenario compared with the baseline, in one sentence: "Faster in 97.2 % ± 0.4 of steps", "No difference found".
[[nodiscard]] TextRuns comparisonRuns(const Snapshot& baseline, const Snapshot& scenario, const HeadlineChanges& changes);

/// The headline of the current scenario of a context; made of core's results only.
[[nodiscard]] QList<HeadlineCell> headlineCells(const PageContext& context, ChangesCache& cache, const ScenarioResult& result,
                                                const QStringList& fieldProblems);

} // namespace prism::ui
