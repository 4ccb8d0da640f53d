// SPDX-License-Identifier: GPL-3.0-or-later
// Step times in one JSON document, as TensorBoard's page and many programs write them, converted into the lines that the log reader parses.
#pragma once

#include <string>
#include <string_view>

namespace prism {

/// Whether a text that begins so may be such a document: an array, which begins with two brackets, or an object that is the only line or
/// has several.
[[nodiscard]] bool mayBeDocument(std::string_view start);

/// Of an array of [wall time, step, value]: a table with TensorBoard's header. Of an array of objects, or the longest one in an object
/// (trainer_state.json's log_history): one object per line. Of an object of series {"start_step", "step_interval", "values"} as
/// Megatron-LM's golden_values have them: those whose name is a time. Empty for any other text, and beyond the bounds of parseJson.
[[nodiscard]] std::string linesOfDocument(std::string_view text);

} // namespace prism
