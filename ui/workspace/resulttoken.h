// SPDX-License-Identifier: GPL-3.0-or-later
// The inputs that a result belongs to: every card, map, chart and table carries one, and is current only where it is the present one.
#pragma once

#include "core/base/hash.h"

#include <QString>

namespace prism::ui {

struct ResultToken {
    ContentHash scenario; ///< of the input that the result was computed from
    std::uint64_t seed = 0;
    QString inputs; ///< of the insight: goal, probe, log
    // For notes on screen; they do not decide which result this is, as a scenario can be renamed.
    QString name = {}, baseline = {}; ///< of the scenarios when the result was requested; baseline: of a comparison only

    bool operator==(const ResultToken& other) const { return scenario == other.scenario && seed == other.seed && inputs == other.inputs; }
};

} // namespace prism::ui
