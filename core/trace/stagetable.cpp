// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/stagetable.h"

#include "core/base/jsontext.h"
#include "core/base/textfile.h"
#include "core/base/table.h"
#include "core/base/text.h"
#include "core/trace/jobshape.h"
#include "core/trace/tracelimits.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <tuple>
#include <type_traits>

namespace prism {

namespace {

constexpr std::size_t kMaxUnknownTypes = 50;
constexpr double kMaxSeconds = 1e10; // clocks in seconds since 1970 are near 2e9
constexpr int kMaxNumber = 65'536;   // replicas, stages and chunks that a table may name

enum Column { dpRank, stageColumn, rankColumn, stepColumn, optype, startTs, durationColumn, seqId, chunkColumn, mbId, kColumns };
constexpr std::array<std::string_view, kColumns> kColumnNames = {"dp_rank",  "stage",    "rank",   "step", "optype",
                                                                 "start_ts", "duration", "seq_id", "mc",   "mb_id"};
constexpr std::array<Column, 6> kNeeded = {dpRank, stageColumn, stepColumn, optype, startTs, durationColumn};

struct Header {
    std::array<int, kColumns> at{};
    std::size_t fields = 0;
    char separator = ',';
    double startUnit = 1, durationUnit = 1; ///< seconds
};

/// Cells without the white space and the quotes around them. No name or number in such a table contains a separator.
std::size_t splitFields(std::string_view line, char separator, std::vector<std::string_view>& fields)
{
    fields.clear();
    for (std::size_t begin = 0; begin <= line.size();) {
        const std::size_t comma = std::min(line.find(separator, begin), line.size());
        std::string_view field = trimmed(line.substr(begin, comma - begin));
        if (field.size() > 1 && field.front() == '"' && field.back() == '"')
            field = field.substr(1, field.size() - 2);
        fields.push_back(field);
        begin = comma + 1;
    }
    return fields.size();
}

/// Where a column is and the seconds of its unit, which may follow its name: "duration", "duration_ms", "start_ts (us)".
int columnAt(const std::vector<std::string_view>& names, std::string_view name, double* unit)
{
    constexpr std::array<std::pair<std::string_view, double>, 4> kUnits = {{{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}}};
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i] == name)
            return static_cast<int>(i);
        if (unit == nullptr || !names[i].starts_with(name))
            continue;
        std::string_view rest = names[i].substr(name.size());
        rest.remove_prefix(std::min(rest.find_first_not_of("_ (["), rest.size()));
        rest = rest.substr(0, rest.find_first_of(")]"));
        for (const auto& [word, seconds] : kUnits)
            if (rest == word) {
                *unit = seconds;
                return static_cast<int>(i);
            }
    }
    return -1;
}

Result<Header> readHeader(std::string_view line, const std::string& path)
{
    line = withoutByteOrderMark(line);
    std::vector<std::string_view> names;
    Header header;
    header.separator = separatorOf(line);
    header.fields = splitFields(line, header.separator, names);
    for (std::size_t c = 0; c < kColumns; ++c)
        header.at[c] = columnAt(names, kColumnNames[c],
                                c == startTs          ? &header.startUnit
                                : c == durationColumn ? &header.durationUnit
                                                      : nullptr);
    Diagnostics missing;
    for (const Column c : kNeeded)
        if (header.at[c] < 0)
            missing.push_back({Severity::error, path + ":1", "the header does not name a needed column", std::string(line.substr(0, 120)),
                               std::string(kColumnNames[c]), "", ""});
    if (!missing.empty())
        return missing;
    return header;
}

template <class T>
bool number(std::string_view text, T& value)
{
    if constexpr (std::is_integral_v<T>) // a column of whole numbers with empty cells is written as 3.0 (pandas)
        if (const std::size_t point = text.find('.'); point != std::string_view::npos)
            if (text.find_first_not_of('0', point + 1) == std::string_view::npos)
                text = text.substr(0, point);
    const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    return code == std::errc() && stop == text.data() + text.size();
}

/// What was dropped row by row.
struct RowCounts {
    std::uint64_t rows = 0, broken = 0, negative = 0, tooMany = 0;
    std::string firstBroken;
    std::map<std::string, std::uint64_t> unknownTypes;
};

