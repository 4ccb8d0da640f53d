// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/faultvfs.h"

#include <sqlite3.h>

#include <cstring>
#include <new>

namespace prism::study_test {

namespace {

Fault g_fault;
int g_seen = 0;
bool g_fired = false;

struct ShimFile {
    sqlite3_file base;
    bool watched;
    // The system's file object follows in the same memory.
};

sqlite3_vfs* system()
{
    static sqlite3_vfs* vfs = [] {
        sqlite3_initialize();
        return sqlite3_vfs_find(nullptr);
    }();
    return vfs;
}

sqlite3_file* real(sqlite3_file* file)
{
    return reinterpret_cast<sqlite3_file*>(reinterpret_cast<ShimFile*>(file) + 1);
}
const sqlite3_io_methods* methods(sqlite3_file* file)
{
    return real(file)->pMethods;
}

bool fails(Operation operation, bool watched)
{
    if (!watched || operation != g_fault.operation || g_fault.at == 0)
        return false;
    ++g_seen;
    const bool now = g_seen == g_fault.at || (g_fault.forever && g_seen > g_fault.at);
    g_fired = g_fired || now;
    return now;
}

bool failsFor(sqlite3_file* file, Operation operation)
{
    return fails(operation, reinterpret_cast<ShimFile*>(file)->watched);
}

bool watches(const char* path)
{
    return path && std::strstr(path, g_fault.path.c_str()) != nullptr;
}

int shimClose(sqlite3_file* f)
{
    return methods(f)->xClose(real(f));
}

int shimRead(sqlite3_file* f, void* buffer, int size, sqlite3_int64 at)
{
    if (failsFor(f, Operation::read))
        return g_fault.code;
    if (failsFor(f, Operation::shortRead)) {
        const int code = methods(f)->xRead(real(f), buffer, size, at);
        if (code != SQLITE_OK)
            return code;
        std::memset(static_cast<char*>(buffer) + size / 2, 0, static_cast<std::size_t>(size - size / 2));
        return SQLITE_IOERR_SHORT_READ;
    }
    return methods(f)->xRead(real(f), buffer, size, at);
}

int shimWrite(sqlite3_file* f, const void* buffer, int size, sqlite3_int64 at)
{
    if (failsFor(f, Operation::write)) {
        // What a full disk leaves behind: half of the page.
        if (g_fault.code == SQLITE_FULL)
            methods(f)->xWrite(real(f), buffer, size / 2, at);
        return g_fault.code;
    }
    return methods(f)->xWrite(real(f), buffer, size, at);
}

int shimTruncate(sqlite3_file* f, sqlite3_int64 size)
{
    return failsFor(f, Operation::truncate) ? g_fault.code : methods(f)->xTruncate(real(f), size);
}
int shimSync(sqlite3_file* f, int flags)
{
    return failsFor(f, Operation::sync) ? g_fault.code : methods(f)->xSync(real(f), flags);
}
int shimFileSize(sqlite3_file* f, sqlite3_int64* size)
{
    return methods(f)->xFileSize(real(f), size);
}
int shimLock(sqlite3_file* f, int level)
{
    return methods(f)->xLock(real(f), level);
}
int shimUnlock(sqlite3_file* f, int level)
{
    return methods(f)->xUnlock(real(f), level);
}
int shimCheckReservedLock(sqlite3_file* f, int* out)
{
    return methods(f)->xCheckReservedLock(real(f), out);
}
int shimFileControl(sqlite3_file* f, int op, void* arg)
{
    return methods(f)->xFileControl(real(f), op, arg);
}
int shimSectorSize(sqlite3_file* f)
{
    return methods(f)->xSectorSize(real(f));
}
int shimCharacteristics(sqlite3_file* f)
{
    return methods(f)->xDeviceCharacteristics(real(f));
}

const sqlite3_io_methods kMethods = {1,
                                     shimClose,
                                     shimRead,
                                     shimWrite,
                                     shimTruncate,
                                     shimSync,
                                     shimFileSize,
                                     shimLock,
                                     shimUnlock,
                                     shimCheckReservedLock,
                                     shimFileControl,
                                     shimSectorSize,
                                     shimCharacteristics};

int shimOpen(sqlite3_vfs*, const char* path, sqlite3_file* file, int flags, int* outFlags)
{
    auto* shim = new (file) ShimFile{{nullptr}, watches(path)};
    if (fails(Operation::open, shim->watched))
        return g_fault.code;
    const int code = system()->xOpen(system(), path, real(file), flags, outFlags);
    if (real(file)->pMethods)
        shim->base.pMethods = &kMethods;
    return code;
}

int shimDelete(sqlite3_vfs*, const char* path, int syncFolder)
{
    return fails(Operation::remove, watches(path)) ? g_fault.code : system()->xDelete(system(), path, syncFolder);
}

} // namespace

const char* faultVfs()
{
    static sqlite3_vfs vfs = [] {
        sqlite3_vfs v = *system();
        v.iVersion = 1;
        v.szOsFile = static_cast<int>(sizeof(ShimFile)) + system()->szOsFile;
        v.zName = "prism-fault";
        v.xOpen = shimOpen;
        v.xDelete = shimDelete;
        v.pNext = nullptr;
        return v;
    }();
    static const int registered = sqlite3_vfs_register(&vfs, 0);
    return registered == SQLITE_OK ? vfs.zName : "";
}

void arm(const Fault& fault)
{
    g_fault = fault;
    g_seen = 0;
    g_fired = false;
}

void disarm()
{
    g_fault = {};
}
bool fired()
{
    return g_fired;
}

} // namespace prism::study_test
