// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/systemsprior.h"

#include "core/base/diagnostictext.h"
#include "core/base/jsontext.h"
#include "core/scenario/parameters.h"
#include "core/scenario/presetlibrary.h"
#include "core/scenario/sectionpresets.h"
#include "core/stats/normal.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace prism {

namespace {

using nlohmann::json;

/// Whether an entry is about this type of GPU and kind of model: one that names none is about all.
bool fits(const json& entry, const Scenario& scenario, std::string_view gpuType)
{
    if (const auto moe = entry.find("moe"); moe != entry.end() && *moe != (scenario.model.numExperts > 0))
        return false;
    const auto gpus = entry.find("gpus");
    return gpus == entry.end() || std::find(gpus->begin(), gpus->end(), gpuType) != gpus->end();
}

/// The user, or a measurement, states the value of the parameter.
bool isStated(const std::string& path, const Scenario& scenario, const Scenario& asPreset)
{
    const Parameter* p = findParameter(path);
    return p == nullptr || p->get(scenario) != p->get(asPreset);
}

Result<json> presetFile(std::string_view kind, std::string_view name)
{
    const Result<std::string> text = presetText(kind, name);
    return text.ok() ? parseJson(*text) : Result<json>(text.errors());
}

} // namespace

double CauseOverSystems::at(double probability) const
{
    constexpr double kTail = 0.95;
    const double z = normalQuantile(probability) / normalQuantile(kTail);
    const double value = quantiles[1] + z * (z < 0 ? quantiles[1] - quantiles[0] : quantiles[2] - quantiles[1]);
    return path == kTrendOfRun ? value : std::max(0.0, value);
}

Result<SystemsPrior> systemsPrior(const Scenario& scenario, std::string_view gpuType)
{
    SystemsPrior out;
    if (scenario.variability.preset.empty())
        return out;
    const Result<json> spread = presetFile("variability", scenario.variability.preset);
    if (!spread.ok())
        return spread.errors();
    const std::string named = spread->value("over_systems", "");
    if (named.empty())
        return out;
    Scenario asPreset = scenario;
    const Result<VariabilityConfig> preset = variabilityPreset(scenario.variability.preset);
    const Result<json> file = presetFile("systems", named);
    if (!preset.ok() || !file.ok())
        return preset.ok() ? file.errors() : preset.errors();
    asPreset.variability = *preset;
    try {
        out.title = file->at("title").get<std::string>();
        for (const json& entry : file->at("causes")) {
            CauseOverSystems cause{entry.at("path").get<std::string>(), entry.at("p5_p50_p95").get<std::array<double, 3>>(),
                                   entry.at("source").get<std::string>()};
            const bool known = std::any_of(out.causes.begin(), out.causes.end(), [&](const auto& c) { return c.path == cause.path; });
            const std::string root = entry.value("unless_stated", cause.path);
            const bool stated =
                cause.path != kTrendOfRun && (isStated(cause.path, scenario, asPreset) || isStated(root, scenario, asPreset));
            if (!known && !stated && fits(entry, scenario, gpuType))
                out.causes.push_back(std::move(cause));
        }
    } catch (const json::exception& error) {
        return errorAt("presets/systems/" + named, "The preset cannot be read.", error.what(),
                       "a title, and causes with path, p5_p50_p95, source");
    }
    return out;
}

} // namespace prism
