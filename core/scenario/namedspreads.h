// SPDX-License-Identifier: GPL-3.0-or-later
// The distributions of a scenario's variability by the names of the format: one list for reading, writing, hashing and checking them.
#pragma once

#include "core/scenario/scenario.h"

namespace prism {

struct NamedSpread {
    const char* name; ///< key below "variability"
    Distribution VariabilityConfig::*member;
};

/// In the order of the format (resources/help/scenario-file.md); class overrides are in a separate map.
inline constexpr NamedSpread kNamedSpreads[] = {
    {"spatial", &VariabilityConfig::spatial},
    {"gemm", &VariabilityConfig::gemm},
    {"attention", &VariabilityConfig::attention},
    {"memory_bound", &VariabilityConfig::memoryBound},
    {"intra_collective", &VariabilityConfig::intraCollective},
    {"inter_collective", &VariabilityConfig::interCollective},
    {"p2p", &VariabilityConfig::p2p},
    {"intra_regime", &VariabilityConfig::intraRegime},
    {"inter_regime", &VariabilityConfig::interRegime},
    {"compute_regime", &VariabilityConfig::computeRegime},
    {"data", &VariabilityConfig::data},
    {"moe_imbalance", &VariabilityConfig::moeImbalance},
    {"moe_imbalance_regime", &VariabilityConfig::moeImbalanceRegime},
};

} // namespace prism
