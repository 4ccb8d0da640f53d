// SPDX-License-Identifier: GPL-3.0-or-later
// Files without lines (TensorBoard's event files of TFRecord frames, step times in one JSON document) as lines of JSON.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace prism {

inline constexpr std::size_t kMaxEventBytes = std::size_t{64} << 20; ///< of one record: graphs and pictures are among them

/// Piece by piece; one record is in memory. One thread.
class EventLines final {
public:
    /// Whether a file starts with a frame: a length and its checksum.
    [[nodiscard]] static bool isStart(std::string_view start);
    /// One line for each scalar: {"step", "wall_time", its tag}. Nothing is read after a record that is too large or fails its checksum.
    void take(std::string_view piece, const std::function<void(std::string_view)>& line);
    [[nodiscard]] bool isDamaged() const { return m_isDamaged; }

private:
    std::string m_rest;
    bool m_isDamaged = false;
};

/// Whether a text that begins so may be such a document: an array, which begins with two brackets, or an object that is the only line or
/// has several.
[[nodiscard]] bool mayBeDocument(std::string_view start);

/// Of an array of [wall time, step, value]: a table with TensorBoard's header. Of an array of objects, or the longest one in an object
/// (trainer_state.json's log_history): one object per line. Of an object of series {"start_step", "step_interval", "values"} as
/// Megatron-LM's golden_values have them: those whose name is a time. Empty for any other text, and beyond the bounds of parseJson.
[[nodiscard]] std::string linesOfDocument(std::string_view text);

} // namespace prism
