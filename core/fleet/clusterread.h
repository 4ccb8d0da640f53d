// SPDX-License-Identifier: GPL-3.0-or-later
// The cluster of a fleet as text: nodes with their speeds, and how long jobs of a class take relative to the expected time.
#pragma once

#include "core/base/result.h"
#include "core/stats/distribution.h"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace prism {

/// Jobs whose durations vary equally: the factor of a job's duration, mean 1.
struct FleetClass {
    Distribution factor;
    std::string scenario; ///< whose days to train vary so; empty where the factor is given
};

inline constexpr int kMaxFleetNodes = 65'536, kMaxFleetGpusPerNode = 64;
/// Of a cluster; of its classes those that name a scenario, each of which is sampled.
inline constexpr std::size_t kMaxFleetClasses = 10'000, kMaxFleetScenarios = 100;

struct FleetCluster {
    std::string title;
    int nodes = 1, gpusPerNode = 8;                         ///< at most 65,536 nodes and 64 GPUs each
    std::string gpuType;                                    ///< empty = any
    Distribution nodeTime;                                  ///< factor of a node on durations, drawn again in every run; mean 1
    std::vector<double> measuredTimes;                      ///< the same measured, one a node; empty = drawn
    std::map<std::string, FleetClass, std::less<>> classes; ///< "default" for the kinds that are not named
    [[nodiscard]] int gpus() const { return nodes * gpusPerNode; }
};

/// Reads a cluster: {"nodes", "gpus_per_node", "gpu_type", "node_time": {"family", "cv"} or "node_times": [...], "classes": {NAME:
/// {"family", "cv"} or {"scenario": PRESET}}}. The factors of classes that name a scenario are not known yet (fleetCluster samples them).
/// Errors, up to 100: everything that is wrong with the text. Any thread.
[[nodiscard]] Result<FleetCluster> readFleetCluster(std::string_view text);

} // namespace prism
