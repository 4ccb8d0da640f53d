// SPDX-License-Identifier: GPL-3.0-or-later
// Views of sampled runs: calendar days, losses that add up, intervals, and the source of the inputs.
#include "core/job/jobviews.h"

#include "core/job/jobsection.h"
#include "core/scenario/presets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace prism {
namespace {

/// Ten runs: four end on day 10, three on day 11, none on day 12, three on day 13.
JobReport tenRuns()
{
    JobReport r;
    r.sortedDays = {10.0, 10.2, 10.5, 10.9, 11.1, 11.2, 11.9, 13.1, 13.5, 13.9};
    r.p50Days.value = 11.15;
    r.meanDays = 11.73;
    r.config.startDate = "2026-02-24";
    return r;
}

TEST(JobViews, EveryCalendarDayHasItsShare)
{
    const std::vector<DayShare> days = dayShares(tenRuns());
    ASSERT_EQ(days.size(), 4U);
    const double expected[] = {0.4, 0.3, 0.0, 0.3};
    for (std::size_t i = 0; i < days.size(); ++i) {
        EXPECT_EQ(days[i].day, 10 + static_cast<int>(i));
        EXPECT_NEAR(days[i].share, expected[i], 1e-12);
        EXPECT_EQ(days[i].holdsMedian, i == 1);
    }
    EXPECT_EQ(days[0].date, "2026-03-06"); // February of 2026 has 28 days
    EXPECT_EQ(days[3].date, "2026-03-09");
}

TEST(JobViews, TheFirstDayIsTheOneThatTheFastestRunEndsIn)
{
    JobReport r = tenRuns();
    r.sortedDays = {10.5, 10.7, 11.2, 11.9};
    const std::vector<DayShare> days = dayShares(r);
    ASSERT_GE(days.size(), 2U);
    const auto ten = std::find_if(days.begin(), days.end(), [](const DayShare& d) { return d.share > 0; });
    EXPECT_EQ(ten->day, 10);
    EXPECT_NEAR(ten->share, 0.5, 1e-12);
    EXPECT_EQ(ten->date, "2026-03-06");
}

TEST(JobViews, WideDistributionsAreBinned)
{
    JobReport r = tenRuns();
    r.sortedDays.back() = 30.5; // 21 days
    EXPECT_EQ(daysPerBar(r, 7), 3);
    const std::vector<DayShare> days = dayShares(r, 7);
    ASSERT_EQ(days.size(), 7U);
    double sum = 0;
    for (const DayShare& d : days)
        sum += d.share;
    EXPECT_NEAR(sum, 1, 1e-12);
    EXPECT_EQ(days[1].day, 13);
    EXPECT_TRUE(dayShares(JobReport{}).empty());
    EXPECT_EQ(daysPerBar(JobReport{}), 1);
    EXPECT_EQ(daysPerBar(r, 21), 1);
    EXPECT_EQ(daysPerBar(r, 20), 2);
}

TEST(JobViews, NarrowDistributionsAreBetweenEmptyDays)
{
    const std::vector<DayShare> days = dayShares(tenRuns(), 60, 9);
    ASSERT_EQ(days.size(), 9U);
    EXPECT_EQ(days.front().day, 8);
    EXPECT_EQ(days.front().share, 0);
    EXPECT_EQ(days.back().share, 0);
    EXPECT_NEAR(days[2].share, 0.4, 1e-12);
    EXPECT_EQ(days[2].date, "2026-03-06");
}

TEST(JobViews, DoneWithinCountsRuns)
{
    EXPECT_NEAR(doneWithin(tenRuns(), 12).value, 0.7, 1e-12);
    EXPECT_GT(doneWithin(tenRuns(), 12).halfWidth, 0.2); // ten runs
    EXPECT_NEAR(doneWithin(tenRuns(), 9).value, 0, 1e-12);
    EXPECT_NEAR(doneWithin(tenRuns(), 14).value, 1, 1e-12);
}

JobReport sampledJob()
{
    Evaluator evaluator;
    JobQuery query;
    query.tokens = 1e12;
    query.runs = 300;
    InsightOptions options;
    options.samples = 1'000;
    const Result<JobReport> report = jobOf(evaluator, *scenarioPreset("llama3-405b-16k-h100"), query, options);
    EXPECT_TRUE(report.ok());
    return *report;
}

TEST(JobViews, LossesAddUpToTheMean)
{
    const JobReport r = sampledJob();
    EXPECT_TRUE(r.presetAssumed);
    const std::vector<JobLoss> losses = jobLosses(r, 0.95 * r.plan.stepSeconds);
    ASSERT_GT(losses.size(), 4U);
    double days = 0, shares = 0;
    for (const JobLoss& l : losses) {
        EXPECT_GE(l.days, 0) << l.id;
        days += l.days;
        shares += l.share;
    }
    EXPECT_NEAR(days, r.meanDays, 1e-9 * r.meanDays);
    EXPECT_NEAR(shares, 1, 1e-9);
    EXPECT_NEAR(losses[0].days, 0.95 * r.plan.steps * r.plan.stepSeconds / 86'400, 1e-9);
}

TEST(JobViews, TheBestIntervalLosesTheSmallestPart)
{
    const JobReport r = sampledJob();
    const IntervalCost cost = intervalCost(r);
    ASSERT_FALSE(cost.curve.empty());
    for (const IntervalDays& p : cost.curve)
        EXPECT_GE(p.lostDays, cost.best.lostDays - 1e-9);
    EXPECT_LE(cost.closeLow, cost.best.intervalSeconds);
    EXPECT_GE(cost.closeHigh, cost.best.intervalSeconds);
    EXPECT_EQ(cost.used.intervalSeconds, r.checkpoints.usedSeconds);
    EXPECT_TRUE(intervalCost(tenRuns()).curve.empty());
}

TEST(JobViews, EachAssumptionNamesItsSource)
{
    const Scenario scenario = *scenarioPreset("llama3-405b-16k-h100");
    JobSection section = *jobSectionOf(scenario);
    ASSERT_TRUE(section.assumed);
    section.config.restartS = 420; // typed
    const std::vector<JobAssumption> all = jobAssumptions(scenario, section);
    const auto of = [&](const char* path) {
        return *std::find_if(all.begin(), all.end(), [&](const JobAssumption& a) { return a.path == path; });
    };
    EXPECT_EQ(of("job.failures").word, JobAssumption::Word::published);
    EXPECT_NE(of("job.failures").source.find("2407.21783"), std::string::npos);
    EXPECT_EQ(of("job.detection_s").word, JobAssumption::Word::assumed);
    EXPECT_EQ(of("job.restart_s").word, JobAssumption::Word::scenario);
    EXPECT_TRUE(of("job.restart_s").source.empty());
    EXPECT_EQ(of("job.restart_s").value, "420 s");
    for (const JobAssumption& a : all) // "0.324 s", not "0.3241107943925234 s"
        EXPECT_LE(std::count_if(a.value.begin(), a.value.end(), [](unsigned char c) { return std::isdigit(c); }), 7) << a.value;
    const double rate = section.config.failures.front().per1000NodeDays;
    section.config.failures.front().per1000NodeDays = rate + 1;
    EXPECT_EQ(jobAssumptions(scenario, section).front().word, JobAssumption::Word::scenario);
    section.config.failures.front().per1000NodeDays = rate;
    section.config.failureScale = 2;
    EXPECT_EQ(jobAssumptions(scenario, section).front().word, JobAssumption::Word::scenario);
}

} // namespace
} // namespace prism
