// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explore/records.h"

#include "core/base/jsontext.h"
#include "core/base/table.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace prism {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "prism-explore-records";
constexpr int kVersion = 1;
constexpr std::size_t kMostReported = 20;

std::string line(const Json& json)
{
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json estimateJson(const Estimate& e)
{
    return Json::array({e.value, e.halfWidth});
}

Estimate estimateFrom(const nlohmann::json& json)
{
    return {json.at(0).get<double>(), json.at(1).get<double>()};
}

Json axesJson(const SearchSpace& space)
{
    Json axes = Json::array();
    for (const SearchAxis& axis : space.axes)
        axes.push_back({{"ids", axis.ids}, {"values", axis.values}});
    return axes;
}

Json queryJson(const ExploreQuery& q)
{
    return {{"objective", objectiveText(q.objective)},
            {"memory_margin_gib", q.constraints.memoryMarginGib},
            {"max_gpus", q.constraints.maxGpus},
            {"tp_in_node", q.constraints.tensorInsideNode},
            {"pareto", paretoText(q.pareto)},
            {"keep", q.keep},
            {"most", q.mostSampled},
            {"confidence", q.confidence},
            {"most_points", q.mostPoints},
            {"draw", q.drawPoints},
            {"list_rejected", q.listRejected},
            {"axes", axesJson(q.space)}};
}

Result<ExploreQuery> queryFrom(const nlohmann::json& json)
{
    ExploreQuery q;
    const Result<ExploreObjective> objective = exploreObjective(json.at("objective").get<std::string>());
    const Result<std::vector<ParetoAxis>> pareto = paretoAxes(json.at("pareto").get<std::string>());
    if (!objective.ok())
        return objective.errors();
    if (!pareto.ok())
        return pareto.errors();
    q.objective = *objective;
    q.pareto = *pareto;
    q.constraints = {json.at("memory_margin_gib").get<double>(), json.at("max_gpus").get<std::int64_t>(),
                     json.at("tp_in_node").get<bool>()};
    q.keep = json.at("keep").get<int>();
    q.mostSampled = json.at("most").get<int>();
    q.confidence = json.at("confidence").get<double>();
    q.mostPoints = json.at("most_points").get<std::int64_t>();
    q.drawPoints = json.at("draw").get<std::int64_t>();
    q.listRejected = json.at("list_rejected").get<bool>();
    for (const nlohmann::json& axis : json.at("axes"))
        q.space.axes.push_back(
            {axis.at("ids").get<std::vector<std::string>>(), axis.at("values").get<std::vector<std::vector<std::string>>>()});
    if (Diagnostics errors = check(q); hasErrors(errors))
        return errors;
    return q;
}

QuickPart partFrom(const nlohmann::json& json)
{
    QuickPart part;
    part.points = json.at("points").get<std::int64_t>();
    part.valid = json.at("valid").get<std::int64_t>();
    for (const nlohmann::json& f : json.at("fitting"))
        part.fitting.push_back({f.at(0).get<std::int64_t>(), f.at(1).get<double>(), f.at(2).get<double>(), f.at(3).get<double>(),
                                f.at(4).get<double>(), f.at(5).get<bool>()});
    for (const nlohmann::json& r : json.at("reasons"))
        part.reasons.push_back(
            {r.at(0).get<std::string>(), r.at(1).get<std::int64_t>(), r.at(2).get<std::int64_t>(), r.at(3).get<std::int64_t>()});
    for (const nlohmann::json& r : json.at("rejected"))
        part.rejected.push_back({r.at(0).get<std::int64_t>(), r.at(1).get<std::vector<std::string>>()});
    return part;
}

SampleRow rowFrom(const nlohmann::json& json)
{
    SampleRow row;
    row.index = json.at("row").get<std::int64_t>();
    row.samples = json.at("samples").get<int>();
    row.fits = json.at("fits").get<bool>();
    row.noiseFreeSeconds = json.at("noise_free_s").get<double>();
    row.peakGib = json.at("memory_gib").get<double>();
    row.capacityGib = json.at("capacity_gib").get<double>();
    row.mean = estimateFrom(json.at("mean"));
    row.p50 = estimateFrom(json.at("p50"));
    row.p95 = estimateFrom(json.at("p95"));
    row.p99 = estimateFrom(json.at("p99"));
    row.chance = estimateFrom(json.at("chance"));
    return row;
}

/// Indices of a space are not negative.
bool sound(const QuickPart& part)
{
    const auto negative = [](const auto& entry) { return entry.index < 0; };
    return std::none_of(part.fitting.begin(), part.fitting.end(), negative)
           && std::none_of(part.rejected.begin(), part.rejected.end(), negative)
           && std::none_of(part.reasons.begin(), part.reasons.end(), [](const ReasonCount& r) { return r.first < 0; });
}

/// Takes one line into the records; false where it is none.
bool take(ExploreRecords& records, std::string_view text)
{
    const Result<nlohmann::json> json = parseJson(text);
    if (!json.ok() || !json->is_object())
        return false;
    try {
        if (json->contains("format")) {
            if (!records.head.empty())
                return false;
            records.head = text;
        } else if (json->contains("shard")) {
            const Result<SearchShard> shard = searchShard(json->at("shard").get<std::string>());
            records.shard = shard.ok() ? *shard : SearchShard{};
            return shard.ok();
        } else if (json->contains("part")) {
            QuickPart part = partFrom(*json);
            if (!sound(part))
                return false;
            records.parts[json->at("part").get<std::int64_t>()] = std::move(part);
        } else if (json->contains("row")) {
            const SampleRow row = rowFrom(*json);
            if (row.index < 0)
                return false;
            records.rows[{row.index, row.samples}] = row;
        } else {
            records.complete = json->at("end").get<bool>();
        }
    } catch (const nlohmann::json::exception&) {
        return false;
    }
    return true;
}

Diagnostic wrong(const std::string& path, std::string message, std::string found, std::string accepted)
{
    return {Severity::error, path, std::move(message), std::move(found), std::move(accepted), "", ""};
}

} // namespace

