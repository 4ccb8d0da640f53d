// SPDX-License-Identifier: GPL-3.0-or-later
// Statistics before and after a change: exact intervals of series that do not vary, redrawn blocks, and the tables.
#include "core/insight/change/changedmetrics.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>

namespace prism {
namespace {

SeriesStatistic changedMetricsMean(double betweenRuns)
{
    return {"mean", "s", betweenRuns, [](const SeriesRuns&, const std::vector<double>& sorted) {
                double sum = 0;
                for (const double x : sorted)
                    sum += x;
                return sum / static_cast<double>(sorted.size());
            }};
}

/// One run of equal values.
SeriesRuns changedMetricsConstant(std::size_t count, double value)
{
    return {std::vector<double>(count, value)};
}

double changedMetricsHalf(const SeriesRuns& before, const SeriesRuns& after, double betweenRuns, std::size_t together)
{
    const auto f = changedMetrics("x", {changedMetricsMean(betweenRuns)}, before, after, together).at(0);
    EXPECT_NEAR(f.change.high - f.change.value, f.change.value - f.change.low, 1e-12);
    return (f.change.high - f.change.low) / 2;
}

TEST(ChangedMetrics, EqualValuesLeaveWhatIdenticalRunsDifferBy)
{
    // 12 and 9 values in blocks of two: 6 + 5 blocks, 9 degrees of freedom; Student's t at 0.025 / 8 is 3.5465084980786408.
    const auto f =
        changedMetrics("step", {changedMetricsMean(0.03)}, changedMetricsConstant(12, 10), changedMetricsConstant(9, 14), 8).at(0);
    EXPECT_EQ(f.before, 10);
    EXPECT_EQ(f.after, 14);
    EXPECT_EQ(f.change.value, 4);
    const double half = 3.5465084980786408 * 0.03 * std::sqrt(100.0 + 196);
    EXPECT_NEAR(f.change.low, 4 - half, 1e-9);
    EXPECT_NEAR(f.change.high, 4 + half, 1e-9);
    EXPECT_EQ(f.subject + f.name + f.unit, "stepmeans");
}

TEST(ChangedMetrics, ABlockIsATenthOfARunFromTwoToTwentyValues)
{
    // Before: 120 values in two runs, a tenth of a run is 6: 8 + 13 blocks. After: a tenth of 500 is 50, so 20: 25 blocks. t of 44 degrees
    // at 0.025 / 3.
    const SeriesRuns before = {std::vector<double>(45, 10.0), std::vector<double>(75, 10.0)};
    EXPECT_NEAR(changedMetricsHalf(before, changedMetricsConstant(500, 11), 0.02, 3), 2.4889679492395653 * 0.02 * std::sqrt(221.0), 1e-9);
    // Four values on both sides are the smallest: two blocks of two each, 2 degrees of freedom.
    EXPECT_NEAR(changedMetricsHalf(changedMetricsConstant(4, 3), changedMetricsConstant(4, 5), 0.1, 1),
                4.302652729749464 * 0.1 * std::sqrt(34.0), 1e-9);
}

TEST(ChangedMetrics, FewerThanFourValuesOnEitherSideHaveNoInterval)
{
    for (const auto& [b, a] : {std::pair(3, 9), std::pair(9, 3), std::pair(3, 3)}) {
        const auto f = changedMetrics("x", {changedMetricsMean(0.1)}, changedMetricsConstant(static_cast<std::size_t>(b), 3),
                                      changedMetricsConstant(static_cast<std::size_t>(a), 5), 2)
                           .at(0);
        EXPECT_EQ(f.change.value, 2);
        EXPECT_EQ(f.change.low, -std::numeric_limits<double>::infinity());
        EXPECT_EQ(f.change.high, std::numeric_limits<double>::infinity());
        EXPECT_FALSE(f.isBeyondNoise());
    }
}

TEST(ChangedMetrics, RunsOfASideCountByWhatTheirOwnValuesDiffer)
{
    // Runs of 10, 12 and 17: their variance is (9 + 1 + 16) / 2 = 13, that of their mean a third of it; 0.1 of the mean 12.5 squared
    // is 1.5625. Redrawn blocks stay in their run. Eight blocks of two before and three after: 9 degrees of freedom.
    const SeriesRuns before = {std::vector<double>(6, 10.0), std::vector<double>(6, 12.0), std::vector<double>(4, 17.0)};
    const double mean = (60.0 + 72 + 68) / 16, own = 13.0 / 3;
    EXPECT_NEAR(changedMetricsHalf(before, changedMetricsConstant(5, 20), 0.1, 8), 3.5465084980786408 * std::sqrt(own + 4), 1e-9);
    // Half of the mean is more than the runs differ by.
    EXPECT_NEAR(changedMetricsHalf(before, changedMetricsConstant(5, 20), 0.5, 8), 3.5465084980786408 * std::sqrt(mean * mean / 4 + 100),
                1e-9);
}

TEST(ChangedMetrics, VariancesAreThoseOfTwoHundredRedrawsOfTheBlocks)
{
    // Computed by another program from the definitions: 200 redraws of blocks of two (stream 0xc4a6), variances 0.0757835898241206 and
    // 0.4846135469011725 of the means; 4 + 6 blocks, 8 degrees of freedom, one of four intervals.
    const SeriesRuns before = {{3.1, 2.7, 4.4, 3.9, 2.2, 5.3, 3.6}}, after = {{6.1, 5.2, 7.7, 6.6, 5.9}, {8.3, 7.1, 6.4, 9.2, 7.9, 6.8}};
    const SeriesStatistic median = {"p50", "ms", 0.2, [](const SeriesRuns& runs, const std::vector<double>& sorted) {
                                        EXPECT_GE(runs.size(), 1U);
                                        EXPECT_TRUE(std::is_sorted(sorted.begin(), sorted.end()));
                                        const std::size_t n = sorted.size();
                                        return n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
                                    }};
    const auto f = changedMetrics("x", {changedMetricsMean(0), median}, before, after, 4);
    ASSERT_EQ(f.size(), 2U);
    EXPECT_NEAR(f[0].before, 25.2 / 7, 1e-12);
    EXPECT_NEAR(f[0].after, 77.2 / 11, 1e-12);
    EXPECT_NEAR(f[0].change.high - f[0].change.value, 2.3999679242536693, 1e-9);
    EXPECT_EQ(f[1].before, 3.6);
    EXPECT_EQ(f[1].after, 6.8);
    EXPECT_NEAR(f[1].change.high - f[1].change.value, 5.239000159048102, 1e-9);
    EXPECT_EQ(f[1].unit, "ms");
}

TEST(ChangedMetrics, StepsHaveMeanMedianAndTwoPercentiles)
{
    const auto statistics = stepStatistics();
    ASSERT_EQ(statistics.size(), 4U);
    const std::vector<double> sorted = {1, 2, 4, 8, 16};
    const double expected[] = {6.2, 4, 14.4, 15.68}; // places 2, 3.8 and 3.96 of 0 ... 4
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_NEAR(statistics[i].of({}, sorted), expected[i], 1e-12) << statistics[i].name;
        EXPECT_DOUBLE_EQ(statistics[i].betweenRuns, 0.003);
    }
}

ChangeReport changedMetricsReport()
{
    constexpr double kEndless = std::numeric_limits<double>::infinity();
    ChangeReport report;
    report.metrics = {{"step", "mean", "s", 8, 10, {2, 0.5, 3.5}},
                      {"all, \"x\"", "p95", "s", 5, 4, {-1, -1.75, -0.25}},
                      {"c", "count", "per step", 0, 3, {3, 0, 6}},
                      {"d", "count", "per step", 16, 4, {-12, -20, 0}},
                      {"e", "total", "s", 4, 7, {3, -kEndless, kEndless}}};
    report.notes = {"n"};
    return report;
}

TEST(ChangedMetrics, TablesHoldEveryNumber)
{
    EXPECT_EQ(toCsv(changedMetricsReport(), TableText::exact),
              "subject,figure,unit,before,after,change,change_low,change_high,relative,beyond_noise\n"
              "step,mean,s,8,10,2,0.5,3.5,0.25,true\n"
              "\"all, \"\"x\"\"\",p95,s,5,4,-1,-1.75,-0.25,-0.2,true\n"
              "c,count,per step,0,3,3,0,6,,false\n"
              "d,count,per step,16,4,-12,-20,0,-0.75,false\n"
              "e,total,s,4,7,3,,,0.75,false\n");
    const auto json = nlohmann::json::parse(toJson(changedMetricsReport()));
    ASSERT_EQ(json["figures"].size(), 5U);
    EXPECT_EQ(json["figures"][0],
              nlohmann::json::parse(R"({"subject": "step", "figure": "mean", "unit": "s", "before": 8.0, "after": 10.0, "relative": 0.25,
                                        "change": {"value": 2.0, "ci95": [0.5, 3.5]}, "beyond_noise": true})"));
    EXPECT_EQ(json["figures"][1]["relative"], -0.2);
    EXPECT_TRUE(json["figures"][2]["relative"].is_null());
    EXPECT_TRUE(json["figures"][4]["change"]["ci95"][0].is_null());
    EXPECT_EQ(json["changed"], (nlohmann::json{"step: mean", "all, \"x\": p95"}));
    EXPECT_EQ(json["notes"], nlohmann::json{"n"});
}

} // namespace
} // namespace prism
