// SPDX-License-Identifier: GPL-3.0-or-later
// The sentence on top of the pages that show one scenario from one side: an action and its gain, in numbers.
#pragma once

#include "core/cost/costedstep.h"
#include "core/insight/scale/scale.h"
#include "ui/pages/placementdata.h"

#include <QString>

namespace prism::ui {

/// "Keep a node that is 15 % slow on stage 0 (p95 +0.4 %) and away from stage 14 (+2.1 %)."
[[nodiscard]] QString placementAnswer(const PlacementMap& map, PlaceMetric metric);

/// "32,768 GPUs instead of 16,384 give 1.94 times the tokens/s (97 % per GPU); p95 goes from 6.87 s to 6.95 s." Of the next
/// larger size that fits, or the next smaller one; empty where the curve has neither.
[[nodiscard]] QString scaleAnswer(const ScaleCurve& curve, std::int64_t gpus);

/// "Compute is 72 % of the noise-free 6.29 s; the largest other part is tensor parallel, 614 ms (9.8 %)."
[[nodiscard]] QString breakdownAnswer(const CostedStep& costed);

} // namespace prism::ui
