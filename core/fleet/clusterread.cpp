// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fleet/clusterread.h"

#include "core/base/diagnostictext.h"
#include "core/base/jsontext.h"
#include "core/scenario/presets.h"

#include <nlohmann/json.hpp>

#include <map>
#include <set>

namespace prism {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxInvalid = 100;

/// Reads fields of an object and collects their errors.
class ClusterReader final {
public:
    explicit ClusterReader(const json& object) : m_object(object) {}

    FleetCluster read()
    {
        static const std::set<std::string> known = {"title",    "sources",   "nodes",      "gpus_per_node",
                                                    "gpu_type", "node_time", "node_times", "classes"};
        for (const auto& [key, value] : m_object.items())
            if (!known.contains(key))
                reject(key, "There is no such field of a cluster.", "", "nodes, gpus_per_node, gpu_type, node_time, node_times, classes");
        FleetCluster c;
        c.nodes = count("nodes", kMaxFleetNodes, 0);
        c.gpusPerNode = count("gpus_per_node", kMaxFleetGpusPerNode, c.gpusPerNode);
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
    void reject(std::string path, std::string message, std::string found, std::string accepted)
    {
        if (m_errors.size() == kMaxInvalid)
            return;
        m_errors.push_back(
            {Severity::error, "cluster." + std::move(path), std::move(message), std::move(found), std::move(accepted), "", ""});
    }
    int count(const char* key, int largest, int otherwise)
    {
        if (!m_object.contains(key) && otherwise > 0)
            return otherwise;
        const json value = m_object.value(key, json());
        if (value.is_number_integer() && value >= 1 && value <= largest)
            return value.get<int>();
        reject(key, "Not a count.", value.dump().substr(0, 40), "an integer from 1 to " + std::to_string(largest));
        return 1;
    }
    std::string text(const char* key)
    {
        const json value = m_object.value(key, json(""));
        if (!value.is_string())
            reject(key, "Not a text.", value.dump().substr(0, 40), "a text");
        return value.is_string() ? value.get<std::string>() : "";
    }
    Distribution factor(const json& value, const std::string& path)
    {
        Distribution d;
        const bool named = value.is_object() && value.contains("family") && value["family"].is_string();
        const auto family = named ? familyFromName(value["family"].get<std::string>()) : std::nullopt;
        if (!family || *family == Family::empirical || !value.contains("cv") || !value["cv"].is_number()) {
            reject(path, "Not a factor.", value.dump().substr(0, 60), R"({"family": "lognormal", "cv": 0.1})");
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
            reject("node_times", "There must be one factor on durations per node.", "",
                   std::to_string(c.nodes) + " numbers between 0.01 and 100");
        else
            c.measuredTimes = times.get<std::vector<double>>();
    }
    /// Whether the scenarios that the classes name are few enough to be sampled; unknown ones are reported as errors.
    bool readScenarios(const json& classes)
    {
        std::map<std::string, std::string> classOf; // the first that names it
        for (const auto& [name, value] : classes.items())
            if (value.is_object() && value.contains("scenario") && value["scenario"].is_string())
                classOf.try_emplace(value["scenario"].get<std::string>(), name);
        if (classOf.size() > kMaxFleetScenarios) {
            reject("classes", "The classes name too many scenarios.", std::to_string(classOf.size()),
                   "at most " + std::to_string(kMaxFleetScenarios));
            return false;
        }
        for (const auto& [scenario, name] : classOf)
            for (const Diagnostic& d : scenarioPreset(scenario).errors())
                reject("classes." + name + ": " + d.path, d.message, d.found, d.accepted);
        return true;
    }
    void readClasses(FleetCluster& c)
    {
        const json classes = m_object.value("classes", json::object());
        if (!classes.is_object()) {
            reject("classes", "The classes are an object by name.", "", R"({"default": {"family": "lognormal", "cv": 0.1}})");
            return;
        }
        if (classes.size() > kMaxFleetClasses) {
            reject("classes", "There are too many classes.", std::to_string(classes.size()), "at most " + std::to_string(kMaxFleetClasses));
            return;
        }
        if (!readScenarios(classes))
            return;
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

} // namespace

Result<FleetCluster> readFleetCluster(std::string_view text)
{
    const Result<json> object = parseJson(text);
    if (!object.ok())
        return object.errors();
    if (!object->is_object())
        return errorAt("cluster", "A cluster is a JSON object.", "", R"({"nodes": 160, "gpus_per_node": 8, ...})");
    ClusterReader reader(*object);
    FleetCluster cluster = reader.read();
    if (!reader.errors().empty())
        return reader.errors();
    return cluster;
}

} // namespace prism
