// SPDX-License-Identifier: GPL-3.0-or-later
// Who may write a study: a lock file beside it, held for as long as the study is open. Internal to core/study.
#pragma once

#include "core/study/studytypes.h"

#include <memory>
#include <optional>
#include <string>

namespace prism {

/// Holds an advisory lock (flock) on `<study>-lock`, whose text names the holder. The kernel releases it when the process dies,
/// so a left-over file locks nobody out. The study file itself is never opened here: closing a second descriptor of it would
/// drop the locks that SQLite holds for this process (fcntl(2), "Advisory record locking").
class FileLock final {
public:
    /// Takes the lock, or says who has it. Throws StudyError when the folder cannot be written.
    static std::unique_ptr<FileLock> take(const std::string& studyPath, const StudyHolder& me, std::optional<StudyHolder>& other);
    ~FileLock();
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;

private:
    FileLock(std::string path, int descriptor) : m_path(std::move(path)), m_descriptor(descriptor) {}
    std::string m_path;
    int m_descriptor;
};

/// This process.
[[nodiscard]] StudyHolder currentHolder(const std::string& program, std::int64_t nowMs);

} // namespace prism
