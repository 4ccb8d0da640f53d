// SPDX-License-Identifier: GPL-3.0-or-later
// A step graph as execution traces of MLCommons Chakra, one per rank, for other simulators.
//
// Source: et_def.proto of github.com/mlcommons/chakra (messages GlobalMetadata, Node, AttributeProto), in protobuf's JSON mapping.
#pragma once

#include "core/step/stepgraph.h"

#include <string>

namespace prism {

/// Traces are for small jobs: each rank's nodes are written out one by one.
inline constexpr std::int64_t kMaxChakraRanks = 1024;
inline constexpr std::int64_t kMaxChakraNodes = 200'000; ///< of one rank

/// Ranks of the job, numbered replica by replica, in it stage by stage. An error where the job is too large or its graph is wrong.
[[nodiscard]] Result<int> chakraRanks(const StepGraph& graph);

/// The trace of one rank: {"global_metadata": {...}, "nodes": [...]}. A node's duration is its noise-free one; the distribution of its
/// factor, its class, the time hidden under compute and the link stand in `attr`. A step graph has times and no bytes: comm_size is left
/// out. Precondition: chakraRanks(graph) is ok and 0 <= rank < it. Any thread.
[[nodiscard]] std::string chakraTrace(const StepGraph& graph, int rank);

} // namespace prism
