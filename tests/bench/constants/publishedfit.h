// SPDX-License-Identifier: GPL-3.0-or-later
// Fits the constants that benchmarks cannot give on published steps.
#pragma once

#include "bench/constants/linearfit.h"

namespace prism {

/// Rows of the fit: those of tiers A and B that run.
[[nodiscard]] std::vector<FitRow> fitRows(const std::vector<PublishedRow>& published);

/// Lowers the loss of the rows (SourceLoss). Each round lets every row follow the logarithms of the constants linearly around the
/// present ones, solves that by coordinate descent, and takes as large a step as the rows themselves agree with. Deterministic.
void fitConstants(Calibration& calibration, const std::vector<FitRow>& rows, int rounds);

/// The same from several starts: where a layer waits for its host or not is an edge that linear steps do not cross, so each constant of
/// the hosts, which all sources share, is also set to four times and a quarter of its best value and the fit starts from there. The
/// result with the least loss stays.
void searchConstants(Calibration& calibration, const std::vector<FitRow>& rows, int rounds);

} // namespace prism
