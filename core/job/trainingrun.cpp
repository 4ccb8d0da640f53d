// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/job/trainingrun.h"

#include "core/base/diagnostictext.h"
#include "core/base/timeunits.h"
#include "core/job/jobtimes.h"
#include "core/job/jobviews.h"
#include "core/stats/intervals.h"
#include "core/stats/moments.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <spdlog/fmt/fmt.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

namespace prism {

namespace {

constexpr double kHoursPerDay = 24;
constexpr int kSpareRuns = 400;    ///< runs for a row of the table of spares
constexpr double kMaxEvents = 3e8; ///< failures, slow episodes and stops in all runs: some minutes of one core

struct Cause {
    const char* name;
    double RunLedger::*seconds;
};
constexpr Cause kCauses[] = {{"checkpoint", &RunLedger::checkpoint},    {"rework", &RunLedger::rework},
                             {"detection", &RunLedger::detection},      {"restart", &RunLedger::restart},
                             {"waiting_for_node", &RunLedger::waiting}, {"fewer_nodes", &RunLedger::shrunk},
                             {"slow_episodes", &RunLedger::slow},       {"maintenance", &RunLedger::maintenance}};

/// The first `runs` runs, of undisturbedDays each.
std::vector<RunLedger> sampledRuns(const TimelineInputs& inputs, const std::vector<double>& undisturbedDays, const JobPlan& plan, int runs,
                                   const InsightOptions& options)
{
    std::vector<RunLedger> ledgers(static_cast<std::size_t>(runs));
    tbb::task_arena arena(options.threads > 0 ? options.threads : tbb::task_arena::automatic);
    arena.execute([&] {
        tbb::parallel_for(0, runs, [&](int i) {
            if (options.stop.stop_requested())
                return;
            TimelineInputs own = inputs;
            own.workSeconds = undisturbedDays[static_cast<std::size_t>(i)] * kSecondsPerDay + plan.evaluationSeconds;
            ledgers[static_cast<std::size_t>(i)] = sampledRun(own, options.seed, static_cast<std::uint64_t>(i));
        });
    });
    return ledgers;
}

Estimate meanEstimate(const std::vector<double>& x)
{
    return {meanOf(x), halfWidthOfMean(x)};
}

template <class Get>
std::vector<double> each(const std::vector<RunLedger>& ledgers, Get get)
{
    std::vector<double> values;
    values.reserve(ledgers.size());
    for (const RunLedger& r : ledgers)
        values.push_back(get(r));
    return values;
}

std::vector<double> sorted(std::vector<double> x)
{
    sortAscending(x);
    return x;
}

Diagnostic endless(const JobPlan& plan, const JobConfig& config)
{
    return errorAt("job", "The job does not end: failures come faster than it can restart and reach its next checkpoint.",
                   fmt::format("one failure every {:.3g} h, a restart of {:g} s", plan.mtbfHours, config.detectionS + config.restartS),
                   "fewer failures, a shorter restart or a shorter checkpoint interval");
}

/// Expected failures, slow episodes and planned stops of all runs, if these took no time themselves.
double expectedEvents(const TimelineInputs& inputs, double seconds, int runs)
{
    const double planned = inputs.maintenanceEvery > 0 ? 1 / inputs.maintenanceEvery : 0;
    return runs * seconds * (inputs.softFailureRate + inputs.nodeFailureRate + inputs.slowRate + planned);
}

Diagnostic tooLong(const JobPlan& plan, double events)
{
    return errorAt("training.train_tokens", "The training run is too long to sample.",
                   fmt::format("{:.3g} days, {:.2g} failures, slow episodes and stops in all runs", plan.undisturbedDays, events),
                   fmt::format("fewer tokens or runs: at most {:.0e} events", kMaxEvents));
}

void setShares(JobReport& report, const std::vector<RunLedger>& ledgers)
{
    const double evaluation = report.plan.evaluationSeconds;
    const auto add = [&](const char* name, auto get) {
        const Estimate share = meanEstimate(each(ledgers, [&](const RunLedger& r) { return get(r) / r.wall; }));
        if (share.value > 0)
            report.shares.push_back({name, share, meanOf(each(ledgers, get)) / kSecondsPerDay});
    };
    add("productive", [&](const RunLedger& r) { return r.productive - evaluation; });
    add("evaluation", [&](const RunLedger&) { return evaluation; });
    for (const Cause& c : kCauses)
        add(c.name, [&](const RunLedger& r) { return r.*c.seconds; });
    const std::vector<double> ratios = sorted(each(ledgers, [&](const RunLedger& r) { return (r.productive - evaluation) / r.wall; }));
    report.effectiveRatio = meanEstimate(ratios);
    report.ratioP5 = quantileOfSorted(ratios, 0.05);
    report.ratioP95 = quantileOfSorted(ratios, 0.95);
}

void setDays(JobReport& report, const std::vector<RunLedger>& ledgers)
{
    report.sortedDays = sorted(each(ledgers, [](const RunLedger& r) { return r.wall / kSecondsPerDay; }));
    report.meanDays = meanOf(report.sortedDays);
    report.p5Days = quantileOfSorted(report.sortedDays, 0.05);
    report.p50Days = quantileEstimate(report.sortedDays, 0.5);
    report.p95Days = quantileEstimate(report.sortedDays, 0.95);
    report.p99Days = quantileOfSorted(report.sortedDays, 0.99);
    const std::vector<double> failures = sorted(each(ledgers, [](const RunLedger& r) { return r.failures; }));
    report.failuresP5 = quantileOfSorted(failures, 0.05);
    report.failuresP50 = quantileOfSorted(failures, 0.5);
    report.failuresP95 = quantileOfSorted(failures, 0.95);
    report.interruptionsMean = meanOf(each(ledgers, [](const RunLedger& r) { return r.interruptions; }));
    if (report.deadlineDays > 0)
        report.deadlineProbability = doneWithin(report, report.deadlineDays);
}

/// USD of one day of the job with its spares.
double usdPerDay(const Scenario& s, const JobPlan& plan, int spares)
{
    return (plan.gpus + spares * static_cast<double>(s.cluster.gpusPerNode)) * kHoursPerDay * s.cluster.gpuHourPriceUsd;
}

void setMoney(JobReport& report, const Scenario& scenario)
{
    const double perDay = usdPerDay(scenario, report.plan, report.config.spareNodes);
    report.costUsdMean = perDay * report.meanDays;
    report.costUsdP95 = perDay * report.p95Days.value;
    report.energyMwhMean = report.config.nodePowerKw * report.config.pue * report.plan.nodes * kHoursPerDay * report.meanDays / 1000;
    report.co2TonnesMean = report.energyMwhMean * report.config.gridGCo2PerKwh / 1000;
    if (report.config.nodePowerKw <= 0)
        report.notes.emplace_back("No energy is stated: the power of a node (job.node_power_kw) is not given.");
    else if (report.config.gridGCo2PerKwh <= 0)
        report.notes.emplace_back("No emissions are stated: the grid factor (job.grid_g_co2_per_kwh) is not given.");
}

void setSpares(JobReport& report, const Scenario& scenario, const TimelineInputs& inputs, const std::vector<double>& undisturbedDays,
               const InsightOptions& options)
{
    const double inRepair = inputs.nodeFailureRate * inputs.repair;
    if (inRepair <= 0)
        return;
    report.sparesFor99 = sparesFor99(inRepair);
    std::vector<int> counts = {0, report.sparesFor99 / 4, report.sparesFor99 / 2, report.sparesFor99, report.config.spareNodes};
    std::sort(counts.begin(), counts.end());
    counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
    for (const int spares : counts) {
        TimelineInputs own = inputs;
        own.spareNodes = spares;
        const std::vector<RunLedger> ledgers = sampledRuns(own, undisturbedDays, report.plan, std::min(kSpareRuns, report.runs), options);
        SparePoint p{spares, probabilityNoSpare(inRepair, spares), {}, {}};
        p.meanDays = meanEstimate(each(ledgers, [](const RunLedger& r) { return r.wall / kSecondsPerDay; }));
        const double perDay = usdPerDay(scenario, report.plan, spares);
        p.costUsd = {perDay * p.meanDays.value, perDay * p.meanDays.halfWidth};
        report.spares.push_back(p);
    }
}

void setLevels(JobReport& report, std::vector<double> levels)
{
    const std::vector<double> ascending = sorted(std::move(levels));
    report.plan.levelLow = quantileOfSorted(ascending, 0.05);
    report.plan.levelHigh = quantileOfSorted(ascending, 0.95);
    report.notes.push_back(
        fmt::format("Days count that the mean step may be {:+.1f} to {:+.1f} % of the predicted one in nine of ten runs: the error "
                    "of the prediction, and how systems differ.",
                    100 * (report.plan.levelLow - 1), 100 * (report.plan.levelHigh - 1)));
}

JobPlan planOf(const Scenario& scenario, const JobConfig& config, const Guarantee& steps)
{
    JobPlan plan;
    plan.tokens = steps.training.tokens;
    plan.steps = steps.training.steps;
    plan.gpus = static_cast<double>(scenario.cluster.numGpus);
    plan.nodes = std::ceil(plan.gpus / scenario.cluster.gpusPerNode);
    plan.stepSeconds = steps.across.mean;
    plan.undisturbedDays = steps.training.p50Days;
    plan.mtbfHours = jobMtbfHours(failuresPer1000NodeDays(config, false), plan.nodes);
    plan.evaluationSeconds =
        config.evaluationIntervalSteps > 0 ? std::floor(plan.steps / config.evaluationIntervalSteps) * config.evaluationS : 0;
    return plan;
}

} // namespace

Result<JobReport> trainingRun(Evaluator& evaluator, const Scenario& scenario, const JobConfig& config, const JobQuery& query,
                              const InsightOptions& options)
{
    const auto begin = std::chrono::steady_clock::now();
    if (Diagnostics errors = checkJob(config, query); hasErrors(errors))
        return errors;
    GuaranteeQuery train;
    train.trainTokens = query.tokens;
    train.asPredicted = query.asPredicted;
    const Result<Guarantee> steps = guarantee(evaluator, scenario, train, options);
    if (!steps.ok())
        return steps.errors();
    if (!steps->hasTraining)
        return errorAt("training.train_tokens", "The job has no end: no number of tokens is given.", "0", "tokens to train, e.g. 15T");
    JobReport report;
    report.config = config;
    report.preset = config.preset;
    report.runs = query.runs;
    report.seed = options.seed;
    report.plan = planOf(scenario, config, *steps);
    report.deadlineDays = query.deadlineDays > 0 ? query.deadlineDays : config.deadlineDays;
    report.checkpoints = checkpointAdvice(config, report.plan);
    report.closedForm = closedForm(config, report.plan, report.checkpoints.usedSeconds);
    const double nodesPerReplica =
        std::max(1.0, report.plan.nodes / static_cast<double>(std::max<std::int64_t>(1, scenario.dataParallelSize())));
    const TimelineInputs inputs = timelineInputs(config, report.plan, nodesPerReplica);
    if (const double events = expectedEvents(inputs, report.plan.undisturbedDays * kSecondsPerDay, query.runs); !(events <= kMaxEvents))
        return tooLong(report.plan, events);
    const std::vector<double> levels =
        query.asPredicted ? std::vector<double>(static_cast<std::size_t>(query.runs), 1.0) : runLevels(*steps->systems, query.runs);
    if (!query.asPredicted)
        setLevels(report, levels);
    const std::vector<double> days = daysOfRuns(steps->training.sortedDays, levels);
    const std::vector<RunLedger> ledgers = sampledRuns(inputs, days, report.plan, query.runs, options);
    if (options.stop.stop_requested())
        return cancelled();
    if (std::any_of(ledgers.begin(), ledgers.end(), [](const RunLedger& r) { return !r.finished; }))
        return endless(report.plan, config);
    setDays(report, ledgers);
    setShares(report, ledgers);
    setMoney(report, scenario);
    setSpares(report, scenario, inputs, days, options);
    report.notes.emplace_back(
        "Failures come at a constant rate, independently of each other and of the age of the job; a node that returns is as good as new.");
    report.elapsedSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return report;
}

} // namespace prism
