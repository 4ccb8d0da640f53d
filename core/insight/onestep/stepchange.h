// SPDX-License-Identifier: GPL-3.0-or-later
// The difference of two sampled steps: seconds of an average stage by kind of work and by kernel class.
#pragma once

#include "core/insight/onestep/rangesum.h"

namespace prism {

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
