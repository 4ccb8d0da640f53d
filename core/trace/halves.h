// SPDX-License-Identifier: GPL-3.0-or-later
// Accuracy of predicting the steps of a measured job from random parts of them: the mean over several parts.
#pragma once

#include "core/trace/heldout.h"

namespace prism {

struct RandomParts {
    int parts = 0, trainSteps = 0, heldOutSteps = 0;
    DistributionScore predicted, baseline; ///< means over the parts: of absolute errors, of distances
    double ksFloor = 0, meanFloor = 0, p95Floor = 0, replicaPhaseKs = 0;
};

inline constexpr int kMaxParts = 1'000;

/// heldOutPrediction with the seeds options.seed, options.seed + 1, ...; options.train must be a fraction. Errors: those of
/// heldOutPrediction, and no fraction, or parts outside 1 to kMostParts.
[[nodiscard]] Result<RandomParts> randomParts(const TraceJob& job, HeldOutOptions options, int parts);

} // namespace prism
