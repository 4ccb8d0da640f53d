// SPDX-License-Identifier: GPL-3.0-or-later
// Formats: tensorflow/core/lib/io/record_writer.h (frames), tensorflow/core/util/event.proto, framework/summary.proto and tensor.proto,
// protobuf.dev "Encoding".
#include "core/measured/eventlines.h"

#include "core/base/jsontext.h"
#include "core/base/text.h"
#include "core/measured/logfields.h"

#include <algorithm>
#include <boost/crc.hpp>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
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

namespace {

using nlohmann::json;

bool isPoint(const json& element)
{
    return element.is_array() && element.size() == 3
           && std::all_of(element.begin(), element.end(), [](const json& number) { return number.is_number(); });
}

bool isRows(const json& value)
{
    return value.is_array() && std::all_of(value.begin(), value.end(), [](const json& element) { return element.is_object(); });
}

std::string lineOf(const json& object)
{
    return object.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

/// The array of objects with most rows among the values; null where there is none.
const json* longestRows(const json& object)
{
    const json* longest = nullptr;
    for (const json& value : object)
        if (isRows(value) && !value.empty() && (longest == nullptr || value.size() > longest->size()))
            longest = &value;
    return longest;
}

/// The lines of one series: values by step number, or a list from start_step in steps of step_interval.
std::string seriesLines(const std::string& name, const json& series)
{
    std::string lines;
    std::int64_t step = series.value("start_step", std::int64_t{0});
    for (const auto& [key, value] : series["values"].items()) {
        const bool isNamed = series["values"].is_object();
        lines += value.is_number() ? lineOf({{"step", isNamed ? integerFromText(key).value_or(-1) : step}, {name, value}}) : "";
        step += series.value("step_interval", std::int64_t{1});
    }
    return lines;
}

std::string linesOfObject(const json& object)
{
    std::string lines;
    if (const json* rows = longestRows(object); rows != nullptr) {
        for (const json& row : *rows)
            lines += lineOf(row);
        return lines;
    }
    for (const auto& [name, series] : object.items()) {
        const bool isSeries = series.is_object() && series.contains("values") && series["values"].is_structured();
        const auto isStep = [&](const char* key) { return !series.contains(key) || series[key].is_number_integer(); };
        if (isSeries && isStep("start_step") && isStep("step_interval") && timeField(name))
            lines += seriesLines(name, series);
    }
    return lines;
}

} // namespace

bool mayBeDocument(std::string_view start)
{
    const std::string_view first = trimmed(start.substr(0, 1'000));
    if (first.starts_with('[')) {
        const std::string_view second = trimmed(first.substr(1));
        return second.starts_with('[') || second.starts_with('{');
    }
    start.remove_prefix(std::min(start.find_first_not_of(" \t\r\n"), start.size()));
    const std::size_t end = std::min(start.find('\n'), start.size());
    return first.starts_with('{') && (!trimmed(start.substr(0, end)).ends_with('}') || trimmed(start.substr(end)).empty());
}

std::string linesOfDocument(std::string_view text)
{
    if (!mayBeDocument(text))
        return {};
    const auto document = parseJson(text);
    if (!document.ok() || document->empty())
        return {};
    if (document->is_object())
        return linesOfObject(*document);
    if (isRows(*document))
        return linesOfObject({{"", *document}});
    if (!std::all_of(document->begin(), document->end(), isPoint))
        return {};
    std::string lines = "Wall time,Step,Value\n";
    for (const json& point : *document)
        lines += point[0].dump() + "," + point[1].dump() + "," + point[2].dump() + "\n";
    return lines;
}

} // namespace prism
