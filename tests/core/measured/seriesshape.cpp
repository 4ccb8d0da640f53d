// SPDX-License-Identifier: GPL-3.0-or-later
// Structure of a run besides noise: planted warm-up, pauses, shifts and trends are found, and nothing where there is nothing.
#include "core/measured/seriesshape.h"

#include "core/stats/random.h"

#include <gtest/gtest.h>

#include <cmath>

namespace prism {
namespace {

/// 300 steps of 20 s with 30 ms of uniform noise.
LoggedRun quietRun(std::uint64_t which)
{
    LoggedRun run;
    for (std::uint64_t i = 0; i < 300; ++i)
        run.steps.push_back({20 + 0.1 * (uniform(3, stream(which), i) - 0.5)});
    return run;
}

TEST(SeriesShape, NothingIsFoundInNoise)
{
    const RunShape shape = runShape(quietRun(1));
    EXPECT_EQ(shape.warmUp, 0);
    EXPECT_TRUE(shape.afterPause.empty());
    EXPECT_TRUE(shape.shifts.empty());
    EXPECT_EQ(shape.trend, 0);
    EXPECT_NEAR(shape.medianSeconds, 20, 0.01);
    EXPECT_NEAR(shape.noiseSeconds, 0.1 / std::sqrt(12.0), 0.012);
}

TEST(SeriesShape, PlantedPartsAreFoundAndRemoved)
{
    LoggedRun run = quietRun(2);
    for (std::size_t i = 0; i < run.steps.size(); ++i) {
        run.steps[i].pauseSeconds = i % 60 == 59 ? 90 : 0.01;
        run.steps[i].seconds *= 1 + 0.01 * static_cast<double>(i) / 299;
        if (i >= 180)
            run.steps[i].seconds *= 1.02;
        if (i % 60 == 59)
            run.steps[i].seconds += 1;
    }
    run.steps[0].seconds = 35;
    run.steps[1].seconds = 24;
    const RunShape shape = runShape(run);
    EXPECT_EQ(shape.warmUp, 2);
    EXPECT_EQ(shape.afterPause, (std::vector<int>{59, 119, 179, 239, 299}));
    ASSERT_EQ(shape.shifts.size(), 1U);
    EXPECT_NEAR(shape.shifts[0].index, 180, 4);
    EXPECT_NEAR(shape.shifts[0].factor, 1.02, 0.006);
    const CleanRun clean = cleanRun(run, shape, {});
    EXPECT_EQ(clean.seconds.size(), 293U);
    for (const double s : clean.seconds)
        EXPECT_NEAR(s / clean.medianSeconds, 1, 0.009);
    EXPECT_EQ(cleanRun(run, shape, {false, false, false, false}).seconds.size(), 300U);
}

TEST(SeriesShape, WithoutTimeStampsEvenSpacingShowsPauses)
{
    LoggedRun run = quietRun(3);
    for (std::size_t i = 40; i < run.steps.size(); i += 50)
        run.steps[i].seconds += 2;
    const RunShape shape = runShape(run);
    EXPECT_FALSE(shape.pausesLogged);
    EXPECT_EQ(shape.afterPause, (std::vector<int>{40, 90, 140, 190, 240, 290}));
}

TEST(SeriesShape, ATrendAloneIsNamedWithItsSize)
{
    LoggedRun run = quietRun(4);
    for (std::size_t i = 0; i < run.steps.size(); ++i)
        run.steps[i].seconds *= 1 + 0.006 * static_cast<double>(i) / 299;
    EXPECT_NEAR(runShape(run).trend, 0.006, 0.001);
}

/// Quiet runs with long steps every sixth step until `until` and every fiftieth behind.
std::vector<LoggedRun> startingRuns(int runs, std::size_t until)
{
    std::vector<LoggedRun> out;
    for (int r = 0; r < runs; ++r) {
        out.push_back(quietRun(static_cast<std::uint64_t>(20 + r)));
        for (std::size_t i = 4; i < 300; i += i < until ? 6 : 53)
            out.back().steps[i].seconds += 0.8;
    }
    return out;
}

TEST(SeriesShape, AStartUpShowsInAllRunsTogether)
{
    for (const RunShape& shape : runShapes(startingRuns(3, 36))) {
        EXPECT_EQ(shape.startUp, 35); // behind the step of index 34
        EXPECT_EQ(shape.warmUp, 35);
        EXPECT_NE(shapeText(shape).find("rarer at 35"), std::string::npos);
    }
    EXPECT_EQ(runShapes(startingRuns(1, 60))[0].startUp, 47);    // indices 4, 10, ... 46 within the first fifty
    for (const RunShape& shape : runShapes(startingRuns(3, 10))) // two long ones each: not significant
        EXPECT_EQ(shape.startUp, 0);
}

TEST(SeriesShape, LongStepsSpreadEvenlyAreNoStartUp)
{
    int found = 0;
    for (std::uint64_t k = 0; k < 60; ++k) {
        LoggedRun run = quietRun(100 + k);
        for (std::uint64_t i = 0; i < run.steps.size(); ++i)
            run.steps[i].seconds += uniform(4, stream(k), i) < 0.04 ? 0.8 : 0.0;
        found += runShapes({run})[0].startUp > 0 ? 1 : 0;
    }
    EXPECT_LE(found, 3); // about one in a hundred by sampling noise: more than 3 of 60 has a probability of 0.3 %
}

TEST(SeriesShape, ALongSeriesOfManyLevelsKeepsThemAll)
{
    LoggedRun run;
    for (int i = 0; i < 200'000; ++i)
        run.steps.push_back({1.0 + (i / 100) % 7});
    const RunShape shape = runShape(run);
    EXPECT_EQ(shape.shifts.size(), 1'999U);
    EXPECT_NE(shapeText(shape).find("1979 changes of level more"), std::string::npos);
}

TEST(SeriesShape, LongStepsThatAreTogetherHaveNoSpacingOfALongSeries)
{
    LoggedRun run;
    for (int i = 0; i < 2'000'000; ++i)
        run.steps.push_back({i >= 1'000 && i < 2'000 && i % 5 == 0 ? 9.0 : 1.0 + 0.001 * (i % 2)});
    EXPECT_TRUE(runShape(run).afterPause.empty());
}

TEST(SeriesShape, ShortRunsHaveOnlyALevel)
{
    LoggedRun run;
    run.steps = {{1.0}, {2.0}, {3.0}};
    EXPECT_DOUBLE_EQ(runShape(run).medianSeconds, 2);
    EXPECT_EQ(runShape(run).warmUp, 0);
    EXPECT_DOUBLE_EQ(runShape(LoggedRun{}).medianSeconds, 0);
}

} // namespace
} // namespace prism
