// SPDX-License-Identifier: GPL-3.0-or-later
// Published steps compared with predictions: the median of the sampled step times of every row.
#pragma once

#include "core/calibrate/published.h"

namespace prism {

struct ValidationOptions {
    std::uint64_t seed = 1;
    int samples = 200; ///< per row; the median of 200 has an error of about 0.2 % at a CV of 1.5 %
    int threads = 0;   ///< 0 = all cores; results do not depend on it
};

/// Median and p95 of a row's step time over its noise-free step, with the row's variability. 1 and 1 where it cannot be run.
struct StepSpread {
    double p50 = 1, p95 = 1;
};
[[nodiscard]] StepSpread stepSpread(const PublishedRow& row, const Calibration& calibration, const ValidationOptions& options);

/// Every row run and sampled, in order. Any thread.
[[nodiscard]] std::vector<ValidatedRow> validatedRows(const std::vector<PublishedRow>& rows, const Calibration& calibration,
                                                      const ValidationOptions& options);

} // namespace prism
