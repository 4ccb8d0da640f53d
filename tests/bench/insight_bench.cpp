// SPDX-License-Identifier: GPL-3.0-or-later
// Time of the insights on the 65,536-GPU preset, each with a fresh evaluator, so that nothing is cached.
#include "core/insight/sensitivity/attribution.h"
#include "core/insight/placement/placement.h"
#include "core/insight/scale/scale.h"
#include "core/insight/sensitivity/sensitivity.h"
#include "core/scenario/presets.h"

#include <benchmark/benchmark.h>

namespace {

using namespace prism;

Scenario preset()
{
    return scenarioPreset("prism-64k").value();
}

void heatMap(benchmark::State& state)
{
    const Scenario scenario = preset();
    for (auto _ : state) {
        Evaluator evaluator;
        const auto map = placementMap(evaluator, scenario, {1.2, 1.0});
        benchmark::DoNotOptimize(map.ok());
        state.counters["places"] = static_cast<double>(map->cells.size());
        state.counters["samples"] = map->samples;
        state.counters["p95_ratio_ci95"] = map->cells.front().p95Ratio.halfWidth;
    }
}

void sensitivityTable(benchmark::State& state)
{
    const Scenario scenario = preset();
    for (auto _ : state) {
        Evaluator evaluator;
        const auto table = sensitivity(evaluator, scenario);
        benchmark::DoNotOptimize(table.ok());
        state.counters["rows"] = static_cast<double>(table->rows.size());
        state.counters["variations"] = table->evaluations;
        state.counters["samples"] = table->samples;
    }
}

void scaleTenPoints(benchmark::State& state)
{
    const Scenario scenario = preset();
    for (auto _ : state) {
        Evaluator evaluator;
        const auto curve = scaleCurve(evaluator, scenario, ScaleMode::weak, {128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536});
        benchmark::DoNotOptimize(curve.ok());
        state.counters["points"] = static_cast<double>(curve->points.size());
        state.counters["samples"] = curve->samples;
    }
}

void tailAttribution(benchmark::State& state)
{
    const Scenario scenario = preset();
    for (auto _ : state) {
        Evaluator evaluator;
        const auto result = attribution(evaluator, scenario);
        benchmark::DoNotOptimize(result.ok());
        state.counters["steps"] = result->samples;
    }
}

BENCHMARK(heatMap)->Unit(benchmark::kMillisecond)->Iterations(1)->UseRealTime();
BENCHMARK(sensitivityTable)->Unit(benchmark::kMillisecond)->Iterations(1)->UseRealTime();
BENCHMARK(scaleTenPoints)->Unit(benchmark::kMillisecond)->Iterations(1)->UseRealTime();
BENCHMARK(tailAttribution)->Unit(benchmark::kMillisecond)->Iterations(1)->UseRealTime();

} // namespace
