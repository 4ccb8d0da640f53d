// SPDX-License-Identifier: GPL-3.0-or-later
// What a run holds besides noise: planted warm-up, pauses, shifts and trends are found, and nothing where there is nothing.
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
