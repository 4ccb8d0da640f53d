// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/communication.h"

#include "core/schedule/pieces.h"
#include "core/step/passes.h"

#include <algorithm>

namespace prism {
namespace {

/// Hidden and exposed seconds of one stage by class, and how long the stage is busy.
struct StageTime {
    std::vector<double> hidden, exposed;
    double busy = 0;
};

void add(StageTime& t, int kernelClass, double hidden, double exposed)
{
    const auto c = static_cast<std::size_t>(kernelClass);
    t.hidden[c] += hidden;
    t.exposed[c] += exposed;
    t.busy += exposed;
}

void addStepOp(StageTime& t, const std::vector<StepOp>& ops, std::size_t stage)
{
    if (stage >= ops.size() || ops[stage].kernelClass < 0)
        return;
    const StepOp& op = ops[stage];
    const double exposed = exposedSeconds(op, 1.0);
    add(t, op.kernelClass, std::max(0.0, op.meanSeconds - exposed), exposed);
}

/// Programs of a stage as often as its schedule runs them.
void addPasses(StageTime& t, const StepGraph& g, std::size_t stage)
{
    for (const PassStep& step : passSteps(g.schedule.order[stage])) {
        const auto row = static_cast<std::size_t>(programRow(g, step.item, step.paired));
        const int program = g.programOf[stage][row][static_cast<std::size_t>(step.item.phase)];
        if (program < 0 || !step.runs)
            continue;
        for (const Block& block : g.programs[static_cast<std::size_t>(program)].blocks)
            for (const Op& op : block.ops) {
                const double exposed = std::max(0.0, op.meanSeconds - op.hiddenSeconds);
                add(t, op.kernelClass, block.repeat * (op.meanSeconds - exposed), block.repeat * exposed);
            }
    }
}

/// Sends of a stage: one for each micro-batch and hop that starts there.
void addTransfers(StageTime& t, const StepGraph& g, std::size_t stage)
{
    const auto& path = g.schedule.path;
    for (std::size_t i = 0; i + 1 < path.size(); ++i)
        for (const bool forward : {true, false}) {
            const auto& ops = forward ? g.sendForward : g.sendBackward;
            const int from = forward ? path[i][0] : path[i + 1][0];
            if (i >= ops.size() || ops[i].kernelClass < 0 || from != static_cast<int>(stage))
                continue;
            const double seconds = g.schedule.numMicrobatches * ops[i].meanSeconds;
            add(t, ops[i].kernelClass, g.transferOccupiesSender ? 0 : seconds, g.transferOccupiesSender ? seconds : 0);
        }
}

void addCategories(Communication& out, const StepGraph& g, const std::vector<StageTime>& times)
{
    CategorySeconds longest{};
    out.hidden.assign(times.size(), {});
    for (std::size_t c = 0; c < g.classes.size(); ++c) {
        const auto category = static_cast<std::size_t>(g.classes[c].category);
        for (std::size_t p = 0; p < times.size(); ++p)
            out.hidden[p][category] += times[p].hidden[c];
        const StageTime& busiest = times[static_cast<std::size_t>(out.stage)];
        if (const double seconds = busiest.hidden[c] + busiest.exposed[c]; seconds > longest[category]) {
            longest[category] = seconds;
            out.longestClass[category] = g.classes[c].name;
        }
    }
}

} // namespace

Communication communicationOf(const StepGraph& g, double stepSeconds)
{
    const auto stages = static_cast<std::size_t>(g.schedule.numStages);
    std::vector<StageTime> times;
    for (std::size_t p = 0; p < stages; ++p) {
        StageTime t{std::vector<double>(g.classes.size()), std::vector<double>(g.classes.size()), 0};
        addPasses(t, g, p);
        addTransfers(t, g, p);
        for (const auto* ops : {&g.gradSync, &g.optimizer, &g.paramGather})
            addStepOp(t, *ops, p);
        addStepOp(t, {g.gradNorm}, 0);
        const bool embeds = !g.schedule.path.empty()
                            && (g.schedule.path.front()[0] == static_cast<int>(p) || g.schedule.path.back()[0] == static_cast<int>(p));
        if (embeds)
            addStepOp(t, {g.embeddingAllReduce}, 0);
        times.push_back(std::move(t));
    }
    Communication out;
    if (times.empty())
        return out;
    const auto busiest = std::max_element(times.begin(), times.end(), [](const auto& a, const auto& b) { return a.busy < b.busy; });
    out.stage = static_cast<int>(busiest - times.begin());
    addCategories(out, g, times);
    double meanExposed = 0;
    for (std::size_t c = 0; c < g.classes.size(); ++c) {
        if (g.classes[c].scope == Scope::none)
            continue;
        ClassCommunication one{g.classes[c].name, g.classes[c].scope, g.classes[c].category, busiest->hidden[c], busiest->exposed[c]};
        for (const StageTime& t : times) {
            one.meanHiddenSeconds += t.hidden[c] / static_cast<double>(stages);
            one.meanExposedSeconds += t.exposed[c] / static_cast<double>(stages);
        }
        if (one.meanHiddenSeconds + one.meanExposedSeconds <= 0)
            continue;
        out.exposedSeconds += one.exposedSeconds;
        meanExposed += one.meanExposedSeconds;
        out.classes.push_back(std::move(one));
    }
    if (stepSeconds > 0) {
        out.exposedShare = out.exposedSeconds / stepSeconds;
        out.exposedShareOfGpuHours = meanExposed / stepSeconds;
    }
    return out;
}

} // namespace prism
