// SPDX-License-Identifier: GPL-3.0-or-later
// What follows the pipelines: gradient synchronisation, gradient norm, optimizer, parameter gathering.
#pragma once

#include "core/sim/step/replicas.h"

namespace prism {

/// Exposed seconds of step-level communications and the end of the step, one lane per step.
struct StepTail {
    Rows gradSync, paramGather, gradNorm; ///< per stage, per stage, one
    std::size_t lanes = kLanes;           ///< that end() fills
    explicit StepTail(std::size_t stages) : gradSync(stages), paramGather(stages), gradNorm(1) {}
    void draw(const Prepared& prepared, const RoundKeys& keys, std::uint64_t block, const Rows& regime, bool noise);
    /// End of the step from the latest end and the slowest optimizer of each stage (rows of kLanes seconds).
    void end(const Prepared& prepared, const float* ends, const float* optimizer, float* seconds) const;
};

} // namespace prism
