// SPDX-License-Identifier: GPL-3.0-or-later
// A checksum at the end of each line of a JSON Lines file: CRC-32 as zlib computes it, continued from line to line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace prism {

/// The line (one JSON object that is not empty, without its line end) with "crc" as its last member. `checksum` is that of the lines
/// before it and becomes that of this line.
[[nodiscard]] std::string withChecksum(std::string_view object, std::uint32_t& checksum);

/// A line split into what withChecksum was given and its checksum.
struct CheckedLine {
    std::string object;
    std::uint32_t stated = 0, computed = 0; ///< equal = the line is as it was written
};
/// Nothing where the line ends without a checksum. `checksum` is set to the stated one, so that one changed line gives only one error.
[[nodiscard]] std::optional<CheckedLine> checkedLine(std::string_view line, std::uint32_t& checksum);
[[nodiscard]] std::string checksumText(std::uint32_t checksum); ///< eight hexadecimal digits

} // namespace prism