class RowReader {
public:
    RowReader(const Header& header, RowCounts& counts) : m_header(header), m_counts(counts) {}

    /// False where the row is dropped; the counts record the reason.
    bool read(std::string_view line, SteppedOperation& row)
    {
        if (splitFields(line, m_header.separator, m_fields) != m_header.fields || !numbers(row)) {
            if (m_counts.broken++ == 0)
                m_counts.firstBroken = std::string(line.substr(0, 80));
            return false;
        }
        const auto type = traceOpFromName(field(optype));
        if (!type) {
            if (m_counts.unknownTypes.size() < kMaxUnknownTypes)
                ++m_counts.unknownTypes[std::string(field(optype).substr(0, 60))];
            return false;
        }
        row.operation.type = *type;
        if (row.operation.duration < 0) {
            ++m_counts.negative;
            return false;
        }
        return true;
    }

private:
    bool numbers(SteppedOperation& row) const
    {
        TraceOperation& o = row.operation;
        if (!number(field(dpRank), o.replica) || !number(field(stageColumn), o.stage) || !number(field(stepColumn), row.step)
            || !number(field(startTs), o.start) || !number(field(durationColumn), o.duration))
            return false;
        o.start *= m_header.startUnit;
        o.duration *= m_header.durationUnit;
        optional(rankColumn, o.rank, 0);
        optional(seqId, o.sequence, 0);
        optional(chunkColumn, o.chunk, -1);
        optional(mbId, o.microBatch, -1);
        return o.replica >= 0 && o.replica < kMaxNumber && o.stage >= 0 && o.stage < kMaxNumber && o.chunk >= -1 && o.chunk < kMaxNumber
               && std::abs(o.start) < kMaxSeconds && std::abs(o.duration) < kMaxSeconds;
    }
    [[nodiscard]] std::string_view field(Column c) const { return m_fields[static_cast<std::size_t>(m_header.at[c])]; }
    void optional(Column c, std::int32_t& value, std::int32_t otherwise) const
    {
        if (m_header.at[c] < 0 || !number(field(c), value))
            value = otherwise;
    }

    const Header& m_header;
    RowCounts& m_counts;
    std::vector<std::string_view> m_fields;
};

/// Numbers the operations of one type of a worker and step by their start: the same as seq_id where a table has it. Rows that begin
/// together have one number, so that a repeated row is recognised.
void numberByStart(std::vector<SteppedOperation>& rows)
{
    const auto series = [](const SteppedOperation& r) {
        return std::tuple(r.step, r.operation.replica, r.operation.stage, r.operation.rank, r.operation.type);
    };
    std::vector<SteppedOperation*> order;
    order.reserve(rows.size());
    for (SteppedOperation& r : rows)
        order.push_back(&r);
    std::sort(order.begin(), order.end(), [&](const SteppedOperation* a, const SteppedOperation* b) {
        return std::tuple(series(*a), a->operation.start) < std::tuple(series(*b), b->operation.start);
    });
    for (std::size_t i = 1; i < order.size(); ++i) {
        const TraceOperation& before = order[i - 1]->operation;
        TraceOperation& o = order[i]->operation;
        if (series(*order[i - 1]) == series(*order[i]))
            o.sequence = before.sequence + (o.start > before.start ? 1 : 0);
    }
}

Diagnostic note(const std::string& path, std::string message, std::string found = "")
{
    return {Severity::warning, path, std::move(message), std::move(found), "", "", ""};
}

Diagnostics rowNotes(const RowCounts& counts, const std::string& path)
{
    Diagnostics notes;
    const auto of = [&](std::uint64_t n) { return std::to_string(n) + " of " + std::to_string(counts.rows) + " rows"; };
    if (counts.broken > 0)
        notes.push_back(note(path, of(counts.broken) + " cannot be read and were omitted", counts.firstBroken));
    if (counts.negative > 0)
        notes.push_back(note(path, of(counts.negative) + " have a negative duration and were omitted"));
    for (const auto& [type, n] : counts.unknownTypes)
        notes.push_back(note(path, of(n) + " are of an unknown type and were omitted", type));
    if (counts.tooMany > 0)
        notes.push_back(note(path, "rows beyond the first " + std::to_string(kMaxTraceOperations) + " were omitted"));
    return notes;
}

