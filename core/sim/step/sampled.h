// SPDX-License-Identifier: GPL-3.0-or-later
// Step ends of a series before the slowest of the pooled replicas is drawn from their common sample.
#pragma once

#include <vector>

namespace prism {

/// What the blocks of a series leave behind.
struct Sampled {
    std::vector<double> single;         ///< step end over the replicas simulated one by one
    std::vector<double> location;       ///< step end of a replica without noise in this step's conditions
    std::vector<double> excess, weight; ///< of each pooled replica over its step's location, [copy][step]
    bool follow = false;                ///< the steps follow one another, as those of a job do
};

} // namespace prism
