// SPDX-License-Identifier: GPL-3.0-or-later
// Errors of the rows of a held-out source.
#pragma once

#include "bench/constants/linearfit.h"

namespace prism {

/// The error of one row that its fit has not seen.
struct HeldOutError {
    const FitRow* row = nullptr;
    double error = 0; ///< predicted / published - 1
};

/// Where the fits without a source begin and what they know: the constants before any published step, and those fitted on all rows, whose
/// slopes stand for the rows' slopes near the end of every fit.
struct HeldOutStart {
    Calibration start, fitted;
};
/// Every source omitted in turn. Each fit goes from `start` with the slopes there and then those at `fitted`, as long as the rows
/// themselves agree; a constant that only the missing source decides stays at its start. One report per source and one over tier A.
[[nodiscard]] std::vector<HeldOutError> heldOutErrors(const std::vector<FitRow>& rows, const HeldOutStart& from,
                                                      std::vector<FitReport>& reports);

} // namespace prism
