// SPDX-License-Identifier: GPL-3.0-or-later
// Studies that another program put into write-ahead-log mode: brought back to the rollback journal. Internal to core/study.
#pragma once

#include <cstdint>
#include <string>

namespace prism {

/// Whether the file is in that mode, by its header (https://sqlite.org/fileformat.html, 1.3, bytes 18 and 19) or because a log lies next to
/// it, which SQLite reads regardless of the header.
[[nodiscard]] bool usesWal(const std::string& path);

/// The application id in the file's header (bytes 68 to 71); 0 where there is none. Nothing is opened or changed.
[[nodiscard]] std::int64_t applicationIdOf(const std::string& path);

/// Writes the log's content into the file and removes the log. Throws StudyError where the file cannot be written or another program has
/// it open.
void bringBackFromWal(const std::string& path);

} // namespace prism
