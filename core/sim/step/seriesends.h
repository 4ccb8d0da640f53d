// SPDX-License-Identifier: GPL-3.0-or-later
// Step times of a series: single replicas as they are, all others through the maximum of a common sample.
#pragma once

#include "core/sim/step/replicalayout.h"
#include "core/stats/sharederror.h"

#include <stop_token>
#include <vector>

namespace prism {

/// Steps of a series in draw order, and what they share. Empty when stopped.
struct SeriesEnds {
    std::vector<double> seconds;
    SharedError shared;
    bool extrapolated = false; ///< the p99 lies beyond the sampled replicas
};
[[nodiscard]] SeriesEnds seriesEnds(const Series& series, const ReplicaLayout& layout, Recall& recall, std::stop_token stop,
                                    std::uint64_t& nodeSamples);

} // namespace prism
