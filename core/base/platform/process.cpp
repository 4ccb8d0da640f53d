// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/platform/process.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sched.h>
#include <string_view>
#include <sys/resource.h>
#include <unistd.h>

#ifdef __linux__
#endif

namespace prism {

namespace {

/// What follows `key` and its sign in the first line of the file that begins with it, without quotes and blanks around it.
std::string valueOf(const char* file, std::string_view key, char sign)
{
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
        const auto at = line.find(sign);
        if (!line.starts_with(key) || at == std::string::npos)
            continue;
        const auto first = line.find_first_not_of(" \"", at + 1), last = line.find_last_not_of(" \"");
        return first == std::string::npos ? std::string() : line.substr(first, last - first + 1);
    }
    return {};
}

} // namespace

std::string programFolder()
{
    std::error_code error;
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
    return error ? std::string() : program.parent_path().string();
}

std::string programPath()
{
    return "/proc/self/exe"; // also where its file was replaced since
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

std::string processorName()
{
    return valueOf("/proc/cpuinfo", "model name", ':'); // proc(5)
}

std::string systemName()
{
    return valueOf("/etc/os-release", "PRETTY_NAME", '='); // os-release(5)
}

std::int64_t residentKib()
{
    long long pages = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> pages >> resident; // proc(5)
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

bool hasDisplay()
{
#ifdef __APPLE__
    return true;
#else
    constexpr std::array<const char*, 2> kNames = {"DISPLAY", "WAYLAND_DISPLAY"};
    return std::any_of(kNames.begin(), kNames.end(), [](const char* name) {
        const char* value = std::getenv(name);
        return value != nullptr && *value != '\0';
    });
#endif
}

void giveWayToForeground()
{
#ifdef __linux__
    // On Linux the nice value is the thread's own, and new threads take over their maker's (setpriority(2)). At 5 it has a third of the
    // share of a thread at 0 (sched_prio_to_weight of the kernel: 335 of 1024), and one of those that wakes runs at once.
    constexpr int kNice = 5;
    if (const auto self = static_cast<id_t>(gettid()); getpriority(PRIO_PROCESS, self) < kNice)
        (void)setpriority(PRIO_PROCESS, self, kNice);
#endif
}

} // namespace prism
