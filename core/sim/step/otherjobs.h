// SPDX-License-Identifier: GPL-3.0-or-later
// Which job is the median one is drawn: what its figures would be if other candidates had been drawn.
#pragma once

#include "core/sim/step/jobs.h"
#include "core/stats/sharederror.h"

#include <memory>
#include <stop_token>
#include <vector>

namespace prism {

/// Models of the median job, its replicas' lucks, and those of the candidates next to it.
struct NearMedian {
    std::shared_ptr<const Prepared> prepared; ///< of the median job
    std::shared_ptr<const JobScores> job;     ///< with others: they share `prepared`
    /// Otherwise, of a job of few cells: the same job and the others behind it in one graph.
    StepGraph side;
};
/// A job of few cells is modelled rank by rank, as if its factors had been measured: how its cells lie around their averages would be
/// seen in its median. Empty when stopped.
[[nodiscard]] NearMedian nearMedian(const std::shared_ptr<const Prepared>& prepared, std::uint64_t seed, Recall& recall,
                                    std::stop_token stop);

/// Standard errors of the figures of the series within the median job because it is one of many: the spread of a few hundred steps of the
/// candidates next to it, with the same draws. A node ("other jobs"). Zero where spatial factors are not drawn.
[[nodiscard]] SharedError jobChoiceError(const NearMedian& near, std::uint64_t seed, int steps, Recall& recall, std::stop_token stop);

} // namespace prism
