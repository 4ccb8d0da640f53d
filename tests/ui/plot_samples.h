// SPDX-License-Identifier: GPL-3.0-or-later
// Hand-made results for the tests of charts and pages.
#pragma once

#include "core/cost/predictor.h"
#include "core/insight/sensitivity/attribution.h"
#include "core/insight/placement/placement.h"
#include "core/insight/scale/scale.h"
#include "core/insight/sensitivity/sensitivity.h"
#include "core/insight/onestep/timeline.h"

namespace prism::samples {

[[nodiscard]] SensitivityTable sensitivityTable();
[[nodiscard]] TailAttribution tailAttribution();
/// Rows groups of replicas x 16 stages, two places not evaluated.
[[nodiscard]] PlacementMap placementMap(int rows = 16);
[[nodiscard]] PlacementResult placementResult();
/// Interleaved 1F1B-like step with a critical path and communication at the end.
[[nodiscard]] std::shared_ptr<const Timeline> timeline(int stages = 16, int chunks = 2, int microbatches = 16);
[[nodiscard]] MemoryReport memory(int stages = 16);
[[nodiscard]] ScaleCurve scaleCurve(ScaleMode mode = ScaleMode::weak);

} // namespace prism::samples
