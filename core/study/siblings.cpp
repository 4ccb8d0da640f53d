// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/siblings.h"

#include "core/base/textfile.h"
#include "core/study/database.h"
#include "core/study/impl.h"

#include <array>
#include <filesystem>
#include <memory>
#include <sqlite3.h>

namespace prism {

using namespace study_problem;

namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 2> kSiblings = {"-journal", "-wal"};

} // namespace

std::string realPath(const std::string& path)
{
    std::error_code error;
    const fs::path real = fs::canonical(path, error);
    return error ? path : real.string();
}

void requireFilesNextTo(const std::string& path)
{
    const std::string real = realPath(path);
    for (const char* suffix : kSiblings) {
        std::error_code none;
        const fs::file_type type = fs::symlink_status(real + suffix, none).type();
        if (type != fs::file_type::not_found && type != fs::file_type::none && type != fs::file_type::regular)
            failStudy(kInputOutput, "Where the journal of the study belongs is not a file.", real + suffix,
                      "a study without it: move it away");
    }
}

void copyWithSiblings(const std::string& from, const std::string& to)
{
    requireFilesNextTo(from);
    const std::string real = realPath(from);
    std::uintmax_t bytes = 0;
    for (const char* suffix : {"", "-journal", "-wal"})
        if (fileExists(real + suffix))
            bytes += fs::file_size(real + suffix);
    if (bytes > kMaxCopiedBytes)
        failStudy(kTooLarge, "The study with its journal is too large to be copied.", real + ": " + std::to_string(bytes >> 20) + " MiB",
                  "at most " + std::to_string(kMaxCopiedBytes >> 20) + " MiB");
    for (const char* suffix : {"", "-journal", "-wal"})
        if (fileExists(real + suffix))
            copyFile(real + suffix, to + suffix);
}

bool usesWal(const std::string& path)
{
    constexpr std::size_t kHeader = 100, kWriteVersion = 18;
    constexpr char kWal = 2;
    const std::string header = OpenFile::at(path).bytes(0, kHeader);
    return header.size() == kHeader && header.starts_with("SQLite format 3")
           && (header[kWriteVersion] == kWal || !bytesAt(realPath(path) + "-wal", 0, 1).empty());
}

std::int64_t applicationIdOf(const std::string& path)
{
    constexpr std::size_t kAt = 68, kBytes = 4;
    const std::string header = OpenFile::at(path).bytes(0, kAt + kBytes);
    std::int64_t id = 0;
    for (std::size_t i = kAt; i < header.size(); ++i)
        id = id << 8 | static_cast<unsigned char>(header[i]);
    return header.size() == kAt + kBytes ? id : 0;
}

void bringBackFromWal(const std::string& path)
{
    sqlite3* opened = nullptr;
    const int code = sqlite3_open_v2(path.c_str(), &opened, SQLITE_OPEN_READWRITE, strictVfs({}));
    const std::unique_ptr<sqlite3, int (*)(sqlite3*)> db(opened, sqlite3_close);
    if (code != SQLITE_OK)
        failSql(db.get(), code);
    // Exclusive: the log is read without memory that programs share, which network shares do not have.
    const int done = sqlite3_exec(db.get(), "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE;", nullptr, nullptr, nullptr);
    if (done != SQLITE_OK)
        failSql(db.get(), done);
}

} // namespace prism
