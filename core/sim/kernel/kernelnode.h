// SPDX-License-Identifier: GPL-3.0-or-later
// What the inner loop works on: nodes of a replica's schedule, where their draws come from, and rows of one value per sample of a block.
#pragma once

#include "core/sim/kernel/registertable.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace prism {

/// Samples that one sweep handles together: their clocks and messages stay in the first-level cache.
inline constexpr std::size_t kLanes = 128;
/// Rows of regime factors of a block: links in nodes, links between nodes, compute.
inline constexpr std::size_t kRegimeRows = 3, kComputeRegimeRow = 2;

/// Names a stream of draws: sample block and stream go through five rounds of AES keyed by the seed (ARS-5; Salmon, Moraes,
/// Dror and Shaw 2011, "Parallel random numbers: as easy as 1, 2, 3"). Pure: any thread, any order, same bits.
struct alignas(16) DrawKey {
    std::uint64_t word[2] = {0, 0};
};

/// Round keys of a seed and a copy (which replica): nodes keep their keys, copies differ in these.
struct alignas(64) RoundKeys {
    std::uint64_t word[6][2] = {};
};

/// How likely a rare event is in one draw, in the forms that drawing needs.
struct RareChance {
    double probability = 0.0;
    double perLog = 0.0; ///< 1 / ln(1 - probability)
};

/// Quantiles of what an event adds.
struct EventSeconds {
    std::vector<float> extra;        ///< at (i + 0.5) / size: seconds (chunk) or factor (transfer)
    std::vector<float> extraTypical; ///< the same where routing factors are RoutingDraw::unit more than 1 in the mean; may be empty
};

/// Rare events of one class in a node: how likely, and what they add in all cells. Where a sweep draws more of them on purpose
/// (KernelRows::sought), `sought` counts instead of `chance`.
struct RareEvent : EventSeconds {
    RareChance chance, sought;
    double logRatio = 0.0;    ///< ln of the odds sought over the odds of their own
    int scope = 0;            ///< row of the regime that stretches the extra seconds
    bool followsData = false; ///< the data factor stretches them as well
    bool replaces = false;    ///< a factor stands for the whole one instead of multiplying the draw
    float routedShare = 0.0F; ///< of the extra seconds that routing factors stretch, where there is no extraTypical
    int kernelClass = -1;
    int cause = -1;                   ///< row of KernelRows::ratio; -1 = none
    std::vector<EventSeconds> atLuck; ///< what they add by range of the luck of the cell (KernelRows::luck); empty = the same in all
};

/// Looking for rare events: which cause is drawn more often on purpose, and what was found.
struct RareSearch {
    int sought = -1;         ///< cause; -1 = none
    double* ratio = nullptr; ///< per cause a row of kLanes: sums of the events' logRatio, in and out; null = not wanted
};

/// Where a node's draws come from.
struct DrawSource {
    const RegisterTable* table = nullptr;
    const float* pool = nullptr; ///< DrawPool of the table; null: every draw is made from the table itself
};

/// A draw that all passes of a micro-batch through a chunk share.
struct RoutingDraw {
    DrawKey key;
    const RegisterTable* table = nullptr; ///< of the mean factor of the pass's layers
    float unit = 0.0F;                    ///< what one layer at its rare event adds to the mean
};

/// One chunk execution with its transfer, in rows of kLanes floats. One cache line.
struct alignas(64) KernelNode {
    DrawKey key;                                ///< of the chunk's draws and, with the other half of the bits, the transfer's
    const DrawSource* source = nullptr;         ///< null: the duration is its mean
    const DrawSource* transferSource = nullptr; ///< null: the factor is 1
    const RoutingDraw* routing = nullptr;       ///< null: no kernel of the chunk follows a routing factor
    std::int32_t clockRow = 0;
    std::int32_t durationRow = 0; ///< -1: it takes no time
    std::int32_t dataRow = 0, waitRow = -1, sendRow = -1;
    std::int32_t transferRow = -1; ///< row of mean seconds times regime; -1: the message arrives at once
};

/// A kind of rare event and the nodes of one stage that it may hit. They share a stream: gaps run from one node to the next, so that the
/// work follows the events and not the nodes.
struct RareSites {
    std::vector<std::int32_t> nodes; ///< ascending
    bool ofTransfer = false;         ///< else of the chunk
    std::uint64_t stream = 0;
    const RareEvent* event = nullptr;
};

/// What rare events do to one lane of a node: seconds more for the chunk, or the transfer's factor.
struct RareHit {
    std::int32_t node = 0;
    std::int32_t lane = 0;
    enum class Does : std::int32_t { addSeconds, multiplyFactor, setFactor } does = Does::addSeconds;
    float value = 0.0F;
};

/// What a transfer hides, by row.
struct TransferLimits {
    float hiddenSeconds = 0.0F, minExposedShare = 0.0F;
    bool operator==(const TransferLimits&) const = default;
};

/// Working memory of one sweep, all in rows of kLanes floats.
struct KernelRows {
    float* mean;                  ///< per duration row: collectives
    float* compute;               ///< per duration row: compute, multiplied by the data factor
    float* spread;                ///< per duration row: standard deviation that the data factor leaves alone
    float* spreadData;            ///< per duration row: standard deviation that the data factor multiplies
    float* routed;                ///< per duration row: compute that the routing factor multiplies, part of the above
    float* routedSpread;          ///< per duration row: standard deviation that goes with each unit of the routing factor
    const float* data;            ///< per micro-batch; null = all 1, then `compute` is in `mean` and `spreadData` in `spread`
    float* transfer;              ///< per transfer
    const TransferLimits* limits; ///< per transfer: one value, not a row
    float* slots;                 ///< messages
    float* clock;                 ///< per stage, in and out
    const float* regime;          ///< kRegimeRows rows
    const std::uint8_t* luck;     ///< per stage a row: range of the luck of its cell; null = there is one range
    bool occupiesSender;          ///< a transfer keeps its sender busy
    bool noise;                   ///< false leaves out every draw
    RareSearch search;
};

} // namespace prism
