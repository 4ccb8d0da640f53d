// SPDX-License-Identifier: GPL-3.0-or-later
// What a fit takes and what it found.
#pragma once

#include "core/calibrate/published.h"

#include <string>

namespace prism {

/// What one step of the procedure found.
struct FitReport {
    std::string what;
    int rows = 0;
    double meanAbs = 0, bias = 0; ///< relative residuals
};

/// A published row in the fit.
struct FitRow {
    const PublishedRow* row = nullptr;
    double slowdown = 1;
};

} // namespace prism
