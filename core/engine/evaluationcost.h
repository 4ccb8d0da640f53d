// SPDX-License-Identifier: GPL-3.0-or-later
// Estimated time and memory of one evaluation from its sizes alone, before a schedule is planned or a model is made.
#pragma once

#include "core/scenario/scenario.h"
#include "core/step/stepgraph.h"

namespace prism {

/// Samples of an evaluation besides the requested steps: a first curve, the shares of the variance by cause, and other systems
/// (systemsrange.h).
inline constexpr int kCoarseSamples = 256, kShareSamples = 256, kVarianceCauses = 7;

/// The sizes that decide the cost.
struct EvaluationSize {
    double replicas = 1, stages = 1, chunks = 1, microbatches = 1;
    double ranksOfCell = 1;
    double samples = 2'000;                                                        ///< steps
    [[nodiscard]] double passes() const { return stages * chunks * microbatches; } ///< forward passes of a replica
};
[[nodiscard]] EvaluationSize evaluationSize(const Scenario& scenario, int samples);
[[nodiscard]] EvaluationSize evaluationSize(const StepGraph& graph, int samples);

struct EvaluationEstimate {
    double cpuSeconds = 0; ///< within a factor of two, on a core like the one of the fit
    double memoryBytes = 0;
};
/// Pure; the coefficients and what they were fitted to are at its definition.
[[nodiscard]] EvaluationEstimate estimatedCost(const EvaluationSize& size);

/// Larger evaluations need a confirmation; the memory is a hard limit.
inline constexpr double kMaxQuickSeconds = 12.0, kMaxEvaluationBytes = 1024.0 * 1024 * 1024;

/// An error where the evaluation would take more than kMaxEvaluationBytes, or more than `seconds` of CPU: the dominant size, its
/// value and its limit. Empty = it may start.
[[nodiscard]] Diagnostics tooCostly(const EvaluationSize& size, double seconds);
/// "1,331,200 passes x 10,000 steps: about 35 s of CPU and 0.7 GiB"
[[nodiscard]] std::string costText(const EvaluationSize& size);

} // namespace prism
