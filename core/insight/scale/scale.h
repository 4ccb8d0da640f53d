// SPDX-License-Identifier: GPL-3.0-or-later
// Step time, throughput and cost over the number of GPUs, weak and strong.
#pragma once

#include "core/insight/insight.h"

namespace prism {

/// weak: global batch grows with the data-parallel size; strong: the global batch stays.
enum class ScaleMode { weak, strong };

struct ScalePoint {
    std::int64_t gpus = 0, dataParallel = 0, globalBatch = 0, microbatches = 0;
    bool valid = false;               ///< false: the sizes do not divide, and `problem` gives the reason
    std::string problem;              ///< of a valid point: that the memory is exceeded; empty = none
    std::vector<std::string> outside; ///< the missing measurements, where this size is outside of the calibration
    DistributionSummary step;         ///< seconds, across jobs
    double noiseFreeSeconds = 0;
    double tokensPerSecond = 0, tflopsPerGpu = 0;
    Estimate mfu; ///< at the median step, 0..1
    double costPerBillionTokensUsd = 0;
    double costUsd = 0, daysToTrain = 0; ///< 0 when the scenario has no train_tokens
    double efficiency = 0;               ///< tokens/s per GPU over that of the first point that fits; 0 = this one does not fit
};

struct ScaleCurve {
    ScaleMode mode = ScaleMode::weak;
    std::vector<ScalePoint> points; ///< ascending gpus
    int samples = 0;
    std::uint64_t seed = 1;
    double elapsedSeconds = 0;
    std::vector<std::string> notes;
};

/// 64, 128, ... doubling up to 65,536 and the scenario's own GPU count: those that the scenario's replica divides.
[[nodiscard]] std::vector<std::int64_t> defaultScale(const Scenario& scenario);
/// The scenario with another number of GPUs, as the points of a curve have it: slow places go with it, measured speeds do not.
[[nodiscard]] Scenario atScale(const Scenario& scenario, ScaleMode mode, std::int64_t gpus);
/// Default 500 samples per point. Errors: invalid scenario, more than 100 points, cancelled.
[[nodiscard]] Result<ScaleCurve> scaleCurve(Evaluator& evaluator, const Scenario& scenario, ScaleMode mode,
                                            const std::vector<std::int64_t>& gpus, const InsightOptions& options = {});

[[nodiscard]] std::string toJson(const ScaleCurve& curve);
[[nodiscard]] std::string toCsv(const ScaleCurve& curve, TableText texts = TableText::forSheets);

} // namespace prism
