// SPDX-License-Identifier: GPL-3.0-or-later
// The engine's claims, each with counters that do not depend on the machine: node-samples, recomputed nodes, allocations.
#include "bench/allocations.h"
#include "core/engine/evaluator.h"
#include "core/scenario/parameters.h"
#include "core/scenario/presets.h"
#include "core/sim/lanetargets.h"
#include "bench/sweepbenchmark.h"
#include "core/step/deterministicstep.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace prism {
namespace {

constexpr int kSamples = 10'000;

Scenario largeJob()
{
    return scenarioPreset("prism-64k").value();
}

void countRun(benchmark::State& state, const SweepBenchmarkRun& run, std::uint64_t allocationsBefore)
{
    const auto runs = static_cast<double>(state.iterations());
    state.counters["node_samples"] = static_cast<double>(run.nodeSamples);
    state.counters["ns_per_node_sample"] = benchmark::Counter(static_cast<double>(run.nodeSamples) * 1e-9,
                                                              benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
    state.counters["allocations"] = static_cast<double>(bench::allocationCount() - allocationsBefore) / runs;
    state.counters["mean_s"] = run.meanSeconds;
}

void countEvaluation(benchmark::State& state, const EvaluationCost& cost, std::uint64_t allocationsBefore)
{
    state.counters["recomputed_nodes"] = cost.recomputedNodes;
    state.counters["nodes"] = cost.totalNodes;
    state.counters["node_samples"] = static_cast<double>(cost.nodeSamples);
    state.counters["allocations"] =
        static_cast<double>(bench::allocationCount() - allocationsBefore) / static_cast<double>(state.iterations());
}

/// 16 stages x 64 micro-batches, one core: the plain loop.
void sweepBenchmarkPlain(benchmark::State& state)
{
    const StepGraph graph = sweepBenchmarkGraph(16, 64);
    SweepBenchmarkRun run;
    const std::uint64_t before = bench::allocationCount();
    for (auto _ : state)
        run = plainSweep(graph, 500);
    countRun(state, run, before);
}
BENCHMARK(sweepBenchmarkPlain)->Unit(benchmark::kMillisecond);

/// The same by the product's kernel; the argument is the instruction set, the best one first.
void sweepBenchmarkKernel(benchmark::State& state)
{
    const auto targets = laneTargets();
    if (static_cast<std::size_t>(state.range(0)) >= targets.size()) {
        state.SkipWithError("this processor has no such instruction set");
        return;
    }
    const LaneTarget& target = targets[static_cast<std::size_t>(state.range(0))];
    state.SetLabel(target.name);
    useLaneTarget(target.id);
    const KernelSweep sweep(sweepBenchmarkGraph(16, 64));
    SweepBenchmarkRun run;
    const std::uint64_t before = bench::allocationCount();
    for (auto _ : state)
        run = sweep.run(kSamples);
    countRun(state, run, before);
    useLaneTarget(0);
}
BENCHMARK(sweepBenchmarkKernel)->DenseRange(0, 3)->Unit(benchmark::kMillisecond);

void deterministicEvaluation(benchmark::State& state)
{
    const CostedStep costed = costStep(largeJob()).value();
    const std::uint64_t before = bench::allocationCount();
    for (auto _ : state)
        benchmark::DoNotOptimize(deterministicStepSeconds(costed.graph));
    state.counters["allocations"] = static_cast<double>(bench::allocationCount() - before) / static_cast<double>(state.iterations());
}
BENCHMARK(deterministicEvaluation)->Unit(benchmark::kMicrosecond);

void cold64k(benchmark::State& state)
{
    const Scenario scenario = largeJob();
    const std::uint64_t before = bench::allocationCount();
    EvaluationCost cost;
    for (auto _ : state) {
        Evaluator evaluator;
        cost = evaluator.evaluate(scenario, {})->cost;
        state.counters["cache_mib"] = static_cast<double>(evaluator.cacheBytes()) / 1048576.0;
    }
    countEvaluation(state, cost, before);
    state.counters["peak_process_mib"] = bench::peakMemoryMib();
}
BENCHMARK(cold64k)->Unit(benchmark::kMillisecond)->UseRealTime();

/// Evaluates one edit after the other on one evaluator; cvOf(i) gives the i-th spread of matrix products.
template <class CvOf>
void editJob(benchmark::State& state, const CvOf& cvOf)
{
    const Scenario scenario = largeJob();
    Evaluator evaluator;
    (void)evaluator.evaluate(scenario, {});
    EvaluateOptions options;
    options.varianceShares = options.systemsRange = false;
    double first = 0.0;
    options.onProgress = [&](const SnapshotPtr& s) { first = s->stage == Stage::coarse ? s->cost.elapsedSeconds : first; };
    EvaluationCost cost;
    const std::uint64_t before = bench::allocationCount();
    int i = 0;
    for (auto _ : state)
        cost = evaluator.evaluate(setParameter(scenario, "variability.gemm.cv", std::to_string(cvOf(i++))).value(), options)->cost;
    countEvaluation(state, cost, before);
    state.counters["first_curve_ms"] = first * 1e3;
}

void spreadEdit64k(benchmark::State& state)
{
    editJob(state, [](int i) { return 0.01 + 1e-4 * (i + 1); });
}
BENCHMARK(spreadEdit64k)->Unit(benchmark::kMillisecond)->UseRealTime();

/// An edit and its undo in turn, both known by now: nothing is recomputed.
void undo64k(benchmark::State& state)
{
    editJob(state, [](int i) { return i % 2 == 0 ? 0.02 : 0.03; });
}
BENCHMARK(undo64k)->Unit(benchmark::kMillisecond)->UseRealTime()->MinWarmUpTime(0.5);

/// Another number of replicas of a known job.
void replicasEdit64k(benchmark::State& state)
{
    const CostedStep costed = costStep(largeJob()).value();
    Evaluator evaluator;
    (void)evaluator.evaluate(largeJob(), {});
    SimOptions options;
    options.numWithinSamples = -1;
    int i = 0;
    std::uint64_t nodeSamples = 0;
    for (auto _ : state) {
        StepGraph graph = costed.graph;
        graph.numReplicas = 511 - i++ % 400;
        const auto samples = evaluator.samples(graph, options);
        nodeSamples = samples->nodeSamples;
        state.counters["recomputed_nodes"] = static_cast<double>(samples->recomputed.size());
    }
    state.counters["node_samples"] = static_cast<double>(nodeSamples);
}
BENCHMARK(replicasEdit64k)->Unit(benchmark::kMillisecond)->UseRealTime();

/// The cost from 128 to 65,536 GPUs.
void growthWithReplicas(benchmark::State& state)
{
    CostedStep costed = costStep(largeJob()).value();
    costed.graph.numReplicas = static_cast<int>(state.range(0));
    SimOptions options;
    options.numWithinSamples = -1;
    std::uint64_t nodeSamples = 0;
    for (auto _ : state)
        nodeSamples = simulate(costed.graph, options).nodeSamples;
    state.counters["gpus"] = 128.0 * static_cast<double>(state.range(0));
    state.counters["node_samples"] = static_cast<double>(nodeSamples);
}
BENCHMARK(growthWithReplicas)->Arg(1)->Arg(8)->Arg(64)->Arg(512)->Unit(benchmark::kMillisecond)->UseRealTime();

/// From the request to stop to the return, at 20 moments spread over a cold evaluation.
void cancel64k(benchmark::State& state)
{
    using Clock = std::chrono::steady_clock;
    const Scenario scenario = largeJob();
    double cold = 1e300, slowest = 0.0;
    for (int i = 0; i < 2; ++i) {
        const auto start = Clock::now();
        Evaluator evaluator;
        (void)evaluator.evaluate(scenario, {});
        cold = std::min(cold, std::chrono::duration<double>(Clock::now() - start).count());
    }
    int i = 0;
    for (auto _ : state) {
        std::stop_source source;
        EvaluateOptions options;
        options.stop = source.get_token();
        Clock::time_point requested;
        std::thread canceller([&] {
            std::this_thread::sleep_for(std::chrono::duration<double>(cold * (i++ % 20 + 0.5) / 20.0));
            requested = Clock::now();
            source.request_stop();
        });
        Evaluator evaluator;
        benchmark::DoNotOptimize(evaluator.evaluate(scenario, options));
        const auto done = Clock::now();
        canceller.join();
        const double seconds = std::max(0.0, std::chrono::duration<double>(done - requested).count());
        slowest = std::max(slowest, seconds);
        state.SetIterationTime(seconds);
    }
    state.counters["slowest_ms"] = slowest * 1e3;
}
BENCHMARK(cancel64k)->Unit(benchmark::kMillisecond)->UseManualTime()->Iterations(20);

} // namespace
} // namespace prism
