// SPDX-License-Identifier: GPL-3.0-or-later
// Compared series: intervals and noise floors of redrawn blocks, the limits of the notes, and the report.
#include "core/insight/validate/stepseries.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace prism {
namespace {

/// `scale` times 1 + a thousandth of (a i^2 + b i) modulo 97.
std::vector<double> residues(int count, int a, int b, double scale)
{
    std::vector<double> x;
    for (int i = 0; i < count; ++i)
        x.push_back(scale * (1 + 0.001 * ((a * i * i + b * i) % 97)));
    return x;
}

void expectError(const MetricError& e, double error, double low, double high, double halves)
{
    EXPECT_NEAR(e.error, error, 1e-9);
    EXPECT_NEAR(e.low, low, 1e-9);
    EXPECT_NEAR(e.high, high, 1e-9);
    EXPECT_NEAR(e.halves, halves, 1e-9);
}

TEST(StepSeriesValues, RedrawsAndHalvesAsAnotherProgramWorksThemOut)
{
    // Runs of 50 and 70 steps: blocks of 20 with a shorter last one. 400 redraws (stream 0x5e41e5) from blocks of the same run; 400 splits.
    StepSeries series;
    series.runs = {residues(50, 7, 3, 10), residues(70, 5, 11, 12)};
    series.dropped = 9;
    const SeriesComparison c = compareSeries(series, residues(60, 3, 13, 8));
    EXPECT_EQ((std::array{c.runs, c.steps, c.dropped}), (std::array{2, 120, 9}));
    EXPECT_NEAR(c.measuredMedianSeconds, 11.542, 1e-12);
    EXPECT_NEAR(c.predictedMedianSeconds, 8.38, 1e-12);
    EXPECT_NEAR(c.medianSpread, 0.11787155146447043, 1e-12);
    EXPECT_NEAR(c.lag1, -0.08915064055194817, 1e-12);
    EXPECT_NEAR(c.predictedLag1, 0.01646220961953878, 1e-12);
    EXPECT_NEAR(c.measured.p5, 0.9595343403154468, 1e-12);
    EXPECT_NEAR(c.measured.p95, 1.0412667946257197, 1e-12);
    EXPECT_NEAR(c.measured.p99, 1.0501343570057582, 1e-12);
    EXPECT_NEAR(c.measured.cv, 0.02661920520823308, 1e-12);
    EXPECT_NEAR(c.measured.beyond, 2.0 / 120, 1e-12);
    EXPECT_NEAR(c.predicted.p5, 0.9574701670644391, 1e-12);
    EXPECT_NEAR(c.predicted.p99, 1.044782816229117, 1e-12);
    EXPECT_NEAR(c.predicted.cv, 0.02967261717533999, 1e-12);
    EXPECT_NEAR(c.ks, 13.0 / 120, 1e-12);
    EXPECT_NEAR(c.ksLow, 14.0 / 120, 1e-9);
    EXPECT_NEAR(c.ksHigh, 22.0 / 120, 1e-9);
    EXPECT_NEAR(c.ksHalves, 0.23428571428571432, 1e-9);
    expectError(c.p50, -0.27395598683070543, -0.27705711641688047, -0.2732690956167326, 0.012367157821406294);
    expectError(c.p95, 0.0022176922477885608, 0.0011845469791562646, 0.008062484898083234, 0.0154851777855336);
    expectError(c.p99, -0.005351540776641128, -0.006584387992229118, 0.007007958823039395, 0.02134309093090203);
    expectError(c.beyond, -2.0 / 120, -0.025, 0, 0.075);
    // A negative correlation counts as none: 120 independent steps and 60 of the prediction.
    EXPECT_NEAR(c.ksSamplingBound, std::sqrt(-0.5 * std::log(0.025) * (1.0 / 120 + 1.0 / 60)), 1e-12);
}

/// Whether a note of this text is there.
bool isNoted(const SeriesComparison& c, const std::string& text)
{
    return std::any_of(c.notes.begin(), c.notes.end(), [&](const std::string& n) { return n.find(text) != std::string::npos; });
}

/// Steps of 10 and 10.01 s, as the zeros and ones of a text.
StepSeries binarySteps(const std::string& text)
{
    StepSeries series;
    series.runs.resize(1);
    for (const char c : text)
        series.runs[0].push_back(c == '1' ? 10.01 : 10);
    return series;
}

TEST(StepSeriesValues, NeighboursThatCorrelateByAFifthMoreAreNoted)
{
    // Ten predicted steps in turn correlate by -9 / 10; the measured ones by -0.69895 and -0.70238.
    std::vector<double> predicted;
    for (int i = 0; i < 10; ++i)
        predicted.push_back(i % 2 == 0 ? 10 : 10.01);
    const SeriesComparison above = compareSeries(binarySteps("01001101010101010010101"), predicted),
                           below = compareSeries(binarySteps("010101011110101010101"), predicted);
    EXPECT_NEAR(above.predictedLag1, -0.9, 1e-9);
    EXPECT_NEAR(above.lag1, -0.6989459815546777, 1e-9);
    EXPECT_NEAR(below.lag1, -0.7023809523809518, 1e-9);
    EXPECT_TRUE(isNoted(above, "more correlated"));
    EXPECT_FALSE(isNoted(below, "more correlated"));
}

TEST(StepSeriesValues, TheSlowestStepsAreNotedBeyondTwoPerCentOrTheNoiseFloor)
{
    const auto noted = [](std::vector<std::vector<double>> runs) {
        StepSeries series;
        series.runs = std::move(runs);
        return isNoted(compareSeries(series, std::vector<double>(40, 5.0)), "slowest measured");
    };
    // One block: the 99 % quantile of twenty is at 18.81, so 0.81 of the way to the slowest: 2 % at 10 x (1 + 0.02 / 0.81) = 10.2469.
    std::vector<double> run(19, 10.0);
    run.push_back(10.246);
    EXPECT_FALSE(noted({run}));
    run.back() = 10.248;
    EXPECT_TRUE(noted({run}));
    // Two blocks with one slow step: halves differ by all of its excess, which both have less of.
    run.back() = 14;
    EXPECT_FALSE(noted({run, std::vector<double>(20, 10.0)}));
}

TEST(StepSeriesValues, MediansOfRunsThatDifferByAFifthOfAPerCentAreNoted)
{
    // Two medians: a standard deviation of their difference over the root of two. 0.002 x 10.0142 x 1.41421 = 0.028325.
    const auto noted = [](double other) {
        StepSeries series;
        series.runs = {std::vector<double>(20, 10.0), std::vector<double>(20, other)};
        return isNoted(compareSeries(series, std::vector<double>(40, 5.0)), "medians differ");
    };
    EXPECT_FALSE(noted(10.0282));
    EXPECT_TRUE(noted(10.0284));
}

TEST(StepSeriesValues, ACorrelationCountsUpToNinetyNinePerCent)
{
    // 500 rising steps correlate by nearly 1 - 3 / 500: 500 x 0.01 / 1.99 = 2.51 independent steps, two whole ones.
    StepSeries series;
    series.runs.resize(1);
    for (int i = 0; i < 500; ++i)
        series.runs[0].push_back(10 + 0.001 * i);
    const SeriesComparison c = compareSeries(series, std::vector<double>(40, 5.0));
    EXPECT_GT(c.lag1, 0.99);
    EXPECT_NEAR(c.ksSamplingBound, std::sqrt(-0.5 * std::log(0.025) * (1.0 / 2 + 1.0 / 40)), 1e-12);
    // Twenty that correlate by more than 0.9 still count as one.
    series.runs[0].resize(20);
    for (std::size_t i = 0; i < 20; ++i)
        series.runs[0][i] = i < 10 ? 10 : 10.01;
    const SeriesComparison two = compareSeries(series, std::vector<double>(40, 5.0));
    EXPECT_NEAR(two.lag1, 17.0 / 20, 1e-9);
    EXPECT_NEAR(two.ksSamplingBound, std::sqrt(-0.5 * std::log(0.025) * (1.0 + 1.0 / 40)), 1e-12); // 20 x 0.15 / 1.85 = 1.62
}

TEST(StepSeriesValues, TheReportHoldsEveryNumber)
{
    SeriesComparison c;
    c.runs = 2;
    c.steps = 3;
    c.dropped = 4;
    c.measuredMedianSeconds = 5;
    c.predictedMedianSeconds = 6;
    c.measured = {7, 8, 9, 10, 11};
    c.predicted = {12, 13, 14, 15, 16};
    c.medianSpread = 17;
    c.lag1 = 18;
    c.ks = 19;
    c.ksLow = 20;
    c.ksHigh = 21;
    c.ksSamplingBound = 22;
    c.ksHalves = 23;
    c.p50 = {24, 25, 26, 27};
    c.p95 = {28, 29, 30, 31};
    c.p99 = {32, 33, 34, 35};
    c.beyond = {36, 37, 38, 39};
    c.predictedLag1 = 40;
    c.notes = {"n"};
    EXPECT_EQ(nlohmann::json::parse(report::json(c).dump()), nlohmann::json::parse(R"({
        "runs": 2, "steps": 3, "dropped": 4, "measured_median_s": 5.0, "predicted_median_s": 6.0, "error": 24.0,
        "p50": {"error": 24.0, "ci95": [25.0, 26.0], "between_halves_p90": 27.0},
        "p95_over_p50": {"error": 28.0, "ci95": [29.0, 30.0], "between_halves_p90": 31.0},
        "p99_over_p50": {"error": 32.0, "ci95": [33.0, 34.0], "between_halves_p90": 35.0},
        "beyond_1_05": {"error": 36.0, "ci95": [37.0, 38.0], "between_halves_p90": 39.0},
        "measured_over_median": {"p5": 7.0, "p95": 8.0, "p99": 9.0, "cv": 10.0, "share_beyond_1_05": 11.0},
        "predicted_over_median": {"p5": 12.0, "p95": 13.0, "p99": 14.0, "cv": 15.0, "share_beyond_1_05": 16.0},
        "relative_std_of_run_medians": 17.0, "lag1_correlation": 18.0, "predicted_lag1_correlation": 40.0,
        "ks": {"value": 19.0, "ci95": [20.0, 21.0], "by_chance": 22.0, "between_halves_p90": 23.0}, "notes": ["n"]})"));
}

} // namespace
} // namespace prism
