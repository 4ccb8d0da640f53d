// SPDX-License-Identifier: GPL-3.0-or-later
// Lucks of the cells of a replica, drawn for every step of a series or given.
#pragma once

#include "core/base/hash.h"
#include "core/sim/kernel/rows.h"

#include <cstdint>
#include <vector>

namespace prism {

/// Normal score of an upper tail probability in (0, 1).
[[nodiscard]] double scoreOfTail(double tail);

/// Which draws: of a seed, a copy of the replica, and a block of steps.
struct LuckDraw {
    std::uint64_t seed = 1, copy = 0, block = 0;
};

/// Scores of replicas that share a common sample, [replica][stage]: one block of memory, for there may be a million of them.
struct MemberScores {
    std::vector<float> scores;
    std::size_t stages = 1;
    ContentHash hash; ///< of the scores, made once: every part of every block is named by it
    [[nodiscard]] std::size_t count() const { return scores.size() / stages; }
    [[nodiscard]] const float* of(std::size_t member) const { return scores.data() + member * stages; }
};

/// Where the lucks of one replica come from. Each fills one row of kLanes scores per stage for a block of steps.
/// Scores of one replica after another: each has one of `parts` equal parts of the lanes, the last one all that are left.
void fixedLucks(const std::vector<float>& scores, std::size_t parts, Rows& out);
/// Afresh for every step.
void freshLucks(std::uint64_t seed, std::uint64_t copy, std::uint64_t block, Rows& out);
/// Afresh; with `tilt` half of them have one cell drawn on purpose from the slow tail: log-uniform tail probability. `density`, kLanes of
/// them: that mixture's density over the plain one, whichever was drawn (defensive mixture importance sampling, Hesterberg 1995).
void tiltedLucks(std::uint64_t seed, std::uint64_t copy, std::uint64_t block, bool tilt, Rows& out, double* density);
/// One of the members' scores for every step, the likely slowest member first. With `tilt` half of them are picked on purpose among the
/// first ones: log-uniform over their places. `density` as above.
void memberLucks(const MemberScores& members, const LuckDraw& draw, bool tilt, Rows& out, double* density);

} // namespace prism
