// SPDX-License-Identifier: GPL-3.0-or-later
// The end of a step, given its slowest units: gradient synchronisation, gradient norm, optimizer, parameter gathering.
#pragma once

#include "core/sim/draw/draws.h"
#include "core/sim/sweep/sweepmodel.h"

#include <algorithm>
#include <array>
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

/// Operations at the end of a step of one stage, in the order in which they run.
enum class StageOp { embedding, gradSync, gradNorm, optimizer, paramGather };
inline constexpr int kStageOps = 5;

/// When the operations of a step's end ran at each stage, but for those of the embedding, which each unit has. One that is absent takes no
/// time.
struct StepTail {
    struct Operation {
        double start = 0.0, seconds = 0.0;
        double rareSeconds = 0.0; ///< of it, what a rare event added
    };
    std::vector<std::array<Operation, kStageOps>> stages; ///< by StageOp
    [[nodiscard]] Operation& of(std::size_t stage, StageOp op) { return stages[stage][static_cast<std::size_t>(op)]; }
    [[nodiscard]] const Operation& of(std::size_t stage, StageOp op) const { return stages[stage][static_cast<std::size_t>(op)]; }
    int last = 0;         ///< stage that ends the step
    int normStage = 0;    ///< stage that the gradient norm waits for
    double seconds = 0.0; ///< from the start of the step to its end
};

/// Immutable; any thread.
class StepFinish final {
public:
    explicit StepFinish(const SweepModel& model) : m_model(model) {}
    /// With fresh draws of its communications.
    [[nodiscard]] StepTail tail(const StageMaxima& m, const RegimeFactors& regimes, LaneSeed step) const;
    /// Every communication at its mean.
    [[nodiscard]] double meanSeconds(const StageMaxima& m) const;
    /// Mean seconds from each stage's end to the end of the step.
    [[nodiscard]] std::vector<float> meanAfter() const;

private:
    template <class Drawn>
    [[nodiscard]] StepTail finish(const StageMaxima& m, const Drawn& drawn) const;

    const SweepModel& m_model;
};

} // namespace prism
