// SPDX-License-Identifier: GPL-3.0-or-later
// Step times of a series: single replicas as they are, all others through the maximum of a common sample.
#pragma once

#include "core/sim/simulate.h"
#include "core/sim/step/joblayout.h"

#include <stop_token>
#include <vector>

namespace prism {

/// What the blocks of a series leave behind.
struct Sampled {
    std::vector<double> single;         ///< step end over the replicas simulated one by one
    std::vector<double> location;       ///< step end of a replica without noise in this step's conditions
    std::vector<double> excess, weight; ///< of each pooled replica over its step's location, [copy][step]
};

/// Steps of a series in draw order, and what they share. Empty when stopped.
struct SeriesEnds {
    std::vector<double> seconds;
    SharedError shared;
    bool extrapolated = false; ///< the p99 lies beyond the sampled replicas
};
[[nodiscard]] SeriesEnds seriesEnds(const Series& series, const Layout& layout, Recall& recall, std::stop_token stop,
                                    std::uint64_t& nodeSamples);

} // namespace prism
