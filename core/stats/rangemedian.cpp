// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/rangemedian.h"

#include "core/stats/moments.h"

#include <algorithm>
#include <bit>

namespace prism {
namespace {

constexpr std::size_t kWord = 64;

} // namespace

std::size_t RangeMedian::Level::ones(std::size_t before) const
{
    const std::uint64_t below = (std::uint64_t{1} << before % kWord) - 1;
    return onesBefore[before / kWord] + static_cast<std::size_t>(std::popcount(bits[before / kWord] & below));
}

RangeMedian::RangeMedian(const std::vector<double>& x) : m_sorted(x)
{
    const std::size_t n = x.size();
    sortAscending(m_sorted);
    std::vector<std::uint32_t> ranks(n), moved(n);
    for (std::size_t i = 0; i < n; ++i)
        ranks[i] = static_cast<std::uint32_t>(std::lower_bound(m_sorted.begin(), m_sorted.end(), x[i]) - m_sorted.begin());
    m_levels.resize(static_cast<std::size_t>(std::bit_width(n)));
    for (std::size_t l = 0; l < m_levels.size(); ++l) {
        Level& level = m_levels[l];
        const std::size_t shift = m_levels.size() - 1 - l;
        level.bits.assign(n / kWord + 1, 0);
        for (std::size_t i = 0; i < n; ++i)
            level.bits[i / kWord] |= std::uint64_t{ranks[i] >> shift & 1U} << i % kWord;
        std::uint32_t ones = 0;
        for (const std::uint64_t word : level.bits) {
            level.onesBefore.push_back(ones);
            ones += static_cast<std::uint32_t>(std::popcount(word));
        }
        level.zeros = n - ones;
        std::size_t zero = 0, one = level.zeros;
        for (const std::uint32_t rank : ranks)
            moved[(rank >> shift & 1U) == 0 ? zero++ : one++] = rank;
        ranks.swap(moved);
    }
}

/// The value of rank `k` of the range, 0 = the smallest. Equal values share the first of their ranks.
double RangeMedian::smallest(std::size_t first, std::size_t last, std::size_t k) const
{
    std::size_t rank = 0;
    for (const Level& level : m_levels) {
        const std::size_t onesFirst = level.ones(first), onesLast = level.ones(last);
        const std::size_t zeros = (last - onesLast) - (first - onesFirst);
        const bool isOne = k >= zeros;
        rank = rank << 1U | (isOne ? 1U : 0U);
        k -= isOne ? zeros : 0;
        first = isOne ? level.zeros + onesFirst : first - onesFirst;
        last = isOne ? level.zeros + onesLast : last - onesLast;
    }
    return m_sorted[rank];
}

double RangeMedian::of(std::size_t first, std::size_t last) const
{
    const std::size_t count = last - first;
    if (count == 0)
        return 0.0;
    const double upper = smallest(first, last, count / 2);
    return count % 2 == 1 ? upper : 0.5 * (smallest(first, last, count / 2 - 1) + upper);
}

} // namespace prism
