// SPDX-License-Identifier: GPL-3.0-or-later
// Comparison of two scenarios: the change of each metric with its interval, the probability that A is faster, and the effect of each edit.
#pragma once

#include "core/insight/insight.h"

namespace prism {

/// One metric of A and B. delta = B - A in the metric's unit; relative = delta / A.
struct ComparedMetric {
    std::string name, label, unit; ///< "p95", "p95 step time", "s"
    double a = 0, b = 0;
    Estimate delta, relative;
    bool lowerIsBetter = true;
    double ownHalfWidth = 0; ///< the wider of the 95 % intervals of a and b by themselves; 0 = exact
};

/// One bar of the waterfall: what this edited parameter adds to p95 (seconds), averaged over the orders of the edits
/// (Shapley 1953: the only split that sums to the total and treats edits symmetrically).
struct WaterfallItem {
    std::string parameter, label, unit, from, to; ///< parameter "remainder": edits that the table does not name one by one
    Estimate deltaP95;
};

struct Comparison {
    std::string nameA, nameB;
    std::vector<ComparedMetric> metrics;  ///< statistics of the step time, tokens/s, MFU, memory, cost
    Estimate probabilityABetter;          ///< P(step of A < step of B), same job index, across jobs
    double ksDistance = 0;                ///< two-sample Kolmogorov-Smirnov, 0..1
    double wassersteinSeconds = 0;        ///< 1-Wasserstein distance
    std::vector<WaterfallItem> waterfall; ///< sums exactly to the delta of "p95"; descending |delta|, remainder last
    bool waterfallExact = true;           ///< false: orders were sampled (more than six edits)
    int waterfallOrders = 0;
    std::vector<double> sortedA, sortedB; ///< step times across jobs, seconds
    int samples = 0;
    std::uint64_t seed = 1;
    double elapsedSeconds = 0;
    std::vector<std::string> notes;
};

/// Default 4,000 samples per scenario. Errors: invalid scenarios (paths start with "a." and "b."), cancelled.
[[nodiscard]] Result<Comparison> compare(Evaluator& evaluator, const Scenario& a, const Scenario& b, const InsightOptions& options = {});

[[nodiscard]] std::string toJson(const Comparison& comparison);
[[nodiscard]] std::string toCsv(const Comparison& comparison, TableText texts = TableText::forSheets);

} // namespace prism
