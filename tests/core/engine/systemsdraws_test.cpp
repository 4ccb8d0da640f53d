// SPDX-License-Identifier: GPL-3.0-or-later
// Which systems are drawn, the run of each and the ranges over them, with hand-made steps instead of a simulation.
#include "core/engine/systemsrange.h"

#include "core/cost/predictor.h"
#include "core/engine/evaluator.h"
#include "core/scenario/presets.h"
#include "core/sim/draw/stepdelays.h"
#include "core/stats/moments.h"
#include "core/stats/normal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace prism {
namespace {

constexpr double kScoreOf95 = 1.6448536269514722; ///< normal score of 0.95
constexpr std::uint64_t kDrawsSeed = 7;
constexpr double kDrawsJitter = 0.011, kDrawsStalls = 15, kDrawsStallSeconds = 0.25;
const std::vector<double> kOwnSteps = {2.0, 2.3, 1.9, 2.2, 2.6}, kOtherSteps = {3.0, 3.3, 2.8, 3.1, 3.7};

/// Eight GPUs of type gb200. Of the causes only the compute regime (0, 0.0014, 0.0093) and the trend (-0.012, 0.0001, 0.012) are not stated
/// by the scenario.
Scenario drawnScenario()
{
    Scenario s = *scenarioPreset("llama2-7b-8-a100");
    s.cluster.gpu.preset = "gb200-nvl72";
    VariabilityConfig& v = s.variability = {};
    v.preset = "measured-gb200";
    v.computeRegime.cv = 0.0014; // without a family, as where the preset has no spread
    v.spatial = {Family::gamma, 0.03};
    v.computeRegimeLag1 = 0.5;
    v.moeImbalanceRegimeLag1 = 0.4;
    v.stepJitterS = kDrawsJitter;
    v.stallsPerGpuHour = kDrawsStalls;
    v.stallMeanS = kDrawsStallSeconds;
    v.stallRateCv = 1; // gamma of shape 1: the quantile at p is -ln(1 - p)
    return s;
}

struct DrawnRange {
    SystemsRange range;
    std::vector<StepGraph> graphs; ///< that were sampled: the scenario's, then one for each system
    std::vector<SimOptions> options;
    double bandLow = 0, bandHigh = 0; ///< of the scenario
};

DrawnRange drawnRange(const Scenario& s, int completeRuns = 1'000)
{
    DrawnRange out;
    Scenario now = s;
    if (now.variability.computeRegime.family == Family::deterministic)
        now.variability.computeRegime.family = Family::gamma;
    const Result<CostedStep> costed = costStep(now);
    for (const Diagnostic& d : costed.errors())
        ADD_FAILURE() << d.path << ": " << d.message;
    SimOptions options;
    options.seed = kDrawsSeed;
    options.numSamples = 77;
    options.numThreads = 3;
    const Result<SystemsRange> range = systemsRange(s, *costed, options, [&](const StepGraph& graph, const SimOptions& sim) {
        StepSamples samples;
        samples.withinSeconds = samples.acrossSeconds = out.graphs.empty() ? kOwnSteps : kOtherSteps;
        out.graphs.push_back(graph);
        out.options.push_back(sim);
        samples.complete = static_cast<int>(out.graphs.size()) <= completeRuns;
        return std::make_shared<const StepSamples>(samples);
    });
    EXPECT_TRUE(range.ok());
    out.range = *range;
    out.bandLow = costed->errorBandLow;
    out.bandHigh = costed->errorBandHigh;
    return out;
}

struct RunNumbers {
    double mean = 0, p50 = 0, p95 = 0, p99 = 0;
};

/// Eight times the steps with a trend and the delays of a graph, by a rate of stalls and a seed.
RunNumbers numbersOfRun(const std::vector<double>& once, double trend, StepGraph graph, double stalls, std::uint64_t seed,
                        double jitter = kDrawsJitter)
{
    std::vector<double> steps;
    for (int i = 0; i < 8; ++i)
        steps.insert(steps.end(), once.begin(), once.end());
    addTrend(steps, trend);
    graph.delays = {jitter, stalls, kDrawsStallSeconds, 0, 0};
    addStepDelays(graph, seed, Run::within, steps);
    const double mean = meanOf(steps);
    std::sort(steps.begin(), steps.end());
    // Of 40 steps: order statistics 19 and 20 half-way, 37 + 0.05, 38 + 0.61, counted from 0.
    return {mean, 0.5 * (steps[19] + steps[20]), steps[37] + 0.05 * (steps[38] - steps[37]), steps[38] + 0.61 * (steps[39] - steps[38])};
}

void expectRange(const OverSystems& range, std::vector<double> values)
{
    ASSERT_EQ(values.size(), 32U);
    std::sort(values.begin(), values.end());
    // 5 % of 31 steps between 32 values are 1.55 of them, 50 % 15.5, 95 % 29.45.
    EXPECT_NEAR(range.low, values[1] + 0.55 * (values[2] - values[1]), 1e-12);
    EXPECT_NEAR(range.median, values[15] + 0.5 * (values[16] - values[15]), 1e-12);
    EXPECT_NEAR(range.high, values[29] + 0.45 * (values[30] - values[29]), 1e-12);
}

TEST(SystemsDraws, CausesOfSweptStepsAreDrawnEveryFourthSystem)
{
    const DrawnRange drawn = drawnRange(drawnScenario());
    ASSERT_EQ(drawn.range.prior.causes.size(), 2U);
    ASSERT_EQ(drawn.graphs.size(), 33U);
    // Three dimensions: x^4 = x + 1 at 1.2207440846; its first power gives 0.81917 for each set of four systems after 1/2, the value lies
    // between the cause's quantiles by the normal score over that of 95 %.
    EXPECT_DOUBLE_EQ(drawn.graphs[0].computeRegime.cv, 0.0014);
    for (int i = 1; i <= 4; ++i) // 0.5 + 0.81917 - 1 = 0.31917
        EXPECT_NEAR(drawn.graphs[static_cast<std::size_t>(i)].computeRegime.cv, 0.0009999525023524929, 1e-12) << i;
    EXPECT_NEAR(drawn.graphs[5].computeRegime.cv, 0.00047414318838676973, 1e-12); // 0.5 + 2 x 0.81917 - 2
    EXPECT_NEAR(drawn.graphs[18].computeRegime.cv, 0.0025654241324402464, 1e-12); // the fifth
    EXPECT_NEAR(drawn.graphs[32].computeRegime.cv, 2.717341164364595e-05, 1e-12);
    EXPECT_EQ(drawn.graphs[1].computeRegime.family, Family::lognormal) << "a drawn cause has a family";
    EXPECT_EQ(drawn.graphs[1].spatial.family, Family::gamma) << "its own stays";
    EXPECT_EQ(drawn.graphs[1].intraRegime.family, Family::deterministic) << "none where nothing varies";
    for (std::size_t i = 0; i < drawn.graphs.size(); ++i) {
        const StepGraph& g = drawn.graphs[i];
        EXPECT_EQ(g.delays, StepDelays{}) << "put onto the swept steps later";
        EXPECT_EQ(std::max({g.regimeLag1, g.computeRegimeLag1, g.routingRegimeLag1}), 0);
        EXPECT_EQ(drawn.options[i].numSamples, 128);
        EXPECT_EQ(drawn.options[i].numWithinSamples, 128);
        EXPECT_EQ(drawn.options[i].seed, kDrawsSeed);
        EXPECT_EQ(drawn.options[i].numThreads, 3);
    }
}

TEST(SystemsDraws, ARunHasItsTrendItsRateOfStallsAndItsSeed)
{
    const DrawnRange drawn = drawnRange(drawnScenario());
    ASSERT_EQ(drawn.range.systems.size(), 32U);
    const RunNumbers own = numbersOfRun(kOwnSteps, 0, drawn.graphs[0], kDrawsStalls, kDrawsSeed + 32);
    struct Expected {
        std::size_t index;
        double trend, stallPosition; ///< second and third power: 0.67104 and 0.54970 for each system
    };
    for (const auto& [index, trend, stallPosition] : std::vector<Expected>{Expected{0, -0.006888826296351279, 0.049700477901970075},
                                                                           {3, -0.006517490495268973, 0.6988019116078807},
                                                                           {4, 0.00776210226573685, 0.24850238950985082},
                                                                           {17, 0.0015381542505186092, 0.3946086022354631},
                                                                           {31, 0.014086236196468847, 0.09041529286304595}}) {
        const double stalls = kDrawsStalls * -std::log1p(-stallPosition);
        const RunNumbers run = numbersOfRun(kOtherSteps, trend, drawn.graphs[index + 1], stalls, kDrawsSeed + index);
        const DrawnSystem& system = drawn.range.systems[index];
        EXPECT_NEAR(system.meanRatio, run.mean / own.mean, 1e-9) << index;
        EXPECT_NEAR(system.p50Ratio, run.p50 / own.p50, 1e-9) << index;
        EXPECT_NEAR(system.p95OverP50, run.p95 / run.p50, 1e-9) << index;
        EXPECT_NEAR(system.p99OverP50, run.p99 / run.p50, 1e-9) << index;
    }
    EXPECT_EQ(drawn.range.trend, 0.0001) << "the middle of the trend's quantiles";
}

TEST(SystemsDraws, AMeasuredJobVariesAsItsRunsDo)
{
    Scenario s = drawnScenario();
    s.variability.computeRegime = {Family::lognormal, 0.02}; // fitted, as jitter: only the trend is drawn from other systems
    s.measured.levelError = 0.01;
    const DrawnRange drawn = drawnRange(s);
    ASSERT_EQ(drawn.range.prior.causes.size(), 1U);
    // The second of three dimensions (0.67104 for each set of four systems): at 0.17104 and 0.84208.
    const double first = std::exp(0.24 * normalQuantile(0.171043606703787)), second = std::exp(0.24 * normalQuantile(0.842087213407574));
    EXPECT_EQ(drawn.graphs[0].computeRegime.cv, 0.02) << "the job itself";
    EXPECT_NEAR(drawn.graphs[4].computeRegime.cv, 0.02 * first, 1e-9);
    EXPECT_NEAR(drawn.graphs[5].computeRegime.cv, 0.02 * second, 1e-9);
    const double trend = drawn.range.prior.causes[0].at(0.5 + 0.8191725133961645 - 1);
    const RunNumbers run = numbersOfRun(kOtherSteps, trend, drawn.graphs[1], kDrawsStalls * -std::log1p(-0.049700477901970075), kDrawsSeed,
                                        kDrawsJitter * first);
    EXPECT_NEAR(drawn.range.systems[0].p95OverP50, run.p95 / run.p50, 1e-9);
    s.measured.levelError = 0;
    EXPECT_EQ(drawnRange(s).graphs[4].computeRegime.cv, 0.02) << "a spread that the user states is exact";
    s.measured.levelError = 0.01;
    s.variability.computeRegime = empiricalDistribution({0.99, 1, 1.01});
    const std::vector<double> pool = *drawnRange(s).graphs[4].computeRegime.pool;
    EXPECT_NEAR(pool[0], 1 - 0.01 * first, 1e-12);
    EXPECT_NEAR(pool[2], 1 + 0.01 * first, 1e-12);
}

TEST(SystemsDraws, RangesHoldNineOfTenSystems)
{
    const DrawnRange drawn = drawnRange(drawnScenario());
    CostedStep costed; // the band alone
    costed.errorBandLow = drawn.bandLow;
    costed.errorBandHigh = drawn.bandHigh;
    std::vector<double> p95, p99, levels;
    for (std::size_t i = 0; i < drawn.range.systems.size(); ++i) {
        const DrawnSystem& system = drawn.range.systems[i];
        p95.push_back(system.p95OverP50);
        p99.push_back(system.p99OverP50);
        // One dimension: multiples of the golden ratio, 0.618034, after 1/2.
        const double position = std::fmod(0.5 + 0.6180339887498949 * static_cast<double>(i + 1), 1.0);
        levels.push_back(system.p50Ratio * measuredOverPredicted(costed, position));
    }
    expectRange(drawn.range.p95OverP50, p95);
    expectRange(drawn.range.p99OverP50, p99);
    expectRange(drawn.range.levelRatio, levels);
}

TEST(SystemsDraws, WithTheTrendAloneThereAreTwoDimensions)
{
    Scenario s = drawnScenario();
    s.variability.computeRegime = {}; // stated
    s.variability.stepJitterS = 0;
    s.variability.stallsPerGpuHour = 0;
    const DrawnRange drawn = drawnRange(s);
    ASSERT_EQ(drawn.range.prior.causes.size(), 1U);
    // x^3 = x + 1 at 1.3247179572; system 5 is at 0.5 + 6 x 0.75488 - 5 = 0.02927, system 31 at 0.65609.
    for (const auto& [index, trend] : {std::pair{5U, -0.01381581353652166}, {31U, 0.0030069152574226975}}) {
        std::vector<double> steps;
        for (int i = 0; i < 8; ++i)
            steps.insert(steps.end(), kOtherSteps.begin(), kOtherSteps.end());
        addTrend(steps, trend);
        EXPECT_NEAR(drawn.range.systems[index].meanRatio, meanOf(steps) / 2.2, 1e-12) << index; // 11 s in five steps
    }
}

TEST(SystemsDraws, StepsOfAllSystemsArePooledOverTheMedianOfTheirRun)
{
    Scenario s = drawnScenario();
    s.variability.computeRegime = {};
    s.variability.stepJitterS = s.variability.stallsPerGpuHour = 0;
    const SystemsRange range = drawnRange(s).range;
    std::vector<double> pooled;
    for (int system = 1; system <= 32; ++system) { // 0.7548776662: as in the test above
        const double trend = range.prior.causes[0].at(std::fmod(0.5 + 0.7548776662466927 * system, 1.0));
        std::vector<double> steps;
        for (int i = 0; i < 8; ++i)
            steps.insert(steps.end(), kOtherSteps.begin(), kOtherSteps.end());
        addTrend(steps, trend);
        const double middle = medianOf(steps);
        for (const double step : steps)
            pooled.push_back(step / middle);
    }
    std::sort(pooled.begin(), pooled.end()); // 1,280 steps
    ASSERT_EQ(range.stepsOverP50.size(), 200U);
    // At 0.5 / 200 of 1,279 steps between them: 3.1975; at 199.5 / 200: 1,275.8025; at 100.5 / 200: 642.6975.
    EXPECT_NEAR(range.stepsOverP50.front(), pooled[3] + 0.1975 * (pooled[4] - pooled[3]), 1e-12);
    EXPECT_NEAR(range.stepsOverP50[100], pooled[642] + 0.6975 * (pooled[643] - pooled[642]), 1e-12);
    EXPECT_NEAR(range.stepsOverP50.back(), pooled[1275] + 0.8025 * (pooled[1276] - pooled[1275]), 1e-12);
}

TEST(SystemsDraws, AStoppedSweepEndsTheRange)
{
    EXPECT_TRUE(drawnRange(drawnScenario()).range.complete);
    const DrawnRange stopped = drawnRange(drawnScenario(), 3);
    EXPECT_FALSE(stopped.range.complete);
    EXPECT_EQ(stopped.graphs.size(), 4U) << "nothing is swept after the run that was stopped";
    EXPECT_TRUE(drawnRange(drawnScenario(), 33).range.complete);
    EXPECT_FALSE(drawnRange(drawnScenario(), 32).range.complete);
}

TEST(SystemsDraws, TheErrorBandOfTheMeanIsAsymmetric)
{
    CostedStep costed;
    costed.errorBandLow = -0.2; // predicted 20 % below what was published: measured 1.25 times
    costed.errorBandHigh = 0.6; // predicted 60 % above: measured 0.625 times
    EXPECT_NEAR(measuredOverPredicted(costed, 0.95), 1.25, 1e-12);
    EXPECT_NEAR(measuredOverPredicted(costed, 0.05), 0.625, 1e-12);
    EXPECT_NEAR(measuredOverPredicted(costed, normalCdf(2 * kScoreOf95)), 1.5625, 1e-9);
    EXPECT_NEAR(measuredOverPredicted(costed, normalCdf(-0.5 * kScoreOf95)), std::sqrt(0.625), 1e-12);
    costed.errorBandLow = 0.1; // a band on one side of the prediction ends at it
    costed.errorBandHigh = 0.3;
    EXPECT_EQ(measuredOverPredicted(costed, 0.95), 1);
    costed.errorBandLow = -0.5;
    costed.errorBandHigh = -0.1;
    EXPECT_EQ(measuredOverPredicted(costed, 0.05), 1);
    EXPECT_NEAR(measuredOverPredicted(costed, 0.95), 2, 1e-12);
}

TEST(SystemsDraws, NineJobsInTurnComeToOneLevelFromTenStepsEach)
{
    // Job j takes 10 + j s, four of its ten steps a little more or less: the median of all is 14 s.
    const double offsets[] = {0, 0.02, 0, -0.03, 0, 0.01, 0, -0.01, 0, 0};
    std::vector<double> steps;
    for (int i = 0; i < 90; ++i)
        steps.push_back(10 + i % 9 + offsets[i / 9]);
    const std::vector<double> level = atOneLevel(steps);
    ASSERT_EQ(level.size(), 90U);
    for (std::size_t i = 0; i < 90; ++i)
        EXPECT_NEAR(level[i], 14 + offsets[i / 9], 1e-12) << i;
    steps.pop_back();
    EXPECT_EQ(atOneLevel(steps), steps) << "89 steps: one job has only nine";
}

TEST(SystemsDraws, TheTrendIsTakenInTheMiddleOfEachStep)
{
    // The share that has happened at x is (1 - exp(-2 x)) / (1 - exp(-2)), its mean 1 / (1 - exp(-2)) - 1/2 = 0.656518.
    std::vector<double> two{1, 2};
    addTrend(two, 0.1); // at 1/4 and 3/4: 0.455052 and 0.898463
    EXPECT_NEAR(two[0], 0.9798536591173745, 1e-12);
    EXPECT_NEAR(two[1], 2 * 1.0241946033158782, 1e-12);
    std::vector<double> three{1, 1, 3};
    addTrend(three, -0.2);
    EXPECT_NEAR(three[0], 1.0657362204522254, 1e-12);
    EXPECT_NEAR(three[1], 0.9850918128239322, 1e-12);
    EXPECT_NEAR(three[2], 3 * 0.9436875933933239, 1e-12);
}

TEST(SystemsDraws, RunsTakeTheSystemsInTurnAndTheirMeanIsThePrediction)
{
    const DrawnRange drawn = drawnRange(drawnScenario());
    ASSERT_EQ(drawn.range.levels.size(), static_cast<std::size_t>(kJointDraws));
    EXPECT_NEAR(meanOf(drawn.range.levels), 1, 1e-12);
    CostedStep costed;
    costed.errorBandLow = drawn.bandLow;
    costed.errorBandHigh = drawn.bandHigh;
    const std::vector<double> levels = runLevels(drawn.range, 40), twice = runLevels(drawn.range, 2 * kJointDraws);
    EXPECT_NEAR(meanOf(levels), 1, 1e-12);
    EXPECT_NEAR(twice[kJointDraws + 3] / twice[3], 1, 1e-12) << "in turn";
    const auto raw = [&](std::size_t i) { // multiples of sqrt(2) - 1 modulo 1
        return measuredOverPredicted(costed, std::fmod((static_cast<double>(i) + 0.5) * (std::sqrt(2.0) - 1), 1.0))
               * drawn.range.systems[i % 32].meanRatio;
    };
    EXPECT_NEAR(levels[35] / levels[3], raw(35) / raw(3), 1e-12) << "one system, two errors of the mean";
    EXPECT_NEAR(levels[7] / levels[3], raw(7) / raw(3), 1e-12) << "two systems";
    // The steps of a system have its own stalls and jitter and are kept over their mean.
    for (const DrawnSystem& system : drawn.range.systems) {
        ASSERT_EQ(system.stepsOverMean.size(), 8 * kOtherSteps.size());
        EXPECT_TRUE(std::is_sorted(system.stepsOverMean.begin(), system.stepsOverMean.end()));
        EXPECT_NEAR(meanOf(system.stepsOverMean), 1, 1e-12);
    }
}

TEST(StepsOverSystems, ExceedanceIsTheMeanOverRunsOfTheirOwn)
{
    SystemsRange range;
    range.levels = {0.5, 1, 2, 1};
    const std::vector<double> steps{1, 2, 3, 4};
    const StepsOverSystems alone(range, steps, 0);
    // Beyond 2 s: 4 of a run at half the level 0, of the predicted level 2 of 4, of twice the level 3 of 4.
    const ExceedanceOverSystems two = alone.exceedance(2);
    EXPECT_DOUBLE_EQ(two.probability.value, (0 + 0.5 + 0.75 + 0.5) / 4);
    EXPECT_DOUBLE_EQ(two.low, 0.15 * 0.5) << "5 % of three steps between the four runs";
    EXPECT_DOUBLE_EQ(two.high, 0.5 + 0.85 * 0.25);
    EXPECT_NEAR(alone.limit(two.probability.value), 2, 1e-9);
    EXPECT_NEAR(alone.limit(0.5), 1.5, 0.5 + 1e-9) << "just below 2 s a fourth of the fast run is longer";
    range.systems.resize(2);
    range.systems[0].stepsOverMean = {0.5, 1.5};
    range.systems[1].stepsOverMean = {1, 1};
    // The mean is 2.5 s: 2 s is 1.6, 0.8, 0.4 and 0.8 of the means of the four runs.
    EXPECT_DOUBLE_EQ(StepsOverSystems(range, steps, 0).exceedance(2).probability.value, (0 + 1 + 1 + 1) / 4.0);
}

TEST(StepsOverSystems, TheIntervalIsThatOfTheMeanAndABoundBeyondTheSteps)
{
    SystemsRange range;
    range.levels = {0.5, 1, 2, 1};
    const std::vector<double> steps{1, 2, 3, 4};
    // 10 % of the mean: beyond 1.8 s (1, 3, 4, 3 of 4 steps) and 2.2 s (0, 2, 3, 2).
    EXPECT_DOUBLE_EQ(StepsOverSystems(range, steps, 0.25).exceedance(2).probability.halfWidth, (11.0 - 7.0) / 16 / 2);
    const ExceedanceOverSystems never = StepsOverSystems(range, steps, 0.25).exceedance(100);
    EXPECT_EQ(never.probability.value, 0);
    EXPECT_EQ(never.probability.halfWidth, proportion(0, 4).halfWidth);
    EXPECT_GT(never.probability.halfWidth, 0.1) << "four steps do not exclude a longer one";
}

TEST(SystemsDraws, TheSentenceHasTenthsOfAPerCent)
{
    SystemsRange range;
    EXPECT_EQ(systemsSentence(range), "");
    range.systems.resize(1);
    range.p95OverP50 = {1.0026, 1.01, 1.0194};
    range.p99OverP50 = {1.00449, 1.03, 1.0906};
    EXPECT_EQ(systemsSentence(range), "In runs on nine of ten systems like this p95 lies 0.3 to 1.9 % above p50, p99 0.4 to 9.1 %.");
}

TEST(SystemsDraws, AStallRateNearItsLimitStaysWithinIt)
{
    Scenario s = drawnScenario();
    s.variability.stallsPerGpuHour = 90; // the largest of 32 quantiles of the gamma is above 4
    EXPECT_EQ(drawnRange(s).range.systems.size(), 32U);
}

TEST(SystemsDrawsLong, ThePriorFollowsThePresetThatIsNamed)
{
    Scenario s = drawnScenario();
    Evaluator evaluator;
    EvaluateOptions options;
    options.numSamples = 200;
    const auto systemsOf = [&](const char* preset) {
        s.variability.preset = preset;
        const SnapshotPtr snapshot = evaluator.evaluate(s, options);
        return snapshot->systems ? snapshot->systems->systems.size() : 0;
    };
    EXPECT_EQ(systemsOf("measured-gb200"), 32U);
    EXPECT_EQ(systemsOf(""), 0U) << "labels are not in the hash of a scenario";
    EXPECT_EQ(systemsOf("measured-gb200"), 32U);
}

} // namespace
} // namespace prism
