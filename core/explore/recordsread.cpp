// SPDX-License-Identifier: GPL-3.0-or-later
// Records of a search read back. They may come from others: every number is looked at before it is used.
#include "core/base/diagnostictext.h"
#include "core/base/jsontext.h"
#include "core/base/table.h"
#include "core/cost/engineversion.h"
#include "core/explore/records.h"
#include "core/scenario/parameters.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace prism {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxReported = 20;
constexpr double kMaxMetric = 1e15;                       ///< seconds, GiB, tokens: far beyond any search
constexpr std::int64_t kMaxIndex = std::int64_t{1} << 62; ///< SearchSpace::size
constexpr std::int64_t kMaxNumber = 1'000'000'000;        ///< of parts, samples, GPUs and counts

/// Takes values out of a line; what is of another kind or out of its range is remembered and stands for nothing.
class Fields final {
public:
    explicit Fields(const json& object) : m_object(object) {}

    [[nodiscard]] bool good() const { return m_good; }
    /// The first problem of the line, where it has a name.
    [[nodiscard]] const std::string& problem() const { return m_problem; }
    void require(bool condition, const char* problem = "")
    {
        m_problem = m_good && !condition ? problem : m_problem;
        m_good = m_good && condition;
    }
    [[nodiscard]] const json& at(const char* key)
    {
        static const json none;
        const auto found = m_object.find(key);
        m_good = m_good && found != m_object.end();
        return found != m_object.end() ? *found : none;
    }
    std::int64_t whole(const json& value, std::int64_t largest = kMaxNumber)
    {
        const bool fits = value.is_number_integer() && value >= 0 && value <= largest;
        m_good = m_good && fits;
        return fits ? value.get<std::int64_t>() : 0;
    }
    double metric(const json& value)
    {
        const bool fits = value.is_number() && value >= 0 && value <= kMaxMetric;
        m_good = m_good && fits;
        return fits ? value.get<double>() : 0;
    }
    bool flag(const json& value)
    {
        m_good = m_good && value.is_boolean();
        return value.is_boolean() && value.get<bool>();
    }
    std::string text(const json& value)
    {
        m_good = m_good && value.is_string();
        return value.is_string() ? value.get<std::string>() : std::string();
    }
    /// The elements of a list of lists with `size` elements each.
    const json& rows(const char* key, std::size_t size)
    {
        static const json none = json::array();
        const json& list = at(key);
        m_good = m_good && list.is_array();
        for (const json& row : list)
            m_good = m_good && row.is_array() && row.size() == size;
        return m_good ? list : none;
    }
    Estimate estimate(const char* key)
    {
        const json& pair = at(key);
        m_good = m_good && pair.is_array() && pair.size() == 2;
        return m_good ? Estimate{metric(pair[0]), metric(pair[1])} : Estimate{};
    }
    std::vector<std::string> texts(const json& list)
    {
        std::vector<std::string> out;
        m_good = m_good && list.is_array();
        if (m_good)
            for (const json& entry : list)
                out.push_back(text(entry));
        return out;
    }

private:
    const json& m_object;
    bool m_good = true;
    std::string m_problem;
};

SearchSpace spaceFrom(Fields& f)
{
    SearchSpace space;
    for (const json& entry : f.at("axes")) {
        Fields axis(entry);
        SearchAxis a{axis.texts(axis.at("ids")), {}};
        for (const json& values : axis.rows("values", a.ids.size()))
            a.values.push_back(axis.texts(values));
        const bool areKnown = std::all_of(a.ids.begin(), a.ids.end(), [](const std::string& id) { return findParameter(id) != nullptr; });
        f.require(axis.good() && !a.ids.empty() && areKnown);
        space.axes.push_back(std::move(a));
    }
    return space;
}

