// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of one value per lane. A lane is one unit (a replica or a lockstep set) in one step; a block of lanes is swept at once.
#pragma once

#include <hwy/aligned_allocator.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace prism {

/// Lanes of a block: their clocks and messages stay in the first-level cache.
inline constexpr std::size_t kLanes = 64;

/// Rows of kLanes values, aligned for whole registers.
template <class T>
class RowsOf final {
public:
    explicit RowsOf(std::size_t rows = 0) { resize(rows); }
    /// Loses the values.
    void resize(std::size_t rows)
    {
        if (rows > m_rows || !m_data)
            m_data = hwy::AllocateAligned<T>(std::max<std::size_t>(1, rows) * kLanes);
        m_rows = rows;
        fill(T{});
    }
    [[nodiscard]] T* row(std::size_t i) { return m_data.get() + i * kLanes; }
    [[nodiscard]] const T* row(std::size_t i) const { return m_data.get() + i * kLanes; }
    [[nodiscard]] std::size_t rows() const { return m_rows; }
    void fill(T value) { std::fill_n(m_data.get(), std::max<std::size_t>(1, m_rows) * kLanes, value); }

private:
    std::size_t m_rows = 0;
    hwy::AlignedFreeUniquePtr<T[]> m_data;
};
using Rows = RowsOf<float>;

} // namespace prism
