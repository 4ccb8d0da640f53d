// SPDX-License-Identifier: GPL-3.0-or-later
// Splits the text of a log, which comes piece by piece, into lines.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace prism {

inline constexpr std::size_t kLongestLogLine = 64 * 1024; ///< bytes
/// A line ends with either or both: progress bars write over their line by a carriage return alone.
inline constexpr std::string_view kLineEnds = "\r\n";

/// Of a line beyond kLongestLogLine, no more than one piece beyond it is kept. One thread.
class LogLines final {
public:
    using Line = std::function<void(std::string_view)>; ///< one line without its end

    void take(std::string_view piece, const Line& line);
    /// The last line, if it has no end.
    void finish(const Line& line);

private:
    std::string m_rest;
    bool m_wasReturn = false; ///< the last line ended with a carriage return
};

} // namespace prism
