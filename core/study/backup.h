// SPDX-License-Identifier: GPL-3.0-or-later
// Backup copies of a study, for salvage. Internal to core/study.
#pragma once

#include "core/study/database.h"

#include <stop_token>
#include <vector>

namespace prism {

struct StudyBackup {
    std::string path;
    std::int64_t timeMs = 0;
    [[nodiscard]] std::string timeText() const;
};

/// The backups of the study at `path` (by its real path) in the folder, newest first; none for an empty folder name.
[[nodiscard]] std::vector<StudyBackup> backupsOf(const std::string& path, const std::string& folder);

/// Copies a study that can be read (VACUUM INTO, checked, one rename) into the folder, which only this user reads. At most every ten
/// minutes; three copies of one study stay, 1 GiB of all studies, and none of a study beyond 256 MiB. A backup that fails, or is stopped,
/// is none: nothing is thrown. Takes as long as copying the file: not for an edit.
void keepBackup(const Database& db, const std::string& path, const std::string& folder, const StudyHolder& me, std::int64_t nowMs,
                const std::stop_token& stop = {});

} // namespace prism
