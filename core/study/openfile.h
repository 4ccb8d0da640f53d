// SPDX-License-Identifier: GPL-3.0-or-later
// Study files that this process has open, by device and inode: one descriptor for each, and its writer. Internal to core/study.
#pragma once

#include "core/study/studytypes.h"

#include <cstdint>
#include <optional>
#include <string>

namespace prism {

/// A share of the one descriptor that this process has of a regular file, for all its names. POSIX drops all locks that a process
/// has on a file when it closes any descriptor of it (fcntl(2), "Advisory record locking"), SQLite's among them. So the descriptor is
/// closed only when the last share of the file is gone, and every connection (Database) has a share for as long as it lives. The registry
/// is global because these locks belong to the process. Any thread.
class OpenFile final {
public:
    OpenFile() = default;
    /// The file behind the path and its links; empty (with errno) where there is no regular file that can be opened.
    [[nodiscard]] static OpenFile at(const std::string& path);
    OpenFile(OpenFile&& other) noexcept : m_entry(other.m_entry) { other.m_entry = nullptr; }
    OpenFile& operator=(OpenFile&& other) noexcept;
    ~OpenFile();

    [[nodiscard]] explicit operator bool() const { return m_entry != nullptr; }
    [[nodiscard]] int descriptor() const;
    /// Whether the path leads to this file now.
    [[nodiscard]] bool isAt(const std::string& path) const;
    /// At most `count` bytes from `offset` on; fewer at the end and where the file cannot be read.
    [[nodiscard]] std::string bytes(std::uint64_t offset, std::size_t count) const;

    /// Takes the lock of the file's writer, or reports its owner. Throws StudyError where the file cannot be written or has no locks.
    [[nodiscard]] bool lock(const StudyHolder& me, std::optional<StudyHolder>& other);
    void unlock();

    struct Entry;

private:
    Entry* m_entry = nullptr;
};

} // namespace prism
