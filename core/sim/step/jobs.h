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
};

/// The job among the first kMedianCandidates of the run across (draws.h) whose noise-free step is the median; a node ("median job") of
/// the evaluation graph, over nodes ("job lucks") with the candidates' lucks. Where spatial factors are measured there is only one job.
/// Null when stopped.
[[nodiscard]] std::shared_ptr<const JobScores> medianJob(const Prepared& prepared, std::uint64_t seed, Recall& recall,
                                                         std::stop_token stop);

/// Spatial factors of all ranks of the median job of a small graph, drawn and chosen as the reference simulator does:
/// [replica][stage][rank], slow spots left out. For graphs with random spatial factors. The work grows with the number of ranks.
[[nodiscard]] std::vector<double> medianJobFactors(const StepGraph& graph, std::uint64_t seed);

} // namespace prism
