// SPDX-License-Identifier: GPL-3.0-or-later
// What the calibration covers: outside of it a prediction is an extrapolation, gets a warning and carries a wider band.
#pragma once

#include "core/scenario/scenario.h"

#include <string>
#include <string_view>
#include <vector>

namespace prism {

/// The beginning of every warning about an input outside of the domain below.
inline constexpr std::string_view kOutsideCalibration = "outside of the calibration: ";

/// The range of inputs that the validated rows cover.
struct CalibrationDomain {
    std::vector<std::string> covered; ///< GPU type and precision ("h100 fp8"), kinds of model ("dense", "moe zero 3"); sorted
    double maxGpus = 0, minHiddenSize = 0, maxSeqLength = 0;
    double bandLow = -0.5, bandHigh = 0.5; ///< relative errors that cover 90 % of the rows whose GPU or kind of model no fit row has
};

/// "h100": the first word of the preset's name, or of the name where there is none, in lower case.
[[nodiscard]] std::string gpuType(const GpuSpec& gpu);
/// "h100 fp8": the GPU's type, the first word of its preset's name, and the precision of its matrix products.
[[nodiscard]] std::string gpuCoverage(const Scenario& scenario);
/// "dense", "moe", "state space" or "operators", with " zero 3" where the parameters are sharded.
[[nodiscard]] std::string modelCoverage(const Scenario& scenario);

/// The kinds of job that a scenario belongs to, the narrowest first: "moe, h100 fp8", "moe, fp8", "moe", "".
[[nodiscard]] std::vector<std::string> bandKinds(const Scenario& scenario);

/// One warning for each input outside of the domain; empty = inside.
[[nodiscard]] Diagnostics outsideOf(const CalibrationDomain& domain, const Scenario& scenario);

} // namespace prism
