// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/rawpages.h"

#include <algorithm>
#include <optional>

namespace prism {

namespace {

constexpr std::size_t kPageBytes = 4096;
constexpr std::size_t kFileHeaderBytes = 100;
constexpr std::size_t kMaxColumns = 16;
constexpr std::uint8_t kTableLeaf = 0x0d;
constexpr std::uint8_t kIndexLeaf = 0x0a;
// Of a record, this much stays in its page (fileformat2.html, 1.6, with no reserved space).
constexpr std::size_t kMaxLocalTable = kPageBytes - 35;
constexpr std::size_t kMaxLocalIndex = (kPageBytes - 12) * 64 / 255 - 23;
constexpr std::size_t kMinLocal = (kPageBytes - 12) * 32 / 255 - 23;

std::uint64_t bigEndian(std::string_view bytes, std::size_t at, std::size_t size)
{
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size; ++i)
        value = value << 8 | static_cast<std::uint8_t>(bytes[at + i]);
    return value;
}

/// A variable-length integer; moves `at` behind it.
std::optional<std::uint64_t> varint(std::string_view bytes, std::size_t& at)
{
    std::uint64_t value = 0;
    for (int i = 0; i < 9 && at < bytes.size(); ++i) {
        const auto byte = static_cast<std::uint8_t>(bytes[at++]);
        if (i == 8)
            return value << 8 | byte;
        value = value << 7 | (byte & 0x7fU);
        if (byte < 0x80)
            return value;
    }
    return std::nullopt;
}

/// The payload that begins at `at` of a page, with its overflow pages.
std::optional<std::string> payload(std::string_view file, std::string_view page, std::size_t at, std::uint64_t size, std::size_t maxLocal)
{
    if (size == 0 || size > file.size())
        return std::nullopt;
    std::size_t local = size;
    if (size > maxLocal) {
        local = kMinLocal + (size - kMinLocal) % (kPageBytes - 4);
        if (local > maxLocal)
            local = kMinLocal;
    }
    if (at + local + (local < size ? 4 : 0) > page.size())
        return std::nullopt;
    std::string bytes(page.substr(at, local));
    std::uint64_t next = local < size ? bigEndian(page, at + local, 4) : 0;
    while (bytes.size() < size) {
        // A chain cannot be longer than what is missing, so one that runs in a circle ends.
        if (next < 2 || next * kPageBytes > file.size())
            return std::nullopt;
        const std::string_view overflow = file.substr((next - 1) * kPageBytes, kPageBytes);
        next = bigEndian(overflow, 0, 4);
        bytes += overflow.substr(4, std::min<std::size_t>(kPageBytes - 4, size - bytes.size()));
    }
    return bytes;
}

/// Bytes of a value of a serial type.
std::uint64_t sizeOf(std::uint64_t type)
{
    static constexpr std::uint64_t kSizes[12] = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0};
    return type < 12 ? kSizes[type] : (type - 12) / 2;
}

SqlValue valueOf(std::uint64_t type, std::string_view bytes)
{
    if (type == 0)
        return {};
    if (type == 8 || type == 9)
        return static_cast<std::int64_t>(type - 8);
    if (type >= 12)
        return std::string(bytes);
    const std::size_t unused = 64 - 8 * bytes.size();
    return static_cast<std::int64_t>(bigEndian(bytes, 0, bytes.size()) << unused) >> unused;
}

std::optional<RawRecord> record(std::string_view bytes, std::int64_t rowId)
{
    std::size_t at = 0;
    const auto headerSize = varint(bytes, at);
    if (!headerSize || *headerSize > bytes.size() || *headerSize < at)
        return std::nullopt;
    std::uint64_t body = *headerSize;
    RawRecord result{.rowId = rowId};
    while (at < *headerSize) {
        const auto type = varint(bytes.substr(0, *headerSize), at);
        if (!type || *type == 7 || *type == 10 || *type == 11 || sizeOf(*type) > bytes.size() - body
            || result.columns.size() == kMaxColumns)
            return std::nullopt;
        result.columns.push_back(valueOf(*type, bytes.substr(body, sizeOf(*type))));
        result.isBlob.push_back(*type >= 12 && *type % 2 == 0);
        body += sizeOf(*type);
    }
    return body == bytes.size() && !result.columns.empty() ? std::optional(std::move(result)) : std::nullopt;
}

void readPage(std::string_view file, std::size_t start, std::vector<RawRecord>& records)
{
    const std::string_view page = file.substr(start, kPageBytes);
    const std::size_t header = start == 0 ? kFileHeaderBytes : 0;
    const auto type = static_cast<std::uint8_t>(page[header]);
    if (type != kTableLeaf && type != kIndexLeaf)
        return;
    const std::size_t cells = bigEndian(page, header + 3, 2);
    for (std::size_t i = 0; i < cells && header + 10 + 2 * i <= page.size(); ++i) {
        std::size_t at = bigEndian(page, header + 8 + 2 * i, 2);
        const auto size = at < page.size() ? varint(page, at) : std::nullopt;
        const auto rowId = size && type == kTableLeaf ? varint(page, at) : std::optional<std::uint64_t>(0);
        if (!size || !rowId)
            continue;
        const auto bytes = payload(file, page, at, *size, type == kTableLeaf ? kMaxLocalTable : kMaxLocalIndex);
        if (!bytes)
            continue;
        if (auto found = record(*bytes, static_cast<std::int64_t>(*rowId)))
            records.push_back(std::move(*found));
    }
}

} // namespace

std::vector<RawRecord> rawRecords(std::string_view file)
{
    std::vector<RawRecord> records;
    for (std::size_t start = 0; start + kPageBytes <= file.size(); start += kPageBytes)
        readPage(file, start, records);
    return records;
}

} // namespace prism
