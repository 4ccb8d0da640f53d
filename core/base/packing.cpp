// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/packing.h"

#include <boost/locale/utf.hpp>

#include <array>
#include <iterator>
#include <utility>

namespace prism {
namespace {

constexpr boost::locale::utf::code_point kReplacement = 0xFFFD;

/// Code units of 16 bits behind the byte-order mark.
std::string fromUtf16(std::string_view bytes, bool littleEnd)
{
    namespace utf = boost::locale::utf;
    std::u16string units(bytes.size() / 2, u'\0');
    for (std::size_t i = 0; i < units.size(); ++i) {
        const auto first = static_cast<unsigned char>(bytes[2 * i]), second = static_cast<unsigned char>(bytes[2 * i + 1]);
        units[i] = static_cast<char16_t>(littleEnd ? first | second << 8 : first << 8 | second);
    }
    std::string out;
    out.reserve(units.size());
    for (auto at = units.cbegin(); at != units.cend();) {
        const auto start = at;
        const utf::code_point code = utf::utf_traits<char16_t>::decode(at, units.cend());
        const bool valid = utf::is_valid_codepoint(code);
        if (!valid) // one unit is lost, what is behind it is not
            at = std::next(start);
        utf::utf_traits<char>::encode(valid ? code : kReplacement, std::back_inserter(out));
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

std::string_view withoutByteOrderMark(std::string_view text)
{
    if (text.starts_with("\xEF\xBB\xBF"))
        text.remove_prefix(3);
    return text;
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
