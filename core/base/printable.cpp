// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/printable.h"

#include <algorithm>
#include <cstdint>

namespace prism {
namespace {

constexpr std::size_t kMaxHostName = 253; // RFC 1123, 2.1

struct Character {
    std::uint32_t code = 0;
    std::size_t bytes = 1;
    bool valid = false;
};

std::size_t lengthByFirstByte(unsigned first)
{
    if (first < 0x80)
        return 1;
    if (first >= 0xC2 && first <= 0xDF)
        return 2;
    if (first >= 0xE0 && first <= 0xEF)
        return 3;
    return first >= 0xF0 && first <= 0xF4 ? 4 : 0;
}

/// The character at the start of `text` (not empty), by the table of well-formed UTF-8 (Unicode 15, table 3-7).
Character firstCharacter(std::string_view text)
{
    const auto byte = [&](std::size_t i) { return static_cast<unsigned>(static_cast<unsigned char>(text[i])); };
    const Character broken{byte(0), 1, false};
    const std::size_t length = lengthByFirstByte(byte(0));
    if (length == 0 || text.size() < length)
        return broken;
    std::uint32_t code = length == 1 ? byte(0) : byte(0) & (0xFFU >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xC0U) != 0x80)
            return broken;
        code = code << 6U | (byte(i) & 0x3FU);
    }
    const bool shortest = length < 3 || code >= (length == 3 ? 0x800U : 0x10000U);
    const bool inRange = code <= 0x10FFFF && !(code >= 0xD800 && code <= 0xDFFF);
    return shortest && inRange ? Character{code, length, true} : broken;
}

bool isControl(std::uint32_t code)
{
    return code < 0x20 || (code >= 0x7F && code <= 0x9F);
}

/// Unicode 15, PropList.txt, Bidi_Control.
bool isBidirectional(std::uint32_t code)
{
    return code == 0x061C || code == 0x200E || code == 0x200F || (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

/// Controls, line and paragraph separators, and the marks that turn the writing direction (UTS 36, "Bidirectional text spoofing").
bool steers(std::uint32_t code)
{
    return isControl(code) || isBidirectional(code) || code == 0x2028 || code == 0x2029;
}

std::string hex(std::uint32_t value, unsigned digits)
{
    std::string text(digits, '0');
    for (unsigned i = 0; i < digits; ++i)
        text[i] = "0123456789abcdef"[value >> (4 * (digits - 1 - i)) & 15U];
    return text;
}

std::string escaped(const Character& c)
{
    std::string text(1, '\\');
    text += c.valid ? 'u' : 'x';
    return text.append(hex(c.code, c.valid ? 4 : 2));
}

/// The short forms of a line's own white space.
std::string escapedInLine(const Character& c)
{
    const std::string backslash(1, '\\');
    if (c.valid && c.code == '\n')
        return backslash + "n";
    if (c.valid && c.code == '\t')
        return backslash + "t";
    return c.valid && c.code == '\r' ? backslash + "r" : escaped(c);
}

/// Plain characters, of which whole runs are taken at once.
bool isPlain(char c)
{
    const auto code = static_cast<unsigned char>(c);
    return (code >= 0x20 && code < 0x7F) || c == '\n' || c == '\t';
}

} // namespace

std::string printable(std::string_view text, std::size_t maxBytes)
{
    std::string out;
    while (!text.empty()) {
        const Character c = firstCharacter(text);
        const std::string next = c.valid && !steers(c.code) ? std::string(text.substr(0, c.bytes)) : escapedInLine(c);
        if (out.size() + next.size() > maxBytes)
            return out + "...";
        out += next;
        text.remove_prefix(c.bytes);
    }
    return out;
}

std::string printableLines(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const auto plain = static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), isPlain) - text.begin());
        out += text.substr(0, plain);
        text.remove_prefix(plain);
        if (text.empty())
            break;
        const Character c = firstCharacter(text);
        out += c.valid && !steers(c.code) ? std::string(text.substr(0, c.bytes)) : escaped(c);
        text.remove_prefix(c.bytes);
    }
    return out;
}

std::string withoutControls(std::string_view text)
{
    std::string out;
    while (!text.empty()) {
        const Character c = firstCharacter(text);
        if (!c.valid)
            out += "\xEF\xBF\xBD";
        else if (!isControl(c.code) && !isBidirectional(c.code))
            out += text.substr(0, c.bytes);
        text.remove_prefix(c.bytes);
    }
    return out;
}

bool isHostName(std::string_view text)
{
    const auto allowed = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
    };
    return !text.empty() && text.size() <= kMaxHostName && text.front() != '-' && text.front() != '.'
           && std::all_of(text.begin(), text.end(), allowed);
}

} // namespace prism
