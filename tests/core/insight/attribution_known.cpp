// SPDX-License-Identifier: GPL-3.0-or-later
// Attribution of slow steps by known answers: a noise-free step of 0.15 s and 0.05 s, and jitter of whole steps.
#include "core/insight/sensitivity/attribution.h"

#include "core/insight/graphs.h"
#include "core/sim/simulate.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace prism {
namespace {

constexpr double kNormal = 1.959963984540054; // 97.5 % point of the standard normal
constexpr double kSingle = 1e-7;              // a sampled step of 0.2 s is kept in single precision: 2^-24 of it, of a share 2^-24

const AttributionRow& rowOf(const std::vector<AttributionRow>& rows, const std::string& name)
{
    static const AttributionRow kNone;
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const AttributionRow& r) { return r.name == name; });
    EXPECT_NE(found, rows.end()) << name;
    return found == rows.end() ? kNone : *found;
}

double mean(const std::vector<double>& x)
{
    return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}

/// Half-width of a 95 % interval of the mean of x.
double meanHalfWidth(const std::vector<double>& x)
{
    double squares = 0;
    for (const double v : x)
        squares += (v - mean(x)) * (v - mean(x));
    const auto n = static_cast<double>(x.size());
    return kNormal * std::sqrt(squares / (n - 1) / n);
}

/// Half-width of seconds / mean(steps) for a part that is constant: its residuals are seconds - ratio x step.
double shareHalfWidth(double seconds, const std::vector<double>& steps)
{
    const double ratio = seconds / mean(steps);
    double squares = 0;
    for (const double step : steps)
        squares += (seconds - ratio * step) * (seconds - ratio * step);
    const auto n = static_cast<double>(steps.size());
    return kNormal * std::sqrt(squares / (n - 1) / n) / mean(steps);
}

} // namespace

TEST(AttributionKnown, JitterIsAllOfTheExcessAndTheClassesAreConstant)
{
    StepGraph g = testscenarios::serialGraph(3e-3, 0, 1e-3, 0, 50); // 50 x 3 ms and 50 x 1 ms
    g.delays.jitterSeconds = 0.01;
    InsightOptions options;
    options.samples = 40;
    options.seed = 9;
    const Result<TailAttribution> a = attribution(g, options, 0.25);
    ASSERT_TRUE(a.ok());
    SimOptions sim;
    sim.seed = 9;
    sim.numSamples = 40;
    std::vector<double> steps = simulate(g, sim).acrossSeconds;
    std::sort(steps.begin(), steps.end());
    const std::vector<double> slow(steps.end() - 10, steps.end());
    EXPECT_EQ(a->samples, 40);
    EXPECT_EQ(a->seed, 9U);
    EXPECT_EQ(a->slowFraction, 0.25);
    EXPECT_EQ(a->slowSamples, 10);
    EXPECT_NEAR(a->slowThresholdSeconds, steps[30], kSingle);
    EXPECT_NEAR(a->meanSeconds, mean(steps), kSingle);
    EXPECT_NEAR(a->slowMeanSeconds, mean(slow), kSingle);
    const AttributionRow &first = rowOf(a->byClass, "a"), &jitter = rowOf(a->byClass, "step jitter");
    EXPECT_NEAR(first.secondsAll.value, 0.15, 1e-12);
    EXPECT_NEAR(first.secondsSlow.value, 0.15, 1e-12);
    EXPECT_NEAR(first.secondsAll.halfWidth, 0, 1e-9);
    EXPECT_NEAR(first.shareAll.value, 0.15 / mean(steps), kSingle);
    EXPECT_NEAR(first.shareAll.halfWidth, shareHalfWidth(0.15, steps), kSingle);
    EXPECT_NEAR(first.shareSlow.value, 0.15 / mean(slow), kSingle);
    EXPECT_NEAR(first.shareSlow.halfWidth, shareHalfWidth(0.15, slow), kSingle);
    EXPECT_NEAR(first.excessShare.value, 0, 1e-9);
    EXPECT_NEAR(rowOf(a->byClass, "b").secondsAll.value, 0.05, 1e-12);
    EXPECT_NEAR(jitter.secondsAll.value, mean(steps) - 0.2, kSingle);
    EXPECT_NEAR(jitter.secondsAll.halfWidth, meanHalfWidth(steps), kSingle);
    EXPECT_NEAR(jitter.secondsSlow.value, mean(slow) - 0.2, kSingle);
    EXPECT_NEAR(jitter.excessShare.value, 1, 1e-9);
    EXPECT_NEAR(jitter.excessShare.halfWidth, std::hypot(meanHalfWidth(steps), meanHalfWidth(slow)) / (mean(slow) - mean(steps)), 1e-6);
    ASSERT_EQ(a->byStage.size(), 2U);
    EXPECT_NEAR(rowOf(a->byStage, "stage 0").secondsAll.value, 0.2, 1e-12);
    EXPECT_NEAR(rowOf(a->byStage, "whole step").secondsSlow.value, mean(slow) - 0.2, kSingle);
    EXPECT_NEAR(rowOf(a->byCause, "step_jitter").excessShare.value, 1, 1e-9);
    EXPECT_EQ(nlohmann::json::parse(toJson(*a))["slow_fraction"], 0.25);
    for (const std::vector<AttributionRow>* rows : {&a->byClass, &a->byCause})
        EXPECT_TRUE(std::is_sorted(rows->begin(), rows->end(), [](const AttributionRow& x, const AttributionRow& y) {
            return x.shareSlow.value > y.shareSlow.value;
        })) << "the largest share of the slow steps first";
}

} // namespace prism
