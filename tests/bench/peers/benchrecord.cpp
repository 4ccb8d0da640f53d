// SPDX-License-Identifier: GPL-3.0-or-later
#include "bench/peers/benchrecord.h"

#include "core/base/valuetext.h"
#include "core/base/jsontext.h"
#include "core/base/printable.h"

#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>

namespace prism::cli {

namespace {

using Json = nlohmann::ordered_json;

/// Three digits: a bench repeats within some per cent.
std::string metricText(const PeerMetric& f)
{
    return f.value ? amountText(*f.value) + " " + f.unit : "-";
}

std::string boundText(const BenchBound& b)
{
    return fmt::format("{} {:.3g}", b.atLeast ? "at least" : "at most", b.bound);
}

std::string machineText(const BenchRecord& r)
{
    return fmt::format("{}, {} {}, {}", printable(r.processor), r.cores, r.cores == 1 ? "core" : "cores", printable(r.system));
}

/// A cell of a Markdown table: the file may have been written by anyone.
std::string cell(const std::string& text)
{
    std::string safe;
    for (const char c : printable(text)) {
        if (c == '|' || c == '<' || c == '&' || c == '`')
            safe += '\\';
        safe += c;
    }
    return safe;
}

/// A member of an object of the file, or a diagnostic next to `path`.
class Reader final {
public:
    explicit Reader(Diagnostics& problems) : m_problems(problems) {}

