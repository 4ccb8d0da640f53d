// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/jsoncomments.h"

#include <algorithm>

namespace prism {
namespace {

/// Behind the string that starts at `at`, or the end.
std::size_t behindString(std::string_view text, std::size_t at)
{
    for (++at; at < text.size() && text[at] != '"'; ++at)
        at += text[at] == '\\' ? 1 : 0;
    return std::min(at + 1, text.size());
}

/// Behind the comment that starts at `at`; `at` itself where none starts or it never ends.
std::size_t behindComment(std::string_view text, std::size_t at)
{
    const std::string_view start = text.substr(at, 2);
    if (start == "//")
        return std::min(text.find('\n', at), text.size());
    if (start != "/*")
        return at;
    const std::size_t end = text.find("*/", at + 2);
    return end == std::string_view::npos ? at : end + 2;
}

} // namespace

std::string withoutJsonComments(std::string_view text)
{
    std::string out(text);
    for (std::size_t at = 0; at < text.size();) {
        if (text[at] == '"') {
            at = behindString(text, at);
            continue;
        }
        const std::size_t end = text[at] == '/' ? behindComment(text, at) : at;
        if (end == at && text.substr(at, 2) == "/*")
            break; // it never ends: looking on would find the same end again for each start
        std::replace_if(
            out.begin() + static_cast<std::ptrdiff_t>(at), out.begin() + static_cast<std::ptrdiff_t>(end), [](char c) { return c != '\n'; },
            ' ');
        at = std::max(end, at + 1);
    }
    return out;
}

} // namespace prism
