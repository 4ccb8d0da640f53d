// SPDX-License-Identifier: GPL-3.0-or-later
// TensorBoard's event files (frames of TFRecord with Event messages) as lines of JSON.
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

} // namespace prism
