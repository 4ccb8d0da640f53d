// SPDX-License-Identifier: GPL-3.0-or-later
// Input and result of a fit.
#pragma once

#include "core/calibrate/published.h"
#include "core/calibrate/residuals.h"

#include <string>

namespace prism {

/// Result of one step of the procedure.
struct FitReport : Residuals {
    std::string what;
};

/// A published row in the fit.
struct FitRow {
    const PublishedRow* row = nullptr;
    double slowdown = 1;
};

} // namespace prism
