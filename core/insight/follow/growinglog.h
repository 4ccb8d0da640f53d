// SPDX-License-Identifier: GPL-3.0-or-later
// A log file that grows while it is read, is rotated or truncated: its whole lines, once each.
#pragma once

#include "core/measured/loglines.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace prism {

/// What is reported while the file is read.
struct LogListener {
    std::function<void(std::string_view)> line; ///< without what ends it: line feed, carriage return or both
    std::function<void()> restarted;            ///< the file became shorter or was replaced; its lines follow from the start
};

/// Remembers how far it has read and how the file began. A file that is away for a moment (between two of a rotation) is waited for. Lines
/// beyond kLongestLogLine are cut. One thread.
class GrowingLog final {
public:
    explicit GrowingLog(std::string path) : m_path(std::move(path)) {}

    /// Hands over what was written since the last call; whether anything was. `atEnd`: also a last line without its end.
    bool read(const LogListener& listener, bool atEnd);

private:
    std::string m_path, m_start;
    LogLines m_lines;
    std::uintmax_t m_offset = 0;
};

} // namespace prism
