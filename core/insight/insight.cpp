// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/insight.h"

namespace prism {

namespace {
constexpr std::string_view kCancelledPath = "cancelled";
}

EvaluateOptions evaluateOptions(const InsightOptions& options, int samples)
{
    EvaluateOptions evaluate;
    evaluate.seed = options.seed;
    evaluate.numSamples = samples;
    evaluate.numThreads = options.threads;
    evaluate.varianceShares = evaluate.systemsRange = false;
    evaluate.stop = options.stop;
    return evaluate;
}

SimOptions simOptions(const InsightOptions& options)
{
    SimOptions sim;
    sim.seed = options.seed;
    sim.numThreads = options.threads;
    sim.stop = options.stop;
    return sim;
}

Diagnostic cancelled()
{
    Diagnostic d;
    d.path = kCancelledPath;
    d.message = "The computation was cancelled.";
    return d;
}

bool isCancelled(const Diagnostics& errors)
{
    for (const Diagnostic& d : errors)
        if (d.path == kCancelledPath)
            return true;
    return false;
}

} // namespace prism
