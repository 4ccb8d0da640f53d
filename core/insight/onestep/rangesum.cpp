// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/onestep/rangesum.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace prism {

RangeSum sumOverRange(const Timeline& timeline, double startSeconds, double endSeconds, int stage)
{
    RangeSum sum;
    sum.startSeconds = std::clamp(std::min(startSeconds, endSeconds), 0.0, timeline.stepSeconds);
    sum.endSeconds = std::clamp(std::max(startSeconds, endSeconds), 0.0, timeline.stepSeconds);
    sum.stages = stage < 0 ? timeline.stages : 1;
    std::vector<double> byClass(timeline.classNames.size(), 0.0);
    for (const TimelineSpan& span : timeline.spans) {
        if (stage >= 0 && span.stage != stage)
            continue;
        const double length = span.endSeconds - span.startSeconds;
        const double inside = std::min(span.endSeconds, sum.endSeconds) - std::max(span.startSeconds, sum.startSeconds);
        if (inside <= 0 || length <= 0)
            continue;
        sum.byKind[static_cast<std::size_t>(span.kind)] += inside;
        sum.criticalSeconds += span.critical ? inside : 0;
        for (const SpanPart& part : span.parts)
            if (part.kernelClass >= 0 && static_cast<std::size_t>(part.kernelClass) < byClass.size())
                byClass[static_cast<std::size_t>(part.kernelClass)] += part.seconds * inside / length;
    }
    for (std::size_t c = 0; c < byClass.size(); ++c)
        if (byClass[c] > 0)
            sum.byClass.push_back({static_cast<int>(c), byClass[c]});
    std::stable_sort(sum.byClass.begin(), sum.byClass.end(), [](const SpanPart& a, const SpanPart& b) { return a.seconds > b.seconds; });
    return sum;
}

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
