// SPDX-License-Identifier: GPL-3.0-or-later
// Pipeline schedules as data: the order of every stage, its dependencies, and the activations in flight.
#pragma once

#include "core/base/hash.h"
#include "core/base/result.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace prism {

enum class Phase : std::uint8_t { forward, backward, weight }; ///< backward holds dgrad and wgrad unless `weight` is scheduled separately
inline constexpr int kPhases = 3;

/// One entry of a stage's order. Items that are joined make one piece (pieces.h): it starts when the input of every one of them is there,
/// takes the sum of their times, and sends all outputs at its end. A forward joined to a backward of another micro-batch is F&B.
struct ScheduleItem {
    Phase phase = Phase::forward;
    std::uint16_t chunk = 0;
    std::uint32_t microbatch = 0;
    bool withNext = false; ///< one piece with the item after it
    bool operator==(const ScheduleItem&) const = default;
};

/// Pipeline schedule as data. `order[stage]` is executed strictly in order. `path` is the way of a micro-batch through
/// the model in the forward direction: (stage, chunk) pairs; the backward goes it in reverse.
struct Schedule {
    std::string name; ///< as in generators.h, or custom
    int numStages = 1, numChunks = 1, numMicrobatches = 1;
    bool splitsWeight = false;                    ///< weight gradients are separate items
    std::vector<std::array<int, 2>> path;         ///< numStages * numChunks (stage, chunk) pairs
    std::vector<std::vector<ScheduleItem>> order; ///< per stage
    bool operator==(const Schedule&) const = default;
    /// Adds everything but the name.
    void addTo(Hasher& hasher) const;
};

/// Limits of check and JSON input: they bound the memory and the time of everything that walks a schedule.
inline constexpr int kMaxStages = 1024;
inline constexpr int kMaxChunks = 64;
inline constexpr int kMaxMicrobatches = 1 << 16;
inline constexpr std::int64_t kMaxScheduleItems = 4'000'000;

/// Times that the automatic schedules (zb-1p, zb-2p, zb-v) plan with, per chunk, in any common unit. For zb-v one chunk is half of a
/// stage. The order of items is planned; the simulators then run it with the times that they draw.
struct PassTimes {
    double forward = 1.0, backward = 1.0, weight = 1.0, transfer = 0.0;
    /// Share of an activation that is still held between its backward and its weight item, in [0, 1]; 1 = all of it.
    double weightShare = 1.0;
    /// By how much a piece of a forward and a backward (with its weight item, where it has one) is shorter than its items one by one.
    double pairSaves = 0.0;
};

/// Everything that is wrong: sizes, path not a permutation of (stage, chunk), items missing, repeated or out of range, items joined that
/// make no piece, and a deadlock, which names the item at which each stuck stage waits. Paths are below `path` ("schedule").
[[nodiscard]] Diagnostics checkSchedule(const Schedule& schedule, std::string_view path = "schedule");

/// One chunk execution with its place on the path; where it belongs to a piece, also only its wait or only its send.
struct ScheduleNode {
    int stage = 0;
    ScheduleItem item;
    int pathIndex = 0;
    bool waits = true, runs = true, handsOn = true;
    bool paired = false; ///< in one piece with a pass of the other direction
};

/// All items of all stages in an order in which every dependency comes first. Items that a deadlock keeps from running are
/// missing; a checked schedule without pieces gives numStages * numChunks * numMicrobatches * (2 or 3) nodes, each piece some more
/// (passSteps in pieces.h).
[[nodiscard]] std::vector<ScheduleNode> executionOrder(const Schedule& schedule);

/// Per stage: the largest number of (chunk, micro-batch) activations held at once. An activation is held from the start of its
/// forward to the end of its backward, or of its weight item where the schedule splits the weight gradient. One unit is the
/// activations of one chunk, 1/V of a stage.
[[nodiscard]] std::vector<int> activationsInFlight(const Schedule& schedule);

/// What one forward of a chunk stores until its backward, and which part of it stays until the weight item where that runs separately; any
/// common unit.
struct HeldByChunk {
    double untilBackward = 0.0, untilWeight = 0.0;
};
/// Per stage: the largest sum of what the forwards that have run still keep. `held[stage][chunk]`.
[[nodiscard]] std::vector<double> largestHeld(const Schedule& schedule, const std::vector<std::vector<HeldByChunk>>& held);

/// Index on the path of each [stage][chunk].
[[nodiscard]] std::vector<std::vector<int>> pathIndices(const Schedule& schedule);

/// Noise-free times of a schedule with the same passes on every stage.
struct ScheduleTiming {
    double endSeconds = 0.0;          ///< from the start of stage 0 to the end of the last stage
    double longestStageSeconds = 0.0; ///< max over stages of last end - first start
    std::vector<double> stageEnd;     ///< seconds
};
[[nodiscard]] ScheduleTiming scheduleTiming(const Schedule& schedule, const PassTimes& secondsPerChunk);

} // namespace prism
