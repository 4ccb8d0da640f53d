// SPDX-License-Identifier: GPL-3.0-or-later
// What the words of a published row mean: "fp8-cs", "amp_bf16", "norm, act".
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace prism {

/// A value of the training section, and what had to be assumed to get it (empty = the words say it).
struct StatedTerm {
    std::string value, assumption;
};

/// Value of training.precision; nothing where no precision is named ("see source", "dropless").
[[nodiscard]] std::optional<StatedTerm> statedPrecision(std::string_view words);

/// Values of training.recompute_granularity and, where it is selective, of training.recompute_modules.
struct StatedRecomputation {
    std::string granularity, modules, assumption;
};
[[nodiscard]] StatedRecomputation statedRecomputation(std::string_view words);

} // namespace prism
