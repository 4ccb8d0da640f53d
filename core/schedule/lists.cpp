// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/schedule/lists.h"

#include <charconv>

namespace prism {

namespace {

constexpr std::string_view kLetters = "FBW";
constexpr std::string_view kSeparators = " ,\t\r\n";
constexpr std::size_t kMaxReported = 20;

bool parseItem(std::string_view word, ScheduleItem& item)
{
    const std::size_t phase = kLetters.find(word.front());
    const char* const last = word.data() + word.size();
    unsigned chunk = 0;
    auto parsed = std::from_chars(word.data() + 1, last, item.microbatch);
    if (phase == std::string_view::npos || parsed.ec != std::errc())
        return false;
    if (parsed.ptr != last) {
        if (*parsed.ptr != '.')
            return false;
        parsed = std::from_chars(parsed.ptr + 1, last, chunk);
        if (parsed.ec != std::errc() || parsed.ptr != last || chunk >= kMaxChunks)
            return false;
    }
    item.phase = static_cast<Phase>(phase);
    item.chunk = static_cast<std::uint16_t>(chunk);
    return true;
}

/// Adds the items of "F3", or of "F3+B1"; false where some part is not an item.
bool parsePiece(std::string_view word, std::vector<ScheduleItem>& items)
{
    for (std::size_t begin = 0; begin <= word.size();) {
        const std::size_t end = std::min(word.find('+', begin), word.size());
        ScheduleItem item;
        if (end == begin || !parseItem(word.substr(begin, end - begin), item))
            return false;
        item.withNext = end < word.size();
        items.push_back(item);
        begin = end + 1;
    }
    return true;
}

} // namespace

Result<std::vector<ScheduleItem>> itemsFromText(std::string_view text, std::string_view path)
{
    std::vector<ScheduleItem> items;
    Diagnostics errors;
    std::size_t begin = 0;
    while ((begin = text.find_first_not_of(kSeparators, begin)) != std::string_view::npos) {
        const std::size_t end = std::min(text.find_first_of(kSeparators, begin), text.size());
        const std::string_view word = text.substr(begin, end - begin);
        begin = end;
        if (!parsePiece(word, items) && errors.size() < kMaxReported)
            errors.push_back({Severity::error, std::string(path), "Not a schedule item.", std::string(word.substr(0, 40)),
                              "F, B or W, a micro-batch and optionally .chunk, such as F3 or B0.1, joined by + to one piece", "", ""});
    }
    if (!errors.empty())
        return errors;
    return items;
}

std::string itemsText(const std::vector<ScheduleItem>& items, int numChunks)
{
    std::string text;
    bool joined = false;
    for (const ScheduleItem& i : items) {
        if (!text.empty())
            text += joined ? '+' : ' ';
        joined = i.withNext;
        text += kLetters[static_cast<std::size_t>(i.phase)];
        text += std::to_string(i.microbatch);
        if (numChunks > 1)
            text += "." + std::to_string(i.chunk);
    }
    return text;
}

} // namespace prism
