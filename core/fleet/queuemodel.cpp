// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fleet/jobtable.h"

#include "core/base/jsontext.h"
#include "core/stats/quantile.h"
#include "core/stats/random.h"

#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

namespace prism {
namespace {

using nlohmann::json;

constexpr double kMaxJobs = 1e6, kLongestSeconds = 1e9, kMaxLoad = 10;
constexpr std::size_t kMaxSizes = 100;
constexpr std::uint64_t kQueuePurpose = 0x717565756500ULL;

struct SizeShare {
    int gpus = 1;
    double share = 1;
};

struct QueueModel {
    std::int64_t jobs = 0;
    double load = 0, meanSeconds = 0;
    Distribution duration;
    std::vector<SizeShare> sizes;
};

class QueueReader final {
public:
    explicit QueueReader(const json& object) : m_object(object) {}

    QueueModel read()
    {
        static const std::set<std::string> known = {"title", "sources", "jobs", "offered_load", "mean_duration_s", "duration", "sizes"};
        for (const auto& [key, value] : m_object.items())
            if (!known.contains(key))
                reject(key, "There is no such field of a queue.", "", "jobs, offered_load, mean_duration_s, duration, sizes");
        QueueModel model;
        model.jobs = static_cast<std::int64_t>(number("jobs", 1, kMaxJobs));
        model.load = number("offered_load", 0.01, kMaxLoad);
        model.meanSeconds = number("mean_duration_s", 1, kLongestSeconds);
        readDuration(model.duration);
        readSizes(model.sizes);
        return model;
    }
    [[nodiscard]] const Diagnostics& errors() const { return m_errors; }

private:
    void reject(const std::string& path, std::string message, std::string found, std::string accepted)
    {
        m_errors.push_back({Severity::error, "queue." + path, std::move(message), std::move(found), std::move(accepted), "", ""});
    }
    double number(const char* key, double smallest, double largest)
    {
        const json value = m_object.value(key, json());
        if (value.is_number() && value >= smallest && value <= largest)
            return value.get<double>();
        reject(key, "Not a number in its range.", value.dump().substr(0, 40), fmt::format("a number from {} to {}", smallest, largest));
        return smallest;
    }
    void readDuration(Distribution& d)
    {
        const json value = m_object.value("duration", json());
        const bool named = value.is_object() && value.contains("family") && value["family"].is_string();
        const auto family = named ? familyFromName(value["family"].get<std::string>()) : std::nullopt;
        if (!family || *family == Family::empirical || !value.contains("cv") || !value["cv"].is_number()) {
            reject("duration", "Not a factor.", value.dump().substr(0, 60), R"({"family": "lognormal", "cv": 2})");
            return;
        }
        d.family = *family;
        d.cv = value["cv"].get<double>();
        for (const Diagnostic& e : check(d, "queue.duration"))
            m_errors.push_back(e);
    }
    void readSizes(std::vector<SizeShare>& sizes)
    {
        const json list = m_object.value("sizes", json());
        bool fine = list.is_array() && !list.empty() && list.size() <= kMaxSizes;
        for (std::size_t i = 0; fine && i < list.size(); ++i) {
            const json& s = list[i];
            fine = s.is_object() && s.contains("gpus") && s["gpus"].is_number_integer() && s["gpus"] >= 1 && s["gpus"] <= 1'000'000
                   && s.contains("share") && s["share"].is_number() && s["share"] > 0 && s["share"] <= 1e6;
            if (fine)
                sizes.push_back({s["gpus"].get<int>(), s["share"].get<double>()});
        }
        if (!fine)
            reject("sizes", "The sizes are a list of GPUs with their shares.", list.dump().substr(0, 60),
                   R"([{"gpus": 1, "share": 0.8}, {"gpus": 8, "share": 0.2}])");
    }

    const json& m_object;
    Diagnostics m_errors;
};

/// GPUs of the job at this point of the cumulated shares.
int sizeAt(const std::vector<SizeShare>& sizes, double u, double all)
{
    double sum = 0;
    for (const SizeShare& s : sizes)
        if ((sum += s.share) > u * all)
            return s.gpus;
    return sizes.back().gpus;
}

JobTable drawn(const QueueModel& model, int clusterGpus, std::uint64_t seed)
{
    double all = 0, gpus = 0;
    for (const SizeShare& s : model.sizes) {
        all += s.share;
        gpus += s.share * s.gpus;
    }
    const double between = gpus / all * model.meanSeconds / (model.load * clusterGpus); // mean seconds from job to job
    const QuantileFunction duration(model.duration);
    JobTable table;
    double at = 0;
    for (std::int64_t i = 0; i < model.jobs; ++i) {
        const auto draw = [&](std::uint64_t what) { return uniform(seed, stream(kQueuePurpose, what), static_cast<std::uint64_t>(i)); };
        at -= between * std::log1p(-draw(0));
        table.jobs.push_back({std::to_string(i + 1), "", at, model.meanSeconds * duration(draw(1)), sizeAt(model.sizes, draw(2), all), "",
                              static_cast<std::size_t>(i + 1)});
    }
    return table;
}

} // namespace

Result<JobTable> modelledQueue(std::string_view text, int clusterGpus, std::uint64_t seed)
{
    const Result<json> object = parseJson(text);
    if (!object.ok())
        return object.errors();
    if (!object->is_object())
        return Diagnostic{Severity::error, "queue", "A queue is a JSON object.", "", "{\"jobs\": 1000, ...}", "", ""};
    QueueReader reader(*object);
    const QueueModel model = reader.read();
    if (!reader.errors().empty())
        return reader.errors();
    return drawn(model, std::max(1, clusterGpus), seed);
}

} // namespace prism
