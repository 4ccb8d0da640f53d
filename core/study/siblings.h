// SPDX-License-Identifier: GPL-3.0-or-later
// Files that SQLite keeps next to a study: the journal of a killed writer, and the write-ahead log of another program. Internal to
// core/study.
#pragma once

#include <cstdint>
#include <string>

namespace prism {

/// The path of the file itself, behind links, next to which SQLite expects its journal; the path as given where there is no file.
[[nodiscard]] std::string realPath(const std::string& path);

/// Throws StudyError where a link, folder, pipe or device has the name of a study's journal or log. SQLite would wait for a pipe forever.
void requireFilesNextTo(const std::string& path);

/// Copies a study with its journal and its log. Throws StudyError as above, where a file cannot be read or written, and beyond
/// kMaxCopiedBytes, of which nothing is written.
void copyWithSiblings(const std::string& from, const std::string& to);

/// Whether the file is in that mode, by its header (https://sqlite.org/fileformat.html, 1.3, bytes 18 and 19) or because a log lies next to
/// it, which SQLite reads regardless of the header.
[[nodiscard]] bool usesWal(const std::string& path);

/// The application id in the file's header (bytes 68 to 71); 0 where there is none. Nothing is opened or changed.
[[nodiscard]] std::int64_t applicationIdOf(const std::string& path);

/// Writes the log's content into the file and removes the log. Throws StudyError where the file cannot be written or another program has
/// it open.
void bringBackFromWal(const std::string& path);

} // namespace prism
