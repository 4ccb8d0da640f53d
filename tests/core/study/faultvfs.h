// SPDX-License-Identifier: GPL-3.0-or-later
// An SQLite VFS over the system's that fails operations on demand: every fault a disk can show, one at a time.
#pragma once

#include <string>

namespace prism::study_test {

enum class Operation { open, read, shortRead, write, sync, truncate, remove, count };

/// Which operation fails, on files whose path contains `path`.
struct Fault {
    Operation operation = Operation::count;
    int at = 0;           ///< the nth of its kind since arm(), 1 = the first; 0 = never
    bool forever = false; ///< and all after it
    int code = 0;         ///< SQLite result code
    std::string path;
};

/// The registered name of the VFS.
[[nodiscard]] const char* faultVfs();
void arm(const Fault& fault);
void disarm();
/// Whether the fault armed last happened.
[[nodiscard]] bool fired();

} // namespace prism::study_test
