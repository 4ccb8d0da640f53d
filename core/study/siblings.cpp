// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/siblings.h"

#include "core/study/impl.h"

#include <array>
#include <filesystem>

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

} // namespace prism
