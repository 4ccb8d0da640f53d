// SPDX-License-Identifier: GPL-3.0-or-later
// The range over systems: known answers, what narrows it, and the series that were measured.
#include "core/cost/domain.h"
#include "core/engine/evaluator.h"
#include "core/scenario/parameters.h"
#include "core/scenario/presets.h"
#include "core/scenario/sectionpresets.h"
#include "core/sim/draw/stepdelays.h"
#include "core/stats/normal.h"
#include "core/stats/quantile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace prism {
namespace {

constexpr double kNineOfTen = 1.6448536269514722;

Scenario onGpus(const char* preset)
{
    Scenario s = *setParameter(*scenarioPreset("llama2-7b-8-a100"), "cluster.gpu.preset", preset);
    s.variability = *variabilityPreset(measuredSpreadOf(preset));
    return s;
}

SystemsRange rangeOf(const Scenario& s, int threads = 1, std::uint64_t seed = 1)
{
    Evaluator evaluator;
    const Result<CostedStep> costed = costStep(s);
    SimOptions options;
    options.seed = seed;
    options.numThreads = threads;
    const auto range = evaluator.systems(s, *costed, options);
    EXPECT_TRUE(range.ok());
    return **range;
}

TEST(CauseOverSystems, GoesThroughItsThreeQuantiles)
{
    const CauseOverSystems jitter{"variability.step_jitter_s", {0.01, 0.02, 0.05}, ""};
    EXPECT_NEAR(jitter.at(0.05), 0.01, 1e-12);
    EXPECT_NEAR(jitter.at(0.5), 0.02, 1e-12);
    EXPECT_NEAR(jitter.at(0.95), 0.05, 1e-12);
    EXPECT_NEAR(jitter.at(normalCdf(0.5 * kNineOfTen)), 0.035, 1e-9);
    EXPECT_EQ(jitter.at(1e-6), 0) << "no parameter below 0";
    const CauseOverSystems trend{std::string(kTrendOfRun), {-0.01, 0, 0.02}, ""};
    EXPECT_NEAR(trend.at(normalCdf(-2 * kNineOfTen)), -0.02, 1e-9);
}

TEST(SystemsPrior, IsThatOfTheGpuAndTheModel)
{
    const auto middle = [](const Scenario& s, const char* gpu, std::string_view path) {
        const Result<SystemsPrior> prior = systemsPrior(s, gpu);
        for (const CauseOverSystems& c : prior->causes)
            if (c.path == path)
                return c.quantiles[1];
        return -1.0;
    };
    const char* jitter = "variability.step_jitter_s";
    const char* routing = "variability.moe_imbalance_regime.cv";
    const Scenario s = onGpus("h100-sxm-80gb");
    EXPECT_GT(middle(s, "h100", kTrendOfRun), 0.005) << "runs on H100 become slower";
    EXPECT_LT(middle(s, "gb300", kTrendOfRun), 0.5 * middle(s, "h100", kTrendOfRun));
    EXPECT_EQ(middle(s, "a100", kTrendOfRun), middle(s, "mi300x", kTrendOfRun)) << "no system was measured";
    Scenario stated = s;
    stated.variability.stepJitterS *= 1.5;
    EXPECT_GT(middle(s, "h100", jitter), 0);
    EXPECT_EQ(middle(stated, "h100", jitter), -1) << "stated by the user";
    Scenario moe = s;
    moe.model = scenarioPreset("mixtral-8x22b-256-h100")->model;
    EXPECT_GT(middle(moe, "h100", routing), 0.01);
    EXPECT_LT(middle(moe, "h100", kTrendOfRun), 0) << "routing settles";
    EXPECT_EQ(middle(s, "h100", routing), -1) << "no experts";
    moe.variability.moeImbalance = {};
    EXPECT_EQ(middle(moe, "h100", routing), -1) << "forced routing";
    Scenario silent = s;
    silent.variability = *variabilityPreset("none");
    silent.variability.preset = "none";
    EXPECT_TRUE(systemsPrior(silent, "h100")->title.empty());
}

TEST(SystemsPrior, HasTheMeasuredPresetsInItsMiddle)
{
    for (const char* gpu : {"h100-sxm-80gb", "h200-sxm-141gb", "b200-sxm-180gb", "gb200-nvl72", "gb300-nvl72"}) {
        const Scenario s = onGpus(gpu);
        const SystemsPrior prior = *systemsPrior(s, gpuType(s.cluster.gpu));
        int held = 0;
        for (const CauseOverSystems& c : prior.causes) {
            const Parameter* p = findParameter(c.path);
            if (!p)
                continue; // the trend
            ++held;
            EXPECT_EQ(std::get<double>(p->get(s)), c.quantiles[1]) << gpu << ' ' << c.path;
        }
        EXPECT_GE(held, 4) << gpu;
    }
}

TEST(SystemsRangeLong, JitterAloneHasItsOwnQuantiles)
{
    // All else stated: steps of one length, so p95 - p50 of a system is its jitter times a number of the gamma shape.
    Scenario s = onGpus("h100-sxm-80gb");
    const double own = s.variability.stepJitterS;
    const std::string preset = s.variability.preset;
    s.variability = {};
    s.variability.preset = preset;
    s.variability.stepJitterS = own;
    SystemsRange range = rangeOf(s);
    ASSERT_EQ(range.systems.size(), static_cast<std::size_t>(kDrawnSystems));
    const Distribution gamma{Family::gamma, kJitterShapeCv};
    const double reach = (baseQuantile(gamma, 0.95) - baseQuantile(gamma, 0.5)) / kJitterShapeCv;
    const CauseOverSystems* jitter = nullptr;
    for (const CauseOverSystems& c : range.prior.causes)
        jitter = c.path == "variability.step_jitter_s" ? &c : jitter;
    ASSERT_NE(jitter, nullptr);
    const double step = costStep(s)->noiseFreeSeconds;
    // The compute regime of an H100 and its trend add to the jitter of a step of some seconds: at most a third here.
    const double low = reach * jitter->quantiles[0] / step, high = reach * jitter->quantiles[2] / step;
    EXPECT_GT(range.p95OverP50.low - 1, 0.9 * low);
    EXPECT_GT(range.p95OverP50.high - 1, 0.9 * high);
    EXPECT_LT(range.p95OverP50.high - 1, 1.5 * high + 0.007);
    EXPECT_LT(range.p95OverP50.median, range.p95OverP50.high);
}

TEST(SystemsRangeLong, IsTheSameOnAnyNumberOfThreadsAndNarrowerWhereMoreIsStated)
{
    const Scenario s = onGpus("gb200-nvl72");
    const SystemsRange one = rangeOf(s, 1), two = rangeOf(s, 2);
    EXPECT_EQ(one.p95OverP50.high, two.p95OverP50.high);
    EXPECT_EQ(one.systems.back().meanRatio, two.systems.back().meanRatio);
    Scenario fitted = s;
    fitted.variability.stepJitterS *= 1.001;
    fitted.variability.computeRegime.cv *= 1.001;
    const SystemsRange narrow = rangeOf(fitted);
    EXPECT_LT(std::log(narrow.p95OverP50.high / narrow.p95OverP50.low), 0.8 * std::log(one.p95OverP50.high / one.p95OverP50.low));
}

TEST(SystemsRangeLong, TheLevelHoldsTheErrorOfTheMean)
{
    const Scenario s = *scenarioPreset("llama2-7b-8-a100");
    Scenario noiseFree = s;
    noiseFree.variability = {};
    const CostedStep costed = *costStep(noiseFree);
    const SystemsRange none = rangeOf(noiseFree);
    EXPECT_TRUE(none.systems.empty());
    EXPECT_NEAR(none.levelRatio.low, 1 / (1 + costed.errorBandHigh), 1e-9);
    EXPECT_NEAR(none.levelRatio.high, 1 / (1 + costed.errorBandLow), 1e-9);
    EXPECT_EQ(measuredOverPredicted(costed, 0.5), 1);
    const SystemsRange drawn = rangeOf(s);
    EXPECT_NEAR(drawn.levelRatio.low, none.levelRatio.low, 0.02);
    EXPECT_NEAR(drawn.levelRatio.high, none.levelRatio.high, 0.02);
}

TEST(SystemsRange, ATrendSettlesOverTheRunAndKeepsTheMean)
{
    std::vector<double> steps(1'000, 2.0);
    addTrend(steps, 0.1);
    EXPECT_NEAR(std::accumulate(steps.begin(), steps.end(), 0.0), 2'000, 0.1);
    std::sort(steps.begin(), steps.end());
    EXPECT_NEAR(steps.back() - steps.front(), 0.2, 1e-3);
    EXPECT_NEAR(steps[500] - steps.front(), 0.2 * std::numbers::e / (std::numbers::e + 1), 1e-3)
        << "half of the run: (1 - 1/e) of (1 - 1/e^2)";
}

} // namespace
} // namespace prism
