// SPDX-License-Identifier: GPL-3.0-or-later
// Formats: tensorflow/core/lib/io/record_writer.h (frames), tensorflow/core/util/event.proto, framework/summary.proto and tensor.proto,
// protobuf.dev "Encoding".
#include "core/measured/eventlines.h"

#include <boost/crc.hpp>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <cstring>
#include <optional>

namespace prism {

namespace {

constexpr std::size_t kFrameHeader = 12, kFrameChecksum = 4; ///< bytes before and after the data

template <typename T>
T littleEndian(std::string_view bytes)
{
    T value{};
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
}

/// The masked CRC-32C of TFRecord.
bool matches(std::string_view data, std::string_view checksum)
{
    boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc;
    crc.process_bytes(data.data(), data.size());
    const auto sum = static_cast<std::uint32_t>(crc.checksum());
    return littleEndian<std::uint32_t>(checksum) == ((sum >> 15U) | (sum << 17U)) + 0xa282ead8U;
}

struct Field {
    std::uint64_t number = 0, integer = 0;
    std::string_view bytes; ///< of a text, a message, or a number of four or eight bytes
};

/// The next field of a message; none at its end, or where it is broken.
std::optional<Field> takeField(std::string_view& message)
{
    const auto takeVarint = [&] {
        std::uint64_t value = 0;
        for (unsigned shift = 0, byte = 0x80; shift < 64 && byte >= 0x80 && !message.empty(); shift += 7) {
            byte = static_cast<unsigned char>(message.front());
            value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
            message.remove_prefix(1);
        }
        return value;
    };
    if (message.empty())
        return std::nullopt;
    const std::uint64_t tag = takeVarint(), type = tag & 7U;
    Field field{tag >> 3U, type == 0 ? takeVarint() : 0, {}};
    const std::uint64_t size = type == 0 ? 0 : type == 1 ? 8 : type == 2 ? takeVarint() : type == 5 ? 4 : ~std::uint64_t{0};
    if (size > message.size())
        return std::nullopt;
    field.bytes = message.substr(0, size);
    message.remove_prefix(size);
    return field;
}

double numberOf(std::string_view bytes)
{
    return bytes.size() == 8 ? littleEndian<double>(bytes) : static_cast<double>(littleEndian<float>(bytes));
}

/// A Summary.Value: its tag, and its number where it is one scalar (simple_value, or a tensor of one number).
void readValue(std::string_view message, nlohmann::json event, const std::function<void(std::string_view)>& line)
{
    std::string tag;
    std::optional<double> number;
    while (const auto field = takeField(message)) {
        if (field->number == 1)
            tag = field->bytes;
        else if (field->number == 2 && field->bytes.size() == 4)
            number = numberOf(field->bytes);
        else if (std::string_view tensor = field->bytes; field->number == 8)
            while (const auto part = takeField(tensor))
                if (part->number >= 4 && part->number <= 6 && (part->bytes.size() == 4 || part->bytes.size() == 8))
                    number = numberOf(part->bytes);
    }
    if (!number)
        return;
    event[tag] = *number;
    line(event.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void readEvent(std::string_view message, const std::function<void(std::string_view)>& line)
{
    nlohmann::json event{{"step", 0}};
    while (const auto field = takeField(message)) {
        if (field->number == 1 && field->bytes.size() == 8)
            event["wall_time"] = numberOf(field->bytes);
        else if (field->number == 2)
            event["step"] = static_cast<std::int64_t>(field->integer);
        else if (std::string_view summary = field->bytes; field->number == 5)
            while (const auto value = takeField(summary))
                if (value->number == 1)
                    readValue(value->bytes, event, line);
    }
}

} // namespace

bool EventLines::isStart(std::string_view start)
{
    return start.size() >= kFrameHeader && matches(start.substr(0, 8), start.substr(8));
}

void EventLines::take(std::string_view piece, const std::function<void(std::string_view)>& line)
{
    m_rest.append(m_isDamaged ? std::string_view() : piece);
    std::string_view rest = m_rest;
    while (!m_isDamaged && rest.size() >= kFrameHeader) {
        const auto size = littleEndian<std::uint64_t>(rest);
        m_isDamaged = !isStart(rest) || size > kMaxEventBytes;
        if (m_isDamaged || rest.size() < kFrameHeader + size + kFrameChecksum)
            break;
        const std::string_view data = rest.substr(kFrameHeader, size);
        m_isDamaged = !matches(data, rest.substr(kFrameHeader + size));
        if (!m_isDamaged)
            readEvent(data, line);
        rest.remove_prefix(kFrameHeader + size + kFrameChecksum);
    }
    m_rest.erase(0, m_rest.size() - rest.size());
}

} // namespace prism
