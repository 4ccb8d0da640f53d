// SPDX-License-Identifier: GPL-3.0-or-later
// Causes of rare events that are looked for on purpose: the slowest of many replicas is slow because of events that few of them have.
#pragma once

#include "core/sim/kernel/sweepkernel.h"

#include <vector>

namespace prism {

/// Events of one kernel class (or of the data factor) in one replica and step. Sought blocks draw them with `boost` times their rate; a
/// sample's density there over its own is exp(sum of logRatio over its events - silence): importance sampling by exponential tilting
/// (Asmussen and Glynn 2007, "Stochastic Simulation", ch. V.1).
struct RareCause {
    int kernelClass = -1;  ///< kDataCause: the data factor
    double expected = 0.0; ///< events in a replica and step
    double seconds = 0.0;  ///< size of an event, to tell large ones from small ones
    double boost = 1.0;    ///< sought rate over own rate
    double silence = 0.0;  ///< (boost - 1) * expected
};
inline constexpr int kDataCause = -2;

/// Counts the events of a replica's nodes.
class RareCounter final {
public:
    void add(int kernelClass, double probability, double seconds);
    /// Those worth looking for: at most three, the largest, of which a replica expects only a few.
    [[nodiscard]] std::vector<RareCause> causes() const;

private:
    std::vector<RareCause> m_causes;
};

/// The event with what a search draws of it; unchanged when its class is none of the causes.
[[nodiscard]] RareEvent withSearch(RareEvent event, const std::vector<RareCause>& causes, int kernelClass);

/// Share of the blocks that look for no cause; the others take turns.
inline constexpr double kPlainShare = 0.5;
/// Cause that a block looks for; -1 = none.
[[nodiscard]] int soughtIn(std::uint64_t block, std::uint64_t copy, std::size_t causes);

} // namespace prism
