// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/parameters.h"
#include "core/scenario/presets.h"

#include <gtest/gtest.h>
#include <limits>

namespace prism {
namespace {

Scenario base()
{
    return *scenarioPreset("llama3-70b-256-h100");
}

/// The first error below this path, or nullptr.
const Diagnostic* errorAt(const Diagnostics& found, const std::string& path)
{
    for (const Diagnostic& d : found)
        if (d.severity == Severity::error && d.path.starts_with(path))
            return &d;
    return nullptr;
}

/// Applies a finding's fix and says whether that finding is gone.
bool fixed(const Scenario& s, const Diagnostic& d)
{
    const Result<Scenario> repaired = setParameter(s, d.fixPath, d.fixValue);
    if (!repaired.ok())
        return false;
    for (const Diagnostic& left : check(*repaired))
        if (left.path == d.path && left.message == d.message)
            return false;
    return true;
}

TEST(Check, PresetsHaveNoErrorsAndNoWarnings)
{
    for (const std::string& name : presetNames("scenario")) {
        for (const Diagnostic& d : check(*scenarioPreset(name)))
            EXPECT_NE(d.severity, Severity::error) << name << " " << d.path << ": " << d.message;
    }
}

TEST(Check, GpusThatAreNoMultipleGetAFix)
{
    Scenario s = base();
    s.cluster.numGpus = 250;
    const Diagnostics found = check(s);
    const Diagnostic* d = errorAt(found, "cluster.num_gpus");
    ASSERT_NE(d, nullptr);
    EXPECT_EQ(d->found, "TP 4 x PP 4 x CP 2 = 32, GPUs = 250");
    EXPECT_EQ(d->fixValue, "256");
    EXPECT_TRUE(fixed(s, *d));
}

TEST(Check, EachIndivisibleSizeIsFoundAndItsFixRepairsIt)
{
    const std::pair<const char*, const char*> edits[] = {
        {"parallelism.tensor_model_parallel_size", "3"},
        {"parallelism.pipeline_model_parallel_size", "3"},
        {"parallelism.virtual_pipeline_model_parallel_size", "3"},
        {"parallelism.expert_model_parallel_size", "4"},
        {"training.global_batch_size", "511"},
        {"model.num_query_groups", "7"},
        {"model.seq_length", "8190"},
        {"parallelism.hsdp_shard_size", "3"},
        {"training.precision", "nvfp4"},
        {"parallelism.pipeline_schedule", "gpipe"},
        {"parallelism.num_layers_in_first_pipeline_stage", "7"},
    };
    for (const auto& [id, value] : edits) {
        const Result<Scenario> changed = setParameter(base(), id, value);
        ASSERT_TRUE(changed.ok()) << id;
        bool any = false;
        for (const Diagnostic& d : check(*changed)) {
            if (d.severity != Severity::error)
                continue;
            any = true;
            EXPECT_TRUE(d.fixPath.empty() || fixed(*changed, d))
                << id << ": " << d.path << " " << d.message << " fix " << d.fixPath << "=" << d.fixValue;
        }
        EXPECT_TRUE(any) << id;
    }
}

TEST(Check, UnevenStagesAndCountedEmbeddings)
{
    Scenario s = base();
    s.parallelism.virtualPipelineModelParallelSize = 1;
    s.parallelism.pipelineSchedule = "1f1b";
    s.parallelism.numLayersInFirstPipelineStage = 18;
    s.parallelism.numLayersInLastPipelineStage = 22;
    EXPECT_EQ(errorAt(check(s), "parallelism"), nullptr); // 80 - 40 over two stages
    s.parallelism.numLayersInLastPipelineStage = 21;
    EXPECT_NE(errorAt(check(s), "parallelism"), nullptr);
    s = *scenarioPreset("llama3-405b-16k-h100");
    s.parallelism.accountForLossInPipelineSplit = false; // 127 places over 16 x 8 chunks
    EXPECT_NE(errorAt(check(s), "parallelism"), nullptr);
}

TEST(Check, VirtualStagesNeedAPipelineAndAFittingSchedule)
{
    Scenario s = base();
    s.parallelism.pipelineModelParallelSize = 1;
    EXPECT_NE(errorAt(check(s), "parallelism.virtual_pipeline_model_parallel_size"), nullptr);
    s = base();
    s.parallelism.virtualPipelineModelParallelSize = 1;
    EXPECT_NE(errorAt(check(s), "parallelism.virtual_pipeline_model_parallel_size"), nullptr); // interleaved
}

TEST(Check, NonFiniteValuesSetInCodeAreFound)
{
    for (const Parameter& p : parameters()) {
        if (p.type != ParameterType::real)
            continue;
        for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), -1.0}) {
            Scenario s = base();
            p.set(s, bad);
            EXPECT_NE(errorAt(check(s), p.id), nullptr) << p.id << " " << bad;
        }
    }
}

TEST(Check, EveryNumberBelowItsMinimumIsFoundWithoutACrash)
{
    for (const Parameter& p : parameters()) {
        if (p.type != ParameterType::integer)
            continue;
        for (const auto bad : {std::int64_t{-1}, static_cast<std::int64_t>(p.minimum) - 1, static_cast<std::int64_t>(p.maximum) + 1}) {
            Scenario s = base();
            p.set(s, bad);
            EXPECT_NE(errorAt(check(s), p.id), nullptr) << p.id << " " << bad;
        }
    }
}

TEST(Check, SlowPlacesMustExistAndNameOneThing)
{
    Scenario s = base();
    s.variability.slow = {{32, -1, 1.2, 1}, {-1, 256, 1.2, 1}, {1, 1, 1.2, 1}, {-1, -1, 1.2, 1}, {0, -1, 0, 1}};
    const Diagnostics found = check(s);
    for (const char* path : {"variability.slow[0].node", "variability.slow[1].rank", "variability.slow[2]", "variability.slow[3]",
                             "variability.slow[4].compute_factor"})
        EXPECT_NE(errorAt(found, path), nullptr) << path;
    s.variability.slow = {{31, -1, 1.2, 1}, {-1, 255, 1, 1.5}};
    EXPECT_EQ(errorAt(check(s), "variability.slow"), nullptr);
}

TEST(Check, ExpertsAndTheirParallelism)
{
    Scenario s = *scenarioPreset("mixtral-8x22b-256-h100");
    s.parallelism.expertModelParallelSize = 3;
    const Diagnostics found = check(s);
    const Diagnostic* d = errorAt(found, "parallelism.expert_model_parallel_size");
    ASSERT_NE(d, nullptr);
    EXPECT_TRUE(fixed(s, *d));
    s = *scenarioPreset("mixtral-8x22b-256-h100");
    s.model.moeRouterTopk = 9;
    EXPECT_NE(errorAt(check(s), "model.moe_router_topk"), nullptr);
}

TEST(Check, NothingVariesIsSaid)
{
    Scenario s = base();
    s.variability = {};
    const Diagnostics found = check(s);
    EXPECT_FALSE(hasErrors(found));
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found.front().path, "variability");
    EXPECT_TRUE(fixed(s, found.front()));
}

} // namespace
} // namespace prism
