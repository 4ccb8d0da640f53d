// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/backup.h"

#include "core/base/hash.h"
#include "core/study/impl.h"
#include "core/study/siblings.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <ctime>
#include <filesystem>

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

} // namespace prism
