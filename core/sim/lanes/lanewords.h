// SPDX-License-Identifier: GPL-3.0-or-later
// Random bits of a draw: 32 bits, a pure function of the lane's seed and the key of the draw: any order, any thread, the
// same bits, and a changed scenario keeps every draw that it can.
#pragma once

#include "core/base/hash.h"
#include "core/sim/lanes/rows.h"

#include <cstdint>

namespace prism {

/// Names a draw within a lane.
struct LaneKey {
    std::uint32_t low = 0, high = 0;
};
template <class Purpose>
[[nodiscard]] LaneKey laneKey(Purpose purpose, std::uint64_t a = 0, std::uint64_t b = 0, std::uint64_t c = 0)
{
    const std::uint64_t h = mix64(mix64(mix64(mix64(static_cast<std::uint64_t>(purpose)) + a) + b) + c);
    return {static_cast<std::uint32_t>(h), static_cast<std::uint32_t>(h >> 32U)};
}

/// Of the draw that decides whether a factor's draw is its rare event.
[[nodiscard]] constexpr LaneKey rareKey(LaneKey key)
{
    return {key.low + 0x9e3779b9U, key.high};
}

/// Seed of one lane.
struct LaneSeed {
    std::uint32_t low = 0, high = 0;
};
/// The common part of the seeds of all units of one index of a run.
[[nodiscard]] inline std::uint64_t commonSeed(std::uint64_t seed, std::uint64_t run, std::uint64_t index)
{
    return mix64(mix64(mix64(seed ^ 0x6a09e667f3bcc908ULL) + run) + index);
}
[[nodiscard]] inline LaneSeed laneSeed(std::uint64_t common, std::uint64_t unit)
{
    const std::uint64_t h = mix64(common + unit);
    return {static_cast<std::uint32_t>(h), static_cast<std::uint32_t>(h >> 32U)};
}
[[nodiscard]] inline LaneSeed laneSeed(std::uint64_t seed, std::uint64_t run, std::uint64_t index, std::uint64_t unit)
{
    return laneSeed(commonSeed(seed, run, index), unit);
}

/// Seeds of a block's lanes.
struct alignas(64) LaneSeeds {
    std::uint32_t low[kLanes] = {}, high[kLanes] = {};
    void set(std::size_t lane, LaneSeed seed)
    {
        low[lane] = seed.low;
        high[lane] = seed.high;
    }
    [[nodiscard]] LaneSeed at(std::size_t lane) const { return {low[lane], high[lane]}; }
};

/// A bijection of 32 bits with little bias (Wellons 2018, "Prospecting for Hash Functions": constants of least known bias).
[[nodiscard]] constexpr std::uint32_t mixWord(std::uint32_t x)
{
    x ^= x >> 16U;
    x *= 0x21f0aaadU;
    x ^= x >> 15U;
    x *= 0x735a2d97U;
    return x ^ (x >> 15U);
}

/// The 32 bits of a draw.
[[nodiscard]] constexpr std::uint32_t laneWord(LaneSeed seed, LaneKey key)
{
    return mixWord((mixWord(seed.low ^ key.low) ^ seed.high) + key.high);
}

/// Uniform in (0, 1) with 32 bits.
[[nodiscard]] constexpr double uniformOf(std::uint32_t word)
{
    return (static_cast<double>(word) + 0.5) * 0x1.0p-32;
}

} // namespace prism
