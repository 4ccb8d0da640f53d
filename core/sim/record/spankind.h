// SPDX-License-Identifier: GPL-3.0-or-later
// What runs in one interval of a stage, and the causes of the duration of a piece of the critical path.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace prism {

enum class SpanKind { forward, backward, weight, send, embeddingAllReduce, gradSync, gradNorm, optimizer, paramGather, bubble };
[[nodiscard]] constexpr std::string_view spanKindName(SpanKind kind)
{
    constexpr std::array<std::string_view, 10> kNames = {"forward",   "backward",  "weight",    "send",         "embedding_all_reduce",
                                                         "grad_sync", "grad_norm", "optimizer", "param_gather", "bubble"};
    return kNames[static_cast<std::size_t>(kind)];
}

/// Causes of time on the critical path. `mean` is the noise-free duration; the others are what each factor added
/// (or saved) on top of it along the path. Jitter and stalls delay whole steps: they have separate rows among classes and stages.
enum class Cause { computeMean, communicationMean, spatial, temporal, data, routing, regime, rare, slowSpot, jitter, stall };
inline constexpr int kCauses = 11;
[[nodiscard]] constexpr std::string_view causeName(Cause cause)
{
    constexpr std::array<std::string_view, kCauses> kNames = {
        "compute_mean", "communication_mean", "spatial",     "temporal", "data", "routing", "regime",
        "rare",         "slow_spot",          "step_jitter", "stall"};
    return kNames[static_cast<std::size_t>(cause)];
}

} // namespace prism