Result<StageTableMeta> metaFromJson(const std::string& text, const std::string& path)
{
    const Result<nlohmann::json> json = parseJson(text);
    if (!json)
        return json.errors();
    const nlohmann::json& object = json->contains("job_meta") ? (*json)["job_meta"] : *json;
    if (!object.is_object())
        return Diagnostic{Severity::error, path, "the sizes are not an object", "", "keys such as dp_size and pp_size", "", ""};
    const auto size = [&](const char* key) {
        const auto at = object.find(key);
        return at != object.end() && at->is_number_integer()
                   ? static_cast<int>(std::clamp<std::int64_t>(at->get<std::int64_t>(), 0, kMaxNumber))
                   : 0;
    };
    StageTableMeta meta{.name = "", .replicas = size("dp_size"), .stages = size("pp_size"), .chunks = size("vpp_size")};
    if (const auto name = object.find("trial_name"); name != object.end() && name->is_string())
        meta.name = name->get<std::string>();
    return meta;
}

Result<StageTableMeta> metaFromLines(const std::string& text, const std::string& path)
{
    StageTableMeta meta;
    Diagnostics errors;
    for (const std::string& line : split(text, '\n')) {
        const std::size_t colon = std::min(line.find(':'), line.size());
        const std::string_view key = trimmed(std::string_view(line).substr(0, colon));
        const std::string_view value = trimmed(std::string_view(line).substr(std::min(colon + 1, line.size())));
        int* size = key == "dp_size" ? &meta.replicas : key == "pp_size" ? &meta.stages : key == "vpp_size" ? &meta.chunks : nullptr;
        const auto read = integerFromText(value);
        if (size != nullptr && read && *read >= 1 && *read <= kMaxNumber)
            *size = static_cast<int>(*read);
        else if (size != nullptr)
            errors.push_back(
                {Severity::error, path, std::string(key) + " is not a size", std::string(value.substr(0, 40)), "1 to 65536", "", ""});
        if (key == "trial_name")
            meta.name = std::string(value.substr(0, 200));
    }
    if (!errors.empty())
        return errors;
    return meta;
}

} // namespace

Result<StageTableMeta> readStageTableMeta(const std::string& path)
{
    Result<ByteSource> source = ByteSource::open(path);
    if (!source)
        return source.errors();
    std::string text(kMaxMetaBytes + 1, '\0');
    text.resize(source.value().read(text));
    if (text.size() > kMaxMetaBytes)
        return Diagnostic{Severity::error, path, "the file of the job's sizes is too large", "", "at most 1 MiB", "", ""};
    return trimmed(text).starts_with('{') ? metaFromJson(text, path) : metaFromLines(text, path);
}

Result<TraceJob> readStageTable(const std::string& path, const StageTableMeta& meta, const ReadControl& control)
{
    Result<ByteSource> source = ByteSource::open(path, control);
    if (!source)
        return source.errors();
    LineSource lines(source.value());
    std::string_view line;
    const Result<Header> header = readHeader(lines.next(line) ? line : std::string_view(), path);
    if (!header)
        return header.errors();
    RowCounts counts;
    RowReader reader(*header, counts);
    std::vector<SteppedOperation> rows;
    while (counts.tooMany == 0 && lines.next(line)) {
        if (trimmed(line).empty())
            continue;
        ++counts.rows;
        SteppedOperation row;
        if (!reader.read(line, row))
            continue;
        if (rows.size() == kMaxTraceOperations)
            ++counts.tooMany;
        else
            rows.push_back(row);
    }
    const StreamEnd end = source.value().end();
    if (end == StreamEnd::cancelled)
        return Diagnostic{Severity::error, path, streamEndText(end), "", "", "", ""};
    Diagnostics notes = rowNotes(counts, path);
    if (header->at[seqId] < 0) {
        numberByStart(rows);
        notes.push_back(note(path, "the table has no seq_id: the operations of a worker are numbered by their start"));
    }
    if (const std::string text = streamEndText(end); !text.empty())
        notes.push_back(note(path, text));
    const JobShape shape{.name = meta.name, .replicas = meta.replicas, .stages = meta.stages, .chunks = meta.chunks, .path = path};
    return jobFromOperations(std::move(rows), shape, std::move(notes));
}

} // namespace prism
