// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/textfile.h"

#include <array>
#include <boost/locale/utf.hpp>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <iterator>
#include <memory>
#include <unistd.h>
#include <utility>
#include <zlib.h>

namespace prism {

namespace {

Diagnostic problem(const std::string& path, std::string message, std::string accepted)
{
    return {.path = path == "-" ? "standard input" : path, .message = std::move(message), .accepted = std::move(accepted)};
}

Diagnostic tooLarge(const std::string& path, std::size_t limitBytes)
{
    return problem(path, "The file is too large.", "at most " + std::to_string(limitBytes >> 20) + " MiB");
}

using GzFile = std::unique_ptr<gzFile_s, int (*)(gzFile)>;

/// Null where the file cannot be opened; errno has the reason.
GzFile opened(const std::string& path)
{
    const int descriptor = path == "-" ? dup(STDIN_FILENO) : open(path.c_str(), O_RDONLY | O_CLOEXEC);
    GzFile file(descriptor < 0 ? nullptr : gzdopen(descriptor, "rb"), gzclose);
    if (!file && descriptor >= 0)
        close(descriptor);
    return file;
}

} // namespace

Result<std::string> readTextFile(const std::string& path, std::size_t limitBytes)
{
    std::error_code error;
    if (path != "-" && std::filesystem::is_directory(path, error))
        return problem(path, "This is a folder, not a file.", "a file");
    const GzFile file = opened(path);
    if (!file)
        return problem(path, std::string("The file cannot be read: ") + std::strerror(errno) + ".", "a readable file");
    std::string text, part(std::size_t{1} << 16, '\0');
    int got = 0;
    while ((got = gzread(file.get(), part.data(), static_cast<unsigned>(part.size()))) > 0) {
        if (text.size() + static_cast<std::size_t>(got) > limitBytes) // before the text grows beyond it, to twice its size
            return tooLarge(path, limitBytes);
        text.append(part, 0, static_cast<std::size_t>(got));
    }
    int state = Z_OK;
    (void)gzerror(file.get(), &state);
    if (state == Z_ERRNO)
        return problem(path, std::string("The file cannot be read: ") + std::strerror(errno) + ".", "a readable file");
    if (got < 0 || state != Z_OK)
        return problem(path, "The file cannot be decompressed: it is damaged or cut off.", "text or gzip");
    if (const std::string_view packed = packedAs(text); !packed.empty())
        return problem(path, "The file is packed as " + std::string(packed) + ": unpack it first.", "text or gzip");
    return utf8Of(std::move(text));
}

Result<std::string> readBytes(const std::string& path, std::size_t limitBytes)
{
    const auto unreadable = [&] {
        return problem(path, std::string("The file cannot be read: ") + std::strerror(errno) + ".", "a readable file");
    };
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error))
        return problem(path, "There is no such file.", "a file");
    const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return unreadable();
    std::string bytes, part(std::size_t{1} << 16, '\0');
    ssize_t got = 0;
    bool fits = true;
    while (fits && ((got = read(descriptor, part.data(), part.size())) > 0 || (got < 0 && errno == EINTR))) {
        const std::size_t more = got > 0 ? static_cast<std::size_t>(got) : 0;
        fits = bytes.size() + more <= limitBytes;
        if (fits)
            bytes.append(part, 0, more);
    }
    const Diagnostic reading = unreadable();
    close(descriptor);
    if (got < 0)
        return reading;
    if (!fits)
        return tooLarge(path, limitBytes);
    return bytes;
}

std::string bytesAt(const std::string& path, std::uint64_t offset, std::size_t count)
{
    std::string bytes(count, '\0');
    const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    const ssize_t got = descriptor < 0 ? -1 : pread(descriptor, bytes.data(), count, static_cast<off_t>(offset));
    if (descriptor >= 0)
        close(descriptor);
    bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return bytes;
}

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
