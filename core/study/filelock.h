// SPDX-License-Identifier: GPL-3.0-or-later
// The right to write a study: a lock on the file itself, held for as long as the study is open. Internal to core/study.
#pragma once

#include "core/study/openfile.h"

#include <memory>
#include <optional>
#include <string>

namespace prism {

/// An exclusive lock on a byte of the file far behind its content (fcntl(2), "Open file description locks"). It belongs to the device and
/// inode: a symbolic link, a hard link and another spelling of the path find it taken. The kernel releases it when the process dies, other
/// users and the hosts of a network share see it, and no lock file is needed. Lock files in a folder of the user's would miss other users
/// and hosts; flock(2) would lock SQLite out of NFS, which turns it into a lock on all bytes. What closing descriptors does to SQLite's own
/// locks, OpenFile prevents. A file is replaced only by a rename over it while its lock is held (makeFile); the new file is locked before
/// it gets its name, so there is always one writer of a name.
class FileLock final {
public:
    /// Takes the lock of the file that the path leads to, or names its owner. Throws StudyError where there is no file, where it cannot be
    /// written or its file system has no locks.
    static std::shared_ptr<FileLock> take(const std::string& path, const StudyHolder& me, std::optional<StudyHolder>& other);
    ~FileLock() { m_file.unlock(); }
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;

    [[nodiscard]] const OpenFile& file() const { return m_file; }

private:
    explicit FileLock(OpenFile file) : m_file(std::move(file)) {}
    OpenFile m_file;
};

/// This process.
[[nodiscard]] StudyHolder currentHolder(const std::string& program, std::int64_t nowMs);

} // namespace prism
