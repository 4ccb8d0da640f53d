// SPDX-License-Identifier: GPL-3.0-or-later
// What a guarantee hands to the time of a run, its defaults and its tables; and the least factor that explains a longer step.
#include "core/insight/follow/whatif.h"
#include "core/insight/guarantee/guarantee.h"

#include "core/insight/scenarios.h"
#include "core/insight/variation.h"
#include "core/sim/simulate.h"
#include "core/stats/distance.h"
#include "core/stats/moments.h"
#include "core/step/deterministicstep.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace prism {
namespace {

/// One replica of two stages of four layers, on two nodes, without spread.
Scenario twoStageScenario()
{
    Scenario s = testscenarios::smallScenario();
    s.cluster.numGpus = 16;
    s.parallelism.pipelineModelParallelSize = 2;
    s.model.numLayers = 4;
    s.training.globalBatchSize = 4;
    s.variability = {};
    return s;
}

/// The same on 256 nodes, with everything that varies; cv of what lasts between nodes and in compute.
Scenario variedScenario(double network, double compute)
{
    Scenario s = twoStageScenario();
    s.cluster.numGpus = 16 * 128;
    s.training.globalBatchSize = 4 * 128;
    s.variability = testscenarios::smallScenario().variability;
    s.variability.spatial = testscenarios::lognormal(0.03);
    s.variability.interRegime = testscenarios::lognormal(network);
    s.variability.computeRegime = testscenarios::lognormal(compute);
    s.variability.computeRegimeLag1 = 0.7;
    return s;
}

/// The time of a run follows from its parts. Twenty steps of a job know their variance so badly that regimes may have more.
void expectRunOf(const Scenario& s, bool isAllRegime)
{
    Evaluator evaluator;
    InsightOptions options = testscenarios::withSamples(80);
    options.seed = 3;
    const auto g = guarantee(evaluator, s, {.trainTokens = 3e10}, options);
    ASSERT_TRUE(g.ok());
    const auto costed = costStep(s);
    StepGraph spatial = withoutSpread(costed->graph), regime = spatial;
    spatial.spatial = costed->graph.spatial;
    regime.intraRegime = costed->graph.intraRegime;
    regime.interRegime = costed->graph.interRegime;
    regime.computeRegime = costed->graph.computeRegime;
    regime.routingRegime = costed->graph.routingRegime;
    SimOptions sim{.seed = 3, .numSamples = 80};
    const StepSamples full = *evaluator.samples(costed->graph, sim);
    sim.numWithinSamples = -1;
    const StepSamples jobs = *evaluator.samples(spatial, sim);
    sim.numWithinSamples = 80;
    const std::vector<double> steps = evaluator.samples(regime, sim)->withinSeconds;
    ASSERT_EQ(steps.size(), 80U);
    TrainingInputs in;
    for (const double x : jobs.acrossSeconds)
        in.jobMeans.push_back(x + meanOf(full.acrossSeconds) - meanOf(jobs.acrossSeconds));
    in.meanHalfWidth = g->across.ciMean;
    in.p95HalfWidth = 1.959963984540054 * jobs.acrossShared.p95.stdErr;
    in.withinVariance = varianceOf(full.withinSeconds);
    const double share = varianceOf(steps) / in.withinVariance;
    EXPECT_EQ(share > 1, isAllRegime) << share;
    in.regimeShare = isAllRegime ? 1 : share;
    in.regimeLag1 = lag1Correlation(steps);
    EXPECT_GT(in.p95HalfWidth, 0);
    EXPECT_GT(share, 0.001);
    EXPECT_GT(in.regimeLag1, 0);
    in.tokens = 3e10;
    in.tokensPerStep = 4.0 * 128 * static_cast<double>(s.model.seqLength);
    const TrainingTime t = trainingTime(in);
    const auto expect = [](double value, double expected) { EXPECT_NEAR(value, expected, 1e-9 * expected); };
    expect(g->training.steps, t.steps);
    expect(g->training.meanDays, t.meanDays);
    expect(g->training.p5Days, t.p5Days);
    expect(g->training.p50.halfWidth, t.p50.halfWidth);
    expect(g->training.p95.halfWidth, t.p95.halfWidth);
    expect(g->training.p99Days, t.p99Days);
    expect(g->training.stdJobDays, t.stdJobDays);
    expect(g->training.stdStepsDays, t.stdStepsDays);
    expect(g->training.stdIfIndependentDays, t.stdIfIndependentDays);
    expect(g->training.effectiveIndependentSteps, t.effectiveIndependentSteps);
    EXPECT_EQ(g->seed, 3U);
}

TEST(GuaranteeValues, TheRunIsMadeOfItsJobsItsStepsAndItsRegimes)
{
    expectRunOf(variedScenario(0.6, 0.02), true);
    Scenario fresh = variedScenario(0.1, 0.001);
    fresh.variability.stepJitterS = 0.02; // a tenth of the step, new in each
    expectRunOf(fresh, false);
}

TEST(GuaranteeValues, TwoThousandSamplesAreTheDefaultAndTheScenarioHasTheTokens)
{
    const Scenario s = twoStageScenario();
    Evaluator evaluator;
    std::vector<double> progress;
    InsightOptions options;
    options.progress = [&](double fraction, std::string_view) { progress.push_back(fraction); };
    const auto g = guarantee(evaluator, s, {.probabilities = {0.25, 0.004}}, options);
    ASSERT_TRUE(g.ok());
    EXPECT_EQ(g->samples, 2'000);
    EXPECT_EQ(g->sortedAcross.size(), 2'000U);
    EXPECT_EQ(g->training.tokens, 1e9);
    EXPECT_EQ(progress, (std::vector<double>{0.5, 1}));
    EXPECT_TRUE(g->limits[0].resolved);
    EXPECT_FALSE(g->limits[1].resolved) << "eight of 2,000 lie beyond it";
    // Nothing varies: no share of a regime, no correlation.
    EXPECT_NEAR(g->training.effectiveIndependentSteps, g->training.steps, 1e-6 * g->training.steps);
    EXPECT_EQ(guarantee(evaluator, s, {}, testscenarios::withSamples(1))->samples, 1);
}

TEST(GuaranteeValues, AQuantileLeavesItsProbabilityAbove)
{
    const Scenario s = variedScenario(0.6, 0.02);
    Evaluator evaluator;
    InsightOptions options = testscenarios::withSamples(80);
    options.seed = 3;
    const auto g = guarantee(evaluator, s, {.limitsSeconds = {0.5}, .probabilities = {0.25}}, options);
    ASSERT_TRUE(g.ok());
    EXPECT_NEAR(g->limits[0].acrossSeconds.value, quantileOfSorted(g->sortedAcross, 0.75), 1e-12);
    EXPECT_NEAR(g->limits[0].withinSeconds.value, quantileOfSorted(g->sortedWithin, 0.75), 1e-12);
    EXPECT_EQ(g->limits[0].probability, 0.25);
    EXPECT_EQ(g->exceedances[0].limitSeconds, 0.5);
}

TEST(GuaranteeValues, AProbabilityCountsTheErrorOfTheMean)
{
    // Steps of one length: one is longer than a limit where the mean was predicted too short.
    Evaluator evaluator;
    Scenario s = twoStageScenario();
    s.training.trainTokens = 1e9;
    const CostedStep costed = *costStep(s);
    const double step = costed.noiseFreeSeconds;
    ASSERT_LT(costed.errorBandLow, 0);
    ASSERT_GT(costed.errorBandHigh, 0);
    const GuaranteeQuery query{.limitsSeconds = {step / (1 + costed.errorBandHigh), step / (1 + costed.errorBandLow), 0.99 * step},
                               .probabilities = {0.05}};
    const Guarantee g = *guarantee(evaluator, s, query, testscenarios::withSamples(80));
    EXPECT_NEAR(g.exceedances[0].overSystems.probability.value, 0.95, 0.02);
    EXPECT_NEAR(g.exceedances[1].overSystems.probability.value, 0.05, 0.02);
    EXPECT_EQ(g.exceedances[2].acrossProbability.value, 1) << "as predicted";
    EXPECT_LT(g.exceedances[2].overSystems.probability.value, 0.9);
    EXPECT_EQ(g.exceedances[2].overSystems.low, 0);
    EXPECT_EQ(g.exceedances[2].overSystems.high, 1);
    EXPECT_NEAR(g.limits[0].overSystemsSeconds, query.limitsSeconds[1], 0.01 * step);
    EXPECT_NEAR(g.training.overSystems.high / g.training.p50Days, 1 / (1 + costed.errorBandLow), 0.01);
    EXPECT_NEAR(g.training.overSystems.low / g.training.p50Days, 1 / (1 + costed.errorBandHigh), 0.01);
    GuaranteeQuery given = query;
    given.asPredicted = true;
    EXPECT_EQ(guarantee(evaluator, s, given, testscenarios::withSamples(80))->systems, nullptr);
}

Guarantee writtenGuarantee()
{
    Guarantee g;
    g.across.mean = 1.5;
    g.within.mean = 2.5;
    g.exceedances = {{3, {0.25, 0.125}, {0.5, 0.0625}, true, {{0.375, 0.5}, 0.125, 0.625}},
                     {4, {0, 0.375}, {0.75, 0.875}, false, {{0.5, 0.25}, 0.25, 0.75}}};
    g.limits = {{0.05, {5, 6}, {7, 8}, true, 31}, {0.01, {9, 10}, {11, 12}, false, 32}};
    g.hasTraining = true;
    TrainingTime& t = g.training;
    t.tokens = 13;
    t.steps = 14;
    t.meanDays = 15;
    t.p5Days = 16;
    t.p50 = {17, 18};
    t.p95 = {19, 20};
    t.p99Days = 21;
    t.stdJobDays = 22;
    t.stdStepsDays = 23;
    t.stdIfIndependentDays = 24;
    t.effectiveIndependentSteps = 25;
    t.overSystems = {33, 34, 35};
    g.deadlineDays = 26;
    g.deadlineProbability = {0.625, 0.03125};
    g.samples = 27;
    g.seed = 28;
    g.elapsedSeconds = 29;
    g.notes = {"n"};
    return g;
}

TEST(GuaranteeValues, TheTableHoldsEveryNumber)
{
    const std::string steps = "question,given,across,across_ci95,within,within_ci95,resolved,over_systems\n"
                              "probability_above_s,3,0.25,0.125,0.5,0.0625,1,0.375\n"
                              "probability_above_s,4,0,0.375,0.75,0.875,0,0.5\n"
                              "limit_s_for_probability,0.05,5,6,7,8,1,31\n"
                              "limit_s_for_probability,0.01,9,10,11,12,0,32\n",
                      days = "training_days,0.5,17,18,,,1,34\ntraining_days,0.95,19,20,,,1,35\n";
    Guarantee g = writtenGuarantee();
    EXPECT_EQ(toCsv(g), steps + days + "deadline_probability,26,0.625,0.03125,,,1,0.625\n");
    g.deadlineDays = 0;
    EXPECT_EQ(toCsv(g), steps + days);
    g.hasTraining = false;
    EXPECT_EQ(toCsv(g), steps);
}

TEST(GuaranteeValues, TheDocumentHoldsEveryNumber)
{
    auto json = nlohmann::json::parse(toJson(writtenGuarantee()));
    EXPECT_EQ(json["step_time_s"]["mean"], 1.5);
    EXPECT_EQ(json["within_job_s"]["mean"], 2.5);
    json.erase("step_time_s");
    json.erase("within_job_s");
    EXPECT_EQ(json, nlohmann::json::parse(R"({"exceedance": [
        {"limit_s": 3.0, "probability": {"value": 0.375, "ci95": 0.5}, "over_systems": {"p5": 0.125, "p95": 0.625}, "across_jobs": {"value": 0.25, "ci95": 0.125}, "within_job": {"value": 0.5, "ci95": 0.0625}, "resolved": true},
        {"limit_s": 4.0, "probability": {"value": 0.5, "ci95": 0.25}, "over_systems": {"p5": 0.25, "p95": 0.75}, "across_jobs": {"value": 0.0, "ci95": 0.375}, "within_job": {"value": 0.75, "ci95": 0.875}, "resolved": false}],
        "limits": [
        {"probability": 0.05, "limit_s": 31.0, "across_jobs_s": {"value": 5.0, "ci95": 6.0}, "within_job_s": {"value": 7.0, "ci95": 8.0}, "resolved": true},
        {"probability": 0.01, "limit_s": 32.0, "across_jobs_s": {"value": 9.0, "ci95": 10.0}, "within_job_s": {"value": 11.0, "ci95": 12.0},
         "resolved": false}],
        "samples": 27, "seed": 28, "elapsed_s": 29.0, "training": {"tokens": 13.0, "steps": 14.0, "mean_days": 15.0, "over_systems_days": {"p5": 33.0, "p50": 34.0, "p95": 35.0}, "p5_days": 16.0,
        "p50_days": {"value": 17.0, "ci95": 18.0}, "p95_days": {"value": 19.0, "ci95": 20.0}, "p99_days": 21.0,
        "std_from_persistent_factors_days": 22.0, "std_from_steps_days": 23.0, "std_if_steps_were_independent_days": 24.0,
        "effective_independent_steps": 25.0, "deadline_days": 26.0, "deadline_probability": {"value": 0.625, "ci95": 0.03125}},
        "notes": ["n"]})"));
}

TEST(TrainingTimeValues, StepsThatCancelOneAnotherCountAsTheyAre)
{
    // 1 - 1 + 1 x (1 - 1) / 2 = 0: no variance of the sum.
    TrainingInputs in;
    in.jobMeans = {2, 3};
    in.tokens = 1e6;
    in.tokensPerStep = 1e3;
    in.withinVariance = 4;
    in.regimeShare = 1;
    in.regimeLag1 = -1;
    const TrainingTime t = trainingTime(in);
    EXPECT_EQ(t.stdStepsDays, 0);
    EXPECT_EQ(t.effectiveIndependentSteps, 1'000);
    // 0.25 + 0.75 x 1.6 / 0.4 = 3.25.
    EXPECT_DOUBLE_EQ(correlationFactor(0.75, 0.6), 3.25);
    EXPECT_DOUBLE_EQ(correlationFactor(0.2, 0.6), 1.6);
}

double noiseFreeRatio(const Scenario& changed, const Scenario& scenario)
{
    return deterministicStepSeconds(costStep(changed)->graph) / deterministicStepSeconds(costStep(scenario)->graph);
}

const LikelyCause& causeOf(const std::vector<LikelyCause>& causes, const std::string& id)
{
    for (const LikelyCause& c : causes)
        if (c.id == id)
            return c;
    ADD_FAILURE() << id;
    return causes.front();
}

TEST(WhatIfValues, FactorsEndAtTenAndLevelsAtTheirBounds)
{
    Scenario s = twoStageScenario();
    s.measured.networkLevel = 4;
    WhatIfs whatIfs(s);
    const auto none = whatIfs.reaching(1'000).value();
    ASSERT_EQ(none.size(), 4U);
    Scenario compute = s, network = s, node = s, link = s;
    compute.measured.computeLevel = 5;  // not 10
    network.measured.networkLevel = 20; // not 40
    node.variability.slow = {{0, -1, 10, 1}};
    link.variability.slow = {{0, -1, 1, 10}};
    for (const auto& [id, changed] : {std::pair("compute", &compute), std::pair("network", &network), std::pair("node_compute", &node),
                                      std::pair("node_link", &link)}) {
        const LikelyCause& c = causeOf(none, id);
        EXPECT_FALSE(c.reaches) << id;
        EXPECT_EQ(c.factor, 10) << id;
        EXPECT_NEAR(c.ratio, noiseFreeRatio(*changed, s), 1e-12 * c.ratio) << id;
        EXPECT_GT(c.ratio, 1) << id;
    }
    EXPECT_EQ(none[0].id + " " + none[1].id, "node_compute node_link") << "single places first";
    // It reaches where 99.5 % of the ratio are reached.
    const double largest = causeOf(none, "node_compute").ratio;
    const LikelyCause reached = causeOf(whatIfs.reaching(largest / (1 - 0.0049)).value(), "node_compute"),
                      missed = causeOf(whatIfs.reaching(largest / (1 - 0.0051)).value(), "node_compute");
    EXPECT_TRUE(reached.reaches);
    EXPECT_EQ(reached.factor, 10);
    EXPECT_EQ(reached.ratio, largest);
    EXPECT_FALSE(missed.reaches);
}

TEST(WhatIfValues, TheFactorIsHalvedUntilAThousandth)
{
    // From 1 to 10 in fourteen halvings: 9 / 2^14 is the first below 0.001.
    const Scenario s = twoStageScenario();
    WhatIfs whatIfs(s);
    const auto causes = whatIfs.reaching(1.2).value();
    const double cell = 9.0 / 16'384;
    for (const LikelyCause& c : causes) {
        if (!c.reaches)
            continue;
        const double cells = (c.factor - 1) / cell;
        EXPECT_NEAR(cells, std::round(cells), 1e-6) << c.id;
        const auto at = [&](double factor) {
            Scenario changed = s;
            if (c.id == "node_compute")
                changed.variability.slow = {{0, -1, factor, 1}};
            else if (c.id == "node_link")
                changed.variability.slow = {{0, -1, 1, factor}};
            else
                (c.id == "network" ? changed.measured.networkLevel : changed.measured.computeLevel) = factor;
            return noiseFreeRatio(changed, s);
        };
        EXPECT_GE(at(c.factor), 1.2) << c.id;
        EXPECT_LT(at(c.factor - cell), 1.2) << c.id;
        EXPECT_NEAR(c.ratio, at(c.factor), 1e-12) << c.id;
    }
    EXPECT_EQ(causes[0].id, "node_compute");
    EXPECT_TRUE(causes[0].reaches);
    for (std::size_t i = 1; i < causes.size(); ++i) {
        const auto key = [](const LikelyCause& c) {
            return std::tuple(!c.reaches, c.id != "node_compute" && c.id != "node_link", c.factor);
        };
        EXPECT_LE(key(causes[i - 1]), key(causes[i]));
    }
}

} // namespace
} // namespace prism
