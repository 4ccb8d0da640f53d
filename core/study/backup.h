// SPDX-License-Identifier: GPL-3.0-or-later
// Copies of a study: backup copies for salvage, and private copies in the temporary folder. Internal to core/study.
#pragma once

#include "core/study/database.h"

#include <stop_token>
#include <string>
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

/// A folder that only this user reads, gone with the object. It is locked (flock) meanwhile: what a killed program left is not, and goes
/// with the next such folder. Throws StudyError where it cannot be made.
class PrivateFolder final {
public:
    PrivateFolder();
    ~PrivateFolder();
    PrivateFolder(const PrivateFolder&) = delete;
    PrivateFolder& operator=(const PrivateFolder&) = delete;
    [[nodiscard]] const std::string& path() const { return m_path; }

private:
    std::string m_path;
    int m_descriptor = -1;
};

} // namespace prism
