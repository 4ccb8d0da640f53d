// SPDX-License-Identifier: GPL-3.0-or-later
// One combined fix: the fewest and smallest changes of the layout that make a scenario's sizes fit each other.
#pragma once

#include "core/scenario/scenario.h"

#include <functional>
#include <optional>

namespace prism {

/// One parameter that the fix sets, as texts that setParameter reads.
struct LayoutChange {
    std::string id, from, to;
    bool operator==(const LayoutChange&) const = default;
};

struct LayoutFix {
    Scenario scenario;                 ///< without errors
    std::vector<LayoutChange> changes; ///< in the order of the parameter table; empty = nothing was wrong
};

/// An additional condition on a fixed scenario, such as fitting into memory; true = accept. Called for valid scenarios, cheapest first.
using LayoutAccept = std::function<bool(const Scenario&)>;

/// Model and number of GPUs stay. Changed are, by rising cost: the uneven split (embedding or loss as a layer, first and last stage,
/// pipeline layout) and the global batch, then VPP and schedule, EP, CP, then PP and TP, by their ratio. At most `mostTried` valid
/// scenarios are shown to `accept`. Empty where no layout fits. Pure; any thread; some milliseconds without `accept`.
[[nodiscard]] std::optional<LayoutFix> layoutFix(const Scenario& scenario, const LayoutAccept& accept = {}, int maxTried = 64);

} // namespace prism
