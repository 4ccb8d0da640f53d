// JSON text from outside, read with limits: size, depth and number of values are bounded, errors are values.
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace prism {

/// Bounds of a JSON text; beyond them it is refused before it costs time or memory.
struct JsonLimits {
    std::size_t maxBytes = std::size_t{64} << 20;
    int maxDepth = 64;
    std::size_t maxValues = 4'000'000;
};

/// Parses a whole JSON text. One error with line and column: malformed text, a limit, a number that no double holds
/// (1e999, NaN), a key given twice in one object. Memory is bounded by the limits; never recursive. Any thread.
[[nodiscard]] Result<nlohmann::json> parseJson(std::string_view text, const JsonLimits& limits = {});

} // namespace prism
