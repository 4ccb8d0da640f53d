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

} // namespace prism
