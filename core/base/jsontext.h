// SPDX-License-Identifier: GPL-3.0-or-later
// The only parser of JSON documents from outside: size, depth, number of values and memory are bounded, errors are values. (Traces of many
// gigabytes stream through their own reader.)
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace prism {

/// Bounds of a JSON text; beyond them it is refused before it costs time or memory.
struct JsonLimits {
    std::size_t maxBytes = std::size_t{64} << 20;
    int maxDepth = 64;
    std::size_t maxValues = 4'000'000;
    std::size_t maxMemory = std::size_t{256} << 20; ///< of the document that is made
};

/// Parses a whole JSON text. One error with line and column: malformed text, a limit, a number that no double holds
/// (1e999, NaN), a key given twice in one object. Memory is bounded by the limits, also of errors; never recursive. Any thread.
[[nodiscard]] Result<nlohmann::json> parseJson(std::string_view text, const JsonLimits& limits = {});
/// The same with the keys of each object in the order of the text.
[[nodiscard]] Result<nlohmann::ordered_json> parseOrderedJson(std::string_view text, const JsonLimits& limits = {});

/// The text with a space for each byte of a comment, so that lines and columns stay. Strings keep what looks like a comment. A comment
/// that never ends stays, and the parser complains at its place. Linear in the text. Any thread.
[[nodiscard]] std::string withoutJsonComments(std::string_view text);

} // namespace prism
