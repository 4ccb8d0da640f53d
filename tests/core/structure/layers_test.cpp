// The structure of design.md as a test: a layer includes layers below it, never above, and core knows no Qt.
#include "prism_paths.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>

namespace {

namespace fs = std::filesystem;

/// From the bottom up, as in design.md; base holds errors and hashes. A layer may use itself and those before it.
const std::vector<std::string> kLayers = {"base", "stats", "scenario", "study", "schedule", "workload",
                                          "step", "cost",  "trace",    "sim",   "engine",   "insight"};

std::vector<std::string> includes(const fs::path& file)
{
    static const std::regex pattern(R"(^\s*#\s*include\s*[<"]([^">]+)[">])");
    std::vector<std::string> found;
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
        std::smatch match;
        if (std::regex_search(line, match, pattern))
            found.push_back(match[1]);
    }
    return found;
}

std::vector<fs::path> sources(const fs::path& folder)
{
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.path().extension() == ".h" || entry.path().extension() == ".cpp")
            files.push_back(entry.path());
    return files;
}

TEST(Layers, CoreIncludesNoQt)
{
    const fs::path core = fs::path(PRISM_SOURCE_DIR) / "core";
    for (const fs::path& file : sources(core))
        for (const std::string& name : includes(file))
            EXPECT_FALSE(std::regex_search(name, std::regex("^Q[A-Z]|^Qt"))) << file << " includes " << name;
}

TEST(Layers, NoArrowPointsUpwards)
{
    std::map<std::string, std::size_t> height;
    for (std::size_t i = 0; i < kLayers.size(); ++i)
        height[kLayers[i]] = i;
    const fs::path core = fs::path(PRISM_SOURCE_DIR) / "core";
    std::size_t seen = 0;
    for (const fs::path& file : sources(core)) {
        const std::string layer = fs::relative(file, core).begin()->string();
        ASSERT_TRUE(height.contains(layer)) << file << " is in no layer";
        for (const std::string& name : includes(file)) {
            EXPECT_FALSE(name.starts_with("ui/") || name.starts_with("app/")) << file << " includes " << name;
            if (!name.starts_with("core/"))
                continue;
            const std::string used = name.substr(5, name.find('/', 5) - 5);
            ASSERT_TRUE(height.contains(used)) << file << " includes " << name;
            EXPECT_LE(height[used], height[layer]) << file << " includes " << name;
            ++seen;
        }
    }
    EXPECT_GT(seen, 0U);
}

/// The folders of ui from the bottom up; those in one line stand side by side and do not include one another.
const std::vector<std::vector<std::string>> kUiLayers = {{"look"}, {"model"},  {"bridge"}, {"workspace"},    {"theme"},
                                                         {"plot"}, {"editor"}, {"pages"},  {"distribution"}, {"window"}};
/// What prism_ui_model is made of: these know no widget.
const std::set<std::string> kWithoutWidgets = {"look", "model", "bridge", "workspace"};

TEST(Layers, NoArrowOfUiPointsUpwards)
{
    std::map<std::string, std::size_t> height;
    for (std::size_t i = 0; i < kUiLayers.size(); ++i)
        for (const std::string& folder : kUiLayers[i])
            height[folder] = i;
    const fs::path ui = fs::path(PRISM_SOURCE_DIR) / "ui";
    std::size_t seen = 0;
    for (const fs::path& file : sources(ui)) {
        const std::string layer = fs::relative(file, ui).begin()->string();
        ASSERT_TRUE(height.contains(layer)) << file << " is in no layer of ui";
        for (const std::string& name : includes(file)) {
            EXPECT_FALSE(name.starts_with("app/")) << file << " includes " << name;
            if (!name.starts_with("ui/"))
                continue;
            const std::string used = name.substr(3, name.find('/', 3) - 3);
            ASSERT_TRUE(height.contains(used)) << file << " includes " << name;
            EXPECT_TRUE(used == layer || height[used] < height[layer]) << file << " includes " << name;
            ++seen;
        }
    }
    EXPECT_GT(seen, 0U);
}

TEST(Layers, ModelsOfUiKnowNoWidget)
{
    static const std::regex widget("^Q(Widget|Application|.*(View|Dialog|Delegate|Layout|Button|Label|Box|Edit|Menu|Bar|Dock.*|Frame))$");
    const fs::path ui = fs::path(PRISM_SOURCE_DIR) / "ui";
    for (const std::string& folder : kWithoutWidgets)
        for (const fs::path& file : sources(ui / folder))
            for (const std::string& name : includes(file))
                EXPECT_FALSE(std::regex_search(name, widget)) << file << " includes " << name;
}

} // namespace
