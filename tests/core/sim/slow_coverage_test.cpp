// SPDX-License-Identifier: GPL-3.0-or-later
// The coverage of the stated intervals, over 2,000 seeds a cell; prints the table. Each cell is a separate test: one of them with
// --gtest_filter='*/512_rare', the whole table piece by piece.
#include "core/sim/coverage.h"

#include <gtest/gtest.h>

#include <cstdio>

namespace prism::test {
namespace {

constexpr int kSeeds = 2000;

struct JobKind {
    int replicas;
    bool rare;
};

class SlowCoverage : public testing::TestWithParam<JobKind> {};

TEST_P(SlowCoverage, IntervalsOfNinetyFivePerCentHoldThatOften)
{
    const std::vector<CoverageCell> cells = coverage(GetParam().replicas, GetParam().rare, kSeeds);
    std::puts(coverageTable(cells).c_str());
    double sum = 0.0;
    for (const CoverageCell& cell : cells)
        for (std::size_t f = 0; f < kCoveredMetrics.size(); ++f) {
            EXPECT_GE(cell.share(f), 0.93) << cell.name << " " << kCoveredMetrics[f];
            EXPECT_LE(cell.share(f), 0.97) << cell.name << " " << kCoveredMetrics[f];
            sum += cell.share(f) / static_cast<double>(cells.size() * kCoveredMetrics.size());
        }
    EXPECT_GE(sum, 0.94);
    EXPECT_LE(sum, 0.96);
}

INSTANTIATE_TEST_SUITE_P(Jobs, SlowCoverage,
                         testing::Values(JobKind{1, false}, JobKind{1, true}, JobKind{64, false}, JobKind{64, true}, JobKind{512, false},
                                         JobKind{512, true}, JobKind{4096, false}, JobKind{4096, true}),
                         [](const auto& cell) { return std::to_string(cell.param.replicas) + (cell.param.rare ? "_rare" : "_plain"); });

} // namespace
} // namespace prism::test
