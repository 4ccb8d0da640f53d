// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of rules: each just broken and just kept; and a check that every sentence of a source file appears in a case.
#pragma once

#include "core/base/result.h"

#include "prism_paths.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace prism::test {

/// The diagnostics whose message has this part.
inline Diagnostics withMessage(const Diagnostics& found, const std::string& part)
{
    Diagnostics out;
    std::copy_if(found.begin(), found.end(), std::back_inserter(out),
                 [&](const Diagnostic& d) { return d.message.find(part) != std::string::npos; });
    return out;
}

/// Texts between quotation marks, of three words and more, outside of comments; of those with gaps to fill the longest part.
inline std::vector<std::string> sentencesIn(const std::string& file)
{
    std::ifstream in(std::string(PRISM_SOURCE_DIR) + "/" + file);
    EXPECT_TRUE(in.good()) << file;
    std::vector<std::string> sentences;
    const auto keep = [&](std::string text) {
        for (std::size_t at = text.find('{'); at != std::string::npos; at = text.find('{')) {
            const std::size_t end = std::min(text.find('}', at), text.size() - 1);
            const std::string before = text.substr(0, at), after = text.substr(end + 1);
            text = before.size() > after.size() ? before : after;
        }
        const std::size_t first = text.find_first_not_of(' '), last = text.find_last_not_of(' ');
        if (first < last && std::count(text.begin() + static_cast<long>(first), text.begin() + static_cast<long>(last), ' ') >= 2)
            sentences.push_back(text);
    };
    for (std::string line; std::getline(in, line);) {
        std::string text;
        bool inside = false;
        for (std::size_t i = 0; i < line.size(); ++i) {
            if (!inside && line.compare(i, 2, "//") == 0)
                break;
            if (!inside && line.compare(i, 3, "R\"(") == 0)
                i = line.find(")\"", i) + 1; // examples of JSON
            else if (inside && line[i] == '\\')
                text += line[++i];
            else if (line[i] != '"')
                text += inside ? std::string(1, line[i]) : "";
            else if (inside = !inside; !inside)
                keep(std::exchange(text, {}));
        }
    }
    return sentences;
}

/// A rule that is added to the file without its own case is found by its words.
inline void expectEverySentence(const std::string& file, const Diagnostics& reported)
{
    const std::vector<std::string> sentences = sentencesIn(file);
    EXPECT_GE(sentences.size(), 3U) << file;
    for (const std::string& sentence : sentences)
        EXPECT_TRUE(std::any_of(
            reported.begin(), reported.end(),
            [&](const Diagnostic& d) { return (d.message + "\n" + d.found + "\n" + d.accepted).find(sentence) != std::string::npos; }))
            << file << ": no case of this test says \"" << sentence << "\"";
}

} // namespace prism::test
