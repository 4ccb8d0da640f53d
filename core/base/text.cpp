// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cctype>
#include <cmath>

namespace prism {

int editDistance(std::string_view a, std::string_view b)
{
    constexpr std::size_t kMax = 64;
    a = a.substr(0, kMax);
    b = b.substr(0, kMax);
    std::array<std::array<int, kMax + 1>, kMax + 1> d{};
    for (std::size_t i = 0; i <= a.size(); ++i)
        d[i][0] = static_cast<int>(i);
    for (std::size_t j = 0; j <= b.size(); ++j)
        d[0][j] = static_cast<int>(j);
    for (std::size_t i = 1; i <= a.size(); ++i) {
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const int replace = d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, replace});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
        }
    }
    return d[a.size()][b.size()];
}

namespace {

/// How a known name compares with what was typed, the nearest first: a few edits away; shortened at its end ("mega" for "megatron-args");
/// shortened and a few edits away; anything else. Of equally near names the one with the longer common beginning comes first.
struct Nearness {
    enum Kind { edited, shortened, shortenedAndEdited, far } kind = far;
    int edits = 0;
    int differentBeginning = 0; ///< letters of what was typed behind the common beginning
    auto operator<=>(const Nearness&) const = default;
};

/// Edits that a name of this length may have: a third of its letters, at least one.
int maxEdits(std::size_t letters)
{
    return std::max(1, static_cast<int>(std::min<std::size_t>(letters, 64) / 3));
}

Nearness nearness(const std::string& typed, const std::string& known)
{
    const auto [end, knownEnd] = std::mismatch(typed.begin(), typed.end(), known.begin(), known.end());
    const int rest = static_cast<int>(typed.end() - end);
    constexpr std::size_t kMinShortened = 2, kMinShortenedAndEdited = 6; // letters that are enough to recognise a name by its beginning
    const int edits = editDistance(typed, known);
    if (edits <= maxEdits(typed.size()))
        return {Nearness::edited, edits, rest};
    if (typed.size() >= kMinShortened && known.starts_with(typed))
        return {Nearness::shortened, edits, rest};
    const int editsOfBeginning = editDistance(typed, known.substr(0, typed.size()));
    if (typed.size() >= kMinShortenedAndEdited && editsOfBeginning <= maxEdits(typed.size()))
        return {Nearness::shortenedAndEdited, editsOfBeginning, rest};
    return {Nearness::far, edits, rest};
}

struct Candidate {
    Nearness nearness;
    std::string name;
};

/// The known names, the nearest first; equally near ones stay in their order.
std::vector<Candidate> nearestFirst(std::string_view name, std::span<const std::string> known)
{
    const std::string typed = lowered(name);
    std::vector<Candidate> candidates;
    for (const std::string& one : known)
        candidates.push_back({nearness(typed, lowered(one)), one});
    std::stable_sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) { return a.nearness < b.nearness; });
    return candidates;
}

/// The first one, unless it is far or ambiguous: several names begin with the text, or are equally near.
std::string meant(const std::vector<Candidate>& candidates)
{
    if (candidates.empty() || candidates.front().nearness.kind == Nearness::far)
        return {};
    const Nearness& first = candidates.front().nearness;
    const bool isTie = candidates.size() > 1
                       && (first.kind == Nearness::shortened ? candidates[1].nearness.kind == first.kind
                                                             : first.kind != Nearness::edited && candidates[1].nearness == first);
    return isTie ? std::string() : candidates.front().name;
}

} // namespace

std::string nearestName(std::string_view name, std::span<const std::string> known)
{
    return meant(nearestFirst(name, known));
}

Diagnostic unknownName(std::string path, std::string_view what, std::string_view name, std::span<const std::string> known)
{
    constexpr std::size_t kMaxListed = 12; // names that fit into two lines of a terminal
    const std::vector<Candidate> candidates = nearestFirst(name, known);
    Diagnostic error{.path = std::move(path), .found = std::string(name.substr(0, 80))};
    error.message = "unknown " + std::string(what) + " \"" + std::string(name.substr(0, 80)) + "\"";
    if (const std::string suggestion = meant(candidates); !suggestion.empty())
        error.message += "; did you mean \"" + suggestion + "\"?";
    std::vector<std::string> listed;
    for (std::size_t i = 0; i < std::min(candidates.size(), kMaxListed); ++i)
        listed.push_back(candidates[i].name);
    error.accepted = "one of: " + joined(listed, ", ");
    if (candidates.size() > kMaxListed)
        error.accepted += " and " + std::to_string(candidates.size() - kMaxListed) + " more";
    return error;
}

std::string numberText(double value)
{
    std::array<char, 40> buffer{};
    const bool whole = std::abs(value) < 1e15 && value == std::floor(value);
    const auto end = whole ? std::to_chars(buffer.data(), buffer.data() + buffer.size(), static_cast<std::int64_t>(value))
                           : std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    return {buffer.data(), end.ptr};
}

std::string_view trimmed(std::string_view text)
{
    const auto isSpace = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
    while (!text.empty() && isSpace(text.front()))
        text.remove_prefix(1);
    while (!text.empty() && isSpace(text.back()))
        text.remove_suffix(1);
    return text;
}

std::string lowered(std::string_view text)
{
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return out;
}

std::vector<std::string> split(std::string_view text, char separator)
{
    std::vector<std::string> parts;
    for (std::size_t start = 0;;) {
        const std::size_t end = text.find(separator, start);
        parts.emplace_back(text.substr(start, end == std::string_view::npos ? end : end - start));
        if (end == std::string_view::npos)
            return parts;
        start = end + 1;
    }
}

std::string joined(std::span<const std::string> parts, std::string_view separator)
{
    std::string out;
    for (const std::string& part : parts) {
        if (!out.empty())
            out += separator;
        out += part;
    }
    return out;
}

std::optional<double> doubleFromText(std::string_view text)
{
    text = trimmed(text);
    if (text.starts_with('+'))
        text.remove_prefix(1);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
        return std::nullopt;
    return value;
}

std::optional<std::int64_t> integerFromText(std::string_view text)
{
    text = trimmed(text);
    if (text.starts_with('+'))
        text.remove_prefix(1);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
        return std::nullopt;
    return value;
}

} // namespace prism
