// SPDX-License-Identifier: GPL-3.0-or-later
// The same step with one input changed: the building block of sensitivity, comparison and attribution by removal.
#pragma once

#include "core/insight/insight.h"

namespace prism {

/// The distribution with its cv and its rare probability multiplied by `factor` >= 0, mean kept. An empirical pool is
/// raised to the power that gives the requested cv, which keeps every value positive.
[[nodiscard]] Distribution scaledSpread(const Distribution& distribution, double factor);

/// Multiplies the mean of every op of one class, wherever it is in the graph. Hidden seconds stay.
void scaleClassMean(StepGraph& graph, int kernelClass, double factor);

/// Noise-free seconds per step of each class on one GPU: the largest over the stages, repeats and micro-batches counted,
/// hidden parts included. Size = classes.
[[nodiscard]] std::vector<double> busySecondsByClass(const StepGraph& graph);

/// Every distribution deterministic, no jitter and no stalls. Slow spots, measured speeds and hidden parts stay.
[[nodiscard]] StepGraph withoutSpread(StepGraph graph);

/// Samples of many variations in parallel (each on one thread); order and bits do not depend on the number of threads.
/// progress runs from `from` to `to`. Errors: cancelled.
[[nodiscard]] Result<std::vector<std::shared_ptr<const StepSamples>>> sampleAll(Evaluator& evaluator, std::size_t count,
                                                                                const std::function<StepGraph(std::size_t)>& make,
                                                                                int samples, const InsightOptions& options, double from,
                                                                                double to, std::string_view what);

} // namespace prism
