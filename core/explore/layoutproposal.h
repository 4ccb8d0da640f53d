// SPDX-License-Identifier: GPL-3.0-or-later
// A layout for a model on machines, when none was given: the fastest noise-free step that leaves memory, and what others would cost.
#pragma once

#include "core/insight/insight.h"

#include <cstdint>
#include <string>
#include <vector>

namespace prism {

/// One layout as costed by the deterministic pass.
struct LayoutOption {
    Scenario scenario;
    double noiseFreeSeconds = 0; ///< of the step; 0 where it does not fit
    double peakGib = 0, capacityGib = 0;
    [[nodiscard]] bool fits() const { return peakGib <= capacityGib; }
};

/// Why a parameter has its value: what the nearest other value would give, all other parameters equal (depth, schedule and chunks of the
/// pipeline count as one).
struct LayoutReason {
    std::string id, value; ///< the parameter, as proposed
    std::string other;     ///< the fastest other value that fits; where none does, the nearest one below; empty = no other is valid
    double slower = 0;     ///< share by which its noise-free step takes longer; negative: it is faster and leaves too little memory
    double overGib = 0;    ///< > 0: the other value exceeds the memory by this much
};

struct LayoutProposal {
    LayoutOption best;
    std::vector<LayoutOption> alternatives; ///< other sizes of the layout, fastest first; last one that does not fit where there is one
    std::vector<LayoutReason> reasons;      ///< in the order of the parameter table
    std::int64_t points = 0, fitting = 0;
    double freeShare = 0;  ///< of the memory that was requested to stay free; 0 = no layout leaves as much, and any that fits was taken
    bool repaired = false; ///< no layout of the space was valid: the smallest change of the scenario's own that fits
    double elapsedSeconds = 0;
};

/// Searches sizes of TP, PP with chunks (1F1B and interleaved), CP of long sequences, EP, micro-batch and recomputation; model, machines
/// and batch stay. Deterministic; any thread. Errors: nothing fits (with the reasons counted), cancelled.
[[nodiscard]] Result<LayoutProposal> proposedLayout(const Scenario& scenario, const InsightOptions& options = {});

} // namespace prism
