// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/variation.h"

#include "core/base/workers.h"
#include "core/insight/paired.h"
#include "core/step/passes.h"

#include <algorithm>
#include <atomic>
#include <cmath>

namespace prism {

namespace {

double poolCv(const std::vector<double>& pool, double exponent)
{
    double sum = 0, squares = 0;
    for (const double x : pool) {
        const double y = std::pow(x, exponent);
        sum += y;
        squares += y * y;
    }
    const auto n = static_cast<double>(pool.size());
    const double mean = sum / n;
    return std::sqrt(std::max(0.0, squares / n - mean * mean)) / mean;
}

Distribution scaledPool(const Distribution& d, double factor)
{
    const double requested = factor * poolCv(*d.pool, 1.0);
    double low = 0, high = 1;
    while (high < 64 && poolCv(*d.pool, high) < requested)
        high *= 2;
    for (int i = 0; i < 60; ++i) {
        const double middle = 0.5 * (low + high);
        (poolCv(*d.pool, middle) < requested ? low : high) = middle;
    }
    std::vector<double> values = *d.pool;
    for (double& x : values)
        x = std::pow(x, high);
    Distribution scaled = empiricalDistribution(std::move(values));
    scaled.rareProbability = d.rareProbability;
    scaled.rareMultiplier = d.rareMultiplier;
    return scaled;
}

template <class Visit>
void visitStepOps(StepGraph& graph, const Visit& visit)
{
    for (auto* list : {&graph.sendForward, &graph.sendBackward, &graph.gradSync, &graph.optimizer, &graph.paramGather})
        for (StepOp& op : *list)
            visit(op);
    visit(graph.embeddingAllReduce);
    visit(graph.gradNorm);
}

void addProgram(const StepGraph& graph, int program, double times, std::vector<double>& seconds)
{
    if (program < 0)
        return;
    for (const Block& block : graph.programs[static_cast<std::size_t>(program)].blocks)
        for (const Op& op : block.ops)
            seconds[static_cast<std::size_t>(op.kernelClass)] += times * block.repeat * op.meanSeconds;
}

void addOp(const StepOp& op, double times, std::vector<double>& seconds)
{
    if (op.kernelClass >= 0)
        seconds[static_cast<std::size_t>(op.kernelClass)] += times * op.meanSeconds;
}

std::vector<double> busySecondsOfStage(const StepGraph& graph, int stage)
{
    std::vector<double> seconds(graph.classes.size(), 0.0);
    const auto s = static_cast<std::size_t>(stage);
    const double microbatches = graph.schedule.numMicrobatches;
    const std::vector<double> shares = passShares(graph, stage);
    for (std::size_t row = 0; row < graph.programOf[s].size(); ++row)
        for (std::size_t phase = 0; phase < kPhases; ++phase)
            addProgram(graph, graph.programOf[s][row][phase], shares[row * kPhases + phase] * microbatches, seconds);
    for (std::size_t hop = 0; hop < graph.sendForward.size(); ++hop)
        if (graph.schedule.path[hop][0] == stage)
            addOp(graph.sendForward[hop], microbatches, seconds);
    for (std::size_t hop = 0; hop < graph.sendBackward.size(); ++hop)
        if (graph.schedule.path[hop + 1][0] == stage)
            addOp(graph.sendBackward[hop], microbatches, seconds);
    for (const auto* list : {&graph.gradSync, &graph.optimizer, &graph.paramGather})
        if (s < list->size())
            addOp((*list)[s], 1, seconds);
    if (stage == 0 || stage == graph.schedule.numStages - 1)
        addOp(graph.embeddingAllReduce, 1, seconds);
    addOp(graph.gradNorm, 1, seconds);
    return seconds;
}

} // namespace

Distribution scaledSpread(const Distribution& distribution, double factor)
{
    if (factor == 1.0)
        return distribution;
    if (factor == 0.0 || distribution.isDeterministic())
        return {};
    Distribution scaled = distribution;
    if (distribution.family == Family::empirical && distribution.pool && distribution.pool->size() > 1)
        scaled = scaledPool(distribution, factor);
    else
        scaled.cv = distribution.cv * factor;
    scaled.rareProbability = std::min(distribution.rareProbability * factor, 0.5);
    return scaled;
}

void scaleClassMean(StepGraph& graph, int kernelClass, double factor)
{
    for (Program& program : graph.programs)
        for (Block& block : program.blocks)
            for (Op& op : block.ops)
                if (op.kernelClass == kernelClass)
                    op.meanSeconds *= factor;
    visitStepOps(graph, [&](StepOp& op) {
        if (op.kernelClass == kernelClass) {
            op.meanSeconds *= factor;
            op.minExposedSeconds *= factor;
        }
    });
}

std::vector<double> busySecondsByClass(const StepGraph& graph)
{
    std::vector<double> busiest(graph.classes.size(), 0.0);
    for (int stage = 0; stage < graph.schedule.numStages; ++stage) {
        const std::vector<double> seconds = busySecondsOfStage(graph, stage);
        for (std::size_t c = 0; c < seconds.size(); ++c)
            busiest[c] = std::max(busiest[c], seconds[c]);
    }
    return busiest;
}

StepGraph withoutSpread(StepGraph graph)
{
    for (KernelClass& kernelClass : graph.classes)
        kernelClass.temporal = {};
    graph.spatial = graph.data = graph.routing = graph.intraRegime = graph.interRegime = graph.computeRegime = graph.routingRegime = {};
    graph.delays = {};
    return graph;
}

Result<std::vector<std::shared_ptr<const StepSamples>>> sampleAll(Evaluator& evaluator, std::size_t count,
                                                                  const std::function<StepGraph(std::size_t)>& make, int samples,
                                                                  const InsightOptions& options, double from, double to,
                                                                  std::string_view what)
{
    std::vector<std::shared_ptr<const StepSamples>> results(count);
    std::atomic<std::size_t> next{0}, done{0};
    SimOptions sim = pairedSampling(options, samples);
    sim.numThreads = 1;
    const auto work = [&](bool reports) {
        for (std::size_t i = next++; i < count && !options.stop.stop_requested(); i = next++) {
            results[i] = evaluator.samples(make(i), sim);
            const std::size_t finished = ++done;
            if (reports && options.progress)
                options.progress(from + (to - from) * static_cast<double>(finished) / static_cast<double>(count), what);
        }
    };
    onWorkers(options.threads, count, work);
    for (const auto& result : results)
        if (!result || !result->complete)
            return cancelled();
    return results;
}

} // namespace prism
