// What an edit recomputes, and that nothing but the scenario and the seed decides a result.
#include "core/engine/evaluator.h"

#include "core/scenario/parameters.h"
#include "core/scenario/presets.h"

#include <gtest/gtest.h>

namespace prism {
namespace {

Scenario sample()
{
    return scenarioPreset("sample-baseline").value();
}

EvaluateOptions options(int samples = 600)
{
    EvaluateOptions o;
    o.numSamples = samples;
    return o;
}

using Names = std::vector<std::string>;
const Names kEverything = {"cost", "samples", "variance"};

TEST(Evaluator, UndoRecomputesNothing)
{
    Evaluator evaluator;
    const Scenario before = sample();
    const auto first = evaluator.evaluate(before, options());
    ASSERT_TRUE(first->valid());
    EXPECT_EQ(first->cost.recomputed, kEverything);
    const auto edited = setParameter(before, "variability.gemm.cv", "0.02");
    ASSERT_TRUE(edited.ok());
    EXPECT_EQ(evaluator.evaluate(*edited, options())->cost.recomputed, kEverything);
    const auto undone = evaluator.evaluate(before, options());
    EXPECT_EQ(undone->cost.recomputedNodes, 0);
    EXPECT_EQ(undone->samples->acrossSeconds, first->samples->acrossSeconds);
}

TEST(Evaluator, OneEditOfEachGroupRecomputesItsNodesOnce)
{
    struct Edit {
        const char *id, *value;
        Names expected;
    };
    // A price changes what a step costs, not how long it takes: the graph stays and with it the samples.
    const Edit edits[] = {{"model.ffn_hidden_size", "12288", kEverything},
                          {"cluster.gpu_hour_price_usd", "3.25", {"cost"}},
                          {"cluster.inter_node_gb_per_s", "40", kEverything},
                          {"training.train_tokens", "1e12", {"cost"}},
                          {"variability.gemm.cv", "0.03", kEverything}};
    for (const Edit& edit : edits) {
        Evaluator evaluator;
        (void)evaluator.evaluate(sample(), options());
        const auto edited = setParameter(sample(), edit.id, edit.value);
        ASSERT_TRUE(edited.ok()) << edit.id;
        const auto snapshot = evaluator.evaluate(*edited, options());
        ASSERT_TRUE(snapshot->valid()) << edit.id;
        EXPECT_EQ(snapshot->cost.recomputed, edit.expected) << edit.id;
    }
}

TEST(Evaluator, SameBitsWithAndWithoutTheCacheAndInAnyOrder)
{
    const Scenario a = sample();
    const Scenario b = setParameter(a, "variability.gemm.cv", "0.03").value();
    Evaluator warm, cold(0);
    const auto ab = warm.evaluate(b, options());
    (void)warm.evaluate(a, options());
    const auto again = warm.evaluate(b, options());
    const auto fresh = cold.evaluate(b, options());
    EXPECT_EQ(ab->samples->acrossSeconds, again->samples->acrossSeconds);
    EXPECT_EQ(ab->samples->acrossSeconds, fresh->samples->acrossSeconds);
    EXPECT_EQ(cold.cacheBytes(), 0U);
}

TEST(Evaluator, ProgressComesCoarseFirst)
{
    Evaluator evaluator;
    std::vector<Stage> stages;
    EvaluateOptions o = options(2000);
    o.onProgress = [&](SnapshotPtr s) { stages.push_back(s->stage); };
    const auto last = evaluator.evaluate(sample(), o);
    EXPECT_EQ(stages, (std::vector<Stage>{Stage::coarse, Stage::refined}));
    EXPECT_EQ(last->stage, Stage::complete);
    EXPECT_EQ(last->across.samples, 2000U);
}

TEST(Evaluator, AStoppedEvaluationSaysHowFarItCame)
{
    Evaluator evaluator;
    std::stop_source source;
    source.request_stop();
    EvaluateOptions o = options();
    o.stop = source.get_token();
    const auto snapshot = evaluator.evaluate(sample(), o);
    EXPECT_EQ(snapshot->stage, Stage::costed);
    EXPECT_EQ(snapshot->samples, nullptr);
}

TEST(Evaluator, PrecisionSamplesUntilTheIntervalIsNarrow)
{
    Evaluator evaluator;
    EvaluateOptions o = options(500);
    o.varianceShares = false;
    const auto rough = evaluator.evaluate(sample(), o);
    o.precision = 0.5 * rough->across.ciP95 / rough->across.p95;
    const auto precise = evaluator.evaluate(sample(), o);
    EXPECT_LE(precise->across.ciP95, o.precision * precise->across.p95);
    EXPECT_GT(precise->across.samples, 500U);
}

TEST(Evaluator, AnInvalidScenarioGivesDiagnosticsOnly)
{
    Evaluator evaluator;
    Scenario bad = sample();
    bad.training.globalBatchSize = -3;
    const auto snapshot = evaluator.evaluate(bad, options());
    EXPECT_FALSE(snapshot->valid());
    EXPECT_EQ(snapshot->costed, nullptr);
}

} // namespace
} // namespace prism
