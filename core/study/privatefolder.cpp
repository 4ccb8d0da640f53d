// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/privatefolder.h"

#include "core/study/database.h"
#include "core/study/studytypes.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace prism {

namespace {

namespace fs = std::filesystem;

constexpr const char* kPrefix = "prism-copy-";

/// The folder's descriptor with its lock; -1 where another program has it, or where it is not a folder of this user's.
int lockedFolder(const std::string& path)
{
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat opened {};
    struct stat named {};
    if (descriptor >= 0 && fstat(descriptor, &opened) == 0 && opened.st_uid == geteuid() && flock(descriptor, LOCK_EX | LOCK_NB) == 0
        && lstat(path.c_str(), &named) == 0 && named.st_ino == opened.st_ino && named.st_dev == opened.st_dev)
        return descriptor;
    if (descriptor >= 0)
        ::close(descriptor);
    return -1;
}

void removeLeftOver(const fs::path& place)
{
    std::vector<fs::path> found;
    (void)attempt([&] {
        for (const auto& entry : fs::directory_iterator(place))
            if (entry.path().filename().string().starts_with(kPrefix))
                found.push_back(entry.path());
    });
    for (const fs::path& folder : found)
        if (const int descriptor = lockedFolder(folder); descriptor >= 0) {
            std::error_code none;
            fs::remove_all(folder, none);
            ::close(descriptor);
        }
}

} // namespace

PrivateFolder::PrivateFolder()
{
    const fs::path place = fs::temp_directory_path();
    removeLeftOver(place);
    for (int tries = 0; m_descriptor < 0 && tries < 100; ++tries) { // another program may take a folder without a lock for one left over
        m_path = (place / (std::string(kPrefix) + "XXXXXX")).string();
        if (!mkdtemp(m_path.data()))
            break;
        m_descriptor = lockedFolder(m_path);
    }
    if (m_descriptor < 0)
        failStudy(errno == ENOSPC ? study_problem::kDiskFull : study_problem::kInputOutput, "The study cannot be copied to be read.",
                  place.string() + ": " + std::strerror(errno), "a temporary folder (TMPDIR) that can be written");
}

PrivateFolder::~PrivateFolder()
{
    std::error_code none;
    fs::remove_all(m_path, none);
    ::close(m_descriptor);
}

} // namespace prism
