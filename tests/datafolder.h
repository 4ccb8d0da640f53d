// SPDX-License-Identifier: GPL-3.0-or-later
// Where measured data for development lies; tests that need it are skipped without.
#pragma once

#include "prism_paths.h"

#include <cstdlib>
#include <filesystem>
#include <string>

namespace prism {

/// $PRISM_DATA, else shared/data next to the checkout, else empty.
inline std::string dataFolder()
{
    if (const char* folder = std::getenv("PRISM_DATA"); folder != nullptr && *folder != '\0')
        return folder;
    const std::filesystem::path nextTo = std::filesystem::path(PRISM_SOURCE_DIR) / ".." / "shared" / "data";
    std::error_code error;
    return std::filesystem::is_directory(nextTo, error) ? nextTo.string() : std::string();
}

} // namespace prism
