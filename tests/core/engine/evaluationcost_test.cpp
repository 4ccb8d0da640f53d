// SPDX-License-Identifier: GPL-3.0-or-later
// Estimated cost of an evaluation: presets are quick, errors name the dominant size.
#include "core/engine/evaluationcost.h"
#include "core/engine/evaluator.h"
#include "core/scenario/parameters.h"
#include "core/scenario/presets.h"

#include <gtest/gtest.h>

#include <limits>

namespace prism {
namespace {

constexpr double kAnyTime = std::numeric_limits<double>::infinity();

Scenario longPipeline(const char* batch)
{
    Scenario s = *scenarioPreset("llama2-7b-8-a100");
    for (const auto& [path, value] : std::vector<std::pair<const char*, const char*>>{{"model.num_layers", "512"},
                                                                                      {"cluster.num_gpus", "512"},
                                                                                      {"parallelism.tensor_model_parallel_size", "1"},
                                                                                      {"parallelism.pipeline_model_parallel_size", "512"},
                                                                                      {"training.micro_batch_size", "1"},
                                                                                      {"training.global_batch_size", batch}})
        s = *setParameter(s, path, value);
    return s;
}

TEST(EvaluationCost, EveryPresetStartsWithoutAQuestion)
{
    for (const PresetInfo& info : presetList())
        if (info.kind == "scenario") {
            EXPECT_TRUE(tooCostly(evaluationSize(*scenarioPreset(info.name), 2'000), kMaxQuickSeconds).empty()) << info.name;
        }
}

TEST(EvaluationCost, ALongOneNamesTheSizeThatIsLargest)
{
    const EvaluationSize pipeline = evaluationSize(longPipeline("2600"), 10'000);
    EXPECT_EQ(pipeline.passes(), 512 * 2'600);
    EXPECT_EQ(tooCostly(pipeline, kMaxQuickSeconds).at(0).path, "training.global_batch_size");
    EXPECT_TRUE(tooCostly(pipeline, kAnyTime).empty());
    const EvaluationSize many = evaluationSize(*scenarioPreset("frontier-64k"), 1'000'000);
    EXPECT_EQ(tooCostly(many, kMaxQuickSeconds).at(0).path, "samples");
}

TEST(EvaluationCost, MemoryIsALimitAtAnyTime)
{
    EvaluationSize size = evaluationSize(*scenarioPreset("frontier-64k"), 10'000'000);
    EXPECT_EQ(tooCostly(size, kAnyTime).at(0).path, "samples");
    Evaluator evaluator;
    EvaluateOptions options;
    options.numSamples = 10'000'000;
    const SnapshotPtr snapshot = evaluator.evaluate(*scenarioPreset("frontier-64k"), options);
    EXPECT_FALSE(snapshot->valid());
    EXPECT_EQ(snapshot->costed, nullptr) << "nothing was built";
}

TEST(EvaluationCost, GrowsWithEverySize)
{
    const EvaluationSize size = evaluationSize(*scenarioPreset("llama3-405b-16k-h100"), 10'000);
    const EvaluationEstimate base = estimatedCost(size);
    for (double EvaluationSize::*part : {&EvaluationSize::replicas, &EvaluationSize::stages, &EvaluationSize::chunks,
                                         &EvaluationSize::microbatches, &EvaluationSize::samples}) {
        EvaluationSize larger = size;
        larger.*part *= 16;
        EXPECT_GT(estimatedCost(larger).cpuSeconds, base.cpuSeconds);
        EXPECT_GE(estimatedCost(larger).memoryBytes, base.memoryBytes);
    }
}

} // namespace
} // namespace prism
