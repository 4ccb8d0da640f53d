// SPDX-License-Identifier: GPL-3.0-or-later
// Fits the constants that benchmarks cannot give on published steps, and says how far rows of unseen sources are off.
#pragma once

#include "core/calibrate/fitreport.h"
#include "core/cost/calibration.h"

#include <vector>

namespace prism {

/// Rows of the fit: those of tier A, and those of tier B on ground (GPU, precision, kind of model) that no row of tier A covers.
[[nodiscard]] std::vector<FitRow> fitRows(const std::vector<PublishedRow>& published);

/// Mean over sources, each counted once (a source of tier B half): of its mean absolute error, of its bias beyond 1.5 % and more so
/// beyond 4 %, and of what
/// errors exceed 10 % by. Errors are logarithms, cut at 0.2: beyond it a row says more about its machine than about the model.
[[nodiscard]] double publishedLoss(const Calibration& calibration, const std::vector<FitRow>& rows);

/// Lowers publishedLoss. Each round lets every row follow the logarithms of the constants linearly around the present ones, solves that
/// by coordinate descent, and goes as far as the rows themselves agree. Deterministic.
void fitConstants(Calibration& calibration, const std::vector<FitRow>& rows, int rounds);

/// The error of one row that its fit has not seen.
struct LeftOutError {
    const FitRow* row = nullptr;
    double error = 0;
};
/// Every source left out in turn; the others fit from `start`. One report per source and one over all.
[[nodiscard]] std::vector<LeftOutError> leftOutSources(const std::vector<FitRow>& rows, const Calibration& start,
                                                       std::vector<FitReport>& reports);

/// Bands that hold 90 % of the left-out errors, by kind of job where a kind has 20 rows and more, and over all; reports what share each
/// holds when it is made without the row's own source.
void setBands(Calibration& calibration, const std::vector<LeftOutError>& errors, std::vector<FitReport>& reports);

} // namespace prism
