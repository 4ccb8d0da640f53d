// SPDX-License-Identifier: GPL-3.0-or-later
// How often stated 95 % intervals cover the truth, over many seeds, across jobs and within one.
#pragma once

#include "core/sim/simulate.h"

#include <array>
#include <string>
#include <vector>

namespace prism::test {

inline constexpr std::array<const char*, 5> kCoveredFigures = {"p50", "p95", "p99", "mean", "P(> x)"};

/// One graph and one kind of series: how many of the seeds' intervals held the truth, by figure.
struct CoverageCell {
    std::string name;
    int seeds = 0;
    std::array<int, kCoveredFigures.size()> covered{};
    std::array<double, kCoveredFigures.size()> width{}; ///< mean half-width over 1.96 standard deviations of the figure over the seeds
    [[nodiscard]] double share(std::size_t figure) const { return static_cast<double>(covered[figure]) / seeds; }
};

/// How many seeds a cell has, and from how many replicas, in millions, the truth across jobs is known.
struct CoverageSize {
    int seeds = 2000, truthMillions = 24;
};

/// Small pipelines of the given numbers of replicas, with and without rare events that a quarter of the steps have: each across jobs and
/// within one. Across jobs the truth is a known answer: the slowest of so many independent replicas, each drawn by itself and none taken
/// from a common sample, and the synchronisation after it. Within one, the median over the seeds: what a typical median job takes.
[[nodiscard]] std::vector<CoverageCell> coverage(const std::vector<int>& replicas, const CoverageSize& size);

/// The table as text, one line per cell, in per cent.
[[nodiscard]] std::string coverageTable(const std::vector<CoverageCell>& cells);

} // namespace prism::test
