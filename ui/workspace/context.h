// SPDX-License-Identifier: GPL-3.0-or-later
// The shared input of all views: the scenarios with their last results, and the way to commands, selection and insight jobs.
#pragma once

#include "core/engine/evaluator.h"
#include "ui/model/studystate.h"

#include <QList>
#include <QString>

#include <memory>

namespace prism::ui {

class GhostPreview;
class InsightRunner;
class Selection;
class StudyModel;

/// One scenario as charts show it.
struct ShownScenario {
    int id = -1;
    QString name;
    int colour = 0; ///< index into the theme's series colours and dashes
    bool visible = true, isBaseline = false, isCurrent = false;
    bool stale = false;                      ///< an edit is being computed, or the present input is wrong: dimmed, with a note
    SnapshotPtr snapshot;                    ///< the last valid result; null before the first one
    bool invalid = false, cancelled = false; ///< the present input is wrong; its computation was stopped
    bool partial = false;                    ///< the snapshot is of the present input, and more samples are on their way
    ContentHash hash = {};                   ///< of the present input
};

/// Everything that a page may look at; a value that is made again after each change. Pointers live as long as the window.
struct PageContext {
    QList<ShownScenario> scenarios; ///< in table order, not the archived ones
    int currentId = -1, baselineId = -1;
    double limitSeconds = 0;              ///< the step-time limit; 0 = none
    double lowerLimitSeconds = 0;         ///< a second one below it; 0 = none
    std::vector<TimeMark> marks;          ///< of the study, by their times
    double precision = 0;                 ///< sampling stops when p95 is known to this share; 0 = at a number of steps
    bool sameScale = false;               ///< axes hold every scenario that a page has shown, not the current one alone
    std::shared_ptr<Evaluator> evaluator; ///< for insight jobs (thread-safe, memoised)
    Selection* selection = nullptr;
    StudyModel* study = nullptr; ///< commands
    InsightRunner* insights = nullptr;
    GhostPreview* ghost = nullptr; ///< what a value that is only looked at would give

    [[nodiscard]] const ShownScenario* find(int id) const
    {
        for (const ShownScenario& s : scenarios)
            if (s.id == id)
                return &s;
        return nullptr;
    }
    [[nodiscard]] const ShownScenario* current() const { return find(currentId); }
    [[nodiscard]] const ShownScenario* baseline() const { return find(baselineId); }
};

} // namespace prism::ui
