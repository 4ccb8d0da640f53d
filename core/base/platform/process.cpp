// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/platform/process.h"

#include <array>
#include <filesystem>
#include <fstream>

#include <sched.h>
#include <unistd.h>

namespace prism {

std::string programFolder()
{
    std::error_code error;
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
    return error ? std::string() : program.parent_path().string();
}

std::string hostName()
{
    std::array<char, 256> name{};
    return gethostname(name.data(), name.size() - 1) == 0 ? std::string(name.data()) : "unknown";
}

std::int64_t processId()
{
    return getpid();
}

int usableCores()
{
    cpu_set_t set;
    CPU_ZERO(&set);
    const int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
    return count > 0 ? count : 1;
}

std::int64_t residentKib()
{
    long long pages = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> pages >> resident; // proc(5)
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

} // namespace prism
