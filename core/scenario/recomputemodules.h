// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of a layer that selective recomputation repeats, under Megatron-Core's names (recompute_modules).
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <string_view>

namespace prism {

/// One bit each, so that a set of them is a number.
enum RecomputeModule : std::uint8_t {
    kCoreAttention = 1,   ///< core_attn: scores, softmax, weighted values
    kMoeActivation = 2,   ///< moe_act: activation of the experts
    kLayerNorm = 4,       ///< layernorm: both norms of a layer
    kMlaUpProjection = 8, ///< mla_up_proj: up-projections and rotation of latent attention
    kDenseMlp = 16,       ///< mlp: the MLP of a dense layer
    kMoe = 32,            ///< moe: the whole expert part, with its communication
    kSharedExperts = 64,  ///< shared_experts
};
using RecomputeModules = std::uint8_t;

/// "layernorm moe_act" (spaces or commas between them) as a set; every unknown name is an error.
[[nodiscard]] Result<RecomputeModules> recomputeModules(std::string_view names);

} // namespace prism
