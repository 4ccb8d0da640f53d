// SPDX-License-Identifier: GPL-3.0-or-later
// The coverage of the stated intervals is as stated: the short form.
#include "core/sim/coverage.h"

#include <boost/math/distributions/binomial.hpp>
#include <gtest/gtest.h>

#include <cstdio>

namespace prism::test {
namespace {

/// Fails where the number of intervals that cover is outside the range of 999 in 1,000 samples of exact intervals.
void expectCovered(int replicas, int seeds)
{
    const boost::math::binomial_distribution<> right(seeds, 0.95);
    const double smallest = boost::math::quantile(right, 0.0005), largest = boost::math::quantile(right, 0.9995);
    for (const bool rare : {false, true}) {
        const std::vector<CoverageCell> cells = coverage(replicas, rare, seeds);
        std::puts(coverageTable(cells).c_str());
        for (const CoverageCell& cell : cells)
            for (std::size_t f = 0; f < kCoveredMetrics.size(); ++f) {
                EXPECT_GE(cell.covered[f], smallest) << cell.name << " " << kCoveredMetrics[f];
                EXPECT_LE(cell.covered[f], largest) << cell.name << " " << kCoveredMetrics[f];
            }
    }
}

TEST(Coverage, IntervalsOfNinetyFivePerCentHoldThatOften)
{
    expectCovered(1, 200);
}

TEST(Coverage, IntervalsHoldWhereTheSlowestReplicaComesFromACommonSample)
{
    expectCovered(64, 60);
}

} // namespace
} // namespace prism::test
