// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/predictor.h"

#include "core/base/valuetext.h"
#include "core/base/text.h"
#include "core/cost/assembly.h"
#include "core/cost/classes.h"
#include "core/cost/scheduleof.h"
#include "core/schedule/shape.h"
#include "core/step/graphlimits.h"

#include <algorithm>

namespace prism {

namespace {

/// The longest kernel, collective or transfer of a graph.
double longestOpSeconds(const StepGraph& g)
{
    double longest = std::max(g.gradNorm.meanSeconds, g.embeddingAllReduce.meanSeconds);
    const auto take = [&longest](double seconds) { longest = seconds <= longest ? longest : seconds; }; // NaN propagates
    for (const Program& p : g.programs)
        for (const Block& b : p.blocks)
            for (const Op& o : b.ops)
                take(o.meanSeconds);
    for (const auto* ops : {&g.sendForward, &g.sendBackward, &g.gradSync, &g.optimizer, &g.paramGather})
        for (const StepOp& o : *ops)
            take(o.meanSeconds);
    return longest;
}

/// What is wrong with a scenario, and what may be.
Diagnostics findings(const Scenario& scenario)
{
    Diagnostics diagnostics = check(scenario);
    Diagnostics unknown = unknownClasses(scenario);
    diagnostics.insert(diagnostics.end(), std::make_move_iterator(unknown.begin()), std::make_move_iterator(unknown.end()));
    return diagnostics;
}

Diagnostics tooLong(const StepGraph& graph)
{
    const double longest = longestOpSeconds(graph);
    if (longest <= kMaxOpSeconds)
        return {};
    return {{Severity::error, "model", "a kernel of this model takes longer than a step may", numberText(longest) + " s",
             "at most " + numberText(kMaxOpSeconds) + " s", "", ""}};
}

} // namespace

std::string bandSource(const CostedStep& costed)
{
    return costed.levelMeasured       ? "a measurement of this job"
           : costed.withinCalibration ? "90 % of the published runs"
                                      : "outside of what was validated: 90 % of the runs of other software and machines";
}

Result<CostedStep> costStepWith(const Scenario& scenario, const Calibration& calibration)
{
    Diagnostics diagnostics = findings(scenario);
    if (hasErrors(diagnostics))
        return diagnostics;
    Result<CostedStep> result = Assembly(scenario, calibration).run();
    if (!result)
        return result;
    CostedStep& step = result.value();
    if (Diagnostics errors = tooLong(step.graph); !errors.empty())
        return errors;
    step.warnings.insert(step.warnings.end(), std::make_move_iterator(diagnostics.begin()), std::make_move_iterator(diagnostics.end()));
    if (const Layout layout = scenario.parallelism.tpCommOverlap ? layoutOf(scenario) : Layout(); !tensorOverlapReaches(layout))
        step.warnings.push_back({Severity::warning, "parallelism.tp_comm_overlap",
                                 "tensor-parallel traffic is not overlapped: its group leaves the NVLink domain",
                                 "TP " + std::to_string(layout.tensor.size) + " on " + std::to_string(layout.tensor.nodes) + " nodes",
                                 "a group of one node, or false", "parallelism.tp_comm_overlap", "false"});
    if (!step.memory.fits)
        step.warnings.push_back({Severity::warning, "cluster.gpu.memory_gib", "the job does not fit into the memory of a GPU",
                                 earnedDigits(step.memory.peakGib, 0.1) + " GiB",
                                 "at most " + earnedDigits(step.memory.capacityGib, 0.1) + " GiB", "", ""});
    return result;
}

Result<double> noiseFreeSecondsWith(const Scenario& scenario, const Calibration& calibration)
{
    Diagnostics diagnostics = check(scenario);
    if (hasErrors(diagnostics))
        return diagnostics;
    return Assembly(scenario, calibration).noiseFreeSeconds();
}

Result<CostedStep> costStep(const Scenario& scenario)
{
    return costStepWith(scenario, calibration());
}

Result<double> noiseFreeSeconds(const Scenario& scenario)
{
    return noiseFreeSecondsWith(scenario, calibration());
}

Result<QuickStep> QuickCoster::step(const Scenario& scenario)
{
    if (Diagnostics diagnostics = findings(scenario); hasErrors(diagnostics))
        return diagnostics;
    // Lists of the user, nodes that are faster than the reference, and programs that depend on the order of the schedule are costed in
    // full.
    const ParallelismConfig& par = scenario.parallelism;
    const bool noBound = !scenario.measured.speeds.empty() || par.overlapMoeExpertParallelComm;
    if (par.pipelineSchedule == "custom" || (plansOrder(scheduleName(par)) && noBound)) {
        const Result<CostedStep> full = costStep(scenario);
        if (!full.ok())
            return full.errors();
        return QuickStep{full->memory.fits ? full->noiseFreeSeconds : 0,
                         full->memory.peakGib,
                         full->memory.capacityGib,
                         full->tokensPerStep,
                         full->memory.fits,
                         false};
    }
    Assembly assembly(scenario, calibration());
    Result<QuickStep> quick = assembly.quick(m_schedules);
    if (quick.ok() && quick->fits)
        if (Diagnostics errors = tooLong(assembly.graph()); !errors.empty())
            return errors;
    return quick;
}

} // namespace prism
