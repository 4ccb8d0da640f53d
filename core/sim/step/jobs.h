// SPDX-License-Identifier: GPL-3.0-or-later
// The median job: whose ranks' spatial factors stay fixed in the series within a job.
#pragma once

#include "core/sim/step/prepared.h"

#include <cstdint>
#include <memory>
#include <stop_token>
#include <vector>

namespace prism {

/// Lucks of all cells of one job: scores[replica * stages + stage].
struct JobScores {
    std::vector<float> scores;
    std::vector<double> replicaSeconds; ///< noise-free end of each replica, without step-level communications
    std::vector<JobScores> others;      ///< of the median job: candidates around it; empty where spatial factors are measured
};

/// The job among the first kMedianCandidates of the run across (draws.h) whose noise-free step is the median; a node ("median job") of
/// the evaluation graph, over nodes ("job lucks") with the candidates' lucks. Where spatial factors are measured there is only one job.
/// Null when stopped.
[[nodiscard]] std::shared_ptr<const JobScores> medianJob(const Prepared& prepared, std::uint64_t seed, Recall& recall,
                                                         std::stop_token stop);

/// Candidates next to the median one, on both sides: their ranks are quantiles of the rank that the true median has among the candidates
/// (binomial, standard deviation sqrt(n) / 2), so that they spread as medians of other candidates would.
inline constexpr int kOtherJobs[] = {-8, -4, -2, -1, 1, 2, 4, 8};

/// Names the content of medianJob().
[[nodiscard]] ContentHash medianJobKey(const Prepared& prepared, std::uint64_t seed);

/// Spatial factors of all ranks of the median job of a small graph, and of the other ones next to it, drawn and chosen as the reference
/// simulator does: [replica][stage][rank], slow spots left out. For graphs with random spatial factors. The work grows with the number of
/// ranks.
[[nodiscard]] std::vector<std::vector<double>> medianJobFactors(const StepGraph& graph, std::uint64_t seed);

} // namespace prism
