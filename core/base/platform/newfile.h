// SPDX-License-Identifier: GPL-3.0-or-later
// How this system makes a new file next to an old one, unseen until it is complete. POSIX, with Linux's files without a name.
#pragma once

#include <string>
#include <string_view>

namespace prism {

enum class Place {
    file,   ///< a regular file, a link to somewhere, or nothing yet
    folder, ///< a folder
    stream  ///< a device, a pipe, a socket, or one of the program's own descriptors
};
[[nodiscard]] Place placeOf(const std::string& path);

/// Writes into a device, pipe or descriptor. Returns what went wrong, empty = done.
[[nodiscard]] std::string writeStream(const std::string& path, std::string_view bytes);

/// A file in the folder of `path` that gets its name when it is complete. Until keep() it has no name at all, also after kill -9, where
/// the file system can do that (O_TMPFILE); elsewhere a random name, removed by the destructor. One thread.
class NewFile final {
public:
    explicit NewFile(const std::string& path);
    ~NewFile();
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;

    [[nodiscard]] bool write(std::string_view bytes);
    /// Flushes the content where requested and puts the file in its place.
    [[nodiscard]] bool keep(bool flush);
    /// What went wrong, in the system's words.
    [[nodiscard]] const std::string& problem() const { return m_problem; }

private:
    void create();
    bool fail();
    [[nodiscard]] bool linkAs(const std::string& name) const;
    bool giveName();

    std::string m_path, m_temporary; ///< m_temporary is empty while the file has no name
    std::string m_problem;
    int m_descriptor = -1;
};

/// An unpredictable name in the folder of `path`: the name with a dot before it and 16 random digits behind it.
[[nodiscard]] std::string randomNameNextTo(const std::string& path);

} // namespace prism
