// SPDX-License-Identifier: GPL-3.0-or-later
// Comments name constants that exist: a constant that is renamed takes its comments along.
#include "core/structure/sourcetree.h"

#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

namespace {

using namespace structure;

/// Constants ("kMaxMarks") in the code of the sources, and in their comments with the last file that names them.
struct NamedConstants {
    std::set<std::string> code;
    std::map<std::string, std::string> comments;

    void add(const std::string& file)
    {
        static const std::regex kConstant(R"re(\bk[A-Z]\w+)re");
        std::istringstream lines(textOf(file));
        for (std::string line; std::getline(lines, line);) {
            const std::size_t comment = std::min(line.find("//"), line.size());
            const auto from = line.cbegin(), middle = from + static_cast<std::ptrdiff_t>(comment);
            for (std::sregex_iterator m(from, middle, kConstant), end; m != end; ++m)
                code.insert(m->str());
            for (std::sregex_iterator m(middle, line.cend(), kConstant), end; m != end; ++m)
                comments[m->str()] = file;
        }
    }
};

TEST(Comments, NameConstantsThatExist)
{
    NamedConstants named;
    for (const char* folder : {"core", "ui", "app", "tests"})
        for (const std::string& file : sources(folder))
            if (file != "tests/core/structure/comments_test.cpp")
                named.add(file);
    EXPECT_GT(named.code.size(), 500U);
    EXPECT_GT(named.comments.size(), 20U);
    for (const auto& [name, file] : named.comments)
        EXPECT_TRUE(named.code.contains(name)) << file << " names " << name << " in a comment";
}

} // namespace
