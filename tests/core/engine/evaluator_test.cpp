// SPDX-License-Identifier: GPL-3.0-or-later
// Nodes that an edit recomputes; results depend only on the scenario and the seed.
#include "core/engine/evaluator.h"

#include "everyfield.h"

#include "core/scenario/parameters.h"
#include "core/scenario/presets.h"
#include "core/sim/graphs.h"

#include <gtest/gtest.h>

#include <map>
#include <thread>

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

EvaluateOptions withoutShares()
{
    EvaluateOptions o = options(300);
    o.varianceShares = o.systemsRange = false;
    return o;
}

/// Number of computations of each node.
using Nodes = std::map<std::string, int>;

Nodes computed(const Snapshot& snapshot)
{
    Nodes out;
    for (const std::string& name : snapshot.cost.recomputed)
        ++out[name];
    return out;
}

Nodes operator+(Nodes a, const Nodes& b)
{
    for (const auto& [name, count] : b)
        a[name] += count;
    return a;
}

// The sample study has 18 passes: programs of three kinds of layers and both ends, and the optimizers.
const Nodes kCost = {{"cost", 1}};
const Nodes kSweeps = kCost + Nodes{{"samples", 1}, {"samples within a job", 1}};
const Nodes kSamples = kSweeps + Nodes{{"median jobs", 1}};

TEST(EvaluatorLong, UndoRecomputesNothing)
{
    Evaluator evaluator;
    const Scenario before = sample();
    const auto first = evaluator.evaluate(before, options());
    ASSERT_TRUE(first->valid());
    EXPECT_GT(first->cost.recomputedNodes, 0);
    const auto edited = setParameter(before, "variability.gemm.cv", "0.02");
    ASSERT_TRUE(edited.ok());
    EXPECT_GT(evaluator.evaluate(*edited, options())->cost.recomputedNodes, 0);
    const auto undone = evaluator.evaluate(before, options());
    EXPECT_EQ(undone->cost.recomputedNodes, 0);
    EXPECT_EQ(undone->samples->acrossSeconds, first->samples->acrossSeconds);
}

TEST(EvaluatorLong, OneEditOfEachGroupRecomputesItsNodesOnce)
{
    struct Edit {
        const char *id, *value;
        Nodes expected;
    };
    const Edit edits[] = {
        // model: other GEMMs in every forward and backward pass that holds layers
        {"model.ffn_hidden_size", "12288", kSamples + Nodes{{"pass table", 10}}},
        // parallelism: fewer stages, so another plan and longer passes
        {"parallelism.pipeline_model_parallel_size", "8", kSamples + Nodes{{"plan", 1}, {"pass table", 18}}},
        // training: more micro-batches in the schedule, and with ZeRO 2 reductions between the turns of a chunk
        {"training.global_batch_size", "4096", kSamples + Nodes{{"plan", 1}, {"pass table", 6}}},
        // cluster: collectives inside a cell are part of its passes; transfers and gradients between nodes are not
        {"cluster.intra_node_gb_per_s", "300", kSamples + Nodes{{"pass table", 12}}},
        {"cluster.inter_node_gb_per_s", "40", kSamples},
        // a price and a number of tokens change what a run costs, not how long a step takes
        {"cluster.gpu_hour_price_usd", "3.25", kCost},
        {"training.train_tokens", "1e12", kCost},
        // variability: one kernel class; the speeds of GPUs; a regime, which no table holds
        {"variability.gemm.cv", "0.03", kSamples + Nodes{{"factor table", 1}, {"pass table", 8}}},
        {"variability.spatial.cv", "0.03", kSamples + Nodes{{"pass table", 18}}},
        {"variability.inter_regime.cv", "0.3", kSweeps}, // nor does it choose the median job
        // a class of transfers, and the maximum over its parallel senders
        {"variability.p2p.cv", "0.1", kSamples + Nodes{{"factor table", 2}}},
        {"variability.data.cv", "0.1", kSamples + Nodes{{"factor table", 1}, {"pass table", 18}}},
    };
    for (const Edit& edit : edits) {
        Evaluator evaluator;
        (void)evaluator.evaluate(sample(), withoutShares());
        const auto edited = setParameter(sample(), edit.id, edit.value);
        ASSERT_TRUE(edited.ok()) << edit.id;
        const auto snapshot = evaluator.evaluate(*edited, withoutShares());
        ASSERT_TRUE(snapshot->valid()) << edit.id;
        EXPECT_EQ(computed(*snapshot), edit.expected) << edit.id;
        EXPECT_EQ(computed(*evaluator.evaluate(sample(), withoutShares())), Nodes()) << edit.id << ": undo";
    }
}

