// SPDX-License-Identifier: GPL-3.0-or-later
// The structure of the house as a test: a layer includes layers below it, never above; no circles; one type, one definition; core
// knows no Qt.
#include "core/structure/sourcetree.h"

#include <gtest/gtest.h>

#include <regex>

namespace {

using namespace structure;

/// From the bottom up. A layer may use itself and those before it.
const std::vector<std::string> kLayers = {"base", "stats", "schedule", "scenario",  "study",   "workload", "step",    "measured", "trace",
                                          "cost", "sim",   "engine",   "calibrate", "insight", "job",      "explore", "fleet"};

/// Trees without circles of units, and of folders.
const std::vector<std::string> kTreesWithoutCircles = {"core", "app"}, kTreesWithoutCirclesOfFolders = {"core", "ui", "app"};

std::string joinedLines(const std::vector<std::string>& lines)
{
    std::string text;
    for (const std::string& line : lines)
        text += "\n  " + line;
    return text;
}

TEST(Sources, NameTheirLicence)
{
    for (const char* tree : {"core", "ui", "app", "tests"})
        for (const std::string& file : sources(tree))
            EXPECT_TRUE(firstLine(file).starts_with("// SPDX-License-Identifier: GPL-3.0-or-later")) << file;
}

TEST(Layers, CoreIncludesNoQt)
{
    for (const std::string& file : sources("core"))
        for (const std::string& name : includes(file))
            EXPECT_FALSE(std::regex_search(name, std::regex("^Q[A-Z]|^Qt"))) << file << " includes " << name;
}

TEST(Layers, NoArrowPointsUpwards)
{
    std::map<std::string, std::size_t> height;
    for (std::size_t i = 0; i < kLayers.size(); ++i)
        height[kLayers[i]] = i;
    const auto layerOf = [](const std::string& file) { return file.substr(5, file.find('/', 5) - 5); };
    std::size_t seen = 0;
    for (const std::string& file : sources("core")) {
        ASSERT_TRUE(height.contains(layerOf(file))) << file << " is in no layer";
        for (const std::string& name : includes(file)) {
            EXPECT_FALSE(name.starts_with("ui/") || name.starts_with("app/")) << file << " includes " << name;
            if (!name.starts_with("core/"))
                continue;
            ASSERT_TRUE(height.contains(layerOf(name))) << file << " includes " << name;
            EXPECT_LE(height[layerOf(name)], height[layerOf(file)]) << file << " includes " << name;
            ++seen;
        }
    }
    EXPECT_GT(seen, 0U);
}

/// The folders of ui from the bottom up; those in one line are on the same level and do not include one another.
const std::vector<std::vector<std::string>> kUiLayers = {{"look"},
                                                         {"model"},
                                                         {"bridge"},
                                                         {"workspace"},
                                                         {"theme"},
                                                         {"findings"},
                                                         {"plot"},
                                                         {"editor"},
                                                         {"pages"},
                                                         {"distribution"},
                                                         {"job", "explore", "moves", "newjob", "validate"},
                                                         {"report"},
                                                         {"window"}};
/// The folders of prism_ui_model: these use no widget.
const std::set<std::string> kWithoutWidgets = {"look", "model", "bridge", "workspace", "findings"};

TEST(Layers, NoArrowOfUiPointsUpwards)
{
    std::map<std::string, std::size_t> height;
    for (std::size_t i = 0; i < kUiLayers.size(); ++i)
        for (const std::string& folder : kUiLayers[i])
            height[folder] = i;
    std::size_t seen = 0;
    for (const std::string& file : sources("ui")) {
        const std::string layer = file.substr(3, file.find('/', 3) - 3);
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

TEST(Layers, ModelsOfUiUseNoWidget)
{
    // QStringView and QByteArrayView look at text.
    static const std::regex widget(
        "^Q(?!(String|ByteArray)View$)(Widget|Application|.*(View|Dialog|Delegate|Layout|Button|Label|Box|Edit|Menu|Bar|Dock.*|Frame))$");
    for (const std::string& folder : kWithoutWidgets)
        for (const std::string& file : sources("ui/" + folder))
            for (const std::string& name : includes(file))
                EXPECT_FALSE(std::regex_search(name, widget)) << file << " includes " << name;
}

TEST(Circles, NoUnitReachesItself)
{
    for (const std::string& tree : kTreesWithoutCircles)
        EXPECT_EQ(circles(unitGraph(tree)), std::vector<std::string>{}) << joinedLines(circles(unitGraph(tree)));
}

TEST(Circles, NoFolderReachesItself)
{
    for (const std::string& tree : kTreesWithoutCirclesOfFolders)
        EXPECT_EQ(circles(folderGraph(tree)), std::vector<std::string>{}) << joinedLines(circles(folderGraph(tree)));
}

TEST(Circles, AreFoundInAKnownGraph)
{
    const Graph graph = {{"a", {"b"}}, {"b", {"c"}}, {"c", {"a", "d"}}, {"d", {"e"}}, {"e", {"d"}}, {"f", {"a"}}};
    EXPECT_EQ(circles(graph), (std::vector<std::string>{"d e", "a b c"}));
    EXPECT_EQ(circles({{"a", {"b"}}, {"b", {"c"}}}), std::vector<std::string>{});
}

TEST(Types, EachIsDefinedOnce)
{
    // Two definitions of one name in one namespace are undefined behaviour that no compiler reports.
    for (const char* tree : {"core", "ui", "app"})
        EXPECT_EQ(twins(tree), std::vector<std::string>{}) << joinedLines(twins(tree));
}

TEST(Types, AreFoundInText)
{
    const std::string text =
        "struct Outside {\n};\nnamespace prism {\nclass Forward;\nstruct Moments {\n    struct Inner {\n    };\n};\nnamespace {\n"
        "struct Local {\n};\n} // namespace\nclass Emitter final {\n};\nenum class Kind : int { a };\nstruct S : Base {\n};\n"
        "namespace table {\nstruct Entry {\n};\n} // namespace table\n} // namespace prism\n";
    std::vector<std::string> names;
    for (const TypeDefinition& type : typesIn(text, "file.h"))
        names.push_back(type.name);
    EXPECT_EQ(names, (std::vector<std::string>{"prism::Moments", "prism::Emitter", "prism::Kind", "prism::S", "prism::table::Entry"}));
}

} // namespace
