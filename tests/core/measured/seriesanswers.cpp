// SPDX-License-Identifier: GPL-3.0-or-later
// Limits of warm-up, pauses, trends, level shifts and start-up, of clocks and repeats in logs, and of tables: just inside and just outside.
#include "core/measured/importmeasured.h"
#include "core/measured/seriesshape.h"
#include "core/measured/lineformat.h"
#include "core/measured/speedtable.h"
#include "core/measured/steplog.h"
#include "core/measured/tables.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <unistd.h>

namespace prism {
namespace {

LoggedRun seriesRun(const std::vector<double>& seconds)
{
    LoggedRun run;
    for (const double s : seconds)
        run.steps.push_back({s});
    return run;
}

TEST(SeriesLimits, WarmUpEndsEightDeviationsFromTheLevel)
{
    // Steps swing by 0.2 around 10.1: neighbours differ by 0.2, noise 1.4826 x 0.2 / sqrt 2 = 0.20967, eight times that 1.6774.
    const auto series = [](double first) {
        std::vector<double> x(101, 10.0);
        for (std::size_t i = 1; i < x.size(); i += 2)
            x[i] = 10.2;
        x[0] = 10.1 + first;
        return x;
    };
    EXPECT_NEAR(runShape(seriesRun(series(1.7))).noiseSeconds, 0.2 * 1.4826 / std::sqrt(2.0), 1e-9);
    EXPECT_EQ(warmUpOf(series(1.70)), 1);
    EXPECT_EQ(warmUpOf(series(1.65)), 0);
    EXPECT_EQ(warmUpOf(series(-1.70)), 1);
    EXPECT_EQ(runShape(seriesRun(series(1.70))).warmUp, 1);
}

TEST(SeriesLimits, HalfOfTheOwnSpreadCountsAsNoiseOfEvenlySpacedSteps)
{
    // Fifty steps of 10 s, then 46 of 10.4, level 10.2, all but four 0.2 off it: 8 x 0.5 x 1.4826 x 0.2 = 1.186.
    const auto spaced = [](double above) {
        std::vector<double> x(100, 10.4);
        std::fill_n(x.begin(), 52, 10.0);
        for (const std::size_t i : {22U, 42U, 62U, 82U})
            x[i] = 10.2 + above;
        return runShape(seriesRun(x)).afterPause;
    };
    EXPECT_EQ(spaced(1.21), (std::vector{22, 42, 62, 82}));
    EXPECT_TRUE(spaced(1.17).empty());
}

TEST(SeriesLimits, SpacingsOfFiveStepsAndTwoHundredOfThem)
{
    const auto every = [](int period, int steps) {
        std::vector<double> x(static_cast<std::size_t>(steps), 10.0);
        for (int i = period - 1; i < steps; i += period)
            x[static_cast<std::size_t>(i)] = 12;
        return runShape(seriesRun(x)).afterPause;
    };
    EXPECT_EQ(every(5, 60).size(), 12U);
    EXPECT_EQ(every(4, 64).size(), 8U) << "every second one, at a distance of eight steps";
    EXPECT_EQ(every(5, 1'000).size(), 200U);
    EXPECT_EQ(every(5, 1'005).size(), 0U) << "too many to look at";
}

TEST(SeriesLimits, ATrendIsFourTimesWhatNoiseMakes)
{
    // 401 steps around 10 s that swing by 0.01: noise 0.020967, relative 0.0020967, over sqrt(401 / 4) and times four 0.00083763.
    const auto trend = [](double change) {
        std::vector<double> x;
        for (int i = 0; i < 401; ++i)
            x.push_back(10 * (1 + change * i / 400) + (i % 2 == 0 ? 0.01 : -0.01));
        return runShape(seriesRun(x)).trend;
    };
    EXPECT_NEAR(trend(0.00087), 0.00087, 0.00002);
    EXPECT_EQ(trend(0.00080), 0);
    EXPECT_NEAR(trend(-0.00087), -0.00087, 0.00002);
    // Without noise the fit is the curve: 1 + 0.004 u + 0.002 u^2, u from -1 to 1.
    std::vector<double> x;
    for (int i = 0; i < 81; ++i) {
        const double u = i / 40.0 - 1;
        x.push_back(5 * (1 + 0.004 * u + 0.002 * u * u));
    }
    const RunShape shape = runShape(seriesRun(x));
    EXPECT_NEAR(shape.trend, 0.008, 1e-8);
    EXPECT_NEAR(shape.trendTerms[0], 0.004, 1e-8);
    EXPECT_NEAR(shape.trendTerms[1], 0.002, 1e-8);
    EXPECT_DOUBLE_EQ(shape.trendAt(20, 81), 1 - 0.5 * shape.trendTerms[0] + 0.25 * shape.trendTerms[1]);
    EXPECT_EQ(shape.trendAt(0, 1), 1) << "one step is its own middle";
    x.resize(39);
    EXPECT_EQ(runShape(seriesRun(x)).trend, 0) << "fewer than four steps a block";
}

TEST(SeriesLimits, WhatIsRemovedAndWhatStays)
{
    RunShape shape;
    shape.warmUp = 1;
    shape.afterPause = {3};
    shape.shifts = {{2, 1.25}, {4, 0.5}};
    shape.trendTerms = {0.1, 0.02};
    const LoggedRun run = seriesRun({9, 2, 5, 8, 3});
    const CleanRun none = cleanRun(run, shape, {false, false, false, false});
    EXPECT_EQ(none.seconds, (std::vector<double>{9, 2, 5, 8, 3}));
    EXPECT_EQ(none.medianSeconds, 5);
    const CleanRun shifts = cleanRun(run, shape, {true, true, true, false});
    EXPECT_EQ(shifts.index, (std::vector{1, 2, 4}));
    // 2, 5 / 1.25 and 3 / 0.625: 2, 4 and 4.8, back from their median 4 to that of 2, 5 and 3.
    ASSERT_EQ(shifts.seconds.size(), 3U);
    EXPECT_EQ(shifts.medianSeconds, 3);
    EXPECT_DOUBLE_EQ(shifts.seconds[0], 1.5);
    EXPECT_DOUBLE_EQ(shifts.seconds[1], 3);
    EXPECT_DOUBLE_EQ(shifts.seconds[2], 3.6);
    // The trend alone: u is -1, -0.5, 0, 0.5 and 1: 9 / 0.92, 2 / 0.955, 5, 8 / 1.055 and 3 / 1.12, whose median is 5.
    const CleanRun trend = cleanRun(run, shape, {false, false, false, true});
    EXPECT_DOUBLE_EQ(trend.seconds[0], 9 / 0.92);
    EXPECT_DOUBLE_EQ(trend.seconds[1], 2 / 0.955);
    EXPECT_DOUBLE_EQ(trend.seconds[3], 8 / 1.055);
    EXPECT_DOUBLE_EQ(trend.seconds[4], 3 / 1.12);
}

TEST(SeriesLimits, TextsHaveTheirNumbers)
{
    RunShape shape;
    shape.warmUp = 1;
    shape.startUp = 7;
    shape.afterPause = {3, 9};
    shape.trend = -0.0123;
    shape.noiseSeconds = 0.01234;
    for (int k = 0; k < 21; ++k)
        shape.shifts.push_back({10 * k, 1.05});
    const std::string text = shapeText(shape);
    EXPECT_TRUE(
        text.starts_with("warm-up 1 step (until long steps became rarer at 7); 2 after a pause (even spacing); level +5.0 % from step 0"))
        << text;
    EXPECT_NE(text.find("from step 190; 1 changes of level more; trend -1.23 % over the run; noise between neighbours 12.3 ms"),
              std::string::npos)
        << text;
    shape.shifts.resize(20);
    EXPECT_EQ(shapeText(shape).find("more"), std::string::npos);
    shape.startUp = 1;
    EXPECT_NE(shapeText(shape).find("became rarer at 1)"), std::string::npos);
    shape.startUp = 0;
    EXPECT_EQ(shapeText(shape).find("became rarer"), std::string::npos);
}

TEST(LevelShiftLimits, ShiftsThatDoNotLastAreDropped)
{
    const auto levels = [](std::initializer_list<std::pair<std::size_t, double>> parts) {
        std::vector<double> x;
        for (const auto& [count, level] : parts)
            x.insert(x.end(), count, level);
        return shiftPlaces(x, 1);
    };
    EXPECT_EQ(levels({{100, 1}, {90, 1.02}, {100, 1.006}}), (std::vector{100, 190}));
    EXPECT_TRUE(levels({{100, 1}, {45, 1.01}, {100, 1.004}}).empty()) << "0.6 % back, then the first is of 0.4 %";
    EXPECT_EQ(levels({{100, 1}, {100, 1.01}, {45, 1.004}}), (std::vector{100})) << "0.6 % back, and most stay 1 % up";
    EXPECT_EQ(levels({{40, 1}, {40, 1.01}}), (std::vector{40})) << "the fewest that show one";
    EXPECT_TRUE(levels({{40, 1}, {19, 1.01}}).empty());
    EXPECT_EQ(levels({{90, 3}, {60, 3.1}, {50, 2.9}}), (std::vector{90, 150}));
    EXPECT_EQ(partMedians({4, 1, 7, 9, 5, 6}, {1, 4}), (std::vector<double>{4, 7, 5.5}));
    EXPECT_EQ(partMedians({4, 1, 7}, {}), (std::vector<double>{4}));
}

TEST(LevelShiftLimits, IndependentNoiseIsNotAShift)
{
    for (const double cv : {0.01, 0.03, 0.06}) {
        std::mt19937_64 random(1);
        std::normal_distribution<double> step(1, cv);
        std::vector<double> x(1'900);
        std::ranges::generate(x, [&] { return step(random); });
        EXPECT_TRUE(shiftPlaces(x, 1).empty()) << cv;
        std::transform(x.begin() + 900, x.end(), x.begin() + 900, [&](double seconds) { return seconds + 3 * cv; });
        const std::vector<int> places = shiftPlaces(x, 1);
        ASSERT_EQ(places.size(), 1U) << cv;
        EXPECT_NEAR(places[0], 900, 5) << cv;
    }
}

/// Start-up of runs of which the steps of a run at `longSteps` are longer by `excess`.
int startUpOf(std::size_t steps, std::initializer_list<std::size_t> longSteps, double excess = 2, std::size_t runs = 1)
{
    CountedSteps run{std::vector<double>(steps, 10.0), std::vector<bool>(steps, true), 1};
    for (const std::size_t i : longSteps)
        run.seconds[i] += excess;
    return startUpSteps(std::vector<CountedSteps>(runs, run));
}

TEST(StartUpLimits, OneInAThousandByHand)
{
    EXPECT_EQ(startUpOf(285, {4, 14, 24, 49}), 50); // (50 / 285)^4 = 0.00095
    EXPECT_EQ(startUpOf(280, {4, 14, 24, 49}), 0);  // (50 / 280)^4 = 0.00102
    EXPECT_EQ(startUpOf(300, {4, 14, 24, 34}, 1), 0) << "the limit itself is not long";
    EXPECT_EQ(startUpOf(300, {4, 14}, 2, 2), 15) << "of two runs together";
    EXPECT_EQ(startUpOf(65, {1, 12}, 2, 3), 13) << "a fifth of the steps";
    EXPECT_EQ(startUpOf(64, {1, 12}, 2, 3), 0);
}

TEST(StartUpLimits, StepsThatDoNotCountAndNeighboursOfALevel)
{
    CountedSteps run{std::vector<double>(300, 10.0), std::vector<bool>(300, true), 1};
    for (const std::size_t i : {4U, 14U, 24U, 34U})
        run.seconds[i] = 12;
    run.counts[34] = false;
    EXPECT_EQ(startUpSteps({run}), 0) << "three count";
    run.counts[34] = true;
    run.seconds[44] = 12;
    EXPECT_EQ(startUpSteps({run}), 45) << "all five of 300 among 45 are rarer than four of five among 35: 0.00008 and 0.0008";
    // Ten of the first 20 steps count, 10 of 90 in all: (10 / 90)^4 = 0.00015 for four long ones; 20 of 90 would be 0.0024.
    CountedSteps few{std::vector<double>(100, 10.0), std::vector<bool>(100, true), 1};
    for (const std::size_t i : {4U, 9U, 14U, 19U})
        few.seconds[i] = 12;
    for (const std::size_t i : {0U, 1U, 2U, 3U, 5U, 6U, 7U, 8U, 10U, 11U})
        few.counts[i] = false;
    EXPECT_EQ(startUpSteps({few}), 20);
    // Long are steps over the median of nine, four neighbours on each side: of nine steps four may be long, five are their median.
    for (const std::size_t together : {4U, 5U}) {
        std::fill(run.seconds.begin(), run.seconds.end(), 10.0);
        for (const std::size_t at : {9U, 20U, 31U})
            std::fill_n(run.seconds.begin() + static_cast<std::ptrdiff_t>(at), together, 12.0);
        EXPECT_EQ(startUpSteps({run}), together == 4 ? 35 : 0);
    }
}

TEST(ClockTexts, DaysHoursMinutesAndTheirLimits)
{
    EXPECT_DOUBLE_EQ(clockSeconds("05:07"), 307);
    EXPECT_DOUBLE_EQ(clockSeconds("2:05:07.25"), 7507.25);
    EXPECT_DOUBLE_EQ(clockSeconds(" 1 day, 1:05:07.5 "), 90307.5);
    EXPECT_DOUBLE_EQ(clockSeconds("3 days, 0:00:01"), 259201);
    EXPECT_DOUBLE_EQ(clockSeconds("1000000:02"), 60'000'002);
    for (const char* text : {"1000001:00", "5", "1:2:3:4", "-1:00", "1:x", "", "1 day"})
        EXPECT_TRUE(std::isnan(clockSeconds(text))) << text;
    EXPECT_EQ(withoutGroups("1,234,567.5 x"), "1234567.5 x");
    EXPECT_EQ(withoutGroups("-12,345"), "-12345");
    EXPECT_EQ(withoutGroups("+123,456"), "+123456");
    for (const char* text : {"1234,567", "12,34", "12,3456", "12,", ",123", "x1,234"})
        EXPECT_EQ(withoutGroups(text), text);
    EXPECT_EQ(numberAfter("t: 1,234.5", 1), 1234.5);
    EXPECT_EQ(numberAfter("t=np.float64(2.5)", 1), 2.5);
    EXPECT_EQ(numberAfter("t" + std::string(1, ' ') + std::string(40, '0') + "7", 1), 0) << "forty characters of a number";
    EXPECT_NEAR(stampOf("2024-01-01 00:00:00.123456789"), 1704067200.123456, 1e-6);
}

std::string tableNotes(const std::string& text)
{
    std::string all;
    const StepLog log = readStepLog(text).value();
    for (const std::string& note : log.notes)
        all += note + "\n";
    return all;
}

TEST(LogLimits, TwentyRisesForEveryFallAreAClock)
{
    const auto times = [](int rises) {
        std::string text = "step,time\n1,5\n2,4\n";
        for (int k = 1; k <= rises; ++k)
            text += std::to_string(k + 2) + "," + std::to_string(4 + 0.01 * k) + "\n";
        return tableNotes(text);
    };
    EXPECT_NE(times(20).find("only rise"), std::string::npos);
    EXPECT_EQ(times(19).find("only rise"), std::string::npos);
    EXPECT_NE(times(19).find("is taken as the seconds of a step"), std::string::npos);
}

TEST(LogLimits, AClocksDifferencesOverTheStepsBetween)
{
    // Ten values that rise from 10 to 55: differences of 5 s, of two steps once.
    std::string text = "step,elapsed\n";
    for (int k = 0; k < 10; ++k)
        text += std::to_string(k < 5 ? k : k + 1) + "," + std::to_string(10 + 5 * k) + "\n";
    const StepLog log = readStepLog(text).value();
    ASSERT_EQ(log.runs.size(), 1U);
    ASSERT_EQ(log.runs[0].steps.size(), 9U);
    EXPECT_DOUBLE_EQ(log.runs[0].steps[0].seconds, 5);
    EXPECT_DOUBLE_EQ(log.runs[0].steps[4].seconds, 2.5) << "two steps";
    EXPECT_EQ(log.runs[0].steps[4].number, 6);
    EXPECT_NE(tableNotes(text).find("several steps lie between lines"), std::string::npos);
    EXPECT_NE(tableNotes(text).find("whole seconds"), std::string::npos);
}

TEST(LogLimits, ThreeStepsOfAFifthWithASecondTimeCannotBeRead)
{
    // Steps 1 to n, of which the first `twice` have a second time.
    const auto isRead = [](int steps, int twice) {
        std::string text = "step,step_time_s\n";
        for (int k = 1; k <= steps; ++k) {
            text += std::to_string(k) + ",2\n";
            if (k <= twice)
                text += std::to_string(k) + ",3\n";
        }
        return readStepLog(text).ok();
    };
    EXPECT_TRUE(isRead(5, 2));
    EXPECT_FALSE(isRead(12, 3)) << "3 of 15";
    EXPECT_TRUE(isRead(13, 3)) << "3 of 16";
    EXPECT_FALSE(isRead(4, 3));
}

TEST(LogLimits, ARankMayBeEightStepsBehind)
{
    // Rank 0 logs steps 1 to 20, then rank 1 one of those again: within eight steps it is a repeat, else a job that began again.
    const auto late = [](int step) {
        std::string text;
        const auto line = [&](int rank, int number, int second) {
            text += "[rank" + std::to_string(rank) + "]: 2025-01-31 12:00:" + std::to_string(second) + " step: " + std::to_string(number)
                    + " loss: 1 tps: 5\n";
        };
        for (int k = 1; k <= 20; ++k)
            line(0, k, 10 + k);
        line(1, step, 40);
        return readStepLog(text).value().repeated;
    };
    EXPECT_EQ(late(20), 1);
    EXPECT_EQ(late(13), 1);
    EXPECT_EQ(late(12), 0);
}

TEST(LogLimits, NumbersOfStepsAndBars)
{
    const auto number = [](const char* step) {
        return readStepLog("{\"step\": " + std::string(step) + ", \"step_time_s\": 2}\n")->runs[0].steps[0].number;
    };
    EXPECT_EQ(number("0"), 0);
    EXPECT_EQ(number("999999999999999"), 999'999'999'999'999);
    EXPECT_EQ(number("1000000000000000"), -1);
    EXPECT_EQ(number("-1"), -1);
    const auto bar = [](const char* done, const char* total) {
        return progressBarFormat("Epoch 2:  10%|#  | " + std::string(done) + "/" + total + " [00:20<03:09, 1.2it/s]") != nullptr;
    };
    EXPECT_TRUE(bar("10", "10"));
    EXPECT_FALSE(bar("11", "10"));
    EXPECT_TRUE(bar("5", "1000000000"));
    EXPECT_FALSE(bar("5", "1000000001"));
    // A text pattern: microseconds, its step and its samples.
    const LoggedStep step = readStepLog("s 7 n 3 took 250000 us\n", {.pattern = "s {step} n {samples} took {us} us"})->runs[0].steps[0];
    EXPECT_EQ(std::tuple(step.number, step.samplesSeen, step.seconds), std::tuple(7, 3.0, 0.25));
}

TEST(ImportLimits, RowsOfSevenToNineAndElevenToThirteenWords)
{
    const auto rows = [](const std::string& row) {
        const auto read = ncclTestsRows("# Rank 0 a b\n# Rank 1 a b\n" + row + "\n", {.op = "all_reduce"});
        return read.ok() ? (*read)[0].seconds : -1;
    };
    // size count type [redop [root]] time algbw busbw errors [time algbw busbw errors]
    EXPECT_DOUBLE_EQ(rows("1024 256 float 11 2 3 0"), 11e-6);
    EXPECT_DOUBLE_EQ(rows("1024 256 float sum 12 2 3 0"), 12e-6);
    EXPECT_DOUBLE_EQ(rows("1024 256 float sum -1 13 2 3 0"), 13e-6);
    EXPECT_EQ(rows("1024 256 float sum -1 13 2 3 0 9"), -1) << "ten words";
    EXPECT_DOUBLE_EQ(rows("1024 256 float 14 2 3 0 24 5 6 0"), 14e-6);
    EXPECT_DOUBLE_EQ(rows("1024 256 float sum 15 2 3 0 25 5 6 0"), 15e-6);
    EXPECT_DOUBLE_EQ(rows("1024 256 float sum -1 16 2 3 0 26 5 6 0"), 16e-6);
    EXPECT_EQ(rows("1024 256 float sum -1 16 2 3 0 26 5 6 0 9"), -1) << "fourteen words";
    EXPECT_EQ(rows("1024 256 float 2 3 0"), -1) << "six words";
    EXPECT_DOUBLE_EQ(rows("1024 256 float 1e12 2 3 0"), 1e6);
    EXPECT_EQ(rows("1024 256 float 1.02e12 2 3 0"), -1);
    EXPECT_EQ(rows("1024 256 a2345678901234567890 11 2 3 0"), 11e-6) << "twenty characters of a type";
    EXPECT_EQ(rows("1024 256 a23456789012345678901 11 2 3 0"), -1);
}

TEST(ImportLimits, AHundredErrorsAreListed)
{
    const auto errors = [](int bad) {
        std::string text = "m,n,k,time_us\n";
        for (int k = 0; k < bad; ++k)
            text += "1,2,3,-7\n";
        return operatorTableRows(text).errors().size();
    };
    EXPECT_EQ(errors(100), 100U);
    EXPECT_EQ(errors(101), 101U) << "the last one says that there are more";
    EXPECT_EQ(errors(150), 101U);
    // 20,000 rows are read, one more is an error.
    const auto isRead = [](int rows) {
        std::string text = "m,n,k,time_us\n";
        for (int k = 0; k < rows; ++k)
            text += "1,2,3,7\n";
        return operatorTableRows(text).ok();
    };
    EXPECT_TRUE(isRead(20'000));
    EXPECT_FALSE(isRead(20'001));
}

TEST(SpeedLimits, TwentyTimesOffTheMedianAndFiveTimesOffOne)
{
    const auto isRead = [](const std::string& unit, const std::string& rows) { return readSpeedTable("host," + unit + "\n" + rows).ok(); };
    EXPECT_TRUE(isRead("tflops", "a,100\nb,100\nc,2000\n"));
    EXPECT_FALSE(isRead("tflops", "a,100\nb,100\nc,2001\n"));
    EXPECT_TRUE(isRead("tflops", "a,100\nb,100\nc,5\n"));
    EXPECT_FALSE(isRead("tflops", "a,100\nb,100\nc,4.99\n"));
    EXPECT_TRUE(isRead("speed", "a,5\nb,5\n"));
    EXPECT_FALSE(isRead("speed", "a,5.1\nb,5.1\n"));
    EXPECT_TRUE(isRead("speed", "a,0.2\nb,0.2\n"));
    EXPECT_FALSE(isRead("speed", "a,0.195\nb,0.195\n"));
    EXPECT_TRUE(isRead("gpu,tflops", "a,1023,7\nb,0,9\n"));
    EXPECT_FALSE(isRead("gpu,tflops", "a,1024,7\nb,0,9\n"));
    // (node, GPU) pairs are all different, although their sums are not.
    std::string rows;
    for (const char* host : {"a", "b", "c"})
        for (const int gpu : {0, 1, 2, 1023})
            rows += std::string(host) + "," + std::to_string(gpu) + ",7\n";
    EXPECT_TRUE(isRead("gpu,tflops", rows));
    EXPECT_FALSE(isRead("gpu,tflops", rows + "b,2,7\n"));
    const SpeedTable t = readSpeedTable("host,gflops\na,400\nb,1000\nc,700\nd,600\n").value();
    EXPECT_DOUBLE_EQ(t.referenceValue, 0.65); // between 600 and 700 GFLOP/s
    EXPECT_DOUBLE_EQ(t.rows[1].relativeSpeed, 1000 / 650.0);
    EXPECT_DOUBLE_EQ(readSpeedTable("host,speed_percent\na,80\nb,130\n")->rows[1].relativeSpeed, 1.3);
    EXPECT_EQ(readSpeedTable("host,speed\na,1\n")->referenceValue, 1);
    std::string bad;
    for (int k = 0; k < 250; ++k)
        bad += "a,x\n";
    EXPECT_EQ(readSpeedTable("host,speed\n" + bad).errors().size(), 201U) << "200, and how many more";
    EXPECT_EQ(readSpeedTable("host,speed\n" + bad).errors().back().message, "There are more errors than are listed.");
}

TEST(TableLimits, RanksOfBusTablesAndErrorsOfATable)
{
    const std::string path = (std::filesystem::temp_directory_path() / ("prism-bus-" + std::to_string(::getpid()) + ".csv")).string();
    const auto ranks = [&](const char* count) {
        std::ofstream(path) << "system,version,op,dtype,gpus,bytes,us,busbw\nh100_sxm,2,alltoall,half," << count << ",4096,7,250.5\n";
        const auto rows = readBusTable(path);
        return rows.ok() ? std::tuple((*rows)[0].op, (*rows)[0].ranks, (*rows)[0].busGbPerS) : std::tuple(-1, -1, -1.0);
    };
    EXPECT_EQ(ranks("16"), std::tuple(3, 16, 250.5));
    EXPECT_EQ(ranks("1048576"), std::tuple(3, 1'048'576, 250.5));
    EXPECT_EQ(ranks("1048577"), std::tuple(-1, -1, -1.0));
    std::filesystem::remove(path);
    std::string text = "a,b\n";
    for (int k = 0; k < 60; ++k)
        text += "1\n";
    EXPECT_EQ(forEachRow(text, "t", 2, [](const auto&) { return true; }).size(), 50U);
}

} // namespace
} // namespace prism
