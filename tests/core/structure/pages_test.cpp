// SPDX-License-Identifier: GPL-3.0-or-later
// The pages for newcomers lead somewhere: files, folders and functions that they name are there.
#include "core/structure/sourcetree.h"
#include "prism_paths.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <string>

namespace {

using namespace structure;
namespace fs = std::filesystem;

/// All matches of `pattern`, its first group each.
std::vector<std::smatch> matches(const std::string& text, const std::regex& pattern)
{
    return {std::sregex_iterator(text.begin(), text.end(), pattern), std::sregex_iterator()};
}

/// A file or folder, a unit without its ending, or a beginning of names that ends in an asterisk.
bool isThere(std::string path)
{
    const bool begins = path.ends_with('*');
    if (begins)
        path.pop_back();
    const fs::path whole = fs::path(PRISM_SOURCE_DIR) / path;
    if (!begins)
        return fs::exists(whole) || fs::exists(whole.string() + ".h") || fs::exists(whole.string() + ".cpp");
    for (const auto& entry : fs::directory_iterator(whole.parent_path()))
        if (entry.path().filename().string().starts_with(whole.filename().string()))
            return true;
    return false;
}

TEST(Pages, NameFilesThatExist)
{
    const std::regex path(R"re(\b((?:core|ui|app|tests|resources|packaging|presets)/[a-z_][\w-]*(?:/[\w-]+)*(?:\.\w+|\*)?))re");
    for (const char* page : {"ARCHITECTURE.md", "CONTRIBUTING.md", "README.md"}) {
        const std::string text = textOf(page);
        const std::vector<std::smatch> named = matches(text, path);
        EXPECT_FALSE(named.empty()) << page;
        for (const std::smatch& m : named)
            EXPECT_TRUE(isThere(m[1])) << page << " names " << m[1];
    }
}

/// Each folder of core and ui begins with a README: what it answers, its types, an example, where to start reading.
TEST(Pages, EachFolderHasAReadmeThatNamesItsHeaders)
{
    constexpr std::size_t kMaxLines = 25;
    const std::set<std::string> simulator{"core/sim"}; // described in resources/help/engine.md
    const std::regex header(R"re(\b(\w+\.h)\b)re");
    int folders = 0;
    for (const char* part : {"core", "ui"})
        for (const auto& entry : fs::directory_iterator(fs::path(PRISM_SOURCE_DIR) / part)) {
            const std::string folder = part + ("/" + entry.path().filename().string());
            if (!entry.is_directory() || simulator.contains(folder))
                continue;
            ++folders;
            const std::string text = textOf(folder + "/README.md");
            EXPECT_FALSE(text.empty()) << folder << " has no README.md";
            EXPECT_LE(std::count(text.begin(), text.end(), '\n'), kMaxLines) << folder;
            for (const std::smatch& m : matches(text, header))
                EXPECT_TRUE(fs::exists(entry.path() / m[1].str()) || text.find("/" + m[1].str()) != std::string::npos)
                    << folder << "/README.md names " << m[1];
        }
    EXPECT_GE(folders, 30);
}

TEST(Pages, NameFunctionsWhereTheyAre)
{
    const std::string text = textOf("ARCHITECTURE.md");
    const std::regex function(R"re(`(\w+)` in `([\w/]+\.cpp)`)re");
    const std::vector<std::smatch> named = matches(text, function);
    EXPECT_GE(named.size(), 10U);
    for (const std::smatch& m : named)
        EXPECT_TRUE(std::regex_search(textOf(m[2]), std::regex("[ :]" + m[1].str() + "\\(.*\\)( const)?\\n\\{")))
            << m[2] << " defines no " << m[1];
}

} // namespace
