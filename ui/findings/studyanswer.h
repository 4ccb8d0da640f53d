// SPDX-License-Identifier: GPL-3.0-or-later
// The answer of the study on screen, in the words of its report.
#pragma once

#include "ui/workspace/changescache.h"
#include "ui/workspace/context.h"

namespace prism::ui {

/// One sentence about the scenarios that are drawn: which one to take and what the alternative costs; empty without a result. Half a
/// millisecond where `cache` has the comparisons. GUI thread.
[[nodiscard]] QString studyAnswer(const PageContext& context, ChangesCache& cache);
/// Whether every result behind the answer is one of the present input.
[[nodiscard]] bool isAnswerCurrent(const PageContext& context);

} // namespace prism::ui
