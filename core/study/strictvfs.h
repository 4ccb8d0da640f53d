// SPDX-License-Identifier: GPL-3.0-or-later
// An SQLite VFS that does not take a short read for zeros. Internal to core/study.
#pragma once

#include <string>

namespace prism {

/// The name of a VFS over `base` (empty = the system's) for sqlite3_open_v2. SQLite fills a short read with zeros and carries on.
/// That is right at the end of a file; inside the file it would turn a failing disk or share into a damaged
/// page that the next edit writes back. Here such a read is an error. Any thread; null when the base is unknown.
[[nodiscard]] const char* strictVfs(const std::string& base);

} // namespace prism