Result<ExploreQuery> queryFrom(const json& object, const Diagnostic& none)
{
    Fields f(object);
    const Result<ExploreObjective> objective = exploreObjective(f.text(f.at("objective")));
    const Result<std::vector<ParetoAxis>> pareto = paretoAxes(f.text(f.at("pareto")));
    if (!objective.ok())
        return objective.errors();
    if (!pareto.ok())
        return pareto.errors();
    ExploreQuery q;
    q.objective = *objective;
    q.pareto = *pareto;
    q.constraints = {f.metric(f.at("memory_margin_gib")), f.whole(f.at("max_gpus")), f.flag(f.at("tp_in_node"))};
    q.keep = static_cast<int>(f.whole(f.at("keep")));
    q.maxSampled = static_cast<int>(f.whole(f.at("most")));
    q.confidence = f.metric(f.at("confidence"));
    q.maxPoints = f.whole(f.at("most_points"), q.maxPoints);
    q.drawPoints = f.whole(f.at("draw"));
    q.listRejected = f.flag(f.at("list_rejected"));
    q.space = spaceFrom(f);
    if (!f.good())
        return none;
    if (Diagnostics errors = check(q); hasErrors(errors))
        return errors;
    return q;
}

QuickPart partFrom(Fields& f)
{
    QuickPart part;
    part.points = f.whole(f.at("points"));
    part.valid = f.whole(f.at("valid"));
    for (const json& p : f.rows("fitting", 6))
        part.fitting.push_back({f.whole(p[0], kMaxIndex), f.metric(p[1]), f.metric(p[2]), f.metric(p[3]), f.metric(p[4]), f.flag(p[5])});
    f.require(part.valid <= part.points && std::ssize(part.fitting) <= part.valid);
    for (const QuickPoint& p : part.fitting)
        f.require(p.tokensPerStep > 0);
    for (const json& r : f.rows("reasons", 4))
        part.reasons.push_back({f.text(r[0]), f.whole(r[1]), f.whole(r[2]), f.whole(r[3], kMaxIndex)});
    for (const ReasonCount& r : part.reasons)
        f.require(r.alone <= r.count && r.count <= part.points);
    for (const json& r : f.rows("rejected", 2))
        part.rejected.push_back({f.whole(r[0], kMaxIndex), f.texts(r[1])});
    return part;
}

SampleRow rowFrom(Fields& f)
{
    SampleRow row;
    row.index = f.whole(f.at("row"), kMaxIndex);
    row.samples = static_cast<int>(f.whole(f.at("samples")));
    row.fits = f.flag(f.at("fits"));
    row.noiseFreeSeconds = f.metric(f.at("noise_free_s"));
    row.peakGib = f.metric(f.at("memory_gib"));
    row.capacityGib = f.metric(f.at("capacity_gib"));
    row.mean = f.estimate("mean");
    row.p50 = f.estimate("p50");
    row.p95 = f.estimate("p95");
    row.p99 = f.estimate("p99");
    row.probability = f.estimate("chance");
    f.require(row.p50.value <= row.p95.value && row.p95.value <= row.p99.value, "The percentiles are out of order.");
    f.require(row.probability.value <= 1, "A probability is larger than 1.");
    return row;
}

/// Lists of a part, with every text in them.
std::size_t entriesOf(const QuickPart& part)
{
    std::size_t count = part.fitting.size() + part.reasons.size();
    for (const RejectedPoint& r : part.rejected)
        count += 1 + r.reasons.size();
    return count;
}

/// Takes lines into the records.
class Intake final {
public:
    /// What is wrong with the line; nothing = it was taken.
    std::optional<Diagnostic> take(std::string_view text)
    {
        const std::string shown(text.substr(0, 60));
        const std::optional<CheckedLine> line = checkedLine(text, m_checksum);
        if (!line) {
            const bool isOlder = text.find(R"("version":1,)") < 60;
            return errorAt("", isOlder ? "An older version without checksums wrote this file." : "This line ends with no checksum.", shown,
                           isOlder ? "a file of this version: run the search again" : "a line that explore wrote");
        }
        if (line->stated != line->computed)
            return errorAt("", "This line was changed, or lines before it were added, moved or removed: its checksum does not match.",
                           checksumText(line->stated) + " in " + shown,
                           checksumText(line->computed) + "; restore the file or run the search again");
        const Result<json> object = parseJson(line->object);
        if (object.ok() && object->is_object()) {
            Fields f(*object);
            if (takeObject(f, *object, line->object))
                return std::nullopt;
            if (!f.problem().empty())
                return errorAt("", f.problem(), shown, "figures in the order of their meaning");
        }
        return errorAt("", "Not a line of a search checkpoint.", shown, "a line that explore wrote");
    }
    [[nodiscard]] bool isFull() const { return records.entries > kMaxRecordsEntries; }

