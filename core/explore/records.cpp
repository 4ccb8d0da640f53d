// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explore/records.h"

#include "core/base/diagnostictext.h"
#include "core/base/jsontext.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <set>
#include <spdlog/fmt/fmt.h>
#include <zlib.h>

namespace prism {

namespace {

using Json = nlohmann::ordered_json;

std::string line(const Json& json)
{
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json estimateJson(const Estimate& e)
{
    return Json::array({e.value, e.halfWidth});
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
            {"most", q.maxSampled},
            {"confidence", q.confidence},
            {"most_points", q.maxPoints},
            {"draw", q.drawPoints},
            {"list_rejected", q.listRejected},
            {"axes", axesJson(q.space)}};
}

} // namespace

std::string headLine(const RecordsHead& head)
{
    const std::string text = line({{"format", kRecordsFormat},
                                   {"version", kRecordsVersion},
                                   {"engine", head.engine},
                                   {"seed", head.seed},
                                   {"query", queryJson(head.query)},
                                   {"scenario", *parseOrderedJson(toJson(head.scenario))}});
    return text.substr(0, text.size() - 1);
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
                 {"chance", estimateJson(row.probability)}});
}

std::string endLine()
{
    return line({{"end", true}});
}

void RecordsText::add(std::string_view line)
{
    m_text += withChecksum(line.substr(0, line.size() - 1), m_checksum) + "\n";
}

Diagnostics tooLargeTogether(const std::vector<ExploreRecords>& shards)
{
    std::size_t bytes = 0, entries = 0;
    for (const ExploreRecords& s : shards) {
        bytes += s.textBytes;
        entries += s.entries;
    }
    if (bytes <= kMaxRecordsBytes && entries <= kMaxRecordsEntries)
        return {};
    return {errorAt("merge", "The parts are too large together.",
                    std::to_string(bytes >> 20U) + " MiB, " + std::to_string(entries) + " entries",
                    "at most " + std::to_string(kMaxRecordsBytes >> 20U) + " MiB and " + std::to_string(kMaxRecordsEntries) + " entries")};
}

Result<ExploreRecords> joined(std::vector<ExploreRecords> shards)
{
    Diagnostics errors;
    ExploreRecords all;
    std::set<int> seen;
    for (ExploreRecords& s : shards) {
        const std::string part = std::to_string(s.shard.index) + "/" + std::to_string(s.shard.count);
        if (all.head.empty())
            all.head = s.head;
        if (s.head.empty() || s.head != all.head || s.shard.count != shards.front().shard.count)
            errors.push_back(errorAt("merge", "This file is of another search.", part, "parts of one search, all with the same options"));
        else if (!seen.insert(s.shard.index).second)
            errors.push_back(errorAt("merge", "This part is given twice.", part, "every part once"));
        else if (!s.complete)
            errors.push_back(errorAt("merge", "This part is not complete. Run it again; it resumes.", part, "parts that have ended"));
        all.parts.merge(s.parts);
        all.rows.merge(s.rows);
    }
    const int count = shards.empty() ? 1 : shards.front().shard.count;
    for (int i = 1; i <= count && errors.empty(); ++i)
        if (!seen.contains(i))
            errors.push_back(errorAt("merge", "A part is missing.", "no file of part " + std::to_string(i) + "/" + std::to_string(count),
                                     "all " + std::to_string(count) + " parts"));
    if (!errors.empty())
        return errors;
    return all;
}

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
