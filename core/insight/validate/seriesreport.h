// SPDX-License-Identifier: GPL-3.0-or-later
// A compared series as JSON: the same keys on the command line and in Python.
#pragma once

#include "core/insight/validate/stepseries.h"

#include <nlohmann/json_fwd.hpp>

namespace prism::report {

/// All values of the comparison: runs, steps, medians in seconds, errors {error, ci95, between_halves_p90}, shapes over the median, KS.
[[nodiscard]] nlohmann::ordered_json json(const SeriesComparison& comparison);

} // namespace prism::report
