// SPDX-License-Identifier: GPL-3.0-or-later
#include "fuzz/scratch.h"

#include <filesystem>

#include <unistd.h>

namespace prism::fuzz {
namespace {

struct Folder {
    Folder() { std::filesystem::create_directories(path); }
    ~Folder()
    {
        std::error_code ignored;
        std::filesystem::remove_all(path, ignored);
    }
    std::filesystem::path path = std::filesystem::temp_directory_path() / ("prism-fuzz-" + std::to_string(getpid()));
};

} // namespace

std::string scratchFile(const std::string& name)
{
    static const Folder folder;
    return (folder.path / name).string();
}

} // namespace prism::fuzz
