// SPDX-License-Identifier: GPL-3.0-or-later
// A step graph as execution traces of MLCommons Chakra, one per rank, for other simulators.
//
// Source: et_def.proto of github.com/mlcommons/chakra (messages GlobalMetadata, Node, AttributeProto), in protobuf's JSON mapping.
#pragma once

#include "core/step/stepgraph.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace prism {

/// Traces are for small jobs, or a few ranks of a large one: each node is written out, about 600 bytes of text.
inline constexpr std::int64_t kMaxChakraRanks = 1024;
inline constexpr std::int64_t kMaxChakraNodes = 250'000; ///< of all ranks together

/// The ranks that `which` names ("0-7,12"; empty: all), ascending, each once. Ranks are numbered replica by replica, in it stage by stage.
/// An error where the graph is invalid, where `which` names no rank of it, or where the traces would be too large: it states the size, and
/// what would fit. Any thread.
[[nodiscard]] Result<std::vector<std::int64_t>> chakraRanks(const StepGraph& graph, std::string_view which = {});

/// The trace of one rank: {"global_metadata": {...}, "nodes": [...]}, one node per line. A node's duration is its noise-free one; the
/// distribution of its factor, its class, the time hidden under compute and the link are in `attr`. A step graph has times and no bytes:
/// comm_size is omitted. Precondition: `rank` is one of chakraRanks(graph, ...). Any thread.
[[nodiscard]] std::string chakraTrace(const StepGraph& graph, std::int64_t rank);

} // namespace prism
