// SPDX-License-Identifier: GPL-3.0-or-later
// The block bootstrap: how often series are drawn again, and what one redraw consists of.
#include "core/stats/redraws.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

namespace prism {
namespace {

TEST(Redraws, LongSeriesAreDrawnFortyTimesAtLeast)
{
    const std::pair<std::size_t, std::uint64_t> known[] = {{0, 200},       {1, 200},        {200'000, 200},  {200'001, 199},
                                                           {400'000, 100}, {1'000'000, 40}, {1'010'000, 40}, {50'000'000, 40}};
    for (const auto& [values, redraws] : known)
        EXPECT_EQ(redrawsOf(values, 200), redraws) << values;
}

/// Runs of 7, 3 and 1 values in blocks of 3: three, one and one, each of neighbours of its run, from every place.
TEST(Redraws, BlocksAreNeighboursOfTheirRun)
{
    SeriesRuns runs(3);
    double value = 0;
    for (std::size_t r = 0; r < 3; ++r)
        for (const std::size_t length = r == 0 ? 7 : r == 1 ? 3 : 1; runs[r].size() < length;)
            runs[r].push_back(value++);
    std::set<double> starts;
    for (std::uint64_t k = 0; k < 200; ++k) {
        const SeriesRuns again = redrawnBlocks(runs, 3, stream(8, k));
        ASSERT_EQ(again.size(), 5U);
        for (std::size_t b = 0; b < 5; ++b) {
            ASSERT_EQ(again[b].size(), b < 4 ? 3U : 1U);
            for (std::size_t i = 1; i < again[b].size(); ++i)
                EXPECT_EQ(again[b][i], again[b][0] + static_cast<double>(i));
            EXPECT_TRUE(b < 3 ? again[b].back() < 7 : again[b] == runs[b - 2]);
        }
        EXPECT_EQ(redrawnBlocks(runs, 3, stream(8, k)), again) << "the same draws";
        for (std::size_t b = 0; b < 3; ++b)
            starts.insert(again[b][0]);
    }
    EXPECT_EQ(starts, (std::set<double>{0, 1, 2, 3, 4}));
}

} // namespace
} // namespace prism