TEST(Evaluator, ASlowNodeAddsTheTablesOfItsKindAlone)
{
    Evaluator evaluator;
    (void)evaluator.evaluate(sample(), withoutShares());
    Scenario slow = sample();
    SlowEntry entry;
    entry.node = 3;
    entry.computeFactor = 1.2;
    slow.variability.slow.push_back(entry);
    const Nodes first = computed(*evaluator.evaluate(slow, withoutShares()));
    EXPECT_GT(first.at("pass table"), 0);
    EXPECT_LT(first.at("pass table"), 18) << "not those of all kinds of stages";
    EXPECT_EQ(first.count("factor table"), 0U);
    // Undone, all of them are known.
    EXPECT_EQ(computed(*evaluator.evaluate(sample(), withoutShares())), Nodes());
}

TEST(Evaluator, MeasuredSpeedsKeepThePlanAndTheFactors)
{
    Evaluator evaluator;
    (void)evaluator.evaluate(sample(), withoutShares());
    Scenario measured = sample();
    for (int node = 0; node < 2048; ++node)
        measured.measured.speeds.push_back({node, -1, 1.0 - 0.01 * (node % 3)});
    const auto snapshot = evaluator.evaluate(measured, withoutShares());
    ASSERT_TRUE(snapshot->valid());
    const Nodes nodes = computed(*snapshot);
    EXPECT_EQ(nodes.count("plan"), 0U);
    EXPECT_EQ(nodes.count("factor table"), 0U);
    EXPECT_GT(nodes.at("pass table"), 0);
}

TEST(EvaluatorLong, VarianceSharesOfAnEditSampleOnlyTheCauseThatChanged)
{
    Evaluator evaluator;
    (void)evaluator.evaluate(sample(), options());
    const auto edited = setParameter(sample(), "variability.data.cv", "0.1");
    ASSERT_TRUE(edited.ok());
    const Nodes nodes = computed(*evaluator.evaluate(*edited, options()));
    EXPECT_EQ(nodes.at("cause samples"), 1);
    EXPECT_EQ(nodes.at("variance"), 1);
}

TEST(EvaluatorLong, SameBitsWithAndWithoutTheCacheAndInAnyOrder)
{
    const Scenario a = sample();
    const Scenario b = setParameter(a, "variability.gemm.cv", "0.03").value();
    Evaluator warm, cold(0);
    const auto ab = warm.evaluate(b, withoutShares());
    (void)warm.evaluate(a, withoutShares());
    const auto again = warm.evaluate(b, withoutShares());
    const auto fresh = cold.evaluate(b, withoutShares());
    EXPECT_EQ(ab->samples->acrossSeconds, again->samples->acrossSeconds);
    EXPECT_EQ(ab->samples->acrossSeconds, fresh->samples->acrossSeconds);
    EXPECT_EQ(cold.cacheBytes(), 0U);
}

// A field that is added to the options does not compile here before it is in one of the two groups.
TEST(Evaluator, SamplesAreKnownUnderEveryOptionThatChangesThem)
{
    const StepGraph graph = test::jobGraph({.stages = 2, .microbatches = 2, .replicas = 2, .compute = {Family::gamma, 0.1}});
    SimOptions o{.numSamples = 16, .numWithinSamples = 8};
    Evaluator evaluator;
    const auto first = evaluator.samples(graph, o);
    const auto known = [&] { return evaluator.samples(graph, o) == first; };
    Memo other(1 << 20);
    auto& [seed, numSamples, numWithinSamples, numThreads, memo, stop] = o;
    EXPECT_TRUE(known());
    numThreads = 1, memo = &other, stop = std::stop_source().get_token();
    EXPECT_TRUE(known()) << "none of these changes a sample";
    seed = 2;
    EXPECT_FALSE(known()) << "seed";
    seed = 1, numSamples = 17;
    EXPECT_FALSE(known()) << "samples";
    numSamples = 16, numWithinSamples = 9;
    EXPECT_FALSE(known()) << "samples within a job";
    numWithinSamples = 8;
    EXPECT_TRUE(known());
}

