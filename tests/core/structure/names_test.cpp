// SPDX-License-Identifier: GPL-3.0-or-later
// No rule knows a preset, a source, a suite or a file of measurements by name: their names are read from the data files here, and
// searched in the string literals of the sources.
#include "core/structure/sourcetree.h"
#include "datafolder.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace {

using namespace structure;
using nlohmann::json;
namespace fs = std::filesystem;

/// Where a name may be, and why.
struct Exception {
    const char *file, *name, *why;
};
constexpr Exception kExceptions[] = {
    {"core/scenario/scenario.h", "h100-sxm-80gb", "the default scenario names the presets whose figures it has"},
    {"core/scenario/scenario.h", "dgx-h100-ndr400-rail", "the default scenario names the presets whose figures it has"},
    {"core/scenario/parametertable_parallelism.cpp", "zero-bubble", "a kind of schedule; a source is called after it"},
    {"tests/bench/peers/bench.cpp", "prism-64k", "what a benchmark measures is part of the benchmark"},
    {"tests/bench/peers/benchpeers.cpp", "gpt3-175b-1024-a100", "what a benchmark measures is part of the benchmark"},
    {"core/insight/metrics/metrictable.cpp", "sample-baseline", "an example on a help page"},
    {"core/scenario/parameterpage.cpp", "sample-baseline", "an example on a help page"},
    {"app/cli/measured/validate_operators.cpp", "a100-sxm-80gb", "the default of an option, which its help shows"},
};

bool excepted(const std::string& file, const std::string& name)
{
    return std::any_of(std::begin(kExceptions), std::end(kExceptions),
                       [&](const Exception& e) { return file == e.file && name == e.name; });
}

/// Plain words ("none", "steps") name presets too; a name that says which one it is has a digit or a joint.
bool telling(const std::string& name)
{
    return name.size() > 3 && name.find_first_of("0123456789-_") != std::string::npos;
}

json document(const fs::path& file)
{
    std::ifstream in(file);
    return json::parse(in);
}

/// Sources and suites of a file of published rows.
void addPublished(const fs::path& path, std::set<std::string>& names)
{
    const json file = document(path);
    for (const auto& [source, value] : file["sources"].items())
        names.insert(source);
    for (const json& row : file["rows"])
        names.insert(row.value("suite", ""));
}

/// Everything that ships under a name, and what lies in the folder of measured data where there is one.
std::set<std::string> shippedNames()
{
    const fs::path presets = fs::path(PRISM_SOURCE_DIR) / "presets";
    std::set<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(presets))
        if (entry.path().extension() == ".json")
            names.insert(entry.path().stem().string());
    for (const auto& entry : fs::directory_iterator(presets / "published"))
        addPublished(entry.path(), names);
    for (const char* file : {"published.json", "published2.json"})
        if (const fs::path path = fs::path(prism::dataFolder()) / file; !prism::dataFolder().empty() && fs::exists(path))
            addPublished(path, names);
    const json tables = document(presets / "calibration" / "sources.json"), peers = document(presets / "peers" / "known.json");
    for (const json& source : tables["collectives"])
        names.insert(source["file"].get<std::string>());
    for (const auto& [suite, stated] : peers["suites"].items())
        names.insert(suite);
    std::erase_if(names, [](const std::string& name) { return !telling(name); });
    return names;
}

bool ofWord(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
}

/// Whether a literal holds a name as a separate word; one that ends in a joint, as the beginning of a word.
bool holds(const std::string& literal, const std::string& name)
{
    for (std::size_t at = literal.find(name); at != std::string::npos; at = literal.find(name, at + 1)) {
        const std::size_t end = at + name.size();
        const bool begins = at == 0 || !ofWord(literal[at - 1]), ends = end == literal.size() || !ofWord(literal[end]);
        if (begins && (ends || name.ends_with('_')))
            return true;
    }
    return false;
}

/// "FILE: name" of every literal below a folder in which a name is as `is` says, the exceptions aside.
std::vector<std::string> found(const std::string& folder, const auto& occurs)
{
    static const std::set<std::string> names = shippedNames();
    std::vector<std::string> places;
    for (const std::string& file : sources(folder))
        for (const std::string& literal : literals(textOf(file)))
            for (const std::string& name : names)
                if (occurs(literal, name) && !excepted(file, name))
                    places.push_back(file + ": " + name);
    return places;
}

TEST(Names, CoreNamesNoPresetSourceOrSuite)
{
    EXPECT_EQ(found("core", holds), std::vector<std::string>{});
}

/// Its examples and help texts name presets; no literal is one.
TEST(Names, TheCommandLineNamesNoPresetSourceOrSuite)
{
    EXPECT_EQ(found("app", std::equal_to<>()), std::vector<std::string>{});
}

TEST(Names, EveryExceptionIsNeeded)
{
    for (const Exception& e : kExceptions) {
        const std::vector<std::string> in = literals(textOf(e.file));
        EXPECT_TRUE(std::any_of(in.begin(), in.end(), [&](const std::string& literal) { return holds(literal, e.name); }))
            << e.file << ": " << e.name << " (" << e.why << ")";
    }
}

TEST(Names, AreReadFromTheDataFiles)
{
    const std::set<std::string> names = shippedNames();
    for (const char* name : {"h100-sxm-80gb", "prism-64k", "simumax_b200", "korthikanti-t5", "perlmutter_"})
        EXPECT_TRUE(names.contains(name)) << name;
    EXPECT_FALSE(names.contains("none"));
    EXPECT_GT(names.size(), 100U);
}

TEST(Names, AreFoundInText)
{
    const std::string text =
        "// \"a-comment\"\nconst char* a = \"first\"; /// \"no\"\nf('\"', \"se\\\"cond\");\nR\"re(raw \"third\" (x))re\";\n"
        "/* \"no-2\" */ g(1'000, \"fourth\")\n";
    EXPECT_EQ(literals(text), (std::vector<std::string>{"first", "se\\\"cond", "raw \"third\" (x)", "fourth"}));
    EXPECT_TRUE(holds("presets/gpu/h100-sxm-80gb.json", "h100-sxm-80gb"));
    EXPECT_FALSE(holds("h100-sxm-80gb-2", "h100-sxm-80gb"));
    EXPECT_TRUE(holds("perlmutter_a100", "perlmutter_"));
    EXPECT_FALSE(holds("other_perlmutter_a100", "perlmutter_"));
}

} // namespace
