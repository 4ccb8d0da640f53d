// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/recomputemodules.h"

#include "core/base/text.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace prism {
namespace {

constexpr const char* kPath = "training.recompute_modules";
constexpr std::array<std::pair<const char*, RecomputeModule>, 7> kNames{{{"core_attn", kCoreAttention},
                                                                         {"moe_act", kMoeActivation},
                                                                         {"layernorm", kLayerNorm},
                                                                         {"mla_up_proj", kMlaUpProjection},
                                                                         {"mlp", kDenseMlp},
                                                                         {"moe", kMoe},
                                                                         {"shared_experts", kSharedExperts}}};

} // namespace

Result<RecomputeModules> recomputeModules(std::string_view names)
{
    RecomputeModules set = 0;
    Diagnostics errors;
    constexpr std::string_view between = " ,";
    for (std::size_t at = names.find_first_not_of(between); at != std::string_view::npos;) {
        const std::size_t end = std::min(names.find_first_of(between, at), names.size());
        const std::string_view word = names.substr(at, end - at);
        bool known = false;
        for (const auto& [name, bit] : kNames)
            if (word == name) {
                set = static_cast<RecomputeModules>(set | bit);
                known = true;
            }
        if (!known) {
            std::vector<std::string> all;
            for (const auto& entry : kNames)
                all.emplace_back(entry.first);
            errors.push_back(unknownName(kPath, "module", word, all));
        }
        at = names.find_first_not_of(between, end);
    }
    if (!errors.empty())
        return errors;
    return set;
}

} // namespace prism
