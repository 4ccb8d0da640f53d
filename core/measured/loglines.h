// SPDX-License-Identifier: GPL-3.0-or-later
// Splits a log, which comes piece by piece, into lines.
#pragma once

#include "core/measured/eventlines.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace prism {

inline constexpr std::size_t kLongestLogLine = 512 * 1024; ///< bytes: a batch of 512 spans of a collector
/// A line ends with either or both: progress bars write over their line by a carriage return alone.
inline constexpr std::string_view kLineEnds = "\r\n";

/// Text, or an event file of TensorBoard, whose scalars become lines. Of a line beyond kLongestLogLine, no more than one piece beyond it is
/// kept. One thread.
class LogLines final {
public:
    using Line = std::function<void(std::string_view)>; ///< one line without its end

    void take(std::string_view piece, const Line& line);
    /// The last line, if it has no end.
    void finish(const Line& line);
    /// An event file whose checksums do not match: nothing was read from there on.
    [[nodiscard]] bool isDamaged() const { return m_events && m_events->isDamaged(); }

private:
    std::optional<EventLines> m_events;
    bool m_hasStarted = false;
    std::string m_rest;
    bool m_wasReturn = false; ///< the last line ended with a carriage return
};

} // namespace prism
