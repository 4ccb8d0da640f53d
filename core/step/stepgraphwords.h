// SPDX-License-Identifier: GPL-3.0-or-later
// The words of the step-graph file for scopes, categories, synchronisations and families; in the order of the enumerations.
#pragma once

#include "core/step/stepgraph.h"

#include <string>
#include <vector>

namespace prism::stepgraph_words {

inline const char* const kFormat = "prism-stepgraph";
inline const char* const kFormat1 = "prism-stepgraph-1"; ///< of version 1, whose format text includes the number
inline constexpr int kVersion = 2;
inline const std::vector<std::string> kScopes = {"none", "intra_node", "inter_node"};
inline const std::vector<std::string> kCategories = {"compute",  "tensor_parallel", "context_parallel", "expert_parallel",
                                                     "pipeline", "data_parallel",   "optimizer",        "other"};
inline const std::vector<std::string> kSyncs = {"group", "cell", "replicas"};
inline const std::vector<std::string> kDataScopes = {"replica", "group"};
inline const std::vector<std::string> kFamilies = {"deterministic", "normal", "lognormal", "gamma", "weibull", "empirical"};

} // namespace prism::stepgraph_words
