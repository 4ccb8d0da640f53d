// SPDX-License-Identifier: GPL-3.0-or-later
// Stated intervals hold as often as they say, over 2,000 seeds a cell; prints the table.
#include "core/sim/coverage.h"

#include <gtest/gtest.h>

#include <cstdio>

namespace prism::test {
namespace {

TEST(SlowCoverage, IntervalsOfNinetyFivePerCentHoldThatOften)
{
    const std::vector<CoverageCell> cells = coverage({1, 64, 512, 4096}, 2000);
    std::puts(coverageTable(cells).c_str());
    double sum = 0.0;
    for (const CoverageCell& cell : cells)
        for (std::size_t f = 0; f < kCoveredFigures.size(); ++f)
            sum += cell.share(f);
    EXPECT_GT(sum / static_cast<double>(cells.size() * kCoveredFigures.size()), 0.93);
}

} // namespace
} // namespace prism::test
