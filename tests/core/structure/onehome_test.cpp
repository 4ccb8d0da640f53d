// SPDX-License-Identifier: GPL-3.0-or-later
// What has one home: JSON documents are parsed, tables are split, and files are opened and written in base and nowhere else.
#include "prism_paths.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

/// Traces of many gigabytes stream: they never are one text.
constexpr const char* kTraceStream = "core/trace/bytesource";

/// "FILE:LINE: text" of every line of the programs, outside of base, that matches.
std::vector<std::string> uses(const std::vector<std::string>& words, const std::vector<std::string>& folders)
{
    const auto names = [](const std::string& line) { return [&line](const std::string& w) { return line.find(w) != std::string::npos; }; };
    const fs::path root(PRISM_SOURCE_DIR);
    std::vector<std::string> found;
    for (const std::string& folder : folders)
        for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
            const std::string name = fs::relative(entry.path(), root).string();
            const bool reads = name.starts_with("core/base/") || name.starts_with(kTraceStream);
            if (!(name.ends_with(".h") || name.ends_with(".cpp")) || reads)
                continue;
            std::ifstream in(entry.path());
            std::size_t number = 0;
            for (std::string line; std::getline(in, line);) {
                ++number;
                if (std::any_of(words.begin(), words.end(), names(line)))
                    found.push_back(name + ":" + std::to_string(number) + ": " + line);
            }
        }
    return found;
}

TEST(OneHome, DocumentsAreParsedInBase)
{
    EXPECT_EQ(uses({"json::parse(", "Json::parse(", "json::accept(", "Json::accept(", "sax_parse("}, {"core", "app", "ui"}),
              std::vector<std::string>());
}

TEST(OneHome, FilesAreReadAndWrittenInBase)
{
    EXPECT_EQ(uses({"ofstream", "ifstream", "fopen(", "gzopen(", "gzdopen(", "inflateInit", "QSaveFile"}, {"core", "app", "ui"}),
              std::vector<std::string>());
}

TEST(OneHome, WhatTheSystemReportsOfTheProgramIsReadInBase)
{
    EXPECT_EQ(uses({"/proc/self", "gethostname(", "getpid("}, {"core", "app", "ui"}), std::vector<std::string>());
}

} // namespace
