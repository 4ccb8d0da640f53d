// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/wal.h"

#include "core/base/textfile.h"
#include "core/study/database.h"
#include "core/study/siblings.h"
#include "core/study/strictvfs.h"

#include <sqlite3.h>

#include <memory>

namespace prism {

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
