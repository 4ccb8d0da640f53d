// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/validate/samplelog.h"

#include "core/calibrate/runfit.h"
#include "core/cost/predictor.h"
#include "core/stats/moments.h"

#include <spdlog/fmt/fmt.h>

namespace prism {

Result<std::string> sampleLog(Evaluator& evaluator, const Scenario& scenario, const InsightOptions& options)
{
    constexpr int kSteps = 1'900, kPredicted = 4'000;
    const Result<PredictedRun> own = predictedRun(evaluator, scenario, evaluateOptions(options, kPredicted), true);
    if (!own.ok())
        return options.stop.stop_requested() ? Diagnostics{cancelled()} : own.errors();
    SimOptions sim = simOptions(options);
    sim.seed = options.seed + 1;
    sim.numSamples = 0;
    sim.numWithinSamples = kSteps;
    const auto made = evaluator.samples(costStep(scenario)->graph, sim);
    if (!made->complete)
        return cancelled();
    std::vector<double> seconds = atOneLevel(made->withinSeconds);
    addTrend(seconds, own->systems->trend);
    const double level = medianOf(own->seconds) / medianOf(seconds); // another seed's median job has other GPUs
    std::string text = "step,step_time_s\n";
    for (std::size_t i = 0; i < seconds.size(); ++i)
        text += fmt::format("{},{:.6f}\n", i + 1, level * seconds[i]);
    return text;
}

} // namespace prism
