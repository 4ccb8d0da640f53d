// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/job/jobsection.h"

#include "core/base/jsontext.h"
#include "core/job/jobtimes.h"
#include "core/job/wholejob.h"
#include "core/scenario/defaultpreset.h"
#include "core/scenario/parameters.h"
#include "core/scenario/presets.h"
#include "core/scenario/sectionpresets.h"

#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>

namespace prism {
namespace {

/// Inputs whose origin is told where they are part of the answer: zero stands for "there is none".
constexpr const char* kTold[] = {"detection_s",           "restart_s",
                                 "repair_hours",          "spare_nodes",
                                 "checkpoint_interval_s", "checkpoint_block_s",
                                 "checkpoint_persist_s",  "slow_per_1000_node_days",
                                 "evaluation_s",          "maintenance_every_days",
                                 "node_power_kw",         "pue",
                                 "grid_g_co2_per_kwh"};

/// Source sentences of a job preset by key; empty where there is none.
nlohmann::json sourcesOf(const std::string& preset)
{
    const Result<std::string> text = presetText("job", preset);
    if (!text.ok())
        return nlohmann::json::object();
    const Result<nlohmann::json> file = parseJson(*text);
    return file.ok() && file->contains("sources") && (*file)["sources"].is_object() ? (*file)["sources"] : nlohmann::json::object();
}

void setOrigin(JobAssumption& a, const nlohmann::json& sources, const char* key)
{
    const auto source = sources.find(key);
    if (source == sources.end() || !source->is_string())
        return;
    a.source = source->get<std::string>();
    a.word = a.source.starts_with("Assumed") ? JobAssumption::Word::assumed : JobAssumption::Word::published;
}

bool isZero(const ParameterValue& value)
{
    const auto* real = std::get_if<double>(&value);
    const auto* whole = std::get_if<std::int64_t>(&value);
    return (real && *real == 0) || (whole && *whole == 0);
}

std::string valueText(const Parameter& p, const Scenario& s)
{
    const std::string value = parameterText(p, s);
    return p.unit.empty() ? value : value + " " + p.unit;
}

JobAssumption failuresOf(const JobSection& section, const JobConfig& preset, const nlohmann::json& sources)
{
    JobAssumption a;
    a.path = "job.failures";
    a.label = "Failures";
    a.value = fmt::format("{:.3g} per 1,000 node-days", failuresPer1000NodeDays(section.config, false));
    if (section.config.failures == preset.failures && section.config.failureScale == preset.failureScale && !preset.failures.empty())
        setOrigin(a, sources, "failures");
    return a;
}

} // namespace

Result<JobSection> jobSectionOf(const Scenario& scenario)
{
    if (!(scenario.job == JobConfig{}))
        return JobSection{scenario.job, false, {}};
    std::string standsIn = defaultPreset("job");
    Result<JobConfig> preset = jobPreset(standsIn);
    if (!preset.ok())
        return preset.errors();
    return JobSection{std::move(preset).value(), true, std::move(standsIn)};
}

Result<JobReport> jobOf(Evaluator& evaluator, const Scenario& scenario, const JobQuery& query, const InsightOptions& options)
{
    const Result<JobSection> section = jobSectionOf(scenario);
    if (!section.ok())
        return section.errors();
    Result<JobReport> report = wholeJob(evaluator, scenario, section->config, query, options);
    if (report.ok() && section->assumed) {
        report->presetAssumed = true;
        report->notes.insert(
            report->notes.begin(),
            fmt::format("The scenario has no job section: failures and checkpoints are those of the preset {}.", section->standsIn));
    }
    return report;
}

std::vector<JobAssumption> jobAssumptions(const Scenario& scenario, const JobSection& section)
{
    Scenario own = scenario, base = scenario;
    own.job = section.config;
    base.job = JobConfig{};
    nlohmann::json sources = nlohmann::json::object();
    if (const Result<JobConfig> preset = jobPreset(section.config.preset); !section.config.preset.empty() && preset.ok()) {
        base.job = *preset;
        sources = sourcesOf(section.config.preset);
    }
    std::vector<JobAssumption> all{failuresOf(section, base.job, sources)};
    for (const char* key : kTold) {
        const Parameter* p = findParameter(std::string("job.") + key);
        if (isZero(p->get(own)))
            continue;
        JobAssumption a{p->id, p->label, valueText(*p, own), {}, JobAssumption::Word::scenario};
        if (p->get(own) == p->get(base))
            setOrigin(a, sources, key);
        all.push_back(std::move(a));
    }
    return all;
}

} // namespace prism
