// SPDX-License-Identifier: GPL-3.0-or-later
// Medians of ranges against the ranges sorted.
#include "core/stats/rangemedian.h"

#include "core/stats/moments.h"
#include "core/stats/random.h"

#include <gtest/gtest.h>

namespace prism {
namespace {

TEST(RangeMedian, IsTheMedianOfTheRangeSorted)
{
    std::uint64_t draw = 0;
    const auto upTo = [&](std::size_t largest) {
        return static_cast<std::size_t>(uniform(5, stream(1), draw++) * static_cast<double>(largest + 1));
    };
    for (const std::size_t n : {0U, 1U, 2U, 63U, 64U, 65U, 300U}) {
        std::vector<double> x;
        for (std::size_t i = 0; i < n; ++i)
            x.push_back(i % 3 == 0 ? uniform(5, stream(2), i) : static_cast<double>(upTo(3)) - 1.0); // many of them equal
        const RangeMedian median(x);
        for (int k = 0; k < 200; ++k) {
            const std::size_t a = std::min(upTo(n), n), b = std::min(upTo(n), n), first = std::min(a, b), last = std::max(a, b);
            const std::vector<double> range(x.begin() + static_cast<std::ptrdiff_t>(first), x.begin() + static_cast<std::ptrdiff_t>(last));
            EXPECT_EQ(median.of(first, last), medianOf(range)) << n << ": " << first << " to " << last;
        }
    }
}

} // namespace
} // namespace prism
