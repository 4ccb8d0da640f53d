// SPDX-License-Identifier: GPL-3.0-or-later
// A study of 1,000 scenarios and 10,000 revisions: time to open it and to commit an edit. PRISM_BENCH_FOLDER sets the disk
// (otherwise the current folder).
#include "core/scenario/presets.h"
#include "core/study/study.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>

namespace prism {
namespace {

constexpr int kScenarios = 1000;
constexpr int kRevisions = 10; // of each

std::string scenarioText(int number)
{
    Result<Scenario> scenario = scenarioPreset("llama3-405b-16k-h100");
    Scenario value = scenario.ok() ? *scenario : Scenario{};
    value.name = "scenario " + std::to_string(number);
    value.training.globalBatchSize += number;
    return toJson(value);
}

std::string benchFile(const std::string& name)
{
    const char* folder = std::getenv("PRISM_BENCH_FOLDER");
    return ((folder != nullptr ? std::filesystem::path(folder) : std::filesystem::temp_directory_path()) / name).string();
}

/// The big study; made once, in memory, and saved.
const std::string& bigStudy()
{
    static const std::string path = [] {
        std::string file = benchFile("bench-study.prism");
        Result<Study> study = Study::memory();
        for (int s = 0; s < kScenarios; ++s) {
            const auto id = study->addScenario("scenario " + std::to_string(s), scenarioText(s));
            for (int r = 1; r < kRevisions; ++r)
                (void)study->updateScenario(*id, {.json = scenarioText(s * 100 + r), .label = "Global batch size"});
        }
        const Diagnostics problem = study->saveCopy(file);
        return hasErrors(problem) ? std::string() : file;
    }();
    return path;
}

void reportMedian(benchmark::State& state, std::vector<double> seconds)
{
    std::sort(seconds.begin(), seconds.end());
    if (seconds.empty())
        return;
    state.counters["median_ms"] = 1e3 * seconds[seconds.size() / 2];
    state.counters["p95_ms"] = 1e3 * seconds[seconds.size() * 95 / 100];
    state.counters["worst_ms"] = 1e3 * seconds.back();
}

double secondsSince(std::chrono::steady_clock::time_point begin)
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void studyOpen(benchmark::State& state)
{
    std::vector<double> seconds;
    const std::string path = bigStudy();
    bool checked = true;
    for ([[maybe_unused]] auto round : state) {
        const auto begin = std::chrono::steady_clock::now();
        const Result<Study> study = Study::open(path);
        seconds.push_back(secondsSince(begin));
        if (!study.ok() || study->scenarios().size() != kScenarios) {
            state.SkipWithError("the study does not open");
            return;
        }
        checked = checked && study->notes().empty();
    }
    reportMedian(state, seconds);
    state.counters["file_MB"] = static_cast<double>(std::filesystem::file_size(path)) / 1e6;
    state.counters["checked"] = checked ? 1 : 0; // 0: the integrity check ran out of its time
}
BENCHMARK(studyOpen)->Unit(benchmark::kMillisecond)->UseRealTime();

/// range(0): 1 = in the big study, 0 = in a fresh one.
void studyEdit(benchmark::State& state)
{
    const std::string path = benchFile("bench-edit.prism");
    std::filesystem::remove(path);
    if (state.range(0))
        std::filesystem::copy_file(bigStudy(), path);
    Result<Study> study = state.range(0) ? Study::open(path) : Study::create(path);
    const ScenarioId id = state.range(0) ? study->scenarios().front().id : *study->addScenario("base", scenarioText(0));
    std::vector<double> seconds;
    int number = 0;
    for ([[maybe_unused]] auto round : state) {
        const std::string text = scenarioText(++number);
        const auto begin = std::chrono::steady_clock::now();
        const auto revision = study->updateScenario(id, {.json = text, .label = "Global batch size"});
        seconds.push_back(secondsSince(begin));
        if (!revision.ok()) {
            state.SkipWithError("the edit was not stored");
            return;
        }
    }
    reportMedian(state, seconds);
    study = Study::memory();
    std::filesystem::remove(path);
}
BENCHMARK(studyEdit)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(200);

} // namespace
} // namespace prism
