// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/backup.h"

#include "core/base/hash.h"
#include "core/study/database.h"
#include "core/study/impl.h"
#include "core/study/siblings.h"
#include "core/study/studytypes.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace prism {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMinutesBetween = 10, kMsPerMinute = 60'000;
constexpr std::size_t kMaxCopies = 3;
constexpr std::uintmax_t kMaxBackupBytes = std::uintmax_t{256} << 20, kMaxFolderBytes = std::uintmax_t{1} << 30;
constexpr std::string_view kEnding = ".prism";

std::string prefixOf(const std::string& path)
{
    return ContentHash{Hasher().add(realPath(path)).result().value}.text() + "-";
}

/// The backups whose names begin so, newest first.
std::vector<StudyBackup> backupsIn(const std::string& folder, const std::string& prefix)
{
    std::vector<StudyBackup> found;
    (void)attempt([&] {
        for (const auto& entry : fs::directory_iterator(folder)) {
            const std::string name = entry.path().filename().string();
            StudyBackup backup{.path = entry.path().string()};
            const std::size_t time = name.find('-') + 1;
            if (name.starts_with(prefix) && name.ends_with(kEnding) && time > 1
                && std::from_chars(name.data() + time, name.data() + name.size(), backup.timeMs).ec == std::errc())
                found.push_back(backup);
        }
    });
    std::sort(found.begin(), found.end(), [](const StudyBackup& a, const StudyBackup& b) { return a.timeMs > b.timeMs; });
    return found;
}

void thin(const std::string& folder, const std::string& prefix)
{
    const std::vector<StudyBackup> own = backupsIn(folder, prefix);
    for (std::size_t i = kMaxCopies; i < own.size(); ++i)
        removeFile(own[i].path);
    std::uintmax_t bytes = 0;
    for (const StudyBackup& backup : backupsIn(folder, "")) {
        std::error_code none;
        bytes += fs::file_size(backup.path, none);
        if (bytes > kMaxFolderBytes)
            removeFile(backup.path);
    }
}

} // namespace

std::string StudyBackup::timeText() const
{
    const std::time_t seconds = timeMs / 1000;
    std::tm utc{};
    char text[32] = "?";
    if (gmtime_r(&seconds, &utc))
        (void)std::strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &utc);
    return text;
}

std::vector<StudyBackup> backupsOf(const std::string& path, const std::string& folder)
{
    return folder.empty() ? std::vector<StudyBackup>() : backupsIn(folder, prefixOf(path));
}

void keepBackup(const Database& db, const std::string& path, const std::string& folder, const StudyHolder& me, std::int64_t nowMs,
                const std::stop_token& stop)
{
    (void)attempt([&] {
        removeUnfinished(folder + "/"); // of a program that was killed while it copied
        const std::vector<StudyBackup> own = backupsOf(path, folder);
        std::error_code none;
        if (fs::file_size(path, none) > kMaxBackupBytes || none
            || (!own.empty() && nowMs - own.front().timeMs < kMinutesBetween * kMsPerMinute))
            return;
        fs::create_directories(folder);
        fs::permissions(folder, fs::perms::owner_all);
        const std::string prefix = prefixOf(path);
        (void)makeFile(folder + "/" + prefix + std::to_string(nowMs) + std::string(kEnding), {me}, [&](const NewStudy& made) {
            const Deadline copying(db, -1, Deadline::Clock::steady, stop);
            Statement(db.handle(), "VACUUM INTO ?1").bind(1, made.path).run();
            const Database copy(made.path, Database::Mode::readOnly, {});
            const Deadline checking(copy, -1, Deadline::Clock::steady, stop);
            Statement check(copy.handle(), "PRAGMA quick_check(1)");
            if (!check.row() || check.text(0) != "ok")
                failStudy(study_problem::kDamaged, "The study file is damaged.");
        });
        thin(folder, prefix);
    });
}

std::string studyBackupFolder()
{
    const char* state = std::getenv("XDG_STATE_HOME");
    const char* home = std::getenv("HOME");
    if (state && *state == '/')
        return std::string(state) + "/prism-explorer/backups";
    return home && *home == '/' ? std::string(home) + "/.local/state/prism-explorer/backups" : std::string();
}

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
