// SPDX-License-Identifier: GPL-3.0-or-later
// Stated intervals hold as often as they say, over 2,000 seeds a cell; prints the table.
#include "core/sim/coverage.h"

#include <gtest/gtest.h>

#include <cstdio>

namespace prism::test {
namespace {

TEST(SlowCoverage, IntervalsOfNinetyFivePerCentHoldThatOften)
{
    const std::vector<CoverageCell> cells = coverage({1, 64, 512, 4096}, {});
    std::puts(coverageTable(cells).c_str());
    double sum = 0.0;
    for (const CoverageCell& cell : cells)
        for (std::size_t f = 0; f < kCoveredFigures.size(); ++f) {
            EXPECT_GE(cell.share(f), 0.93) << cell.name << " " << kCoveredFigures[f];
            EXPECT_LE(cell.share(f), 0.97) << cell.name << " " << kCoveredFigures[f];
            sum += cell.share(f) / static_cast<double>(cells.size() * kCoveredFigures.size());
        }
    EXPECT_GE(sum, 0.94);
    EXPECT_LE(sum, 0.96);
}

} // namespace
} // namespace prism::test
