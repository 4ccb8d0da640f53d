// SPDX-License-Identifier: GPL-3.0-or-later
// Coverage of the stated 95 % intervals, over many seeds, across jobs and within one.
#pragma once

#include "core/sim/simulate.h"

#include <array>
#include <string>
#include <vector>

namespace prism::test {

inline constexpr std::array<const char*, 5> kCoveredMetrics = {"p50", "p95", "p99", "mean", "P(> x)"};

/// One graph and one kind of series: how many of the seeds' intervals covered the true value, by statistic.
struct CoverageCell {
    std::string name;
    int seeds = 0;
    std::array<int, kCoveredMetrics.size()> covered{};
    std::array<double, kCoveredMetrics.size()> width{}; ///< mean half-width over 1.96 standard deviations of the statistic over the seeds
    [[nodiscard]] double share(std::size_t metric) const { return static_cast<double>(covered[metric]) / seeds; }
};

/// A small pipeline of `replicas` replicas, without or with rare events that a quarter of the steps have.
[[nodiscard]] StepGraph smallJob(int replicas, bool rare);

/// The coverage across jobs and within one. Across jobs the true value is a known answer in closed form. Within one, the median over the
/// seeds: what a typical median job takes.
[[nodiscard]] std::vector<CoverageCell> coverage(int replicas, bool rare, int seeds);

/// The table as text, one line per cell, in per cent.
[[nodiscard]] std::string coverageTable(const std::vector<CoverageCell>& cells);

} // namespace prism::test
