// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/outputfile.h"

#include "core/base/platform/newfile.h"

#include <filesystem>

namespace prism {
namespace {

Diagnostics notWritten(const std::string& path, const std::string& why, const std::string& accepted)
{
    return {{.path = path, .message = "The file cannot be written: " + why + ".", .accepted = accepted}};
}

} // namespace

Diagnostics writeFile(const std::string& path, std::string_view bytes, Flush flush)
{
    const Place place = placeOf(path);
    if (place == Place::folder)
        return notWritten(path, "this is a folder", "the name of a file");
    if (place == Place::stream) {
        const std::string problem = writeStream(path, bytes);
        return problem.empty() ? Diagnostics{} : notWritten(path, problem, "a device or pipe that takes it");
    }
    NewFile file(path);
    const bool done = file.write(bytes) && file.keep(flush == Flush::yes);
    return done ? Diagnostics{} : notWritten(path, file.problem(), "a writable place with enough space");
}

bool wouldReplace(const std::string& path, const std::string& input)
{
    namespace fs = std::filesystem;
    std::error_code none;
    if (placeOf(path) != Place::file || !fs::exists(path, none))
        return false;
    if (fs::equivalent(path, input, none))
        return true;
    return fs::is_directory(input, none) && fs::equivalent(fs::absolute(path, none).parent_path(), input, none);
}

} // namespace prism
