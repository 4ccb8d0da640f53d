// SPDX-License-Identifier: GPL-3.0-or-later
// The contents of a time range of one sampled step, and the difference of two steps: seconds by kind of work and by kernel class.
#pragma once

#include "core/insight/onestep/timeline.h"

#include <array>

namespace prism {

inline constexpr std::size_t kSpanKinds = static_cast<std::size_t>(SpanKind::bubble) + 1;

/// Stage-seconds: a range of 2 s on 4 stages holds 8 of them, bubbles included. Sends have a separate lane and come on top.
struct RangeSum {
    double startSeconds = 0, endSeconds = 0;
    int stages = 0;
    std::array<double, kSpanKinds> byKind{};
    std::vector<SpanPart> byClass; ///< descending seconds; a span that the range cuts counts by the share inside
    double criticalSeconds = 0;    ///< of the range that the critical path spends on these stages

    [[nodiscard]] double of(SpanKind kind) const { return byKind[static_cast<std::size_t>(kind)]; }
};

/// From `startSeconds` to `endSeconds` in either order, cut to the step; `stage` -1 = all of them. Pure; linear in the spans.
[[nodiscard]] RangeSum sumOverRange(const Timeline& timeline, double startSeconds, double endSeconds, int stage = -1);

/// All in seconds; positive = more of it in the second step. Without sends, which have a separate lane, the kinds and the delays add up
/// to the change of the step, because work and bubbles of a stage fill what is drawn of it.
struct StepChange {
    double stepSeconds = 0;
    double delaySeconds = 0;                 ///< jitter and stalls of the whole step
    std::array<double, kSpanKinds> byKind{}; ///< mean over the stages
    std::vector<SpanPart> byClass;           ///< mean over the stages, largest change first; classes of the second step

    [[nodiscard]] double of(SpanKind kind) const { return byKind[static_cast<std::size_t>(kind)]; }
};

/// From one step to another of the same program. Pure; linear in the spans.
[[nodiscard]] StepChange changeOfStep(const Timeline& from, const Timeline& to);

} // namespace prism
