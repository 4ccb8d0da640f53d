// SPDX-License-Identifier: GPL-3.0-or-later
// Common parts of all insights: options, an estimate with its interval, and progress.
#pragma once

#include "core/base/table.h"
#include "core/engine/evaluator.h"
#include "core/stats/intervals.h"

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

namespace prism {

/// Change against the unchanged scenario (changed minus base), common random numbers. Seconds; `exceedance` is the change of
/// the probability that a step takes longer than a limit, which the result that holds the change states.
struct MetricChange {
    Estimate mean, std, p50, p95, p99, exceedance;
};

/// Options of every insight. `samples` 0 = the insight's own default, which its result states.
struct InsightOptions {
    std::uint64_t seed = 1;
    int samples = 0;
    int threads = 0;         ///< 0 = all cores; results do not depend on it
    double limitSeconds = 0; ///< x of the changes of P(step > x); 0 = the base's p95
    std::stop_token stop;    ///< checked between and inside evaluations; a stopped insight is an error "cancelled"
    std::function<void(double fraction, std::string_view what)> progress; ///< on the calling thread; fraction in [0, 1]
};

/// How an insight evaluates a scenario: its own seed, threads and stop, without variance shares.
[[nodiscard]] EvaluateOptions evaluateOptions(const InsightOptions& options, int samples);

/// Seed, threads and stop for the evaluator; its own numbers of steps.
[[nodiscard]] SimOptions simOptions(const InsightOptions& options);

/// The error that a stopped insight gives.
[[nodiscard]] Diagnostic cancelled();
[[nodiscard]] bool isCancelled(const Diagnostics& errors);

} // namespace prism
