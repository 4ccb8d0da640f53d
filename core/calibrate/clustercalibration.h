// SPDX-License-Identifier: GPL-3.0-or-later
// A calibration of one cluster, in one file that a scenario names: levels, spreads, collectives, operators, speeds, and where they
// come from.
#pragma once

#include "core/base/result.h"
#include "core/scenario/import/importers.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace prism {

/// One source of the file: the procedure and its input.
struct CalibrationSource {
    std::string what;               ///< "fit of step times", "import of nccl-tests"
    std::string input;              ///< name of the file that was read
    std::vector<std::string> facts; ///< counts, intervals and assumptions, one sentence each
};

/// The GPU that values were fitted on. Unknown where no number is given.
struct FittedMachine {
    std::string gpu; ///< its name, for people
    double peakBf16Tflops = 0;
    int numSms = 0;
};
[[nodiscard]] FittedMachine machineOf(const GpuSpec& gpu);
/// Whether values fitted on the machine apply to a GPU: the same chip, recognised by its number of SMs (within 10 %) and its peak
/// (within 15 %: H200 and H100, GB200 and B200). True for an unknown machine.
[[nodiscard]] bool isEqual(const FittedMachine& machine, const GpuSpec& gpu);

struct ClusterCalibration {
    FittedMachine machine;                                   ///< of `values` and `regimePool`
    std::vector<std::pair<std::string, std::string>> values; ///< parameter path and value, as for --set; later ones win
    std::vector<double> regimePool; ///< values of variability.compute_regime where no family stands for them; else empty
    MeasuredConfig measured;        ///< rows, kernels, speeds and node order
    std::vector<CalibrationSource> sources;
};

/// Errors: values that no scenario takes (no such parameter, out of its range).
[[nodiscard]] Diagnostics check(const ClusterCalibration& calibration);

inline constexpr const char* kClusterFormat = "prism-cluster-1";

/// {"format": "prism-cluster-1", "machine": {"gpu", "peak_bf16_tflops", "num_sms"}, "values": {path:
/// value}, "compute_regime_pool": [...], "measured": {...}, "sources": [...]}. Errors: malformed text, another format, values and measured
/// rows that a scenario would refuse; all at once.
[[nodiscard]] Result<ClusterCalibration> clusterCalibrationFromJson(std::string_view text);
[[nodiscard]] std::string toJson(const ClusterCalibration& calibration);

/// The second one's values over the first one's; measured rows of one operation and size are replaced, others are added.
[[nodiscard]] ClusterCalibration joined(ClusterCalibration first, const ClusterCalibration& second);
/// The scenario with the calibration's values that apply to its GPU (isEqual); what the scenario measured itself stays. Errors: unknown
/// parameters, impossible values.
[[nodiscard]] Result<Scenario> calibratedScenario(Scenario scenario, const ClusterCalibration& calibration);
/// Warns where level and spread of another chip are omitted.
[[nodiscard]] Diagnostics excludedFrom(const ClusterCalibration& calibration, const Scenario& scenario);

/// The scenario with what the file holds that measured.calibration names; as it is where it names none. A relative path starts at `folder`
/// where the file is there, else at the working folder. Notes: excludedFrom. Errors: no such regular file (devices and pipes are rejected),
/// no calibration, calibratedScenario.
[[nodiscard]] Result<ImportResult> withCalibrationFile(Scenario scenario, const std::string& folder);
/// setParameter; a calibration that is named is applied with the content of its file, since its name alone has no effect.
[[nodiscard]] Result<ImportResult> setParameterAndRead(const Scenario& scenario, std::string_view id, std::string_view text);

inline constexpr std::size_t kMaxCalibrationPool = 10'000;   ///< factors of the compute regime
inline constexpr std::size_t kMaxCalibrationSources = 1'000; ///< of a file, and facts of each

} // namespace prism
