// SPDX-License-Identifier: GPL-3.0-or-later
// What a fit takes and what it found.
#pragma once

#include "core/calibrate/published.h"
#include "core/calibrate/residuals.h"

#include <string>

namespace prism {

/// What one step of the procedure found.
struct FitReport : Residuals {
    std::string what;
};

/// A published row in the fit.
struct FitRow {
    const PublishedRow* row = nullptr;
    double slowdown = 1;
};

} // namespace prism
