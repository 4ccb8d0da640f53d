// SPDX-License-Identifier: GPL-3.0-or-later
// The inner loop: one replica's schedule over a block of samples, vectorised across samples by Highway with run-time dispatch.
#pragma once

#include "core/sim/kernel/kernelnode.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace prism {

// Every target with multiply-add (AVX2, AVX-512, NEON) gives the same bits; SSSE3 and SSE4 round products once more, which moves a
// step by some 1e-7 of itself.

[[nodiscard]] DrawKey drawKey(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d = 0);
/// Round keys of a seed and a copy (which replica).
[[nodiscard]] RoundKeys roundKeys(std::uint64_t seed, std::uint64_t copy = 0);
[[nodiscard]] RareChance rareChance(double probability);

/// Rare events of sweeps. One thread; worth keeping from sweep to sweep, for its memory.
class RareHits final {
public:
    /// Those of a sweep of block `block`: ascending by node, the last one of no node.
    const std::vector<RareHit>& draw(const std::vector<RareSites>& sites, const std::vector<KernelNode>& nodes, const KernelRows& rows,
                                     const RoundKeys& keys, std::uint64_t block);

private:
    std::vector<RareHit> m_found, m_sorted;
    std::vector<std::uint32_t> m_place; ///< by node, while they are sorted
};

/// Runs all nodes for sample block `block`; `hits` as RareHits gives them, or empty.
void sweepNodes(const std::vector<KernelNode>& nodes, const std::vector<RareHit>& hits, const KernelRows& rows, const RoundKeys& keys,
                std::uint64_t block);

/// Draws a row of kLanes values of a table. Rows are aligned to 64 bytes.
void drawRow(const RegisterTable& table, const DrawKey& key, const RoundKeys& keys, std::uint64_t block, float* row);
/// Multiplies (factors) or adds to (seconds) the lanes of a row in which a rare event happens.
void rareFactors(const RareEvent& rare, const DrawKey& key, const RoundKeys& keys, std::uint64_t block, float* row,
                 const RareSearch& search = {});
void rareSeconds(const RareEvent& rare, const DrawKey& key, const RoundKeys& keys, std::uint64_t block, float* row);
/// kLanes raw words: each holds two draws, in bits 12 ... 27 and in the rest.
void rawDraws(const DrawKey& key, const RoundKeys& keys, std::uint64_t block, std::int32_t* words);

/// An instruction set that the kernel was made for and that this processor has, the best first.
struct KernelTarget {
    std::int64_t id = 0;
    std::string name;
};
[[nodiscard]] std::vector<KernelTarget> kernelTargets();
/// For measurements and tests, while no sweep runs: that instruction set from now on; 0 = the best one again.
void useKernelTarget(std::int64_t target);

} // namespace prism
