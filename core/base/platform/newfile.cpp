// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/platform/newfile.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <random>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace prism {
namespace {

constexpr mode_t kAnyMode = 0666; ///< less the process's mask
constexpr int kTries = 100;
constexpr std::size_t kNameShown = 100; ///< with dots and digits still below the 255 bytes of a file name
const std::string kOwnDescriptors = "/proc/self/fd/";

std::string folderOf(const std::string& path)
{
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos)
        return ".";
    return slash == 0 ? "/" : path.substr(0, slash);
}

/// /dev/stdout and its like are links to the program's own descriptors.
bool isOwnDescriptor(const std::string& path)
{
    std::array<char, 64> target{};
    const ssize_t size = readlink(path.c_str(), target.data(), target.size());
    const std::string text(target.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
    return text.starts_with(kOwnDescriptors) || path.starts_with(kOwnDescriptors) || path.starts_with("/dev/fd/");
}

bool writeAll(int descriptor, std::string_view bytes)
{
    while (!bytes.empty()) {
        const ssize_t wrote = ::write(descriptor, bytes.data(), bytes.size());
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0)
            return false;
        bytes.remove_prefix(static_cast<std::size_t>(wrote));
    }
    return true;
}

} // namespace

Place placeOf(const std::string& path)
{
    struct stat found {};
    if (isOwnDescriptor(path))
        return Place::stream;
    if (lstat(path.c_str(), &found) != 0 || S_ISREG(found.st_mode) || S_ISLNK(found.st_mode))
        return Place::file;
    return S_ISDIR(found.st_mode) ? Place::folder : Place::stream;
}

std::string writeStream(const std::string& path, std::string_view bytes)
{
    const int flags = isOwnDescriptor(path) ? O_APPEND : O_NOFOLLOW;
    const int descriptor = open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY | flags);
    if (descriptor < 0)
        return std::strerror(errno);
    const int writing = writeAll(descriptor, bytes) ? 0 : errno;
    const int closing = close(descriptor) == 0 ? 0 : errno;
    const int error = writing != 0 ? writing : closing;
    return error == 0 ? "" : std::strerror(error);
}

std::string randomNameNextTo(const std::string& path)
{
    std::random_device source; // the kernel's generator
    std::string name = folderOf(path) + "/." + path.substr(path.rfind('/') + 1).substr(0, kNameShown) + ".";
    for (int draw = 0; draw < 2; ++draw) // a draw takes microseconds
        for (unsigned i = 0, digits = source(); i < 8; ++i, digits >>= 4U)
            name += "0123456789abcdef"[digits & 15U];
    return name;
}

NewFile::NewFile(const std::string& path) : m_path(path)
{
    m_descriptor = open(folderOf(path).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, kAnyMode);
    // What file systems and kernels without such files answer (open(2), O_TMPFILE).
    if (m_descriptor < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL))
        create();
    if (m_descriptor < 0) {
        (void)fail();
        return;
    }
    struct stat old {};
    if (lstat(path.c_str(), &old) == 0 && S_ISREG(old.st_mode))
        (void)fchmod(m_descriptor, old.st_mode & 0777U);
}

void NewFile::create()
{
    for (int i = 0; m_descriptor < 0 && i < kTries; ++i) {
        m_temporary = randomNameNextTo(m_path);
        m_descriptor = open(m_temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kAnyMode);
        if (m_descriptor < 0 && errno != EEXIST)
            break;
    }
    if (m_descriptor < 0)
        m_temporary.clear();
}

NewFile::~NewFile()
{
    if (m_descriptor >= 0)
        close(m_descriptor);
    if (!m_temporary.empty())
        unlink(m_temporary.c_str());
}

bool NewFile::fail()
{
    if (m_problem.empty())
        m_problem = std::strerror(errno);
    return false;
}

bool NewFile::write(std::string_view bytes)
{
    return m_descriptor >= 0 && (writeAll(m_descriptor, bytes) || fail());
}

bool NewFile::linkAs(const std::string& name) const
{
    const std::string self = kOwnDescriptors + std::to_string(m_descriptor);
    return linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

bool NewFile::giveName()
{
    for (int i = 0; i < kTries; ++i) {
        const std::string name = randomNameNextTo(m_path);
        if (linkAs(name)) {
            m_temporary = name;
            return true;
        }
        if (errno != EEXIST)
            break;
    }
    return fail();
}

bool NewFile::keep(bool flush)
{
    if (m_descriptor < 0 || !m_problem.empty())
        return false;
    if (flush && fsync(m_descriptor) != 0 && errno != EINVAL && errno != EROFS)
        return fail();
    if (m_temporary.empty() && linkAs(m_path)) // nothing to replace: no name in between
        return true;
    if (m_temporary.empty() && !giveName())
        return false;
    if (std::rename(m_temporary.c_str(), m_path.c_str()) != 0)
        return fail();
    m_temporary.clear();
    return true;
}

} // namespace prism