    std::string text(const nlohmann::json& object, const char* key, const std::string& path)
    {
        const auto it = object.is_object() ? object.find(key) : object.end();
        if (object.is_object() && it != object.end() && it->is_string())
            return it->get<std::string>();
        reject(path + key, "a text");
        return {};
    }
    double number(const nlohmann::json& object, const char* key, const std::string& path)
    {
        const auto it = object.is_object() ? object.find(key) : object.end();
        if (object.is_object() && it != object.end() && it->is_number() && std::isfinite(it->get<double>()))
            return it->get<double>();
        reject(path + key, "a finite number");
        return 0;
    }
    void reject(const std::string& path, const std::string& accepted)
    {
        m_problems.push_back({Severity::error, path, "The record of a bench lacks this, or it is of another kind.", "", accepted, "", ""});
    }

private:
    Diagnostics& m_problems;
};

std::vector<BenchBound> boundsFrom(const nlohmann::json& list, Reader& read)
{
    std::vector<BenchBound> bounds;
    for (std::size_t i = 0; i < list.size(); ++i) {
        const std::string path = fmt::format("bench[{}].", i);
        const nlohmann::json& one = list[i];
        bounds.push_back({read.text(one, "claim", path), read.text(one, "unit", path), read.number(one, "measured", path),
                          read.number(one, "bound", path), one.is_object() && one.value("at_least", nlohmann::json(false)) == true});
    }
    return bounds;
}

std::vector<PeerMetric> peersFrom(const nlohmann::json& list, Reader& read)
{
    std::vector<PeerMetric> peers;
    for (std::size_t i = 0; i < list.size(); ++i) {
        const std::string path = fmt::format("side_by_side[{}].", i);
        const nlohmann::json& one = list[i];
        PeerMetric metric{read.text(one, "question", path), read.text(one, "tool", path), read.text(one, "unit", path), std::nullopt,
                          read.text(one, "origin", path)};
        if (one.is_object() && !(one.contains("value") && one["value"].is_null()))
            metric.value = read.number(one, "value", path);
        peers.push_back(std::move(metric));
    }
    return peers;
}

} // namespace

std::string benchText(const BenchRecord& record)
{
    std::string text = fmt::format("Version {}, {}, {}\n\n", printable(record.version), printable(record.date), machineText(record));
    for (const BenchBound& b : record.bounds)
        text += fmt::format("{:<56} {:>10.3g} {:<20} {:<15} {}\n", printable(b.claim), b.measured, printable(b.unit), boundText(b),
                            b.holds() ? "holds" : "does not hold");
    const std::string* question = nullptr;
    for (const PeerMetric& f : record.peers) {
        if (!question || *question != f.question)
            text += "\n" + printable(f.question) + "\n";
        question = &f.question;
        text += fmt::format("  {:<48} {:>16}   {}\n", printable(f.tool), printable(metricText(f)), printable(f.origin));
    }
    return text;
}

std::string benchJson(const BenchRecord& record)
{
    Json bounds = Json::array(), peers = Json::array();
    for (const BenchBound& b : record.bounds)
        bounds.push_back({{"claim", b.claim},
                          {"measured", b.measured},
                          {"unit", b.unit},
                          {"bound", b.bound},
                          {"at_least", b.atLeast},
                          {"holds", b.holds()}});
    for (const PeerMetric& f : record.peers)
        peers.push_back({{"question", f.question},
                         {"tool", f.tool},
                         {"value", f.value ? Json(*f.value) : Json()},
                         {"unit", f.unit},
                         {"origin", f.origin}});
    return Json{
               {"engine_version", record.version}, {"date", record.date},        {"processor", record.processor},   {"cores", record.cores},
               {"system", record.system},          {"bench", std::move(bounds)}, {"side_by_side", std::move(peers)}}
               .dump(2, ' ', false, Json::error_handler_t::replace)
           + "\n";
}

std::string benchPage(const BenchRecord& record)
{
    std::string text = fmt::format("# Comparison with other tools\n\n"
                                   "What the engine promises, and what one would otherwise pick, measured in one run on one machine: "
                                   "`prism-develop bench --peers FOLDER`. This\n"
                                   "page is made from the record of a run (`--record FILE --markdown`): {}, version {}, {}.\n"
                                   "Your machine gives other times; `prism-develop bench` says which. Those of the first table are by the "
                                   "clock: other work on a machine makes them longer.\n\n"
                                   "## What the engine promises\n\n"
                                   "| claim | measured | bound | |\n| --- | --- | --- | --- |\n",
                                   cell(record.date), cell(record.version), cell(machineText(record)));
    for (const BenchBound& b : record.bounds)
        text += fmt::format("| {} | {:.3g} {} | {} | {} |\n", cell(b.claim), b.measured, cell(b.unit), boundText(b),
                            b.holds() ? "holds" : "does not hold");
    text += "\n## Other tools\n\n"
            "Times are those of the processor, not of the clock, the best of several runs on one thread. *This run* is measured with the "
            "others on that machine;\n"
            "a dash means that the tool was not there. Values of another origin name it; they were taken on other machines and give "
            "orders of magnitude.\n\n"
            "| question | tool | value | origin |\n| --- | --- | --- | --- |\n";
    const std::string* question = nullptr;
    for (const PeerMetric& f : record.peers) {
        const bool same = question && *question == f.question;
        question = &f.question;
        text += fmt::format("| {} | {} | {} | {} |\n", same ? "" : cell(f.question), cell(f.tool), cell(metricText(f)), cell(f.origin));
    }
    return text
           + "\nThe deterministic tools give one number for a step; the lognormal pipelines give its distribution. What their errors are "
             "on rows that all of them can run\n"
             "is in the last lines, and source by source in [validation](validation.md). SimuMax's own report of its version 1.2 says "
             "that it is too fast in 42 of 43 cases.\n";
}

Result<BenchRecord> benchRecordFromJson(std::string_view text)
{
    const auto file = parseJson(text);
    if (!file)
        return file.errors();
    Diagnostics problems;
    Reader read(problems);
    BenchRecord record{.version = read.text(*file, "engine_version", ""),
                       .date = read.text(*file, "date", ""),
                       .processor = read.text(*file, "processor", ""),
                       .system = read.text(*file, "system", ""),
                       .cores = static_cast<int>(std::clamp(read.number(*file, "cores", ""), 1.0, 1e6))};
    const auto list = [&](const char* key) {
        const bool there = file->is_object() && file->contains(key) && (*file)[key].is_array();
        if (!there)
            read.reject(key, "a list");
        return there ? (*file)[key] : nlohmann::json::array();
    };
    record.bounds = boundsFrom(list("bench"), read);
    record.peers = peersFrom(list("side_by_side"), read);
    if (!problems.empty())
        return problems;
    return record;
}

} // namespace prism::cli
