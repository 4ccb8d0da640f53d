// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/database.h"

#include <sqlite3.h>

#include <map>
#include <memory>
#include <mutex>

namespace prism {

namespace {

/// The base's file object follows in the same memory.
struct StrictFile {
    sqlite3_file base;
};

sqlite3_file* real(sqlite3_file* file)
{
    return reinterpret_cast<sqlite3_file*>(reinterpret_cast<StrictFile*>(file) + 1);
}
const sqlite3_io_methods* methods(sqlite3_file* file)
{
    return real(file)->pMethods;
}

int strictRead(sqlite3_file* f, void* buffer, int size, sqlite3_int64 at)
{
    const int code = methods(f)->xRead(real(f), buffer, size, at);
    if (code != SQLITE_IOERR_SHORT_READ)
        return code;
    sqlite3_int64 end = 0;
    if (methods(f)->xFileSize(real(f), &end) != SQLITE_OK || at + size <= end)
        return SQLITE_IOERR_READ;
    return code;
}

int strictClose(sqlite3_file* f)
{
    return methods(f)->xClose(real(f));
}
int strictWrite(sqlite3_file* f, const void* buffer, int size, sqlite3_int64 at)
{
    return methods(f)->xWrite(real(f), buffer, size, at);
}
int strictTruncate(sqlite3_file* f, sqlite3_int64 size)
{
    return methods(f)->xTruncate(real(f), size);
}
int strictSync(sqlite3_file* f, int flags)
{
    return methods(f)->xSync(real(f), flags);
}
int strictFileSize(sqlite3_file* f, sqlite3_int64* size)
{
    return methods(f)->xFileSize(real(f), size);
}
int strictLock(sqlite3_file* f, int level)
{
    return methods(f)->xLock(real(f), level);
}
int strictUnlock(sqlite3_file* f, int level)
{
    return methods(f)->xUnlock(real(f), level);
}
int strictCheckReservedLock(sqlite3_file* f, int* out)
{
    return methods(f)->xCheckReservedLock(real(f), out);
}
int strictFileControl(sqlite3_file* f, int op, void* arg)
{
    return methods(f)->xFileControl(real(f), op, arg);
}
int strictSectorSize(sqlite3_file* f)
{
    return methods(f)->xSectorSize(real(f));
}
int strictCharacteristics(sqlite3_file* f)
{
    return methods(f)->xDeviceCharacteristics(real(f));
}

// Version 1: no shared memory and no memory maps, so no write-ahead log either.
const sqlite3_io_methods kMethods = {1,
                                     strictClose,
                                     strictRead,
                                     strictWrite,
                                     strictTruncate,
                                     strictSync,
                                     strictFileSize,
                                     strictLock,
                                     strictUnlock,
                                     strictCheckReservedLock,
                                     strictFileControl,
                                     strictSectorSize,
                                     strictCharacteristics};

sqlite3_vfs* baseOf(sqlite3_vfs* vfs)
{
    return static_cast<sqlite3_vfs*>(vfs->pAppData);
}

int strictOpen(sqlite3_vfs* vfs, const char* path, sqlite3_file* file, int flags, int* outFlags)
{
    auto* strict = new (file) StrictFile{{nullptr}};
    // A change of several files names them in a journal of journals, which SQLite deletes at the end. A study never has one: in a journal
    // that comes with one it would be the name of any file of the user's.
    if ((flags & SQLITE_OPEN_SUPER_JOURNAL) != 0)
        return SQLITE_CANTOPEN;
    const int code = baseOf(vfs)->xOpen(baseOf(vfs), path, real(file), flags, outFlags);
    if (real(file)->pMethods)
        strict->base.pMethods = &kMethods;
    return code;
}

// The rest of the base is called with the base, since its functions may look at their own pAppData.
int strictDelete(sqlite3_vfs* vfs, const char* path, int sync)
{
    return baseOf(vfs)->xDelete(baseOf(vfs), path, sync);
}
int strictAccess(sqlite3_vfs* vfs, const char* path, int flags, int* out)
{
    return baseOf(vfs)->xAccess(baseOf(vfs), path, flags, out);
}
int strictFullPathname(sqlite3_vfs* vfs, const char* path, int size, char* out)
{
    return baseOf(vfs)->xFullPathname(baseOf(vfs), path, size, out);
}
int strictRandomness(sqlite3_vfs* vfs, int size, char* out)
{
    return baseOf(vfs)->xRandomness(baseOf(vfs), size, out);
}
int strictSleep(sqlite3_vfs* vfs, int us)
{
    return baseOf(vfs)->xSleep(baseOf(vfs), us);
}
int strictCurrentTime(sqlite3_vfs* vfs, double* out)
{
    return baseOf(vfs)->xCurrentTime(baseOf(vfs), out);
}
int strictGetLastError(sqlite3_vfs* vfs, int size, char* out)
{
    return baseOf(vfs)->xGetLastError(baseOf(vfs), size, out);
}

struct Registered {
    std::string name;
    sqlite3_vfs vfs{};
};

} // namespace

const char* strictVfs(const std::string& base)
{
    static std::mutex mutex;
    static std::map<std::string, std::unique_ptr<Registered>> registered; // SQLite keeps pointers to them
    const std::lock_guard guard(mutex);
    if (const auto it = registered.find(base); it != registered.end())
        return it->second->name.c_str();
    sqlite3_initialize();
    sqlite3_vfs* under = sqlite3_vfs_find(base.empty() ? nullptr : base.c_str());
    if (!under)
        return nullptr;
    auto entry = std::make_unique<Registered>();
    entry->name = "prism-strict-" + base;
    entry->vfs = {.iVersion = 1,
                  .szOsFile = static_cast<int>(sizeof(StrictFile)) + under->szOsFile,
                  .mxPathname = under->mxPathname,
                  .zName = entry->name.c_str(),
                  .pAppData = under,
                  .xOpen = strictOpen,
                  .xDelete = strictDelete,
                  .xAccess = strictAccess,
                  .xFullPathname = strictFullPathname,
                  .xRandomness = strictRandomness,
                  .xSleep = strictSleep,
                  .xCurrentTime = strictCurrentTime,
                  .xGetLastError = strictGetLastError};
    if (sqlite3_vfs_register(&entry->vfs, 0) != SQLITE_OK)
        return nullptr;
    return registered.emplace(base, std::move(entry)).first->second->name.c_str();
}

} // namespace prism
