// SPDX-License-Identifier: GPL-3.0-or-later
// Step times in one JSON array, as TensorBoard's page and many scripts write them, made into the lines that the log reader knows.
#pragma once

#include <string>
#include <string_view>

namespace prism {

/// Whether a text that begins so may be such an array: lines of a log may begin with a bracket as well, but not with two.
[[nodiscard]] bool mayBeArray(std::string_view start);

/// Of an array of [wall time, step, value]: a table with TensorBoard's header; of an array of objects: one per line. Empty for any other
/// text, and beyond the bounds of parseJson.
[[nodiscard]] std::string linesOfArray(std::string_view text);

} // namespace prism
