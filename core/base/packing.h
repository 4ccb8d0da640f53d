// SPDX-License-Identifier: GPL-3.0-or-later
// Compression and text encoding of a file, by its first bytes.
#pragma once

#include <string>
#include <string_view>

namespace prism {

/// The format that a file is packed in and that is not read: "zip", "zstd", "xz", "bzip2" or "7-Zip", by its first bytes; empty for
/// anything else, gzip and plain text among it. Any thread.
[[nodiscard]] std::string_view packedAs(std::string_view start);

/// The text behind UTF-8's byte-order mark, or the text itself. Any thread.
[[nodiscard]] std::string_view withoutByteOrderMark(std::string_view text);

/// UTF-16 with a byte-order mark as UTF-8: what PowerShell's > and spreadsheets' "Unicode text" write. An invalid code point becomes
/// U+FFFD. Other text comes back as it is. Any thread.
[[nodiscard]] std::string utf8Of(std::string text);

} // namespace prism
