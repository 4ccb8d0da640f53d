// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/packing.h"

#include <array>
#include <cstdint>
#include <utility>

namespace prism {
namespace {

constexpr std::uint32_t kReplacement = 0xFFFD;

void append(std::string& out, std::uint32_t code)
{
    const auto byte = [&](std::uint32_t value) { out += static_cast<char>(value); };
    const auto next = [&](int shift) { byte(0x80U | ((code >> shift) & 0x3FU)); };
    if (code < 0x80) {
        byte(code);
    } else if (code < 0x800) {
        byte(0xC0U | (code >> 6));
        next(0);
    } else if (code < 0x10000) {
        byte(0xE0U | (code >> 12));
        next(6);
        next(0);
    } else {
        byte(0xF0U | (code >> 18));
        next(12);
        next(6);
        next(0);
    }
}

/// Code units of 16 bits behind the byte-order mark.
std::string fromUtf16(std::string_view bytes, bool littleEnd)
{
    const auto unit = [&](std::size_t i) {
        const auto first = static_cast<unsigned char>(bytes[i]), second = static_cast<unsigned char>(bytes[i + 1]);
        return static_cast<std::uint32_t>(littleEnd ? first | second << 8 : first << 8 | second);
    };
    const auto isHigh = [](std::uint32_t u) { return u >= 0xD800 && u < 0xDC00; };
    const auto isLow = [](std::uint32_t u) { return u >= 0xDC00 && u < 0xE000; };
    std::string out;
    out.reserve(bytes.size() / 2);
    for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
        const std::uint32_t u = unit(i);
        if (isHigh(u) && i + 3 < bytes.size() && isLow(unit(i + 2))) {
            append(out, 0x10000 + ((u - 0xD800) << 10) + (unit(i + 2) - 0xDC00));
            i += 2;
        } else {
            append(out, isHigh(u) || isLow(u) ? kReplacement : u);
        }
    }
    return out;
}

} // namespace

std::string_view packedAs(std::string_view start)
{
    using namespace std::string_view_literals;
    constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kMagic = {{{"PK\x03\x04"sv, "zip"},
                                                                                      {"\x28\xB5\x2F\xFD"sv, "zstd"},
                                                                                      {"\xFD"
                                                                                       "7zXZ\0"sv,
                                                                                       "xz"},
                                                                                      {"BZh"sv, "bzip2"},
                                                                                      {"7z\xBC\xAF\x27\x1C"sv, "7-Zip"}}};
    for (const auto& [magic, name] : kMagic)
        if (start.starts_with(magic) && (name != "bzip2" || (start.size() > 9 && start.substr(4, 6) == "1AY&SY"sv)))
            return name;
    return {};
}

std::string utf8Of(std::string text)
{
    const std::string_view view = text;
    if (view.starts_with("\xFF\xFE"))
        return fromUtf16(view.substr(2), true);
    if (view.starts_with("\xFE\xFF"))
        return fromUtf16(view.substr(2), false);
    return text;
}

} // namespace prism
