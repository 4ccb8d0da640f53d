// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fleet/cluster.h"

#include "core/base/jsontext.h"
#include "core/base/text.h"
#include "core/cost/predictor.h"
#include "core/insight/guarantee/guarantee.h"
#include "core/scenario/presets.h"

#include <nlohmann/json.hpp>

#include <set>

namespace prism {
namespace {

using nlohmann::json;

constexpr int kMostNodes = 65'536, kMostGpusPerNode = 64;
constexpr double kStepsOfAJob = 1'000;

/// Takes fields out of an object and says what is wrong with them.
class ClusterReader final {
public:
    explicit ClusterReader(const json& object) : m_object(object) {}

    FleetCluster read()
    {
        static const std::set<std::string> known = {"title",    "sources",   "nodes",      "gpus_per_node",
                                                    "gpu_type", "node_time", "node_times", "classes"};
        for (const auto& [key, value] : m_object.items())
            if (!known.contains(key))
                wrong(key, "There is no such field of a cluster.", "", "nodes, gpus_per_node, gpu_type, node_time, node_times, classes");
        FleetCluster c;
        c.nodes = count("nodes", kMostNodes, 0);
        c.gpusPerNode = count("gpus_per_node", kMostGpusPerNode, c.gpusPerNode);
        c.title = text("title");
        c.gpuType = text("gpu_type");
        if (m_object.contains("node_time"))
            c.nodeTime = factor(m_object["node_time"], "node_time");
        if (m_object.contains("node_times"))
            readTimes(c);
        readClasses(c);
        return c;
    }
    [[nodiscard]] const Diagnostics& errors() const { return m_errors; }

private:
    void wrong(std::string path, std::string message, std::string found, std::string accepted)
    {
        m_errors.push_back(
            {Severity::error, "cluster." + std::move(path), std::move(message), std::move(found), std::move(accepted), "", ""});
    }
    int count(const char* key, int most, int otherwise)
    {
        if (!m_object.contains(key) && otherwise > 0)
            return otherwise;
        const json value = m_object.value(key, json());
        if (value.is_number_integer() && value >= 1 && value <= most)
            return value.get<int>();
        wrong(key, "This is no number of them.", value.dump().substr(0, 40), "an integer from 1 to " + std::to_string(most));
        return 1;
    }
    std::string text(const char* key)
    {
        const json value = m_object.value(key, json(""));
        if (!value.is_string())
            wrong(key, "This is no text.", value.dump().substr(0, 40), "a text");
        return value.is_string() ? value.get<std::string>() : "";
    }
    Distribution factor(const json& value, const std::string& path)
    {
        Distribution d;
        const bool named = value.is_object() && value.contains("family") && value["family"].is_string();
        const auto family = named ? familyFromName(value["family"].get<std::string>()) : std::nullopt;
        if (!family || *family == Family::empirical || !value.contains("cv") || !value["cv"].is_number()) {
            wrong(path, "This is no factor.", value.dump().substr(0, 60), "{\"family\": \"lognormal\", \"cv\": 0.1}");
            return d;
        }
        d.family = *family;
        d.cv = value["cv"].get<double>();
        for (const Diagnostic& e : check(d, "cluster." + path))
            m_errors.push_back(e);
        return d;
    }
    void readTimes(FleetCluster& c)
    {
        const json& times = m_object["node_times"];
        bool fine = times.is_array() && times.size() == static_cast<std::size_t>(c.nodes);
        for (std::size_t i = 0; fine && i < times.size(); ++i)
            fine = times[i].is_number() && times[i] > 0.01 && times[i] < 100;
        if (!fine)
            wrong("node_times", "There must be one factor on durations per node.", "",
                  std::to_string(c.nodes) + " numbers between 0.01 and 100");
        else
            c.measuredTimes = times.get<std::vector<double>>();
    }
    void readClasses(FleetCluster& c)
    {
        const json classes = m_object.value("classes", json::object());
        if (!classes.is_object()) {
            wrong("classes", "The classes are an object by name.", "", "{\"default\": {\"family\": \"lognormal\", \"cv\": 0.1}}");
            return;
        }
        for (const auto& [name, value] : classes.items()) {
            FleetClass& klass = c.classes[name];
            if (value.is_object() && value.contains("scenario") && value["scenario"].is_string())
                klass.scenario = value["scenario"].get<std::string>();
            else
                klass.factor = factor(value, "classes." + name);
        }
        c.classes.try_emplace("default");
    }

    const json& m_object;
    Diagnostics m_errors;
};

/// How the time to train of a scenario varies from job to job, mean 1.
Result<Distribution> trainingFactor(Evaluator& evaluator, const std::string& preset, const InsightOptions& options)
{
    const Result<Scenario> scenario = scenarioPreset(preset);
    if (!scenario.ok())
        return scenario.errors();
    const Result<CostedStep> costed = costStep(*scenario);
    if (!costed.ok())
        return costed.errors();
    GuaranteeQuery query;
    query.trainTokens = kStepsOfAJob * costed->tokensPerStep;
    const Result<Guarantee> promised = guarantee(evaluator, *scenario, query, options);
    if (!promised.ok())
        return promised.errors();
    return empiricalDistribution(promised->training.sortedDays);
}

} // namespace

Result<FleetCluster> fleetCluster(Evaluator& evaluator, std::string_view text, const InsightOptions& options)
{
    const Result<json> object = parseJson(text);
    if (!object.ok())
        return object.errors();
    if (!object->is_object())
        return Diagnostic{
            Severity::error, "cluster", "A cluster is a JSON object.", "", "{\"nodes\": 160, \"gpus_per_node\": 8, ...}", "", ""};
    ClusterReader reader(*object);
    FleetCluster cluster = reader.read();
    Diagnostics errors = reader.errors();
    for (auto& [name, klass] : cluster.classes) {
        if (klass.scenario.empty())
            continue;
        Result<Distribution> factor = trainingFactor(evaluator, klass.scenario, options);
        for (Diagnostic d : factor.errors()) {
            d.path = "cluster.classes." + name + ": " + d.path;
            errors.push_back(std::move(d));
        }
        if (factor.ok())
            klass.factor = std::move(factor).value();
    }
    if (!errors.empty())
        return errors;
    return cluster;
}

} // namespace prism
