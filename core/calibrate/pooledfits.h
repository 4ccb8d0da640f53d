// SPDX-License-Identifier: GPL-3.0-or-later
// Predicts the variability of a system without a measured series from the fitted series of several other systems.
#pragma once

#include "core/calibrate/clustercalibration.h"
#include "core/calibrate/spreadcauses.h"

#include <string>
#include <string_view>
#include <vector>

namespace prism {

/// One system's causes out of a report of `fit --json`, and the GPU that it ran on. `name`: of the file, for people and errors.
struct FittedSystem {
    SystemSpread spread;
    FittedMachine machine;
    std::vector<double> regimePool; ///< quantiles of the fitted compute regime (factorpool.h); empty = a short series
    double regimePoolLag1 = 0;
};
/// Errors: malformed text, a report that lacks a value, a value that is not a finite number >= 0; all at once.
[[nodiscard]] Result<FittedSystem> fittedSystemFromJson(std::string_view text, const std::string& name);

/// The spread expected of a system with this GPU, as a calibration that holds on any GPU, without a level. Stalls as in pooledSpread. The
/// compute regime is the mean of the quantiles of the systems on the same chip (isEqual), where there are none of all; where no system has
/// quantiles, pooledSpread's. Jitter: median of the systems on the same chip, where there are none of all. Needs two systems; fewer are an
/// error. Pure; any thread.
[[nodiscard]] Result<ClusterCalibration> pooledCalibration(const std::vector<FittedSystem>& systems, const GpuSpec& gpu);

} // namespace prism
