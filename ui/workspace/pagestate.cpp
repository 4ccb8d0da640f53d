// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/workspace/pagestate.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>

namespace prism::ui {

namespace {

QString translated(const char* text)
{
    return QCoreApplication::translate("prism::ui::PageState", text);
}

} // namespace

QString InsightStatus::otherName() const
{
    if (!hasAnswer || shown == requested || (shown.name == requested.name && shown.baseline == requested.baseline))
        return {};
    return shown.baseline.isEmpty() ? shown.name : translated("%1 against %2").arg(shown.name, shown.baseline);
}

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
    return insight.isCurrent ? PageState::current : insight.hasAnswer ? PageState::outdated : PageState::empty;
}

PageState worse(PageState a, PageState b)
{
    constexpr std::array order{PageState::empty,   PageState::current,   PageState::partial,   PageState::outdated, PageState::stale,
                               PageState::waiting, PageState::computing, PageState::cancelled, PageState::failed,   PageState::invalid};
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
    const QString other = insight.otherName(),
                  result = other.isEmpty() ? translated("last result shown") : translated("result of %1 shown").arg(other);
    switch (state) {
    case PageState::empty:
        return {};
    case PageState::outdated:
        return {{}, other.isEmpty() ? translated("Result of earlier input shown") : translated("Result of %1 shown").arg(other)};
    case PageState::waiting:
        return {translated("%1 comes next …").arg(doing), {}};
    case PageState::computing:
        return {insight.progress.isEmpty() ? translated("%1 …").arg(doing) : translated("%1 … %2").arg(doing, insight.progress), {}};
    case PageState::partial:
        return {{}, translated("First samples, more to come")};
    case PageState::stale:
        return {{},
                insight.progress.isEmpty() ? translated("Computing, %1").arg(result)
                                           : translated("Computing (%1), %2").arg(insight.progress, result)};
    case PageState::invalid:
        return either(other.isEmpty() ? translated("Input to fix, last valid result shown") : translated("Input to fix, %1").arg(result),
                      translated("The input is not valid. The field at the left shows the error."));
    case PageState::cancelled:
        return either(translated("Stopped, %1").arg(result),
                      translated("Stopped. Compute in the bar below, or any edit, starts it again."));
    case PageState::failed:
        return either(translated("Failed, %1: %2").arg(result, insight.error), insight.error);
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
        return translated("Up to date");
    case PageState::waiting:
    case PageState::computing:
    case PageState::partial:
    case PageState::stale:
        return translated("Computing");
    case PageState::invalid:
        return translated("Input to fix");
    case PageState::outdated:
        return translated("Other result shown");
    case PageState::cancelled:
        return translated("Stopped");
    case PageState::failed:
        return translated("Failed");
    }
    return {};
}

} // namespace prism::ui
