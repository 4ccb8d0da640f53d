// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/onestep/stepchange.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace prism {

StepChange changeOfStep(const Timeline& from, const Timeline& to)
{
    const RangeSum before = sumOverRange(from, 0, from.stepSeconds), after = sumOverRange(to, 0, to.stepSeconds);
    const double stagesBefore = std::max(before.stages, 1), stagesAfter = std::max(after.stages, 1);
    StepChange change;
    change.stepSeconds = to.totalSeconds() - from.totalSeconds();
    change.delaySeconds = to.delaySeconds() - from.delaySeconds();
    for (std::size_t kind = 0; kind < kSpanKinds; ++kind)
        change.byKind[kind] = after.byKind[kind] / stagesAfter - before.byKind[kind] / stagesBefore;
    std::map<std::string, double> known; // the two steps may number their classes differently
    for (const SpanPart& part : before.byClass)
        known[from.classNames[static_cast<std::size_t>(part.kernelClass)]] = part.seconds / stagesBefore;
    for (const SpanPart& part : after.byClass) {
        const auto at = known.find(to.classNames[static_cast<std::size_t>(part.kernelClass)]);
        change.byClass.push_back({part.kernelClass, part.seconds / stagesAfter - (at == known.end() ? 0 : at->second)});
    }
    std::stable_sort(change.byClass.begin(), change.byClass.end(),
                     [](const SpanPart& a, const SpanPart& b) { return std::abs(a.seconds) > std::abs(b.seconds); });
    return change;
}

} // namespace prism
