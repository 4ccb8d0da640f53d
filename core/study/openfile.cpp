// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/openfile.h"

#include "core/base/hash.h"
#include "core/base/platform/process.h"
#include "core/base/textfile.h"
#include "core/study/studyerror.h"

#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace prism {

struct OpenFile::Entry {
    std::pair<dev_t, ino_t> identity;
    std::vector<int> descriptors; ///< one, and more where two opened it at once: none may be closed before the others
    bool writable = false;
    int shares = 0;
    std::optional<StudyHolder> writer; ///< of this process
};

namespace {

// Locked bytes lie far behind those that SQLite locks (2^30) and behind every content. The first excludes; the place and the length of
// the second give the owner of the first, so that no file is needed for it: F_OFD_GETLK returns both to every process and host.
constexpr off_t kLockedByte = off_t{1} << 61;
constexpr off_t kHolderBytes = off_t{1} << 62;
constexpr int kPidShift = 32;
constexpr std::int64_t kMaxHolderSeconds = (std::int64_t{1} << kPidShift) - 1;
constexpr std::size_t kMaxProgramBytes = 200;

struct Registry {
    std::mutex mutex;
    std::map<std::pair<dev_t, ino_t>, OpenFile::Entry> entries;
};

Registry& registry()
{
    static Registry& files = *new Registry; // never destroyed: a study may outlive the statics of other files
    return files;
}

std::pair<dev_t, ino_t> identityOf(const struct stat& status)
{
    return {status.st_dev, status.st_ino};
}

int openAny(const std::string& path, bool& writable)
{
    constexpr int kFlags = O_CLOEXEC | O_NONBLOCK | O_NOCTTY; // a pipe at this place is not waited for
    const int descriptor = ::open(path.c_str(), O_RDWR | kFlags);
    writable = descriptor >= 0;
    return writable || (errno != EACCES && errno != EROFS && errno != EPERM) ? descriptor : ::open(path.c_str(), O_RDONLY | kFlags);
}

off_t hostCode(const std::string& host)
{
    return 1 + static_cast<off_t>(Hasher().add(std::string_view(host)).result().value & 0xffffU);
}

struct flock lockOf(short type, off_t start, off_t length)
{
    struct flock lock {};
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    lock.l_start = start;
    lock.l_len = length;
    return lock;
}

/// The owner of the lock that was refused.
StudyHolder holderOf(int descriptor)
{
    StudyHolder holder{.program = "another program", .host = "another computer"};
    struct flock lock = lockOf(F_WRLCK, kHolderBytes, 0);
    if (fcntl(descriptor, F_OFD_GETLK, &lock) != 0 || lock.l_type == F_UNLCK)
        return holder;
    holder.pid = (lock.l_start - kHolderBytes) >> kPidShift;
    holder.sinceMs = ((lock.l_start - kHolderBytes) & kMaxHolderSeconds) * 1000;
    if (lock.l_len != hostCode(hostName()))
        return holder;
    holder.host = hostName();
    const std::string name = bytesAt("/proc/" + std::to_string(holder.pid) + "/comm", 0, kMaxProgramBytes);
    if (!name.empty())
        holder.program = name.substr(0, name.find('\n'));
    return holder;
}

} // namespace

OpenFile OpenFile::at(const std::string& path)
{
    Registry& files = registry();
    const std::lock_guard guard(files.mutex);
    OpenFile file;
    struct stat status {};
    if (stat(path.c_str(), &status) != 0)
        return file;
    auto it = files.entries.find(identityOf(status));
    if (it == files.entries.end()) {
        bool writable = false;
        const int descriptor = openAny(path, writable);
        if (descriptor < 0)
            return file;
        if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
            ::close(descriptor);
            errno = EINVAL;
            return file;
        }
        it = files.entries.try_emplace(identityOf(status)).first;
        OpenFile::Entry& entry = it->second;
        entry.identity = it->first;
        // The file that can be written goes first: locks are taken on it.
        entry.descriptors.insert(writable && !entry.writable ? entry.descriptors.begin() : entry.descriptors.end(), descriptor);
        entry.writable |= writable;
    }
    file.m_entry = &it->second;
    ++file.m_entry->shares;
    return file;
}

OpenFile& OpenFile::operator=(OpenFile&& other) noexcept
{
    std::swap(m_entry, other.m_entry);
    return *this;
}

OpenFile::~OpenFile()
{
    if (!m_entry)
        return;
    const std::lock_guard guard(registry().mutex);
    if (--m_entry->shares > 0)
        return;
    for (const int descriptor : m_entry->descriptors)
        ::close(descriptor);
    registry().entries.erase(m_entry->identity);
}

int OpenFile::descriptor() const
{
    return m_entry->descriptors.front();
}

bool OpenFile::isAt(const std::string& path) const
{
    struct stat status {};
    return m_entry && stat(path.c_str(), &status) == 0 && identityOf(status) == m_entry->identity;
}

std::string OpenFile::bytes(std::uint64_t offset, std::size_t count) const
{
    std::string bytes(count, '\0');
    std::size_t size = 0;
    while (m_entry && size < count) {
        const ssize_t got = pread(descriptor(), bytes.data() + size, count - size, static_cast<off_t>(offset + size));
        if (got <= 0)
            break;
        size += static_cast<std::size_t>(got);
    }
    bytes.resize(size);
    return bytes;
}

bool OpenFile::lock(const StudyHolder& me, std::optional<StudyHolder>& other)
{
    const std::lock_guard guard(registry().mutex);
    if (m_entry->writer) {
        other = m_entry->writer;
        return false;
    }
    if (!m_entry->writable)
        failStudy(study_problem::kReadOnly, "The file is write-protected.");
    struct flock lock = lockOf(F_WRLCK, kLockedByte, 1);
    if (fcntl(descriptor(), F_OFD_SETLK, &lock) != 0) {
        if (errno != EAGAIN && errno != EACCES)
            failStudy(study_problem::kReadOnly, "The file system of the study has no file locks.", std::strerror(errno),
                      "copy the study to a local disk to edit it");
        other = holderOf(descriptor());
        return false;
    }
    // The owner's name is information for people: the lock holds without it.
    const off_t since = std::min(std::max<std::int64_t>(me.sinceMs / 1000, 0), kMaxHolderSeconds);
    struct flock holder = lockOf(F_WRLCK, kHolderBytes + (static_cast<off_t>(me.pid) << kPidShift) + since, hostCode(me.host));
    (void)fcntl(descriptor(), F_OFD_SETLK, &holder);
    m_entry->writer = me;
    return true;
}

void OpenFile::unlock()
{
    const std::lock_guard guard(registry().mutex);
    struct flock lock = lockOf(F_UNLCK, kLockedByte, 0);
    (void)fcntl(descriptor(), F_OFD_SETLK, &lock);
    m_entry->writer.reset();
}

} // namespace prism
