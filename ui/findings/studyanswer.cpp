// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/findings/studyanswer.h"

#include "core/engine/verdict.h"
#include "ui/findings/findings.h"
#include "ui/workspace/curvepick.h"

#include <algorithm>

namespace prism::ui {

QString studyAnswer(const PageContext& context, ChangesCache& cache)
{
    Findings f;
    if (const ShownScenario* current = context.current(); !current || !current->snapshot)
        return {}; // an answer without it would be read as its own
    for (const ShownScenario& s : drawnScenarios(context, context.currentId))
        if (s.snapshot->valid() && s.snapshot->samples && s.snapshot->costed) {
            FoundScenario found{s.name, s.colour, s.isBaseline, verdictOf(*s.snapshot).possible(), s.snapshot};
            f.scenarios.push_back(std::move(found));
        }
    if (f.scenarios.empty())
        return {};
    f.compare = [&cache](const SnapshotPtr& a, const SnapshotPtr& b) { return cache.changes(a, b, false); };
    const auto pinned = std::find_if(f.scenarios.begin(), f.scenarios.end(), [](const FoundScenario& s) { return s.baseline; });
    f.pinned = pinned != f.scenarios.end();
    FoundScenario& base = f.pinned ? *pinned : f.scenarios.front();
    base.baseline = true;
    f.hasTarget = context.limitSeconds > 0;
    f.markSeconds = f.hasTarget ? context.limitSeconds : base.snapshot->across.p95;
    for (FoundScenario& s : f.scenarios) {
        s.misses = cache.share(s.snapshot, false, {0, f.markSeconds});
        if (!s.baseline)
            s.changes = f.compare(base.snapshot, s.snapshot);
    }
    f.advised = advisedScenario(f);
    return answerSentence(f);
}

bool isAnswerCurrent(const PageContext& context)
{
    const QList<ShownScenario> drawn = drawnScenarios(context, context.currentId);
    return std::none_of(drawn.begin(), drawn.end(), [](const ShownScenario& s) { return s.stale || s.invalid || s.cancelled; });
}

} // namespace prism::ui
