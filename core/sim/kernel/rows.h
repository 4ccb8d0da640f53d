// SPDX-License-Identifier: GPL-3.0-or-later
// Working memory of sweeps: rows of one value per sample of a block.
#pragma once

#include "core/sim/kernel/sweepkernel.h"

#include <hwy/aligned_allocator.h>

#include <algorithm>
#include <cstddef>

namespace prism {

/// Rows of kLanes floats, aligned for whole registers.
class Rows final {
public:
    explicit Rows(std::size_t rows = 0) : m_rows(rows), m_data(hwy::AllocateAligned<float>(std::max<std::size_t>(1, rows) * kLanes))
    {
        fill(0.0F);
    }
    [[nodiscard]] float* row(std::size_t i) { return m_data.get() + i * kLanes; }
    [[nodiscard]] const float* row(std::size_t i) const { return m_data.get() + i * kLanes; }
    [[nodiscard]] std::size_t rows() const { return m_rows; }
    void fill(float value) { std::fill_n(m_data.get(), std::max<std::size_t>(1, m_rows) * kLanes, value); }

private:
    std::size_t m_rows;
    hwy::AlignedFreeUniquePtr<float[]> m_data;
};

} // namespace prism
