// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/workspace/curvepick.h"

#include <algorithm>
#include <set>

namespace prism::ui {

namespace {

double p95PerToken(const Snapshot& s)
{
    return s.across.p95 / (s.costed && s.costed->tokensPerStep > 0 ? s.costed->tokensPerStep : 1);
}

} // namespace

int drawableCount(const PageContext& context)
{
    return static_cast<int>(
        std::count_if(context.scenarios.begin(), context.scenarios.end(), [](const ShownScenario& s) { return s.visible && s.snapshot; }));
}

QList<ShownScenario> drawnScenarios(const PageContext& context, int pickedId)
{
    QList<const ShownScenario*> visible;
    for (const ShownScenario& s : context.scenarios)
        if (s.visible && s.snapshot)
            visible << &s;
    std::set<int> drawn;
    if (visible.size() > kMaxCurves) {
        QList<const ShownScenario*> byP95 = visible;
        const auto first = [pickedId](const ShownScenario* s) { return s->isCurrent || s->isBaseline || s->id == pickedId; };
        std::stable_sort(byP95.begin(), byP95.end(), [&](const ShownScenario* a, const ShownScenario* b) {
            return first(a) != first(b) ? first(a) : p95PerToken(*a->snapshot) < p95PerToken(*b->snapshot);
        });
        for (const ShownScenario* s : byP95.mid(0, kMaxCurves))
            drawn.insert(s->id);
    }
    QList<ShownScenario> list;
    for (const ShownScenario* s : visible)
        if (drawn.empty() || drawn.contains(s->id))
            list << *s;
    return list;
}

} // namespace prism::ui
