// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/measuredsteps.h"

namespace prism {

MeasuredSteps measuredSteps(const TraceJob& job, const GraphMaker& graph)
{
    MeasuredSteps result;
    int unmatched = 0, circular = 0;
    for (const TraceStep& step : job.steps) {
        StepLinks links = stepLinks(step, job);
        std::optional<ReplayGraph> made = graph(step, job, links);
        unmatched += links.unmatched;
        if (!made) {
            ++circular;
            continue;
        }
        std::vector<double> seconds = transferSeconds(step, links);
        result.steps.push_back({&step, std::move(links), std::move(seconds), std::move(*made)});
    }
    const auto say = [&](int n, const char* what) {
        if (n > 0)
            result.notes.push_back({Severity::warning, job.name, std::to_string(n) + what, "", "", "", ""});
    };
    say(unmatched, " sends and receives have no partner; their recorded durations include waiting");
    say(circular, " steps were omitted because their operations wait for each other in a circle");
    return result;
}

} // namespace prism
