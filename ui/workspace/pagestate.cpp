// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/workspace/pagestate.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>

namespace prism::ui {

namespace {

QString say(const char* text)
{
    return QCoreApplication::translate("prism::ui::PageState", text);
}

} // namespace

PageState stateOf(const ShownScenario* scenario)
{
    if (!scenario)
        return PageState::empty;
    if (scenario->invalid)
        return PageState::invalid;
    if (scenario->cancelled)
        return PageState::cancelled;
    if (!scenario->stale)
        return scenario->snapshot ? PageState::current : PageState::waiting;
    if (!scenario->snapshot)
        return PageState::computing;
    return scenario->partial ? PageState::partial : PageState::stale;
}

PageState stateOf(const ShownScenario* scenario, const InsightStatus& insight)
{
    const PageState steps = stateOf(scenario);
    if (steps == PageState::computing || steps == PageState::partial || steps == PageState::stale || steps == PageState::waiting)
        return insight.hasAnswer ? PageState::stale : PageState::waiting; // the insight starts when the step times are there
    if (steps != PageState::current)
        return steps;
    if (insight.runs)
        return insight.hasAnswer ? PageState::stale : PageState::computing;
    if (insight.waits)
        return insight.hasAnswer ? PageState::stale : PageState::waiting;
    if (insight.cancelled)
        return PageState::cancelled;
    if (!insight.error.isEmpty())
        return PageState::failed;
    return insight.isCurrent ? PageState::current : PageState::empty;
}

PageState worse(PageState a, PageState b)
{
    constexpr std::array order{PageState::empty,     PageState::current,   PageState::partial, PageState::stale,  PageState::waiting,
                               PageState::computing, PageState::cancelled, PageState::failed,  PageState::invalid};
    return std::find(order.begin(), order.end(), a) < std::find(order.begin(), order.end(), b) ? b : a;
}

bool isUnderWay(PageState state)
{
    return state == PageState::waiting || state == PageState::computing || state == PageState::partial || state == PageState::stale;
}

StateText textOf(PageState state, bool hasData, const QString& doing, const InsightStatus& insight)
{
    const auto either = [hasData](const QString& note, const QString& message) {
        return hasData ? StateText{{}, note} : StateText{message, {}};
    };
    switch (state) {
    case PageState::empty:
        return {};
    case PageState::waiting:
        return {say("%1 comes next …").arg(doing), {}};
    case PageState::computing:
        return {insight.progress.isEmpty() ? say("%1 …").arg(doing) : say("%1 … %2").arg(doing, insight.progress), {}};
    case PageState::partial:
        return {{}, say("First samples, more to come")};
    case PageState::stale:
        return {{},
                insight.progress.isEmpty() ? say("Computing, last result shown")
                                           : say("Computing (%1), last result shown").arg(insight.progress)};
    case PageState::invalid:
        return either(say("Input to fix, last valid result shown"),
                      say("The input is not valid. What is wrong is said beside its field, at the left."));
    case PageState::cancelled:
        return either(say("Stopped, last result shown"), say("Stopped. Compute in the bar below, or any edit, starts it again."));
    case PageState::failed:
        return either(say("Failed, last result shown: %1").arg(insight.error), insight.error);
    case PageState::current:
        return {};
    }
    return {};
}

QString wordOf(PageState state)
{
    switch (state) {
    case PageState::empty:
    case PageState::current:
        return say("Up to date");
    case PageState::waiting:
    case PageState::computing:
    case PageState::partial:
    case PageState::stale:
        return say("Computing");
    case PageState::invalid:
        return say("Input to fix");
    case PageState::cancelled:
        return say("Stopped");
    case PageState::failed:
        return say("Failed");
    }
    return {};
}

} // namespace prism::ui
