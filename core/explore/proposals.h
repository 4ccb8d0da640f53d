// SPDX-License-Identifier: GPL-3.0-or-later
// Single changes of a scenario: every proposal is one change, with the changes that it requires.
#pragma once

#include "core/scenario/parameters.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace prism {

/// One change of a scenario.
struct Proposal {
    std::vector<std::string> changes; ///< "Pipeline schedule 1f1b -> zb-v", and what followed it: "Virtual stages 1 -> 2"
    std::vector<std::pair<std::string, std::string>> settings; ///< as for --set, in this order
    std::optional<std::vector<SlowEntry>> slow;                ///< the slow places with it, where it changes them
    Scenario scenario;                                         ///< with the change
};

struct Proposals {
    std::vector<Proposal> list;
    int invalid =
        0; ///< changes that no scenario takes, or that need more than a change of chunks, schedule or sequence parallelism with them
};

/// Powers of two times and parts of parallel sizes and micro-batch up to eight; every number of chunks; every schedule with
/// the chunks that it has; recomputation, ZeRO stages, overlaps, exchanges, rank order, attention kernels and graphs; half of every spread,
/// rare event, jitter and stall; every slow node or GPU swapped out, and a slow node moved to each stage of the pipeline (at most 16 of
/// them). With `hardware` also every GPU and fabric of the library, and half and twice the GPUs. What a change makes invalid is repaired
/// where check() says how with the chunks, the schedule or the sequence parallelism. Precision, optimizer, global batch and model stay:
/// another training would come out. Pure.
[[nodiscard]] Proposals proposalsOf(const Scenario& scenario, bool hardware);

/// Both changes of two proposals of this scenario; nothing where they set the same parameter or cannot be made together.
[[nodiscard]] std::optional<Proposal> together(const Scenario& scenario, const Proposal& a, const Proposal& b);

} // namespace prism
