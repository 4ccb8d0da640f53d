// SPDX-License-Identifier: GPL-3.0-or-later
// A log file that grows while it is read, is rotated or truncated: its whole lines, once each.
#pragma once

#include "core/measured/loglines.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace prism {

/// Callbacks while the file is read.
struct LogListener {
    std::function<void(std::string_view)> line; ///< without what ends it: line feed, carriage return or both
    std::function<void()> restarted;            ///< the file became shorter or was replaced; its lines follow from the start
};

/// Stores the position and the beginning of the file. Waits for a file that is briefly missing (during a rotation). Lines
/// beyond kLongestLogLine are cut. One thread.
class GrowingLog final {
public:
    explicit GrowingLog(std::string path) : m_path(std::move(path)) {}

    /// Passes on the text since the last call. True if there was any. `atEnd`: also a last line without its end.
    bool read(const LogListener& listener, bool atEnd);

private:
    std::string m_path, m_start;
    LogLines m_lines;
    std::uintmax_t m_offset = 0;
};

} // namespace prism
