// SPDX-License-Identifier: GPL-3.0-or-later
#include "fuzz/scratch.h"

#include <filesystem>

#include <unistd.h>

namespace prism::fuzz {
namespace {

/// In memory where the system has a place for that: readers' files are synced to the disk, and nothing here cuts the power.
std::filesystem::path base()
{
    const std::filesystem::path memory = "/dev/shm";
    return access(memory.c_str(), W_OK) == 0 ? memory : std::filesystem::temp_directory_path();
}

struct Folder {
    Folder() { std::filesystem::create_directories(path); }
    ~Folder()
    {
        std::error_code ignored;
        std::filesystem::remove_all(path, ignored);
    }
    std::filesystem::path path = base() / ("prism-fuzz-" + std::to_string(getpid()));
};

} // namespace

std::string scratchFile(const std::string& name)
{
    static const Folder folder;
    return (folder.path / name).string();
}

} // namespace prism::fuzz
