// SPDX-License-Identifier: GPL-3.0-or-later
// Durations of one signature together: the family that fits them, and whether there are enough values for it.
#pragma once

#include "core/base/table.h"
#include "core/stats/fit.h"

#include <optional>
#include <string>
#include <vector>

namespace prism {

/// One pool of durations, seconds, with the family that fits best.
struct DurationPool {
    std::string signature; ///< kernel name, grid, stream; collective, group size, bytes; or type, stage, chunk of an operation
    std::vector<double> seconds;
    std::optional<Fit> fit; ///< smallest KS distance; none for fewer than 8 positive values or no spread
    std::string warning;    ///< too few values for the family or the tail, or no family passes at 5 %

    /// The family's name where it may stand for the pool (enough values, not refuted), else "empirical".
    [[nodiscard]] std::string standIn() const;
};

/// The pool of a signature, fitted. Pure; any thread.
[[nodiscard]] DurationPool fittedPool(std::string signature, std::vector<double> seconds);
/// Largest total time first.
void sortByTotal(std::vector<DurationPool>& pools);
/// signature, n, mean_s, cv, p50_s, p95_s, family, ks, ks_p, stand_in, warning; a line for each pool, in their order.
[[nodiscard]] std::string poolsCsv(const std::vector<DurationPool>& pools, TableText texts = TableText::forSheets);

struct PoolHistogram {
    double low = 0, width = 0;        ///< of the first bin, seconds
    std::vector<double> shares;       ///< of the values in each bin; sum 1
    std::vector<double> familyShares; ///< that the family expects there; empty without a fit
    std::size_t values = 0;           ///< finite ones
};

inline constexpr int kMaxPoolBins = 60;

/// Bins of width 2 IQR n^(-1/3) (D. Freedman and P. Diaconis, Z. Wahrscheinlichkeitstheorie verw. Gebiete 57, 1981), at most kMaxPoolBins,
/// one where all values are the same. Empty without values. Pure; any thread.
[[nodiscard]] PoolHistogram poolHistogram(const DurationPool& pool);

} // namespace prism
