// SPDX-License-Identifier: GPL-3.0-or-later
// The noise-free step and the memory alone, for a search.
#include "core/cost/assembly.h"

#include "core/cost/programs.h"
#include "core/step/deterministicstep.h"

#include <algorithm>

namespace prism {

/// No order of its schedule takes less: a stage has to wait for its first forward, to do all its work, and to end the step.
double Assembly::minSeconds() const
{
    const StepGraph& g = m_out.graph;
    const auto pass = [&](std::size_t stage, std::size_t chunk, std::size_t phase) {
        const int program = g.programOf[stage][chunk][phase];
        return program < 0 ? 0.0 : programSeconds(g.programs[static_cast<std::size_t>(program)]);
    };
    const auto exposed = [](const StepOp& op) { return op.kernelClass < 0 ? 0.0 : exposedSeconds(op, 1.0); };
    std::vector<double> arrival(g.programOf.size(), -1.0);
    double forwards = 0, smallest = 0;
    for (const auto& [stage, chunk] : g.schedule.path) {
        double& first = arrival[static_cast<std::size_t>(stage)];
        first = first < 0 ? forwards : first;
        forwards += pass(static_cast<std::size_t>(stage), static_cast<std::size_t>(chunk), 0);
    }
    for (std::size_t stage = 0; stage < g.programOf.size(); ++stage) {
        double work = 0;
        for (std::size_t chunk = 0; chunk < static_cast<std::size_t>(g.schedule.numChunks); ++chunk)
            for (std::size_t phase = 0; phase < kPhases; ++phase)
                work += pass(stage, chunk, phase);
        const double tail = exposed(g.gradSync[stage]) + exposed(g.gradNorm) + exposed(g.optimizer[stage]) + exposed(g.paramGather[stage]);
        smallest = std::max(smallest, arrival[stage] + g.schedule.numMicrobatches * work + tail);
    }
    return smallest;
}

Result<QuickStep> Assembly::quick(ScheduleMemo& schedules)
{
    StepGraph& g = m_out.graph;
    setSizes();
    const auto made = schedules.of(m_scenario.parallelism, static_cast<int>(m_shape.numMicrobatches));
    if (!made.ok())
        return made.errors();
    const Schedule& schedule = **made;
    g.schedule = {
        schedule.name, schedule.numStages, schedule.numChunks, schedule.numMicrobatches, schedule.splitsWeight, schedule.path, {}};
    addChunks();
    QuickStep quick;
    quick.bound = schedule.order.empty();
    const std::vector<double> kept = activations();
    addMemory(bytesInFlight(schedule, kept));
    quick.peakGib = m_out.memory.peakGib;
    quick.capacityGib = m_out.memory.capacityGib;
    quick.fits = m_out.memory.fits;
    quick.tokensPerStep = real(m_scenario.training.globalBatchSize) * real(m_scenario.model.seqLength);
    if (!quick.fits)
        return quick;
    costPrograms(schedule);
    addMeans();
    if (quick.bound) {
        quick.noiseFreeSeconds = minSeconds();
        return quick;
    }
    g.schedule.order = schedule.order;
    quick.noiseFreeSeconds = deterministicStepSeconds(g);
    return quick;
}

} // namespace prism
