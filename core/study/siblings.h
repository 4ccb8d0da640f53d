// SPDX-License-Identifier: GPL-3.0-or-later
// Files that SQLite keeps next to a study: the journal of a killed writer, the log of another program. Internal to core/study.
#pragma once

#include <string>

namespace prism {

/// The path of the file itself, behind links, next to which SQLite expects its journal; the path as given where there is no file.
[[nodiscard]] std::string realPath(const std::string& path);

/// Throws StudyError where a link, folder, pipe or device has the name of a study's journal or log. SQLite would wait for a pipe forever.
void requireFilesNextTo(const std::string& path);

/// Copies a study with its journal and its log. Throws StudyError as above, where a file cannot be read or written, and beyond
/// kMaxCopiedBytes, of which nothing is written.
void copyWithSiblings(const std::string& from, const std::string& to);

} // namespace prism
