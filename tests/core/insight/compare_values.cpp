// SPDX-License-Identifier: GPL-3.0-or-later
// Comparisons with steps that do not vary: orders of edits, mixtures that are impossible, limits, and the tables.
#include "core/insight/compare/changes.h"
#include "core/insight/compare/compare.h"

#include "core/cost/predictor.h"
#include "core/insight/paired.h"
#include "core/insight/scenarios.h"
#include "core/scenario/parameters.h"
#include "core/step/deterministicstep.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cmath>
#include <map>

namespace prism {
namespace {

/// Two stages of four layers on two nodes, without spread.
Scenario tinyScenario()
{
    Scenario s = testscenarios::smallScenario();
    s.cluster.numGpus = 16;
    s.parallelism.pipelineModelParallelSize = 2;
    s.model.numLayers = 4;
    s.training.globalBatchSize = 4;
    s.variability = {};
    return s;
}

double tinyStepSeconds(const Scenario& s)
{
    return deterministicStepSeconds(costStep(s)->graph);
}

const WaterfallItem& barOf(const Comparison& c, const std::string& parameter)
{
    for (const WaterfallItem& w : c.waterfall)
        if (w.parameter == parameter)
            return w;
    ADD_FAILURE() << parameter;
    return c.waterfall.front();
}

/// Seven edits of the tiny scenario.
Scenario sevenEdits(Scenario s)
{
    s.cluster.intraNodeGbPerS = 150;
    s.cluster.intraNodeLatencyUs = 30;
    s.cluster.interNodeGbPerS = 10;
    s.cluster.interNodeLatencyUs = 80;
    s.training.globalBatchSize = 8;
    s.measured.computeLevel = 0.6; // shorter: bars are sorted by their size
    s.measured.networkLevel = 3;
    return s;
}

/// What each of the seven edits adds to the step in the sixteen orders of seed 5: eight shuffles and their reverses, by another program.
std::array<std::vector<double>, 7> addedInOrders(const Scenario& a, const Scenario& b, const std::vector<const Parameter*>& edits)
{
    const char* const orders[] = {"5624031", "1304265", "5612340", "0432165", "6214035", "5304126", "5423061", "1603245",
                                  "6423150", "0513246", "0341256", "6521430", "4516230", "0326154", "1405362", "2635041"};
    std::map<unsigned, double> steps;
    const auto stepOf = [&](unsigned subset) {
        const auto [at, isNew] = steps.try_emplace(subset, 0);
        if (isNew) {
            Scenario mixed = a;
            for (std::size_t i = 0; i < 7; ++i)
                if ((subset & (1U << i)) != 0)
                    edits[i]->set(mixed, edits[i]->get(b));
            at->second = tinyStepSeconds(mixed);
        }
        return at->second;
    };
    std::array<std::vector<double>, 7> added;
    for (const std::string order : orders) {
        unsigned subset = 0;
        for (const char c : order) {
            const unsigned with = subset | 1U << static_cast<unsigned>(c - '0');
            added.at(static_cast<std::size_t>(c - '0')).push_back(stepOf(with) - stepOf(subset));
            subset = with;
        }
    }
    return added;
}

TEST(CompareValues, SevenEditsAreAveragedOverSixteenOrders)
{
    const Scenario a = tinyScenario(), b = sevenEdits(a);
    const std::vector<const Parameter*> edits = differences(a, b);
    ASSERT_EQ(edits.size(), 7U);
    InsightOptions options = testscenarios::withSamples(4);
    options.seed = 5;
    std::vector<double> progress;
    options.progress = [&](double fraction, std::string_view) { progress.push_back(fraction); };
    Evaluator evaluator;
    const auto c = compare(evaluator, a, b, options);
    ASSERT_TRUE(c.ok());
    EXPECT_FALSE(c->waterfallExact);
    EXPECT_EQ(c->waterfallOrders, 16);
    ASSERT_EQ(c->waterfall.size(), 8U);
    const auto added = addedInOrders(a, b, edits);
    const double within = 1e-5 * tinyStepSeconds(a);
    for (std::size_t i = 0; i < 7; ++i) {
        double mean = 0, squares = 0;
        for (const double x : added[i])
            mean += x / 16;
        for (const double x : added[i])
            squares += (x - mean) * (x - mean);
        const WaterfallItem& bar = barOf(*c, edits[i]->id);
        EXPECT_NEAR(bar.deltaP95.value, mean, within) << edits[i]->id;
        // Of the mean of 16 orders, 15 degrees of freedom.
        EXPECT_NEAR(bar.deltaP95.halfWidth, 1.959963984540054 * std::sqrt(squares / 16 / 15), within) << edits[i]->id;
    }
    for (std::size_t i = 1; i < 7; ++i)
        EXPECT_GE(std::abs(c->waterfall[i - 1].deltaP95.value), std::abs(c->waterfall[i].deltaP95.value));
    EXPECT_EQ(c->waterfall.back().parameter, "remainder");
    ASSERT_EQ(progress.size(), 17U);
    EXPECT_EQ(progress[0], 0.1);
    for (std::size_t k = 1; k < 17; ++k)
        EXPECT_DOUBLE_EQ(progress[k], static_cast<double>(k) / 16);
}

TEST(CompareValues, UpToSixEditsTakeAllOrders)
{
    const Scenario a = tinyScenario();
    Scenario b = sevenEdits(a);
    b.measured.networkLevel = 1;
    Evaluator evaluator;
    const auto c = compare(evaluator, a, b, testscenarios::withSamples(1));
    ASSERT_TRUE(c.ok());
    EXPECT_TRUE(c->waterfallExact);
    EXPECT_EQ(c->waterfallOrders, 720);
    EXPECT_EQ(c->samples, 1);
    EXPECT_NEAR(c->waterfall.front().deltaP95.halfWidth, 0, 1e-9) << "all orders leave none out";
}

TEST(CompareValues, ABarHasTheMeanIntervalOfItsOrders)
{
    Scenario a = tinyScenario();
    a.variability.gemm = testscenarios::lognormal(0.2);
    a.variability.interRegime = testscenarios::lognormal(0.4);
    Scenario b = a, network = a, compute = a;
    network.measured.networkLevel = b.measured.networkLevel = 4;
    compute.measured.computeLevel = b.measured.computeLevel = 1.3;
    Evaluator evaluator;
    const auto c = compare(evaluator, a, b, testscenarios::withSamples(60));
    ASSERT_TRUE(c.ok());
    const auto change = [&](const Scenario& from, const Scenario& to) {
        return pairedChange(PairedSample(evaluator.evaluate(from, evaluateOptions({}, 60))->samples),
                            PairedSample(evaluator.evaluate(to, evaluateOptions({}, 60))->samples))
            .p95;
    };
    const Estimate first = change(a, network), last = change(compute, b);
    EXPECT_GT(first.halfWidth, 0);
    EXPECT_GT(std::abs(first.halfWidth - last.halfWidth), 1e-3 * first.halfWidth);
    const Estimate bar = barOf(*c, "measured.network_level").deltaP95;
    EXPECT_NEAR(bar.value, (first.value + last.value) / 2, 1e-9);
    EXPECT_NEAR(bar.halfWidth, (first.halfWidth + last.halfWidth) / 2, 1e-9);
}

TEST(CompareValues, AnImpossibleMixtureIsCarriedByTheNextEdit)
{
    // Micro-batches of 8 do not fit a batch of 4: that edit alone changes nothing, and the other one then carries both.
    const Scenario a = tinyScenario();
    Scenario batch = a, b = a;
    batch.training.globalBatchSize = b.training.globalBatchSize = 8;
    b.training.microBatchSize = 8;
    const double ta = tinyStepSeconds(a), tBatch = tinyStepSeconds(batch), tb = tinyStepSeconds(b);
    Evaluator evaluator;
    const auto c = compare(evaluator, a, b, testscenarios::withSamples(4));
    ASSERT_TRUE(c.ok());
    EXPECT_NEAR(barOf(*c, "training.global_batch_size").deltaP95.value, (tBatch - ta + tb - ta) / 2, 1e-5 * ta);
    EXPECT_NEAR(barOf(*c, "training.micro_batch_size").deltaP95.value, (tb - tBatch) / 2, 1e-5 * ta);
    EXPECT_NEAR(barOf(*c, "remainder").deltaP95.value, 0, 1e-9);
    EXPECT_EQ(c->probabilityABetter.value, 1);
    const auto turned = compare(evaluator, b, a, testscenarios::withSamples(4));
    ASSERT_TRUE(turned.ok());
    EXPECT_EQ(turned->probabilityABetter.value, 0);
    EXPECT_NEAR(turned->wassersteinSeconds, tb - ta, 1e-5 * ta);
    EXPECT_NEAR(turned->metrics[3].relative.value, ta / tb - 1, 1e-5);
}

TEST(CompareValues, AThousandSamplesAreTheDefault)
{
    const Scenario s = tinyScenario();
    Evaluator evaluator;
    const auto c = compare(evaluator, s, s, {});
    ASSERT_TRUE(c.ok());
    EXPECT_EQ(c->samples, 1'000);
    EXPECT_EQ(c->sortedA.size(), 1'000U);
}

TEST(CompareValues, MoreThanFortyEditsAreNotSplit)
{
    const Scenario a = tinyScenario();
    Scenario b = a;
    std::size_t edits = 0;
    for (const Parameter& p : parameters()) {
        Scenario next = b;
        if (const ParameterValue value = p.get(b); edits < 41 && std::holds_alternative<double>(value)) {
            p.set(next, 0.99 * std::get<double>(value) + 1e-6);
            if (differences(a, next).size() == edits + 1 && costStep(next).ok()) {
                b = next;
                ++edits;
            }
        }
    }
    ASSERT_EQ(differences(a, b).size(), 41U);
    Evaluator evaluator;
    const auto c = compare(evaluator, a, b, testscenarios::withSamples(4));
    ASSERT_TRUE(c.ok());
    ASSERT_EQ(c->waterfall.size(), 1U);
    EXPECT_EQ(c->waterfall[0].parameter, "remainder");
    EXPECT_EQ(c->waterfall[0].deltaP95.value, c->metrics[3].delta.value);
    EXPECT_EQ(c->notes.at(0), "41 parameters differ; the p95 change is not split.");
}

TEST(CompareValues, AJobWithoutTokensOnOneSideHasNoRatio)
{
    Scenario a = tinyScenario(), b = a;
    a.training.trainTokens = 0;
    Evaluator evaluator;
    for (const bool turned : {false, true}) {
        const auto c = compare(evaluator, turned ? b : a, turned ? a : b, testscenarios::withSamples(4));
        ASSERT_TRUE(c.ok());
        ASSERT_EQ(c->metrics.size(), 12U);
        const ComparedMetric& cost = c->metrics[11];
        EXPECT_EQ(cost.name, "cost_usd");
        EXPECT_EQ(cost.relative.value, turned ? -1 : 0);
        EXPECT_EQ(turned ? cost.b : cost.a, 0);
        EXPECT_GT(turned ? cost.a : cost.b, 0);
    }
}

Comparison writtenComparison()
{
    Comparison c;
    c.nameA = "x";
    c.nameB = "y";
    c.metrics = {{"p95", "p95 step time", "s", 2, 3, {1, 0.25}, {0.5, 0.125}, true, 9},
                 {"mfu", "MFU", "", 4, 5, {6, 7}, {8, 10}, false, 11}};
    c.probabilityABetter = {0.75, 0.0625};
    c.ksDistance = 0.375;
    c.wassersteinSeconds = 12;
    c.waterfall = {{"a.b", "A b", "GB/s", "13", "14", {15, 16}}, {"remainder", "Everything else", "", "", "", {17, 18}}};
    c.waterfallExact = false;
    c.waterfallOrders = 19;
    c.samples = 20;
    c.seed = 21;
    c.elapsedSeconds = 22;
    c.notes = {"n"};
    return c;
}

TEST(CompareValues, TheTablesHoldEveryNumber)
{
    EXPECT_EQ(toCsv(writtenComparison()), "kind,name,unit,a,b,delta,delta_ci95,relative,relative_ci95\n"
                                          "figure,p95,s,2,3,1,0.25,0.5,0.125\n"
                                          "figure,mfu,,4,5,6,7,8,10\n"
                                          "figure,probability_a_better,,,,0.75,0.0625,,\n"
                                          "figure,ks_distance,,,,0.375,,,\n"
                                          "figure,wasserstein,s,,,12,,,\n"
                                          "waterfall_p95,a.b,s,13,14,15,16,,\n"
                                          "waterfall_p95,remainder,s,,,17,18,,\n");
    EXPECT_EQ(nlohmann::json::parse(toJson(writtenComparison())), nlohmann::json::parse(R"({"a": "x", "b": "y", "figures": [
        {"name": "p95", "label": "p95 step time", "unit": "s", "a": 2.0, "b": 3.0, "delta": {"value": 1.0, "ci95": 0.25},
         "relative": {"value": 0.5, "ci95": 0.125}, "lower_is_better": true},
        {"name": "mfu", "label": "MFU", "unit": "", "a": 4.0, "b": 5.0, "delta": {"value": 6.0, "ci95": 7.0},
         "relative": {"value": 8.0, "ci95": 10.0}, "lower_is_better": false}],
        "probability_a_better": {"value": 0.75, "ci95": 0.0625}, "ks_distance": 0.375, "wasserstein_s": 12.0, "waterfall": [
        {"parameter": "a.b", "label": "A b", "unit": "GB/s", "from": "13", "to": "14", "delta_p95_s": {"value": 15.0, "ci95": 16.0}},
        {"parameter": "remainder", "label": "Everything else", "unit": "", "from": "", "to": "", "delta_p95_s": {"value": 17.0, "ci95": 18.0}}],
        "waterfall_exact": false, "waterfall_orders": 19, "samples": 20, "seed": 21, "elapsed_s": 22.0, "notes": ["n"]})"));
}

/// Figures by hand, without samples.
Snapshot writtenSnapshot(double scale)
{
    Snapshot s;
    s.across.mean = 8 * scale;
    s.across.p50 = 10 * scale;
    s.across.p95 = 20 * scale;
    s.across.p99 = 40 * scale;
    s.within.p50 = 16 * scale;
    s.slowdownP50 = 2 * scale;
    s.tokensPerSecond = 300 * scale;
    s.mfu = 0.4 * scale;
    s.daysToTrain = 50 * scale;
    s.costUsd = 6000 * scale;
    CostedStep costed;
    costed.memory.peakGib = 64 * scale;
    s.costed = std::make_shared<const CostedStep>(costed);
    return s;
}

TEST(CompareValues, ChangesOfSnapshotsWithoutSamplesAddTheirIntervals)
{
    Snapshot a = writtenSnapshot(1), b = writtenSnapshot(1.5);
    a.across.ciMean = 3, b.across.ciMean = 4;
    a.across.ciP50 = 5, b.across.ciP50 = 12;
    a.across.ciP95 = 8, b.across.ciP95 = 15;
    a.across.ciP99 = 7, b.across.ciP99 = 24;
    a.within.ciP50 = 20, b.within.ciP50 = 21;
    const HeadlineChanges c = headlineChanges(a, b);
    const auto expect = [](const HeadlineChange& h, double delta, double half, double before) {
        EXPECT_DOUBLE_EQ(h.delta.value, delta);
        EXPECT_DOUBLE_EQ(h.delta.halfWidth, half);
        EXPECT_DOUBLE_EQ(h.relative.value, delta / before);
        EXPECT_DOUBLE_EQ(h.relative.halfWidth, half / before);
    };
    EXPECT_FALSE(c.paired);
    expect(c.mean, 4, 5, 8);
    expect(c.p50, 5, 13, 10);
    expect(c.p95, 10, 17, 20);
    expect(c.p99, 20, 25, 40);
    expect(c.slowdownP50, 1, 2 * 1.3, 2);
    expect(c.tokensPerSecond, 150, 300 * 1.3, 300);
    expect(c.mfu, 0.4 * 1.5 - 0.4, 0.4 * 1.3, 0.4);
    expect(c.daysToTrain, 25, 50 * 1.3, 50);
    expect(c.costUsd, 3000, 6000 * 1.3, 6000);
    expect(c.peakMemoryGib, 32, 0, 64);
    expect(headlineChanges(a, b, true).p50, 8, 29, 16);
    a.across.p50 = 0; // no share of nothing, and no ratio to it
    const HeadlineChanges none = headlineChanges(a, b);
    EXPECT_EQ(none.p50.relative.value, 0);
    EXPECT_EQ(none.p50.relative.halfWidth, 0);
    EXPECT_EQ(none.p50.delta.halfWidth, 13);
    EXPECT_EQ(none.mfu.delta.halfWidth, 0);
}

TEST(CompareValues, DrawsArePairedWhereSeedAndNumberAgree)
{
    const auto paired = [](std::vector<double> x, std::vector<double> y, std::uint64_t seed) {
        Snapshot a = writtenSnapshot(1), b = writtenSnapshot(1.5);
        StepSamples samples;
        samples.acrossSeconds = std::move(x);
        a.samples = std::make_shared<const StepSamples>(samples);
        samples.acrossSeconds = std::move(y);
        b.samples = std::make_shared<const StepSamples>(samples);
        b.seed = seed;
        const HeadlineChanges c = headlineChanges(a, b);
        EXPECT_EQ(c.probabilityFaster.halfWidth > 0, c.paired);
        return c.paired ? c.probabilityFaster.value : -1;
    };
    // The second is shorter in two of five draws and equal in one.
    EXPECT_DOUBLE_EQ(paired({4, 5, 6, 7, 8}, {3, 6, 6, 6, 9}, 1), 0.5);
    EXPECT_EQ(paired({4, 5, 6, 7, 8}, {3, 6, 6, 6, 9}, 2), -1);
    EXPECT_EQ(paired({4, 5, 6, 7, 8}, {3, 6, 6, 6}, 1), -1);
    EXPECT_EQ(paired({}, {}, 1), -1);
}

} // namespace
} // namespace prism
