// SPDX-License-Identifier: GPL-3.0-or-later
// The contents of a study as one value: a change makes a new value, undo puts the old one back.
#pragma once

#include "core/scenario/scenario.h"

#include <memory>
#include <string>
#include <vector>

namespace prism::ui {

using ScenarioPtr = std::shared_ptr<const Scenario>;

/// One row of the scenario table. The scenario itself is shared and never changed in place.
struct ScenarioEntry {
    int id = 0;            ///< stays with the row for the life of the study
    ScenarioPtr scenario;  ///< never null; holds name and note
    int colour = 0;        ///< index into the series colours and dashes
    bool visible = true;   ///< drawn in charts
    bool archived = false; ///< kept in the study, not in the table
    int parentId = -1;     ///< the scenario that it was made from; -1 = none, or no longer there
    bool operator==(const ScenarioEntry& other) const
    {
        return id == other.id && colour == other.colour && visible == other.visible && archived == other.archived
               && parentId == other.parentId && (scenario == other.scenario || *scenario == *other.scenario);
    }
};

/// A time on the step-time axis that people want to see again: a promise, a run of last week.
struct TimeMark {
    double seconds = 0;
    std::string text;
    bool operator==(const TimeMark&) const = default;
};

struct StudyState {
    std::vector<ScenarioEntry> entries; ///< in the order of the table
    int baselineId = -1;                ///< -1 = no baseline
    double limitSeconds = 0;            ///< the step-time limit of the study; 0 = none
    double lowerLimitSeconds = 0;       ///< a second limit below it: P between the two is requested; 0 = none
    std::vector<TimeMark> marks;        ///< by their times
    bool operator==(const StudyState&) const = default;

    [[nodiscard]] const ScenarioEntry* find(int id) const
    {
        for (const ScenarioEntry& e : entries)
            if (e.id == id)
                return &e;
        return nullptr;
    }
};

} // namespace prism::ui
