// SPDX-License-Identifier: GPL-3.0-or-later
// The only writer of files: a file appears complete or not at all, links are not followed, nothing is left behind.
#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>

namespace prism {

/// Whether the content is on the disk when the call returns (some milliseconds), or when the system gets to it.
enum class Flush { no, yes };

/// Writes `bytes` under `path`. An existing file is replaced as a whole (its permissions stay); a link is replaced by a file, and what it
/// points to is not touched; devices, pipes and the program's own descriptors (/dev/stdout) are written as they are. The content goes into
/// a file without a name, or with a random one, in the same folder (created exclusively), is flushed to the disk (with Flush::yes)
/// and then takes the place of the old one. Any thread; several writers of one path: the last one wins, whole. Errors (empty = done): no
/// such folder, no permission, a folder of this name, a full disk. The old file is then as it was.
[[nodiscard]] Diagnostics writeFile(const std::string& path, std::string_view bytes, Flush flush = Flush::yes);

/// Whether a file written to `path` would take the place of `input` or, where `input` is a folder, of a file that lies in it; the same file
/// under another name, behind a link or as standard input (/dev/stdin) counts. Devices and pipes replace nothing.
[[nodiscard]] bool wouldReplace(const std::string& path, const std::string& input);

} // namespace prism
