// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fleet/fleet.h"

#include "core/base/diagnostictext.h"
#include "core/cost/predictor.h"
#include "core/insight/guarantee/guarantee.h"
#include "core/insight/report.h"
#include "core/scenario/presets.h"
#include "core/stats/moments.h"
#include "core/stats/quantile.h"
#include "core/stats/random.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

namespace prism {

namespace {

constexpr double kStepsOfAJob = 1'000;

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

Result<FleetCluster> fleetCluster(Evaluator& evaluator, std::string_view json, const InsightOptions& options)
{
    Result<FleetCluster> cluster = readFleetCluster(json);
    if (!cluster.ok())
        return cluster;
    std::map<std::string, Distribution> factors; // each scenario is sampled once
    for (auto& [name, klass] : cluster->classes) {
        if (klass.scenario.empty())
            continue;
        auto known = factors.find(klass.scenario);
        if (known == factors.end()) {
            Result<Distribution> factor = trainingFactor(evaluator, klass.scenario, options);
            if (!factor.ok())
                return factor.errors();
            known = factors.emplace(klass.scenario, std::move(factor).value()).first;
        }
        klass.factor = known->second;
    }
    return cluster;
}

namespace {

constexpr std::size_t kMaxMisfits = 50;
constexpr double kHigh = 0.95;
constexpr std::uint64_t kNodePurpose = 0x666c6e6f6465ULL, kJobPurpose = 0x666c6a6f62ULL;

/// Jobs that cannot run here, line by line.
Diagnostics misfits(const JobTable& table, const FleetCluster& cluster)
{
    Diagnostics errors;
    std::size_t invalid = 0;
    const auto report = [&](const FleetJob& job, const char* message, std::string found, std::string accepted) {
        if (++invalid <= kMaxMisfits)
            errors.push_back({Severity::error, "line " + std::to_string(job.line), message, std::move(found), std::move(accepted), "", ""});
    };
    for (const FleetJob& job : table.jobs) {
        if (job.gpus > cluster.gpus())
            report(job, "The job is larger than the cluster.", std::to_string(job.gpus) + " GPUs",
                   "at most " + std::to_string(cluster.gpus()));
        if (!job.gpuType.empty() && !cluster.gpuType.empty() && job.gpuType != cluster.gpuType)
            report(job, "The cluster has no such GPU.", job.gpuType, cluster.gpuType);
    }
    if (invalid > kMaxMisfits)
        errors.push_back({Severity::error, "jobs", "Further jobs do not fit.", std::to_string(invalid - kMaxMisfits), "0", "", ""});
    return errors;
}

const FleetClass& classOf(const FleetCluster& cluster, const std::string& kind)
{
    const auto named = cluster.classes.find(kind);
    return named != cluster.classes.end() ? named->second : cluster.classes.find("default")->second;
}

/// Jobs with what is expected of them, and the factors that a run draws.
class Expectations final {
public:
    Expectations(const JobTable& table, const FleetCluster& cluster) : m_cluster(cluster), m_nodeTime(cluster.nodeTime)
    {
        for (const auto& [name, klass] : cluster.classes)
            m_quantiles.emplace(&klass, QuantileFunction(klass.factor));
        for (const FleetJob& job : table.jobs) {
            const FleetClass& klass = classOf(cluster, job.kind);
            m_classes.push_back(&klass);
            const double nodes = std::ceil(static_cast<double>(job.gpus) / cluster.gpusPerNode);
            const double slowest = cluster.measuredTimes.empty() ? m_nodeTime(std::pow(kHigh, 1 / nodes)) : 1;
            const double p95 = job.durationSeconds * m_quantiles.at(&klass)(kHigh) * slowest;
            m_tasks.push_back({job.submitSeconds, job.durationSeconds, p95, job.durationSeconds, job.gpus});
        }
    }
    [[nodiscard]] std::vector<FleetTask> tasks(std::uint64_t seed, int run) const
    {
        std::vector<FleetTask> drawn = m_tasks;
        for (std::size_t i = 0; i < drawn.size(); ++i)
            drawn[i].actual *= m_quantiles.at(m_classes[i])(uniform(seed, stream(kJobPurpose, i), static_cast<std::uint64_t>(run)));
        return drawn;
    }
    [[nodiscard]] std::vector<double> nodeTimes(std::uint64_t seed, int run) const
    {
        std::vector<double> times = m_cluster.measuredTimes;
        for (std::size_t i = times.size(); i < static_cast<std::size_t>(m_cluster.nodes); ++i)
            times.push_back(m_nodeTime(uniform(seed, stream(kNodePurpose, i), static_cast<std::uint64_t>(run))));
        return times;
    }
    [[nodiscard]] const std::vector<FleetTask>& expected() const { return m_tasks; }

private:
    const FleetCluster& m_cluster;
    QuantileFunction m_nodeTime;
    std::map<const FleetClass*, QuantileFunction> m_quantiles;
    std::vector<const FleetClass*> m_classes;
    std::vector<FleetTask> m_tasks;
};

/// Metrics of one policy in one run.
struct RunMetric {
    double mean = 0, p50 = 0, p95 = 0, queueing = 0, utilisation = 0;
};

RunMetric metricOf(const std::vector<FleetTask>& tasks, const FleetRun& run)
{
    std::vector<double> completion, wait;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        completion.push_back(run.end[i] - tasks[i].submit);
        wait.push_back(run.start[i] - tasks[i].submit);
    }
    const double mean = meanOf(completion), queueing = meanOf(wait);
    std::sort(completion.begin(), completion.end());
    return {mean, quantileOfSorted(completion, 0.5), quantileOfSorted(completion, kHigh), queueing, run.utilisation};
}

using PolicyMetrics = std::array<RunMetric, kFleetPolicies>;

Estimate over(const std::vector<PolicyMetrics>& runs, const auto& metric)
{
    std::vector<double> values;
    values.reserve(runs.size());
    for (const PolicyMetrics& run : runs)
        values.push_back(metric(run));
    return {meanOf(values), halfWidthOfMean(values)};
}

FleetPolicyResult resultOf(const std::vector<PolicyMetrics>& runs, std::size_t policy)
{
    const auto value = [&](double RunMetric::*f) { return over(runs, [&](const PolicyMetrics& r) { return r[policy].*f; }); };
    const auto ratio = [&](double RunMetric::*f) {
        return over(runs, [&](const PolicyMetrics& r) { return r[0].*f > 0 ? r[policy].*f / (r[0].*f) : 1.0; });
    };
    FleetPolicyResult result;
    result.policy = static_cast<FleetPolicy>(policy);
    result.mean = value(&RunMetric::mean);
    result.p50 = value(&RunMetric::p50);
    result.p95 = value(&RunMetric::p95);
    result.queueing = value(&RunMetric::queueing);
    result.utilisation = value(&RunMetric::utilisation);
    result.meanRatio = ratio(&RunMetric::mean);
    result.p50Ratio = ratio(&RunMetric::p50);
    result.p95Ratio = ratio(&RunMetric::p95);
    result.queueingRatio = ratio(&RunMetric::queueing);
    result.utilisationChange = over(runs, [&](const PolicyMetrics& r) { return r[policy].utilisation - r[0].utilisation; });
    return result;
}

/// Share of jobs at another place in the order by p95 than in the order by mean.
double reorderedShare(const std::vector<FleetTask>& tasks)
{
    const auto order = [&](double FleetTask::*key) {
        std::vector<std::size_t> at(tasks.size());
        for (std::size_t i = 0; i < at.size(); ++i)
            at[i] = i;
        std::stable_sort(at.begin(), at.end(), [&](std::size_t a, std::size_t b) { return tasks[a].*key < tasks[b].*key; });
        return at;
    };
    const std::vector<std::size_t> mean = order(&FleetTask::mean), p95 = order(&FleetTask::p95);
    std::size_t moved = 0;
    for (std::size_t i = 0; i < mean.size(); ++i)
        moved += mean[i] != p95[i] ? 1 : 0;
    return static_cast<double>(moved) / static_cast<double>(std::max<std::size_t>(1, mean.size()));
}

void explain(FleetReport& report)
{
    report.notes.push_back(
        fmt::format("The order by p95 differs from the order by mean in {:.0f} % of the places: it can gain over it only there.",
                    100 * report.reordered));
    if (report.offeredLoad < 0.7)
        report.notes.push_back(fmt::format(
            "The jobs ask for {:.0f} % of the cluster until the last is submitted: few wait, and no order can help those that do not.",
            100 * report.offeredLoad));
    report.notes.emplace_back(
        "Expected durations are those of the table: a scheduler would have to estimate them. No job overtakes another that its "
        "policy puts first (no backfilling), and none is preempted.");
}

} // namespace

Result<FleetReport> fleet(const JobTable& table, const FleetCluster& cluster, const FleetQuery& query, const InsightOptions& options)
{
    const auto begin = std::chrono::steady_clock::now();
    if (Diagnostics errors = misfits(table, cluster); !errors.empty())
        return errors;
    if (query.runs < 1 || query.runs > 1'000)
        return Diagnostic{Severity::error, "runs", "The number of runs is out of range.", std::to_string(query.runs), "1 to 1,000", "", ""};
    if (const double work = 1.0 * static_cast<double>(table.jobs.size()) * cluster.nodes * query.runs; work > kMaxFleetWork)
        return errorAt("runs", "The simulation is too large: reduce --runs.", fmt::format("{:.2g} jobs x nodes x runs", work),
                       fmt::format("at most {:.2g}", kMaxFleetWork));
    const Expectations expectations(table, cluster);
    std::vector<PolicyMetrics> runs(static_cast<std::size_t>(query.runs));
    tbb::task_arena arena(options.threads > 0 ? options.threads : tbb::task_arena::automatic);
    arena.execute([&] {
        tbb::parallel_for(0, query.runs, [&](int run) {
            if (options.stop.stop_requested())
                return;
            const std::vector<FleetTask> tasks = expectations.tasks(options.seed, run);
            const std::vector<double> times = expectations.nodeTimes(options.seed, run);
            for (std::size_t p = 0; p < kFleetPolicies; ++p)
                runs[static_cast<std::size_t>(run)][p] =
                    metricOf(tasks, dispatched(tasks, times, cluster.gpusPerNode, static_cast<FleetPolicy>(p)));
        });
    });
    if (options.stop.stop_requested())
        return cancelled();
    FleetReport report;
    report.jobs = table.jobs.size();
    report.withoutGpus = table.withoutGpus;
    report.withoutDuration = table.withoutDuration;
    report.nodes = cluster.nodes;
    report.gpus = cluster.gpus();
    report.runs = query.runs;
    report.seed = options.seed;
    double requested = 0;
    for (const FleetTask& t : expectations.expected())
        requested += t.mean * t.gpus;
    const double until = table.jobs.back().submitSeconds;
    report.offeredLoad = until > 0 ? requested / (until * cluster.gpus()) : 0;
    report.reordered = reorderedShare(expectations.expected());
    for (std::size_t p = 0; p < kFleetPolicies; ++p)
        report.policies.push_back(resultOf(runs, p));
    explain(report);
    report.elapsedSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return report;
}

std::string toJson(const FleetReport& r)
{
    nlohmann::ordered_json policies = nlohmann::ordered_json::array();
    for (const FleetPolicyResult& p : r.policies)
        policies.push_back({{"policy", policyName(p.policy)},
                            {"completion_s", {{"mean", report::json(p.mean)}, {"p50", report::json(p.p50)}, {"p95", report::json(p.p95)}}},
                            {"queueing_s", report::json(p.queueing)},
                            {"utilisation", report::json(p.utilisation)},
                            {"over_fifo",
                             {{"mean", report::json(p.meanRatio)},
                              {"p50", report::json(p.p50Ratio)},
                              {"p95", report::json(p.p95Ratio)},
                              {"queueing", report::json(p.queueingRatio)},
                              {"utilisation_change", report::json(p.utilisationChange)}}}});
    return report::dump({{"jobs", r.jobs},
                         {"rows_without_gpus", r.withoutGpus},
                         {"rows_without_duration", r.withoutDuration},
                         {"nodes", r.nodes},
                         {"gpus", r.gpus},
                         {"runs", r.runs},
                         {"offered_load", r.offeredLoad},
                         {"reordered_share", r.reordered},
                         {"policies", std::move(policies)},
                         {"seed", r.seed},
                         {"elapsed_s", r.elapsedSeconds},
                         {"notes", r.notes}});
}

std::string toCsv(const FleetReport& r, TableText /*texts*/)
{
    using report::number;
    std::string text =
        "policy,mean_s,p50_s,p95_s,queueing_s,utilisation,mean_over_fifo,mean_over_fifo_ci95,p95_over_fifo,p95_over_fifo_ci95\n";
    for (const FleetPolicyResult& p : r.policies)
        text += report::row({policyName(p.policy), number(p.mean.value), number(p.p50.value), number(p.p95.value), number(p.queueing.value),
                             number(p.utilisation.value), number(p.meanRatio.value), number(p.meanRatio.halfWidth),
                             number(p.p95Ratio.value), number(p.p95Ratio.halfWidth)});
    return text;
}

} // namespace prism
