// SPDX-License-Identifier: GPL-3.0-or-later
// A queue of jobs drawn from a few stated parameters, where no table of jobs is available.
#pragma once

#include "core/fleet/jobtable.h"

#include <cstdint>
#include <string_view>

namespace prism {

/// Draws a queue: {"jobs": 1 to 1,000,000, "offered_load": 0.01 to 10, "mean_duration_s", "duration": {"family", "cv"}, "sizes": [{"gpus",
/// "share"}]} and "title", "sources" for people. Submissions come as a Poisson process whose rate makes the expected GPU-seconds
/// `offered_load` times those of `clusterGpus` until the last submission; sizes and durations are independent of each other and of it.
/// Shares are divided by their sum. Errors: everything that is wrong. Pure; the same bits for the same seed.
[[nodiscard]] Result<JobTable> modelledQueue(std::string_view text, int clusterGpus, std::uint64_t seed);

} // namespace prism
