// SPDX-License-Identifier: GPL-3.0-or-later
// A pool of durations as a histogram, with the expected count of its fitted family in each bin.
#pragma once

#include "core/trace/pools.h"

namespace prism {

struct PoolHistogram {
    double low = 0, width = 0;        ///< of the first bin, seconds
    std::vector<double> shares;       ///< of the values in each bin; sum 1
    std::vector<double> familyShares; ///< that the family expects there; empty without a fit
    std::size_t values = 0;           ///< finite ones
};

inline constexpr int kMaxPoolBins = 60;

/// Bins of width 2 IQR n^(-1/3) (D. Freedman and P. Diaconis, Z. Wahrscheinlichkeitstheorie verw. Gebiete 57, 1981), at most kMostPoolBins,
/// one where all values are the same. Empty without values. Pure; any thread.
[[nodiscard]] PoolHistogram poolHistogram(const DurationPool& pool);

} // namespace prism
