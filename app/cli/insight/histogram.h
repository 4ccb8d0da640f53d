// SPDX-License-Identifier: GPL-3.0-or-later
// A small histogram for terminals: bars of block characters over an axis that names the quantiles.
#pragma once

#include "app/cli/frame/style.h"
#include "core/engine/summary.h"

#include <span>
#include <string>

namespace prism::cli {

struct HistogramLook {
    int columns = 72, rows = 6;
    Style style;
};

/// Counts of equal bins from the least to the 99.5th percentile of sorted values; a value beyond counts nowhere. At least one bin.
[[nodiscard]] std::vector<int> binCounts(std::span<const double> sortedSeconds, int bins);

/// The picture of a sampled step time, each line indented by two. Empty when nothing varies or there are fewer than 50 samples.
[[nodiscard]] std::string histogramText(std::span<const double> sortedSeconds, const DistributionSummary& summary,
                                        const HistogramLook& look);

} // namespace prism::cli