TEST(EvaluatorLong, NoOptionGivesAnOlderResult)
{
    const Scenario small = scenarioPreset("llama2-7b-8-a100").value();
    EvaluateOptions o = options(400);
    auto& [seed, numSamples, numThreads, precision, varianceShares, systemsRange, revision, stop, onProgress] = o;
    Evaluator warm;
    const SnapshotPtr first = warm.evaluate(small, o);
    const auto expectFresh = [&](const char* what) {
        Evaluator cold;
        const SnapshotPtr known = warm.evaluate(small, o), fresh = cold.evaluate(small, o);
        EXPECT_EQ(known->seed, fresh->seed);
        EXPECT_EQ(known->samples->acrossSeconds, fresh->samples->acrossSeconds) << what;
        EXPECT_EQ(known->samples->withinSeconds, fresh->samples->withinSeconds) << what;
        VarianceShare a = known->varianceShare, b = fresh->varianceShare;
        EXPECT_EQ(test::fieldsOf(a), test::fieldsOf(b)) << what;
        EXPECT_NE(known->across.p95, first->across.p95) << what;
    };
    seed = 2;
    expectFresh("seed");
    seed = 1, numSamples = 440;
    expectFresh("samples");
    numSamples = 400, precision = 0.75 * first->across.ciP95 / first->across.p95;
    expectFresh("precision");
    precision = 0, varianceShares = false;
    EXPECT_EQ(warm.evaluate(small, o)->varianceShare.spatial, 0.0);
    varianceShares = true, systemsRange = false;
    EXPECT_EQ(warm.evaluate(small, o)->systems, nullptr);
    systemsRange = true, numThreads = 1, revision = 7, stop = std::stop_source().get_token(), onProgress = [](const SnapshotPtr&) {};
    const SnapshotPtr last = warm.evaluate(small, o);
    EXPECT_EQ(last->cost.recomputedNodes, 0) << "none of these changes a figure";
    EXPECT_EQ(last->revision, 7U);
}

TEST(CallersOnThreads, ShareTheCacheOfTheEvaluator)
{
    // A single thread for each caller: ThreadSanitizer does not see what oneTBB orders.
    EvaluateOptions o = withoutShares();
    o.numThreads = 1;
    const Scenario small = scenarioPreset("llama2-7b-8-a100").value();
    Evaluator shared;
    std::vector<SnapshotPtr> snapshots(4);
    {
        std::vector<std::jthread> callers;
        for (std::size_t i = 0; i < snapshots.size(); ++i)
            callers.emplace_back([&, i] {
                const auto edited = setParameter(small, "variability.gemm.cv", i % 2 == 0 ? "0.02" : "0.03");
                snapshots[i] = shared.evaluate(*edited, o);
            });
    }
    for (std::size_t i = 0; i < snapshots.size(); ++i) {
        Evaluator alone;
        EXPECT_EQ(snapshots[i]->samples->acrossSeconds, alone.evaluate(snapshots[i]->scenario, o)->samples->acrossSeconds) << i;
    }
}

TEST(Evaluator, ProgressComesCoarseFirst)
{
    Evaluator evaluator;
    std::vector<Stage> stages;
    EvaluateOptions o = options(2000);
    o.onProgress = [&](SnapshotPtr s) { stages.push_back(s->stage); };
    const auto last = evaluator.evaluate(sample(), o);
    EXPECT_EQ(stages, (std::vector<Stage>{Stage::coarse, Stage::refined, Stage::refined}));
    EXPECT_EQ(last->stage, Stage::complete);
    EXPECT_EQ(last->across.samples, 2000U);
}

TEST(Evaluator, AStoppedEvaluationReportsHowFarItCame)
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
    o.varianceShares = o.systemsRange = false;
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
