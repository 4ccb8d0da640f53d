// SPDX-License-Identifier: GPL-3.0-or-later
// The coverage of the stated intervals is as stated: the short form. The slow suite has 2,000 seeds of each job.
#include "core/sim/coverage.h"

#include <boost/math/distributions/binomial.hpp>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

namespace prism::test {
namespace {

/// Fails where the number of intervals that cover is outside the range of 999 in 1,000 samples of exact intervals.
void expectCovered(int replicas, int seeds)
{
    const boost::math::binomial_distribution<> right(seeds, 0.95);
    const double smallest = boost::math::quantile(right, 0.0005), largest = boost::math::quantile(right, 0.9995);
    double sum = 0.0, intervals = 0.0;
    for (const bool rare : {false, true}) {
        const std::vector<CoverageCell> cells = coverage(replicas, rare, seeds);
        std::puts(coverageTable(cells).c_str());
        for (const CoverageCell& cell : cells)
            for (std::size_t f = 0; f < kCoveredMetrics.size(); ++f) {
                EXPECT_GE(cell.covered[f], smallest) << cell.name << " " << kCoveredMetrics[f];
                EXPECT_LE(cell.covered[f], largest) << cell.name << " " << kCoveredMetrics[f];
                sum += cell.covered[f];
                intervals += seeds;
            }
    }
    // Twenty kinds of interval, correlated as about six: a deviation of 0.01 for 80 seeds and 0.014 for 40.
    EXPECT_NEAR(sum / intervals, 0.95, 0.27 / std::sqrt(seeds));
}

TEST(Coverage, IntervalsOfNinetyFivePerCentHoldThatOften)
{
    expectCovered(1, 80);
}

TEST(Coverage, IntervalsHoldWhereTheSlowestReplicaComesFromACommonSample)
{
    expectCovered(64, 40);
}

} // namespace
} // namespace prism::test
