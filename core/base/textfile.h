// SPDX-License-Identifier: GPL-3.0-or-later
// The only reader of whole files: plain or gzip, a file or standard input, bounded in what comes out.
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace prism {

/// Default limit of the content of a file, decompressed.
inline constexpr std::size_t kMaxTextBytes = std::size_t{64} << 20;

/// The whole content of a file, or of standard input for "-"; decompressed when it is gzip, as UTF-8 when it is UTF-16 with a byte-order
/// mark. Memory: at most three times `limitBytes`. Errors: missing, a folder, unreadable, damaged gzip, packed otherwise (zip, zstd, xz,
/// bzip2, 7-Zip), more than `limitBytes` of content.
[[nodiscard]] Result<std::string> readTextFile(const std::string& path, std::size_t limitBytes = kMaxTextBytes);

/// The bytes of a regular file as they are, with the same bound and errors.
[[nodiscard]] Result<std::string> readBytes(const std::string& path, std::size_t limitBytes = kMaxTextBytes);

/// At most `count` bytes of a regular file from `offset` on, for files that are looked into or grow; empty at the end and where the file
/// cannot be read.
[[nodiscard]] std::string bytesAt(const std::string& path, std::uint64_t offset, std::size_t count);

/// The format that a file is packed in and that is not read: "zip", "zstd", "xz", "bzip2" or "7-Zip", by its first bytes; empty for
/// anything else, gzip and plain text among it. Any thread.
[[nodiscard]] std::string_view packedAs(std::string_view start);

/// The text behind UTF-8's byte-order mark, or the text itself. Any thread.
[[nodiscard]] std::string_view withoutByteOrderMark(std::string_view text);

/// UTF-16 with a byte-order mark as UTF-8: what PowerShell's > and spreadsheets' "Unicode text" write. An invalid code point becomes
/// U+FFFD. Other text comes back as it is. Any thread.
[[nodiscard]] std::string utf8Of(std::string text);

} // namespace prism
