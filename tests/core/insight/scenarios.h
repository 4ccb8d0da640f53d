// SPDX-License-Identifier: GPL-3.0-or-later
// A scenario that is quick to predict and has every kind of cause, for the tests of the insights.
#pragma once

#include "core/insight/graphs.h"
#include "core/insight/insight.h"
#include "core/scenario/presets.h"

namespace prism::testscenarios {

/// A pipeline of four stages and two replicas on eight nodes.
inline Scenario smallScenario()
{
    Scenario s = scenarioPreset("llama3-70b-256-h100").value();
    s.cluster.numGpus = 64;
    s.parallelism.tensorModelParallelSize = 8;
    s.parallelism.pipelineModelParallelSize = 4;
    s.parallelism.virtualPipelineModelParallelSize = 1;
    s.parallelism.contextParallelSize = 1;
    s.parallelism.zeroStage = 1;
    s.parallelism.pipelineSchedule = "1f1b";
    s.training.globalBatchSize = 16;
    s.training.microBatchSize = 1;
    s.training.trainTokens = 1e9;
    s.variability.interRegime = lognormal(0.2);
    return s;
}

inline InsightOptions withSamples(int n)
{
    InsightOptions options;
    options.samples = n;
    return options;
}

} // namespace prism::testscenarios
