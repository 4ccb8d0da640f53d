// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/stagetable.h"

#include "core/base/diagnostictext.h"
#include "core/base/jsontext.h"
#include "core/base/text.h"
#include "core/base/textfile.h"
#include "core/trace/jobshape.h"
#include "core/trace/tracelimits.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace prism {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "pp_rank_", kSuffix = ".json";
constexpr int kMaxSize = 65'536; ///< replicas, stages and chunks that a job may state
constexpr double kMaxMilliseconds = 1e12;

struct Sizes {
    int replicas = 0, stages = 0, chunks = 1;
};

/// Folders may come from untrusted sources: only regular files are opened, not for example a pipe without a writer.
Result<nlohmann::json> jsonFile(const std::string& path)
{
    std::error_code error;
    if (!fs::is_regular_file(path, error))
        return Diagnostic{Severity::error, path, "there is no such file", "", "a file", "", ""};
    const Result<std::string> text = readTextFile(path, kMaxEventFileBytes);
    if (!text)
        return text.errors();
    return parseJson(*text);
}

int sizeIn(const nlohmann::json& object, const char* key)
{
    const auto at = object.find(key);
    return at != object.end() && at->is_number_integer() ? static_cast<int>(std::clamp<std::int64_t>(at->get<std::int64_t>(), 0, kMaxSize))
                                                         : 0;
}

/// Ranks and their files, ascending.
std::vector<std::pair<int, std::string>> rankFiles(const std::string& folder)
{
    std::vector<std::pair<int, std::string>> files;
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end && files.size() < kMaxTraceFiles; at.increment(error)) {
        const std::string name = at->path().filename().string();
        if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix))
            continue;
        const auto rank = integerFromText(std::string_view(name).substr(kPrefix.size(), name.size() - kPrefix.size() - kSuffix.size()));
        if (rank && *rank >= 0 && *rank < std::int64_t{kMaxSize})
            files.emplace_back(static_cast<int>(*rank), at->path().string());
    }
    std::sort(files.begin(), files.end());
    return files;
}

class RankReader {
public:
    RankReader(const Sizes& sizes, std::vector<SteppedOperation>& rows) : m_sizes(sizes), m_rows(rows) {}

    void read(int rank, const nlohmann::json& iterations)
    {
        for (const auto& [name, iteration] : iterations.items()) {
            const auto step = integerFromText(name);
            if (!step || std::abs(*step) > 2'000'000'000 || !iteration.is_object()) {
                ++m_dropped;
                continue;
            }
            direction(rank, static_cast<int>(*step), iteration, TraceOp::forwardCompute, "fwd_start", "fwd_end");
            direction(rank, static_cast<int>(*step), iteration, TraceOp::backwardCompute, "bwd_start", "bwd_end");
        }
    }
    [[nodiscard]] std::size_t dropped() const { return m_dropped; }
    /// There were more operations than are read.
    [[nodiscard]] bool isFull() const { return m_isFull; }

private:
    void direction(int rank, int step, const nlohmann::json& iteration, TraceOp type, const char* starts, const char* ends)
    {
        const auto start = iteration.find(starts), end = iteration.find(ends);
        if (start == iteration.end() || end == iteration.end() || !start->is_array() || !end->is_array()) {
            ++m_dropped;
            return;
        }
        for (std::size_t k = 0; k < std::max(start->size(), end->size()); ++k) {
            const bool isPair = k < start->size() && k < end->size() && (*start)[k].is_number() && (*end)[k].is_number();
            const double from = isPair ? (*start)[k].get<double>() : 0, to = isPair ? (*end)[k].get<double>() : -1;
            if (!(to >= from && std::abs(from) < kMaxMilliseconds && to < kMaxMilliseconds)) {
                ++m_dropped;
                continue;
            }
            TraceOperation o{
                .start = 1e-3 * from, .duration = 1e-3 * (to - from), .rank = rank, .sequence = static_cast<int>(k), .type = type};
            o.stage = rank % m_sizes.stages;
            o.replica = rank / m_sizes.stages;
            if (m_rows.size() < kMaxTraceOperations)
                m_rows.push_back({step, o});
            else
                m_isFull = true;
        }
    }

    const Sizes& m_sizes;
    std::vector<SteppedOperation>& m_rows;
    std::size_t m_dropped = 0;
    bool m_isFull = false;
};

/// Sizes that the job states, else one replica with a stage per rank. Error: chunks, which no event names.
Result<Sizes> sizesOf(const std::string& folder, int ranks, Diagnostics& notes)
{
    Sizes sizes;
    const std::string config = (fs::path(folder) / "config.json").string();
    if (const auto json = jsonFile(config); json.ok() && json->is_object())
        sizes = {sizeIn(*json, "dp_size"), sizeIn(*json, "pp_size"), std::max(1, sizeIn(*json, "vp_size"))};
    else
        notes.push_back({Severity::warning, config, "there is no readable config.json: every rank is taken for a stage of one replica", "",
                         "", "", ""});
    if (sizes.stages <= 0)
        sizes.stages = ranks;
    if (sizes.chunks > 1)
        return errorAt(config, "event files of interleaved schedules do not name the chunk of an event", std::to_string(sizes.chunks),
                       "vp_size 1");
    return sizes;
}

} // namespace

bool isPipelineEventFolder(const std::string& path)
{
    std::error_code error;
    return fs::is_directory(path, error) && !rankFiles(path).empty();
}

Result<TraceJob> readPipelineEvents(const std::string& folder, const ReadControl& control)
{
    const std::vector<std::pair<int, std::string>> files = rankFiles(folder);
    if (files.empty())
        return Diagnostic{Severity::error, folder, "there is no file of a pipeline rank", "", "pp_rank_0.json and its like", "", ""};
    Diagnostics notes;
    const Result<Sizes> sizes = sizesOf(folder, files.back().first + 1, notes);
    if (!sizes)
        return sizes.errors();
    std::vector<SteppedOperation> rows;
    RankReader reader(*sizes, rows);
    for (const auto& [rank, path] : files) {
        if (control.stop.stop_requested())
            return Diagnostic{Severity::error, folder, streamEndText(StreamEnd::cancelled), "", "", "", ""};
        const auto json = jsonFile(path);
        if (reader.isFull())
            break;
        if (json.ok() && json->is_object())
            reader.read(rank, *json);
        else
            notes.push_back({Severity::warning, path, "the rank's file cannot be read and was omitted",
                             json.ok() ? "" : json.errors()[0].message, "", "", ""});
    }
    if (reader.isFull())
        return errorAt(folder, "there are too many events", "more than " + std::to_string(kMaxTraceOperations),
                       "at most " + std::to_string(kMaxTraceOperations) + " computations");
    if (reader.dropped() > 0)
        notes.push_back({Severity::warning, folder,
                         std::to_string(reader.dropped()) + " events have no valid begin and end and were omitted", "", "", "", ""});
    const JobShape shape{.name = fs::path(folder).filename().string(),
                         .replicas = sizes->replicas,
                         .stages = sizes->stages,
                         .path = folder,
                         .transfersRecorded = false};
    return jobFromOperations(std::move(rows), shape, std::move(notes));
}

} // namespace prism
