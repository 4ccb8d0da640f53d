// Where the noise-free step goes: one deterministic pass over the schedule.
#pragma once

#include "core/cost/costedstep.h"

#include <vector>

namespace prism {

struct StepBreakdown {
    double seconds = 0;
    Breakdown breakdown;          ///< along the stage that ends last; sums to `seconds`
    std::vector<double> inFlight; ///< per stage: largest sum of chunk weights of forwards not yet given back
};

/// What one forward keeps until its backward, and which part of it stays until the weight pass where that runs apart (bytes).
struct ChunkBytes {
    double untilBackward = 0, untilWeight = 0;
};

/// Every factor 1, slow spots as marked. `chunkBytes[stage][chunk]`, or empty. One visit per schedule item.
[[nodiscard]] StepBreakdown stepBreakdown(const StepGraph& graph, const std::vector<std::vector<ChunkBytes>>& chunkBytes);

} // namespace prism
