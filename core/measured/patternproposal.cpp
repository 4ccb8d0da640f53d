// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measured/patternproposal.h"

#include "core/base/text.h"
#include "core/measured/lineformat.h"
#include "core/measured/logfields.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

namespace prism {

namespace {

constexpr std::size_t kMaxNumbers = 40, kMinWordBytes = 3;
constexpr std::array kTimeWords = {"time", "took", "elapsed", "duration"};

/// A line as the texts before each of its numbers and behind the last.
struct CutLine {
    std::vector<std::string> texts{1};
    std::vector<double> numbers;
};

CutLine cutLine(std::string_view line)
{
    const auto isDigit = [&](std::size_t i) { return i < line.size() && line[i] >= '0' && line[i] <= '9'; };
    CutLine cut;
    for (std::size_t i = 0; i < line.size();) {
        const bool isInWord = i > 0 && (std::isalnum(static_cast<unsigned char>(line[i - 1])) != 0 || line[i - 1] == '_');
        if (!isDigit(i) || isInWord || cut.numbers.size() == kMaxNumbers) {
            cut.texts.back() += line[i++];
            continue;
        }
        std::size_t end = i;
        while (isDigit(end) || (end < line.size() && line[end] == '.' && isDigit(end + 1)))
            ++end;
        cut.numbers.push_back(doubleFromText(line.substr(i, end - i)).value_or(kNoNumber));
        cut.texts.emplace_back();
        i = end;
    }
    return cut;
}

/// The place of a pattern for a number before " ms," and the like; empty = no unit.
std::string_view unitBehind(std::string_view text)
{
    text = trimmed(text);
    const auto end = std::find_if(text.begin(), text.end(), [](unsigned char c) { return std::isalpha(c) == 0; });
    const std::string word = lowered(std::string_view(text.begin(), end));
    const bool isRate = text.size() > word.size() && text[word.size()] == '/';
    const double seconds = isRate ? 0 : unitSeconds(word);
    return seconds == 1 ? "seconds" : seconds == 1e-3 ? "ms" : seconds == 1e-6 ? "us" : "";
}

/// Whether the text before a number names a time.
bool namesTime(const std::string& text)
{
    const std::string low = lowered(text);
    return std::any_of(kTimeWords.begin(), kTimeWords.end(), [&](const char* word) { return low.find(word) != std::string::npos; });
}

/// How much the numbers at one place look like times of steps; 0 = not at all.
int timeScore(const std::vector<CutLine>& lines, std::size_t at)
{
    bool varies = false, rises = true;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (!(lines[i].numbers[at] > 0))
            return 0;
        varies = varies || lines[i].numbers[at] != lines[0].numbers[at];
        rises = rises && (i == 0 || lines[i].numbers[at] >= lines[i - 1].numbers[at]);
    }
    const CutLine& first = lines.front();
    return !varies || rises ? 0 : (unitBehind(first.texts[at + 1]).empty() ? 0 : 2) + (namesTime(first.texts[at]) ? 1 : 0);
}

bool counts(const std::vector<CutLine>& lines, std::size_t at)
{
    for (std::size_t i = 1; i < lines.size(); ++i)
        if (!(lines[i].numbers[at] > lines[i - 1].numbers[at]) || lines[i].numbers[at] != std::floor(lines[i].numbers[at]))
            return false;
    return true;
}

/// The number that counts: the nearest one before the time behind a word, else the first one behind it.
std::optional<std::size_t> stepPlace(const std::vector<CutLine>& lines, std::size_t time)
{
    const auto hasWord = [&](std::size_t at) {
        const std::string& text = lines.front().texts[at];
        return std::any_of(text.begin(), text.end(), [](unsigned char c) { return std::isalpha(c) != 0; });
    };
    for (std::size_t at = time; at-- > 0;)
        if (hasWord(at) && counts(lines, at))
            return at;
    for (std::size_t at = time + 1; at < lines.front().numbers.size(); ++at)
        if (hasWord(at) && counts(lines, at))
            return at;
    return std::nullopt;
}

/// The pattern of places, each after the text before it; where that is too short to find it, after the one before as well.
std::string patternOf(const CutLine& line, const std::map<std::size_t, std::string>& places)
{
    std::string pattern;
    std::size_t next = 0;
    for (const auto& [at, place] : places) {
        std::size_t from = at;
        while (from > next && trimmed(line.texts[from]).size() < kMinWordBytes)
            --from;
        for (; from < at; ++from)
            pattern += line.texts[from] + "{*}";
        pattern += line.texts[at] + "{" + place + "}";
        next = at + 1;
    }
    return std::string(trimmed(pattern));
}

} // namespace

std::string proposedPattern(const std::deque<std::string>& lines)
{
    std::map<std::string, std::vector<CutLine>> shapes; // by the texts
    for (const std::string& line : lines) {
        CutLine cut = cutLine(line);
        std::string shape;
        for (const std::string& text : cut.texts)
            shape += text + '\n';
        if (!cut.numbers.empty())
            shapes[shape].push_back(std::move(cut));
    }
    int best = 0;
    std::string pattern;
    for (const auto& [shape, same] : shapes)
        for (std::size_t at = 0; same.size() >= kMinProposedLines && at < same[0].numbers.size(); ++at) {
            const int score = timeScore(same, at);
            if (score <= best)
                continue;
            const std::string_view unit = unitBehind(same[0].texts[at + 1]);
            std::map<std::size_t, std::string> places{{at, unit.empty() ? "seconds" : std::string(unit)}};
            if (const auto step = stepPlace(same, at))
                places[*step] = "step";
            std::string text = patternOf(same[0], places);
            if (std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isprint(c) != 0 && c != '\''; })) {
                best = score;
                pattern = std::move(text);
            }
        }
    return pattern;
}

} // namespace prism
