// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/validate/samplelog.h"

#include <spdlog/fmt/fmt.h>

namespace prism {

Result<std::string> sampleLog(Evaluator& evaluator, const Scenario& scenario, const InsightOptions& options)
{
    constexpr int kSteps = 1900;
    EvaluateOptions how;
    how.seed = options.seed + 1;
    how.numSamples = kSteps;
    how.varianceShares = how.systemsRange = false;
    how.stop = options.stop;
    const SnapshotPtr made = evaluator.evaluate(scenario, how);
    if (!made->valid())
        return made->diagnostics;
    if (!made->samples || made->samples->withinSeconds.size() < static_cast<std::size_t>(kSteps))
        return Diagnostic{.message = "Cancelled."};
    std::string text = "step,step_time_s\n";
    for (std::size_t i = 0; i < made->samples->withinSeconds.size(); ++i)
        text += fmt::format("{},{:.6f}\n", i + 1, made->samples->withinSeconds[i]);
    return text;
}

} // namespace prism
