// SPDX-License-Identifier: GPL-3.0-or-later
// Stated intervals hold as often as they say: the short form.
#include "core/sim/coverage.h"

#include <boost/math/distributions/binomial.hpp>
#include <gtest/gtest.h>

#include <cstdio>

namespace prism::test {
namespace {

TEST(Coverage, IntervalsOfNinetyFivePerCentHoldThatOften)
{
    constexpr int kSeeds = 200;
    const std::vector<CoverageCell> cells = coverage(kSeeds);
    std::puts(coverageTable(cells).c_str());
    // What 999 of 1,000 right intervals would show.
    const boost::math::binomial_distribution<> right(kSeeds, 0.95);
    const double fewest = boost::math::quantile(right, 0.0005), most = boost::math::quantile(boost::math::complement(right, 0.0005));
    for (const CoverageCell& cell : cells)
        for (std::size_t f = 0; f < kCoveredFigures.size(); ++f) {
            EXPECT_GE(cell.covered[f], fewest) << cell.name << " " << kCoveredFigures[f];
            EXPECT_LE(cell.covered[f], most) << cell.name << " " << kCoveredFigures[f];
        }
}

} // namespace
} // namespace prism::test
