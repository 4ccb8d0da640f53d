// SPDX-License-Identifier: GPL-3.0-or-later
// The end of a step, given its slowest units: gradient synchronisation, gradient norm, optimizer, parameter gathering.
#pragma once

#include "core/sim/draw/draws.h"
#include "core/sim/sweep/sweepmodel.h"

#include <algorithm>
#include <vector>

namespace prism {

/// Per stage, in seconds: the latest end of all units before gradients, their slowest optimizer, and the latest end with the optimizer.
struct StageMaxima {
    std::vector<double> end, optimizer, endWithOptimizer;
    explicit StageMaxima(std::size_t stages = 0) : end(stages), optimizer(stages), endWithOptimizer(stages) {}
    /// Takes in one unit's stage.
    void add(std::size_t stage, double unitEnd, double unitOptimizer)
    {
        end[stage] = std::max(end[stage], unitEnd);
        optimizer[stage] = std::max(optimizer[stage], unitOptimizer);
        endWithOptimizer[stage] = std::max(endWithOptimizer[stage], unitEnd + unitOptimizer);
    }
};

/// When the operations of a step's end ran at each stage. One that is absent takes no time.
struct StepTail {
    struct Operation {
        double start = 0.0, seconds = 0.0;
        double rareSeconds = 0.0; ///< of it, what a rare event added
    };
    std::vector<Operation> gradSync, gradNorm, optimizer, paramGather;
    int last = 0;      ///< stage that ends the step
    int normStage = 0; ///< stage that the gradient norm waits for
};

/// Immutable; any thread.
class StepFinish final {
public:
    explicit StepFinish(const SweepModel& model) : m_model(model) {}
    /// Seconds of the step with fresh draws of its communications. Fills `tail`.
    [[nodiscard]] double seconds(const StageMaxima& m, const RegimeFactors& regimes, LaneSeed step, StepTail* tail = nullptr) const;
    /// Every communication at its mean.
    [[nodiscard]] double meanSeconds(const StageMaxima& m) const;
    /// Mean seconds from each stage's end to the end of the step.
    [[nodiscard]] std::vector<float> meanAfter(const std::vector<float>& optimizer) const;

private:
    template <class Drawn>
    [[nodiscard]] double finish(const StageMaxima& m, const Drawn& drawn, StepTail& tail) const;

    const SweepModel& m_model;
};

} // namespace prism
