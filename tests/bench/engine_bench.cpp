// The engine's claims: time per node-sample, cold and incremental evaluation of 65,536 GPUs, growth with the job, cancelling.
#include "core/engine/evaluator.h"
#include "core/scenario/parameters.h"
#include "core/scenario/presets.h"
#include "core/sim/yardstick.h"

#include <benchmark/benchmark.h>

#include <chrono>
#include <thread>

namespace prism {
namespace {

constexpr int kSamples = 10'000;

void yardstickPlain(benchmark::State& state)
{
    const StepGraph graph = yardstickGraph(16, 64);
    YardstickRun run;
    for (auto _ : state)
        run = plainSweep(graph, 500);
    state.counters["node-samples/s"] = benchmark::Counter(static_cast<double>(run.nodeSamples), benchmark::Counter::kIsIterationInvariantRate);
    state.counters["mean_s"] = run.meanSeconds;
}
BENCHMARK(yardstickPlain)->Unit(benchmark::kMillisecond);

void yardstickKernel(benchmark::State& state)
{
    const KernelSweep sweep(yardstickGraph(16, 64));
    YardstickRun run;
    for (auto _ : state)
        run = sweep.run(kSamples);
    state.counters["node-samples/s"] = benchmark::Counter(static_cast<double>(run.nodeSamples), benchmark::Counter::kIsIterationInvariantRate);
    state.counters["mean_s"] = run.meanSeconds;
}
BENCHMARK(yardstickKernel)->Unit(benchmark::kMillisecond);

void deterministicEvaluation(benchmark::State& state)
{
    const CostedStep costed = costStep(scenarioPreset("prism-64k").value()).value();
    for (auto _ : state)
        benchmark::DoNotOptimize(deterministicStepSeconds(costed.graph));
}
BENCHMARK(deterministicEvaluation)->Unit(benchmark::kMicrosecond);

void cold64k(benchmark::State& state)
{
    const Scenario scenario = scenarioPreset("prism-64k").value();
    for (auto _ : state) {
        Evaluator evaluator;
        const auto snapshot = evaluator.evaluate(scenario, {});
        state.counters["cache_mib"] = static_cast<double>(evaluator.cacheBytes()) / 1048576.0;
        state.counters["node_samples"] = static_cast<double>(snapshot->cost.nodeSamples);
    }
}
BENCHMARK(cold64k)->Unit(benchmark::kMillisecond)->UseRealTime();

void spreadEdit64k(benchmark::State& state)
{
    const Scenario scenario = scenarioPreset("prism-64k").value();
    Evaluator evaluator;
    (void)evaluator.evaluate(scenario, {});
    double cv = 0.01;
    double first = 0.0;
    for (auto _ : state) {
        const Scenario edited = setParameter(scenario, "variability.gemm.cv", std::to_string(cv += 1e-4)).value();
        EvaluateOptions options;
        options.varianceShares = false;
        options.onProgress = [&](const SnapshotPtr& s) { first = s->cost.elapsedSeconds; };
        benchmark::DoNotOptimize(evaluator.evaluate(edited, options));
    }
    state.counters["first_curve_ms"] = first * 1e3;
}
BENCHMARK(spreadEdit64k)->Unit(benchmark::kMillisecond)->UseRealTime();

void growthWithReplicas(benchmark::State& state)
{
    CostedStep costed = costStep(scenarioPreset("prism-64k").value()).value();
    costed.graph.numReplicas = static_cast<int>(state.range(0));
    SimOptions options;
    options.numWithinSamples = -1;
    for (auto _ : state)
        benchmark::DoNotOptimize(simulate(costed.graph, options));
    state.counters["gpus"] = 128.0 * static_cast<double>(state.range(0));
}
BENCHMARK(growthWithReplicas)->Arg(1)->Arg(8)->Arg(64)->Arg(512)->Unit(benchmark::kMillisecond)->UseRealTime();

void cancel64k(benchmark::State& state)
{
    const CostedStep costed = costStep(scenarioPreset("prism-64k").value()).value();
    for (auto _ : state) {
        std::stop_source source;
        SimOptions options;
        options.stop = source.get_token();
        std::chrono::steady_clock::time_point asked;
        std::thread canceller([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(60));
            asked = std::chrono::steady_clock::now();
            source.request_stop();
        });
        benchmark::DoNotOptimize(simulate(costed.graph, options));
        const auto done = std::chrono::steady_clock::now();
        canceller.join();
        state.SetIterationTime(std::max(0.0, std::chrono::duration<double>(done - asked).count()));
    }
}
BENCHMARK(cancel64k)->Unit(benchmark::kMillisecond)->UseManualTime()->Iterations(5);

} // namespace
} // namespace prism
