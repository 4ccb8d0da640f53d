// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explore/linechecksum.h"

#include <spdlog/fmt/fmt.h>
#include <zlib.h>

#include <charconv>

namespace prism {
namespace {

constexpr std::string_view kBefore = R"(,"crc":")", kAfter = R"("})";
constexpr std::size_t kDigits = 8, kTailBytes = kBefore.size() + kDigits + kAfter.size();

std::uint32_t continued(std::uint32_t checksum, std::string_view bytes)
{
    return static_cast<std::uint32_t>(crc32_z(checksum, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

} // namespace

std::string checksumText(std::uint32_t checksum)
{
    return fmt::format("{:08x}", checksum);
}

std::string withChecksum(std::string_view object, std::uint32_t& checksum)
{
    checksum = continued(checksum, object);
    return fmt::format("{}{}{}{}", object.substr(0, object.size() - 1), kBefore, checksumText(checksum), kAfter);
}

std::optional<CheckedLine> checkedLine(std::string_view line, std::uint32_t& checksum)
{
    if (line.size() < kTailBytes)
        return std::nullopt;
    const std::string_view tail = line.substr(line.size() - kTailBytes), digits = tail.substr(kBefore.size(), kDigits);
    CheckedLine checked;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + kDigits, checked.stated, 16);
    if (error != std::errc() || end != digits.data() + kDigits || !tail.starts_with(kBefore) || !tail.ends_with(kAfter))
        return std::nullopt;
    checked.object = std::string(line.substr(0, line.size() - kTailBytes)) + "}";
    checked.computed = continued(checksum, checked.object);
    checksum = checked.stated;
    return checked;
}

} // namespace prism
