// Where the noise-free step goes: one deterministic pass over the schedule.
#pragma once

#include "core/cost/predictor.h"

namespace prism {

struct DeterministicStep {
    double seconds = 0;
    Breakdown breakdown;               ///< along the stage that ends last; sums to `seconds`
    std::vector<double> inFlight;      ///< per stage: largest sum of chunk weights of forwards not yet given back
};

/// Every factor 1, slow spots as marked. `chunkWeight[stage][chunk]` is what one forward keeps until its backward (bytes).
/// One visit per schedule item.
[[nodiscard]] DeterministicStep deterministicStep(const StepGraph& graph, const std::vector<std::vector<double>>& chunkWeight);

} // namespace prism
