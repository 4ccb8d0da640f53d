// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/job/jobsection.h"

#include "core/base/jsontext.h"
#include "core/cost/domain.h"
#include "core/job/jobdefaults.h"
#include "core/job/jobtimes.h"
#include "core/job/trainingrun.h"
#include "core/scenario/sectionpresets.h"
#include "core/scenario/parameters.h"
#include "core/scenario/presets.h"

#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>

#include <cmath>

namespace prism {
namespace {

/// Inputs whose origin is reported only where they affect the answer: zero means "there is none".
constexpr const char* kReported[] = {"detection_s",           "restart_s",
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

void setOrigin(JobAssumption& a, std::string source)
{
    a.source = std::move(source);
    a.word = a.source.starts_with("Assumed") ? JobAssumption::Word::assumed : JobAssumption::Word::published;
}

void setOrigin(JobAssumption& a, const nlohmann::json& sources, const char* key)
{
    if (const auto source = sources.find(key); source != sources.end() && source->is_string())
        setOrigin(a, source->get<std::string>());
}

bool isZero(const ParameterValue& value)
{
    const auto* real = std::get_if<double>(&value);
    const auto* whole = std::get_if<std::int64_t>(&value);
    return (real && *real == 0) || (whole && *whole == 0);
}

/// Three digits: derived values have more than they earn.
std::string valueText(const Parameter& p, const Scenario& s)
{
    constexpr double kWhole = 1000; // from here on three digits would drop whole units
    const ParameterValue held = p.get(s);
    const double* number = std::get_if<double>(&held);
    const bool isRounded = number && !p.isPercent && std::abs(*number) < kWhole;
    const std::string value = isRounded ? fmt::format("{:.3g}", *number) : parameterText(p, s);
    return p.unit.empty() ? value : value + " " + p.unit;
}

JobAssumption failuresOf(const JobSection& section, const std::vector<FailureCause>& preset, const nlohmann::json& sources)
{
    JobAssumption a;
    a.path = "job.failures";
    a.label = "Failures";
    a.value = fmt::format("{:.3g} per 1,000 node-days", failuresPer1000NodeDays(section.config, false));
    if (section.config.failures == preset && section.config.failureScale == 1 && !preset.empty())
        setOrigin(a, sources, "failures");
    return a;
}

} // namespace

Result<JobSection> jobSectionOf(const Scenario& scenario)
{
    Scenario own = scenario;
    JobSection section;
    section.assumed = scenario.job.preset.empty() && scenario.job.failures.empty();
    if (section.assumed) {
        section.standsIn = defaultPreset("job", gpuType(scenario.cluster.gpu));
        const Result<JobConfig> preset = jobPreset(section.standsIn);
        if (!preset.ok())
            return preset.errors();
        own.job.failures = preset->failures;
        for (FailureCause& f : own.job.failures) // published for nodes of 8 GPUs, most by their GPUs
            f.per1000NodeDays *= scenario.cluster.gpusPerNode / 8.0;
    }
    followJob(own);
    section.config = std::move(own.job);
    return section;
}

Result<JobReport> jobOf(Evaluator& evaluator, const Scenario& scenario, const JobQuery& query, const InsightOptions& options)
{
    const Result<JobSection> section = jobSectionOf(scenario);
    if (!section.ok())
        return section.errors();
    Result<JobReport> report = trainingRun(evaluator, scenario, section->config, query, options);
    if (report.ok() && section->assumed) {
        report->presetAssumed = true;
        report->preset = section->standsIn;
        report->notes.insert(report->notes.begin(),
                             fmt::format("The scenario names no failures: the rates are those of the preset {}.", section->standsIn));
    }
    return report;
}

std::vector<JobAssumption> jobAssumptions(const Scenario& scenario, const JobSection& section)
{
    Scenario own = scenario, base = scenario, followed = scenario;
    own.job = section.config;
    base.job = JobConfig{};
    if (const Result<JobSection> standsIn = jobSectionOf(scenario); standsIn.ok())
        followed.job = standsIn->config;
    const std::string& named = section.assumed ? section.standsIn : scenario.job.preset;
    if (const Result<JobConfig> preset = jobPreset(scenario.job.preset); !scenario.job.preset.empty() && preset.ok())
        base.job = *preset;
    const nlohmann::json sources = named.empty() ? nlohmann::json::object() : sourcesOf(named);
    std::vector<JobAssumption> all{failuresOf(section, (section.assumed ? followed : base).job.failures, sources)};
    for (const char* key : kReported) {
        const Parameter* p = findParameter(std::string("job.") + key);
        if (isZero(p->get(own)))
            continue;
        JobAssumption a{p->id, p->label, valueText(*p, own), {}, JobAssumption::Word::scenario};
        if (followsJob(p->id, scenario) && p->get(own) == p->get(followed))
            setOrigin(a, std::string(followSource(p->id)));
        else if (p->get(own) == p->get(base))
            setOrigin(a, sources, key);
        all.push_back(std::move(a));
    }
    return all;
}

Result<Guarantee> promise(Evaluator& evaluator, const Scenario& scenario, const GuaranteeQuery& query, double deadlineDays,
                          const InsightOptions& options)
{
    Result<Guarantee> made = guarantee(evaluator, scenario, query, options);
    if (!made.ok() || deadlineDays == 0)
        return made;
    const Result<JobReport> job = jobOf(evaluator, scenario, {.tokens = query.trainTokens, .deadlineDays = deadlineDays}, options);
    if (!job.ok())
        return job.errors();
    Guarantee result = std::move(made).value();
    result.deadlineDays = deadlineDays;
    result.deadlineProbability = job->deadlineProbability;
    result.notes.emplace_back(
        "The deadline is the whole job's: with failures, restarts, checkpoints and evaluations, the error of the predicted "
        "mean, and how systems differ.");
    return result;
}

} // namespace prism
