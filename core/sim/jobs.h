// The median job: whose ranks' spatial factors stay fixed in the series within a job.
#pragma once

#include "core/sim/replicas.h"

#include <cstdint>
#include <stop_token>
#include <vector>

namespace prism {

/// Lucks of all cells of one job: scores[replica * stages + stage].
struct JobScores {
    std::vector<float> scores;
    std::vector<double> replicaSeconds; ///< noise-free end of each replica, without step-level communications
};

/// Exposed seconds of step-level communications and the end of the step, one lane per step.
struct StepRows {
    Rows gradSync, paramGather, gradNorm; ///< per stage, per stage, one
    explicit StepRows(std::size_t stages) : gradSync(stages), paramGather(stages), gradNorm(1) {}
    void draw(const Prepared& prepared, const RoundKeys& keys, std::uint64_t block, const Rows& regime, bool noise);
    /// End of the step from the latest end and the slowest optimizer of each stage.
    void end(const Prepared& prepared, const Rows& ends, const Rows& optimizer, float* seconds) const;
};

/// The job among the first kMedianCandidates of the run across (draws.h) whose noise-free step is the median. Where spatial
/// factors are measured there is only one job.
[[nodiscard]] JobScores medianJob(const Prepared& prepared, std::uint64_t seed, std::stop_token stop);

/// Normal score of an upper tail probability in (0, 1).
[[nodiscard]] double scoreOfTail(double tail);

} // namespace prism
