// SPDX-License-Identifier: GPL-3.0-or-later
// Draws of a table made once and used again: in replicas of so many draws that how one of them lies in its tail cannot be seen.
#pragma once

#include "core/sim/kernel/registertable.h"

#include <hwy/aligned_allocator.h>

#include <cstddef>

namespace prism {

/// Draws that are used together, one for each of so many neighbouring samples, and how many such lines a pool has.
inline constexpr std::size_t kPoolLanes = 16, kPoolLines = 1024;
/// From so many nodes on a sweep takes its draws from pools.
inline constexpr std::size_t kPooledNodes = 1000;

/// kPoolLines lines of kPoolLanes draws of a table, each of 16,384 equal parts of its distribution once. A node takes a line at random for
/// kPoolLanes of its samples. So the draws of one sample are independent of each other and have the pool's distribution, down to a
/// tail probability of 6e-5; two samples that share lines are as good as uncorrelated. Every lane has the table's mean and variance.
/// All pools have the same order: what a line means in one it means in another. Immutable; any thread.
class DrawPool final {
public:
    explicit DrawPool(const RegisterTable& table);
    [[nodiscard]] const float* lines() const { return m_draws.get(); }

private:
    hwy::AlignedFreeUniquePtr<float[]> m_draws;
};

} // namespace prism
