// SPDX-License-Identifier: GPL-3.0-or-later
#include "fuzz/writtenseeds.h"

#include "core/base/textfile.h"
#include "core/cost/calibration.h"
#include "core/cost/predictor.h"
#include "core/explore/records.h"
#include "core/scenario/presets.h"
#include "core/study/study.h"
#include "fuzz/scratch.h"
#include "fuzz/target.h"

#include <filesystem>

namespace prism::fuzz {
namespace {

constexpr const char* kSmall = "llama2-7b-8-a100";

/// The smallest scenario of the library, and one that has more sections.
std::vector<Scenario> scenarios()
{
    std::vector<Scenario> all;
    for (const char* name : {kSmall, "sample-slow-node", "qwen3-235b-256-h100"})
        if (Result<Scenario> scenario = scenarioPreset(name))
            all.push_back(std::move(scenario).value());
    holds(!all.empty(), "the library has scenarios");
    return all;
}

} // namespace

std::vector<std::string> writtenScenarios()
{
    std::vector<std::string> texts;
    for (const Scenario& scenario : scenarios())
        texts.push_back(toJson(scenario));
    return texts;
}

std::vector<std::string> writtenGraphs()
{
    Scenario scenario = scenarios().front();
    std::vector<std::string> texts;
    for (const int stages : {1, 2}) {
        scenario.model.numLayers = 4;
        scenario.parallelism.pipelineModelParallelSize = stages;
        scenario.training.globalBatchSize = 8 * scenario.training.microBatchSize;
        if (const Result<CostedStep> step = costStep(scenario))
            texts.push_back(toJson(step->graph));
    }
    holds(!texts.empty(), "a scenario becomes a graph");
    return texts;
}

std::vector<std::string> writtenCalibrations()
{
    return {calibrationJson(calibration())};
}

std::vector<std::string> writtenStudies()
{
    const std::string path = scratchFile("seed.prism");
    std::filesystem::remove(path);
    {
        Result<Study> study = Study::create(path);
        holds(study.ok(), "a study can be made");
        const std::vector<std::string> texts = writtenScenarios();
        const Result<ScenarioId> first = study->addScenario("base", texts.front());
        holds(first.ok() && study->addScenario("next", texts.back(), *first).ok(), "scenarios can be added");
        holds(study->setNote(*first, "a note").empty() && study->undo().empty(), "edits can be undone");
        holds(study->setViewState("window", "{}").empty(), "views can be kept");
    }
    Result<std::string> bytes = readBytes(path, std::size_t{1} << 24);
    holds(bytes.ok(), "a study can be read");
    return {std::move(bytes).value()};
}

std::vector<std::string> writtenRecords()
{
    ExploreQuery query;
    for (const char* axis : {"tp=1,2", "mbs=1,2,4"})
        if (Result<SearchAxis> read = searchAxis(axis))
            query.space.axes.push_back(std::move(read).value());
    const std::string head = headLine({.scenario = scenarios().front(), .query = query}) + "\n";
    const QuickPart part{6, 4, {{0, 1.5, 20, 80, 4096, false}, {3, 1.7, 20, 80, 4096, true}}, {{"memory", 2, 1, 4}}, {{4, {"memory"}}}};
    const SampleRow row{0, 512, true, 1.5, 20, 80, {1.6, 0.01}, {1.6, 0.01}, {1.7, 0.02}, {1.8, 0.03}, {0, 0}};
    const auto sealed = [](std::initializer_list<std::string> lines) {
        RecordsText text;
        for (const std::string& line : lines)
            text.add(line);
        return text.text();
    };
    return {sealed({head, shardLine({1, 1}), partLine(0, part), rowLine(row), endLine()}), sealed({head}),
            sealed({partLine(0, part), rowLine(row)})};
}

} // namespace prism::fuzz
