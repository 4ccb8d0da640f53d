// SPDX-License-Identifier: GPL-3.0-or-later
// Medians of many ranges of one series, each in a time that does not grow with the range.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace prism {

/// A wavelet matrix over the ranks of the values (Claude, Navarro and Ordonez 2015, "The wavelet matrix"). Built in n log n; memory: about
/// 6 bytes a value once it is, 16 while it is built. Values are finite. Any thread.
class RangeMedian final {
public:
    explicit RangeMedian(const std::vector<double>& x);

    /// Median of x[first] to x[last - 1], as medianOf gives it; 0 for an empty range.
    [[nodiscard]] double of(std::size_t first, std::size_t last) const;

private:
    /// One bit of all ranks, from the highest on; below it those with a zero come first.
    struct Level {
        std::vector<std::uint64_t> bits;
        std::vector<std::uint32_t> onesBefore; ///< each word
        std::size_t zeros = 0;
        [[nodiscard]] std::size_t ones(std::size_t before) const;
    };

    [[nodiscard]] double smallest(std::size_t first, std::size_t last, std::size_t k) const;

    std::vector<double> m_sorted;
    std::vector<Level> m_levels;
};

} // namespace prism