std::string headLine(const RecordsHead& head)
{
    const std::string text = line({{"format", kFormat},
                                   {"version", kVersion},
                                   {"engine", head.engine},
                                   {"seed", head.seed},
                                   {"query", queryJson(head.query)},
                                   {"scenario", *parseOrderedJson(toJson(head.scenario))}});
    return text.substr(0, text.size() - 1);
}

Result<RecordsHead> recordsHead(const std::string& text)
{
    const Diagnostic none =
        wrong("records", "This is no file of a search.", text.substr(0, 60), "a file that explore --records or --shard wrote");
    const Result<nlohmann::json> json = parseJson(text);
    if (!json.ok())
        return none;
    RecordsHead head;
    try {
        if (json->at("format") != kFormat || json->at("version") != kVersion)
            return none;
        head.engine = json->at("engine").get<std::string>();
        head.seed = json->at("seed").get<std::uint64_t>();
        Result<ExploreQuery> query = queryFrom(json->at("query"));
        if (!query.ok())
            return query.errors();
        head.query = std::move(query).value();
        Result<Scenario> scenario = draftFromJson(json->at("scenario").dump()); // its axes may be what makes it valid
        if (!scenario.ok())
            return scenario.errors();
        head.scenario = std::move(scenario).value();
    } catch (const nlohmann::json::exception&) {
        return none;
    }
    if (head.engine != PRISM_VERSION)
        return wrong("records", "Another version of the program wrote this file; its numbers may differ.", head.engine, PRISM_VERSION);
    return head;
}

std::string shardLine(const SearchShard& shard)
{
    return line({{"shard", std::to_string(shard.index) + "/" + std::to_string(shard.count)}});
}

std::string partLine(std::int64_t part, const QuickPart& content)
{
    Json fitting = Json::array(), reasons = Json::array(), rejected = Json::array();
    for (const QuickPoint& p : content.fitting)
        fitting.push_back(Json::array({p.index, p.noiseFreeSeconds, p.peakGib, p.capacityGib, p.tokensPerStep, p.bound}));
    for (const ReasonCount& r : content.reasons)
        reasons.push_back(Json::array({r.reason, r.count, r.alone, r.first}));
    for (const RejectedPoint& r : content.rejected)
        rejected.push_back(Json::array({r.index, r.reasons}));
    return line({{"part", part},
                 {"points", content.points},
                 {"valid", content.valid},
                 {"fitting", std::move(fitting)},
                 {"reasons", std::move(reasons)},
                 {"rejected", std::move(rejected)}});
}

std::string rowLine(const SampleRow& row)
{
    return line({{"row", row.index},
                 {"samples", row.samples},
                 {"fits", row.fits},
                 {"noise_free_s", row.noiseFreeSeconds},
                 {"memory_gib", row.peakGib},
                 {"capacity_gib", row.capacityGib},
                 {"mean", estimateJson(row.mean)},
                 {"p50", estimateJson(row.p50)},
                 {"p95", estimateJson(row.p95)},
                 {"p99", estimateJson(row.p99)},
                 {"chance", estimateJson(row.chance)}});
}

std::string endLine()
{
    return line({{"end", true}});
}

Result<ExploreRecords> recordsFromText(std::string_view text, const std::string& name)
{
    ExploreRecords records;
    Diagnostics errors;
    text = text.substr(0, text.rfind('\n') + 1); // npos + 1 = 0: no line is complete
    for (TextLines lines(text); lines.next();)
        if (!take(records, lines.text()) && errors.size() < kMostReported)
            errors.push_back(wrong(name + ":" + std::to_string(lines.line()), "This line is no record of a search.",
                                   std::string(lines.text().substr(0, 60)), "a line that explore wrote"));
    if (!errors.empty())
        return errors;
    return records;
}

Result<ExploreRecords> joined(const std::vector<ExploreRecords>& shards)
{
    Diagnostics errors;
    ExploreRecords all;
    std::set<int> seen;
    for (const ExploreRecords& s : shards) {
        const std::string part = std::to_string(s.shard.index) + "/" + std::to_string(s.shard.count);
        if (all.head.empty())
            all.head = s.head;
        if (s.head.empty() || s.head != all.head || s.shard.count != shards.front().shard.count)
            errors.push_back(wrong("merge", "This file is of another search.", part, "parts of one search, all with the same options"));
        else if (!seen.insert(s.shard.index).second)
            errors.push_back(wrong("merge", "This part is given twice.", part, "every part once"));
        else if (!s.complete)
            errors.push_back(
                wrong("merge", "This part has not ended; run it again, it goes on where it was.", part, "parts that have ended"));
        all.parts.insert(s.parts.begin(), s.parts.end());
        all.rows.insert(s.rows.begin(), s.rows.end());
    }
    const int count = shards.empty() ? 1 : shards.front().shard.count;
    for (int i = 1; i <= count && errors.empty(); ++i)
        if (!seen.contains(i))
            errors.push_back(wrong("merge", "A part is missing.", "no file of part " + std::to_string(i) + "/" + std::to_string(count),
                                   "all " + std::to_string(count) + " parts"));
    if (!errors.empty())
        return errors;
    return all;
}

} // namespace prism