    ExploreRecords records;

private:
    /// False where the object is not a record.
    bool takeObject(Fields& f, const json& object, const std::string& text)
    {
        if (object.contains("format")) {
            const bool isFirst = records.head.empty();
            records.head = isFirst ? text : records.head;
            return isFirst;
        }
        if (object.contains("shard")) {
            const Result<SearchShard> shard = searchShard(f.text(f.at("shard")));
            records.shard = shard.ok() ? *shard : SearchShard{};
            return shard.ok() && f.good();
        }
        if (object.contains("part"))
            return takePart(f);
        if (object.contains("row"))
            return takeRow(f);
        records.complete = f.flag(f.at("end"));
        return f.good();
    }
    bool takeRow(Fields& f)
    {
        const SampleRow row = rowFrom(f);
        if (!f.good())
            return false;
        records.entries += kEntriesOfLine;
        if (!isFull())
            records.rows[{row.index, row.samples}] = row;
        return true;
    }
    bool takePart(Fields& f)
    {
        const std::int64_t number = f.whole(f.at("part"));
        QuickPart part = partFrom(f);
        if (!f.good())
            return false;
        records.entries += kEntriesOfLine + entriesOf(part);
        if (!isFull())
            records.parts[number] = std::move(part);
        return true;
    }

    std::uint32_t m_checksum = 0;
};

/// Whether a text without a whole line is the start of records: any other file is not taken for a search that stopped in its first line.
bool mayBeginRecords(std::string_view text)
{
    const std::string start = std::string(R"({"format":")") + kRecordsFormat;
    return start.starts_with(text.substr(0, start.size()));
}

} // namespace

Result<RecordsHead> recordsHead(const std::string& text)
{
    const Diagnostic none =
        errorAt("records", "Not a search checkpoint.", text.substr(0, 60), "a file that explore --records or --shard wrote");
    const Result<json> object = parseJson(text);
    if (!object.ok() || !object->is_object())
        return none;
    Fields f(*object);
    const json& seed = f.at("seed");
    if (f.text(f.at("format")) != kRecordsFormat || f.whole(f.at("version")) != kRecordsVersion || !seed.is_number_unsigned())
        return none;
    RecordsHead head;
    head.engine = f.text(f.at("engine"));
    head.seed = seed.get<std::uint64_t>();
    Result<ExploreQuery> query = queryFrom(f.at("query"), none);
    if (!query.ok())
        return query.errors();
    head.query = std::move(query).value();
    Result<Scenario> scenario = draftFromJson(f.at("scenario").dump()); // its axes may be what makes it valid
    if (!scenario.ok())
        return scenario.errors();
    head.scenario = std::move(scenario).value();
    if (!f.good())
        return none;
    if (head.engine != engineVersion())
        return errorAt("records", "Another version of the program, or one with other constants, wrote this file; its numbers may differ.",
                       head.engine, engineVersion());
    return head;
}

Result<ExploreRecords> recordsFromText(std::string_view text, const std::string& name)
{
    Intake intake;
    Diagnostics errors;
    if (text.find('\n') == std::string_view::npos && !mayBeginRecords(text))
        return errorAt(name, "Not a search checkpoint.", std::string(text.substr(0, 60)), "what explore wrote, or a new file");
    text = text.substr(0, text.rfind('\n') + 1); // npos + 1 = 0: no line is complete
    for (TextLines lines(text); lines.next() && errors.size() < kMaxReported;) {
        std::optional<Diagnostic> problem = intake.take(lines.text());
        const std::string place = name + ":" + std::to_string(lines.line());
        if (intake.isFull())
            return errorAt(place, "There are too many entries.", "", "at most " + std::to_string(kMaxRecordsEntries));
        if (problem) {
            problem->path = place;
            errors.push_back(std::move(*problem));
        }
    }
    if (!errors.empty())
        return errors;
    intake.records.textBytes = text.size();
    return std::move(intake.records);
}

} // namespace prism
