// SPDX-License-Identifier: GPL-3.0-or-later
// The state of a page, with one text: every page and the job bar show the same text for the same state.
#pragma once

#include "ui/workspace/context.h"
#include "ui/workspace/resulttoken.h"

#include <QString>

namespace prism::ui {

enum class PageState {
    empty,     ///< there is no scenario, or nothing to show of it
    waiting,   ///< requested; another job comes first, and there is nothing to show meanwhile
    computing, ///< being computed, and there is nothing to show meanwhile
    partial,   ///< the present input with fewer samples than requested
    current,   ///< the answer to the present input
    stale,     ///< an earlier answer while the present one waits or is being computed
    invalid,   ///< the present input is invalid; the last valid answer is shown if there is one
    cancelled, ///< stopped by the user; an earlier answer is shown if there is one
    failed,    ///< the computation ended with an error
    outdated,  ///< an answer for another scenario or other inputs; nothing computes the present one
};

/// State of one insight of a page.
struct InsightStatus {
    bool hasAnswer = false; ///< of this question or an earlier one
    bool isCurrent = false; ///< the answer shown is that to the question asked last
    bool waits = false, runs = false, cancelled = false;
    QString error = {};    ///< of the question asked last; empty = none
    QString progress = {}; ///< "34 %, 6,200 of 10,000 samples"; empty = not known
    ResultToken shown = {}, requested = {};
    /// What is shown, where it is the result of another scenario than the present one; empty = of an earlier input of this one.
    [[nodiscard]] QString otherName() const;
};

/// The state of the step times of one scenario; null: no scenario.
[[nodiscard]] PageState stateOf(const ShownScenario* scenario);
/// The state of an insight about that scenario; the state of its step times has priority.
[[nodiscard]] PageState stateOf(const ShownScenario* scenario, const InsightStatus& insight);
/// State of a page with several insights: the most important of theirs.
[[nodiscard]] PageState worse(PageState a, PageState b);
/// Not yet the answer, but on its way.
[[nodiscard]] bool isUnderWay(PageState state);

/// The texts that belong to a state.
struct StateText {
    QString message; ///< in place of the data; empty where there are data to show
    QString note;    ///< next to the title; the data are then dimmed, except for `partial`
};

/// `doing`: "Computing the effect of each cause"; `hasData`: an answer of this or an earlier question can be drawn.
[[nodiscard]] StateText textOf(PageState state, bool hasData, const QString& doing, const InsightStatus& insight = {});
/// One or two words for the job bar: "Up to date", "Stopped".
[[nodiscard]] QString wordOf(PageState state);

} // namespace prism::ui
