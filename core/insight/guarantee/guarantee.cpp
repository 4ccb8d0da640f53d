// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/guarantee/guarantee.h"

#include "core/base/diagnostictext.h"
#include "core/stats/moments.h"
#include "core/insight/empirical.h"
#include "core/insight/paired.h"
#include "core/insight/report.h"
#include "core/insight/variation.h"

#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace prism {

namespace {

constexpr int kDefaultSamples = 2'000;

Diagnostics checkQuery(const GuaranteeQuery& query)
{
    Diagnostics errors;
    for (const double x : query.limitsSeconds)
        if (!(x >= 0) || !std::isfinite(x))
            errors.push_back(errorAt("limit", "A limit must be a time.", fmt::format("{}", x), ">= 0 seconds"));
    for (const double p : query.probabilities)
        if (!(p > 0 && p < 1))
            errors.push_back(errorAt("probability", "A probability is out of range.", fmt::format("{}", p), "between 0 and 1"));
    if (!(query.trainTokens >= 0) || !std::isfinite(query.trainTokens))
        errors.push_back(errorAt("tokens", "The number of tokens is out of range.", fmt::format("{}", query.trainTokens), ">= 0"));
    if (!(std::abs(query.trend) < 1))
        errors.push_back(errorAt("trend", "The trend is out of range.", fmt::format("{}", query.trend), "between -1 and 1"));
    if (query.limitsSeconds.size() + query.probabilities.size() > 10'000)
        errors.push_back(errorAt("limit", "There are too many questions.",
                                 std::to_string(query.limitsSeconds.size() + query.probabilities.size()), "at most 10,000"));
    return errors;
}

/// What a job's mean step is, over jobs: mean of the step times plus the persistent part of each sampled job. The persistent
/// part is the step with only the spatial factors drawn, centred; its variance is what the persistent factors explain.
std::vector<double> jobMeans(const StepSamples& across, const StepSamples& spatialOnly)
{
    const double mean = meanOf(across.acrossSeconds), centre = meanOf(spatialOnly.acrossSeconds);
    std::vector<double> means;
    for (const double x : spatialOnly.acrossSeconds)
        means.push_back(mean + x - centre);
    return means;
}

/// Correlation of neighbours of a stationary series; 0 where it does not vary.
double lag1(const std::vector<double>& x)
{
    const double mean = meanOf(x);
    double products = 0, squares = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        squares += (x[i] - mean) * (x[i] - mean);
        products += i > 0 ? (x[i] - mean) * (x[i - 1] - mean) : 0;
    }
    return squares > 0 ? std::clamp(products / squares, 0.0, 0.99) : 0;
}

void answer(Guarantee& result, const StepSamples& samples, const GuaranteeQuery& query)
{
    const RunMetrics across = RunMetrics::across(samples, result.sortedAcross), within = RunMetrics::within(samples, result.sortedWithin);
    for (const double x : query.limitsSeconds) {
        Exceedance e{x, across.exceedance(x), within.exceedance(x)};
        e.resolved = e.acrossProbability.value > 0;
        result.exceedances.push_back(e);
    }
    for (const double p : query.probabilities) {
        LimitFor l{p, across.quantile(1 - p), within.quantile(1 - p)};
        // Ten samples beyond a quantile are the least that an interval of order statistics can rest on.
        l.resolved = p * static_cast<double>(result.sortedAcross.size()) >= 10;
        result.limits.push_back(l);
    }
}

/// How long a training run takes.
struct TrainingQuestion {
    double tokens = 0, tokensPerStep = 0;
};

/// The time of the whole run, from what varies between jobs and what remembers within one. False when stopped.
bool addTraining(Evaluator& evaluator, const StepGraph& graph, const StepSamples& full, SimOptions sim, const TrainingQuestion& question,
                 Guarantee& result)
{
    StepGraph spatial = withoutSpread(graph), regime = withoutSpread(graph);
    spatial.spatial = graph.spatial;
    regime.intraRegime = graph.intraRegime;
    regime.interRegime = graph.interRegime;
    regime.computeRegime = graph.computeRegime;
    regime.routingRegime = graph.routingRegime;
    sim.numWithinSamples = -1;
    const auto spatialOnly = evaluator.samples(spatial, sim);
    sim.numWithinSamples = result.samples;
    const auto regimeOnly = evaluator.samples(regime, sim);
    if (!spatialOnly->complete || !regimeOnly->complete)
        return false;
    TrainingInputs inputs;
    inputs.jobMeans = jobMeans(full, *spatialOnly);
    inputs.meanHalfWidth = result.across.ciMean;
    inputs.p95HalfWidth = normalReach() * spatialOnly->acrossShared.p95.stdErr;
    inputs.withinVariance = varianceOf(full.withinSeconds);
    inputs.regimeShare = inputs.withinVariance > 0 ? std::min(1.0, varianceOf(regimeOnly->withinSeconds) / inputs.withinVariance) : 0;
    inputs.regimeLag1 = lag1(regimeOnly->withinSeconds); // communication that hides correlates less than the regime itself
    inputs.tokens = question.tokens;
    inputs.tokensPerStep = question.tokensPerStep;
    result.hasTraining = true;
    result.training = trainingTime(inputs);
    result.notes.push_back(
        fmt::format("Regimes carry {:.0f} % of the variance within a job and make steps correlate by {:.2f} from one to the next.",
                    100 * inputs.regimeShare, inputs.regimeLag1));
    result.notes.emplace_back(
        "The persistent factors of a job shift all of its steps, so this part of the uncertainty does not shrink with their number.");
    return true;
}

/// The answers with the error of the mean and how systems differ. Errors: systemsRange's; cancelled.
Diagnostics addSystems(Evaluator& evaluator, const Scenario& scenario, const CostedStep& costed, const InsightOptions& options,
                       Guarantee& result)
{
    const auto range = evaluator.systems(scenario, costed, simOptions(options));
    if (!range.ok() || !(*range)->complete)
        return range.ok() ? Diagnostics{cancelled()} : range.errors();
    result.systems = *range;
    const StepsOverSystems steps(**range, result.sortedAcross, result.across.ciMean);
    for (Exceedance& e : result.exceedances)
        e.overSystems = steps.exceedance(e.limitSeconds);
    for (LimitFor& l : result.limits)
        l.overSystemsSeconds = steps.limit(l.probability);
    if (result.hasTraining)
        result.training.overSystems = nineOfTen(daysOfRuns(result.training.sortedDays, (*range)->levels));
    return {};
}

/// The first and the last of as many steps.
std::string trendNote(double trend, std::size_t steps)
{
    std::vector<double> level(steps, 1.0);
    addTrend(level, trend);
    return fmt::format("Steps run from {:+.2f} % to {:+.2f} % around the scenario's: a trend over the run that settles and leaves the time "
                       "to train as it is.",
                       100 * (level.front() - 1), 100 * (level.back() - 1));
}

} // namespace

Result<Guarantee> guarantee(Evaluator& evaluator, const Scenario& scenario, const GuaranteeQuery& query, const InsightOptions& options)
{
    const auto begin = std::chrono::steady_clock::now();
    if (Diagnostics errors = checkQuery(query); hasErrors(errors))
        return errors;
    Guarantee result;
    result.seed = options.seed;
    result.samples = options.samples > 0 ? options.samples : kDefaultSamples;
    const Result<CostedStep> costed = costStep(scenario);
    if (!costed.ok())
        return costed.errors();
    const StepGraph& graph = costed->graph;
    SimOptions sim = simOptions(options);
    sim.numSamples = result.samples;
    const auto full = evaluator.samples(graph, sim);
    if (!full->complete)
        return cancelled();
    StepSamples steps = *full;
    addTrend(steps.acrossSeconds, query.trend);
    addTrend(steps.withinSeconds, query.trend);
    result.across = summarize(steps.acrossSeconds, &steps);
    result.within = summarizeWithin(steps);
    result.sortedAcross = steps.acrossSeconds;
    result.sortedWithin = steps.withinSeconds;
    sortAscending(result.sortedAcross);
    sortAscending(result.sortedWithin);
    answer(result, steps, query);
    if (query.trend != 0)
        result.notes.push_back(trendNote(query.trend, steps.acrossSeconds.size()));
    if (options.progress)
        options.progress(0.5, "guarantee");
    const double tokens = query.trainTokens > 0 ? query.trainTokens : scenario.training.trainTokens;
    if (tokens > 0 && costed->tokensPerStep > 0) {
        const TrainingQuestion question{tokens, costed->tokensPerStep};
        if (!addTraining(evaluator, graph, *full, sim, question, result))
            return cancelled();
    }
    if (Diagnostics errors = query.asPredicted ? Diagnostics() : addSystems(evaluator, scenario, *costed, options, result); !errors.empty())
        return errors;
    result.notes.emplace_back(
        "Steps and time to train count no failures, fail-slow episodes, checkpoints or evaluations; regimes are stationary over the run.");
    result.elapsedSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (options.progress)
        options.progress(1, "guarantee");
    return result;
}

std::string toJson(const Guarantee& g)
{
    nlohmann::ordered_json exceedances = nlohmann::ordered_json::array(), limits = nlohmann::ordered_json::array();
    for (const Exceedance& e : g.exceedances)
        exceedances.push_back({{"limit_s", e.limitSeconds},
                               {"probability", report::json(e.overSystems.probability)},
                               {"over_systems", {{"p5", e.overSystems.low}, {"p95", e.overSystems.high}}},
                               {"across_jobs", report::json(e.acrossProbability)},
                               {"within_job", report::json(e.withinProbability)},
                               {"resolved", e.resolved}});
    for (const LimitFor& l : g.limits)
        limits.push_back({{"probability", l.probability},
                          {"limit_s", l.overSystemsSeconds},
                          {"across_jobs_s", report::json(l.acrossSeconds)},
                          {"within_job_s", report::json(l.withinSeconds)},
                          {"resolved", l.resolved}});
    nlohmann::ordered_json object{{"step_time_s", report::json(g.across)},
                                  {"within_job_s", report::json(g.within)},
                                  {"exceedance", std::move(exceedances)},
                                  {"limits", std::move(limits)},
                                  {"samples", g.samples},
                                  {"seed", g.seed},
                                  {"elapsed_s", g.elapsedSeconds}};
    if (g.hasTraining) {
        const TrainingTime& t = g.training;
        object["training"] = {{"tokens", t.tokens},
                              {"steps", t.steps},
                              {"mean_days", t.meanDays},
                              {"p5_days", t.p5Days},
                              {"p50_days", report::json(t.p50)},
                              {"p95_days", report::json(t.p95)},
                              {"p99_days", t.p99Days},
                              {"over_systems_days", report::json(t.overSystems, 1)},
                              {"std_from_persistent_factors_days", t.stdJobDays},
                              {"std_from_steps_days", t.stdStepsDays},
                              {"std_if_steps_were_independent_days", t.stdIfIndependentDays},
                              {"effective_independent_steps", t.effectiveIndependentSteps}};
        if (g.deadlineDays > 0) {
            object["training"]["deadline_days"] = g.deadlineDays;
            object["training"]["deadline_probability"] = report::json(g.deadlineProbability);
        }
    }
    object["notes"] = g.notes;
    return report::dump(object);
}

std::string toCsv(const Guarantee& g, TableText /*texts*/)
{
    using report::number;
    std::string text = "question,given,across,across_ci95,within,within_ci95,resolved,over_systems\n";
    const auto row = [&](const char* question, double given, const Estimate& across, const Estimate& within, bool resolved, double over) {
        text += report::row({question, number(given), number(across.value), number(across.halfWidth), number(within.value),
                             number(within.halfWidth), resolved ? "1" : "0", number(over)});
    };
    for (const Exceedance& e : g.exceedances)
        row("probability_above_s", e.limitSeconds, e.acrossProbability, e.withinProbability, e.resolved, e.overSystems.probability.value);
    for (const LimitFor& l : g.limits)
        row("limit_s_for_probability", l.probability, l.acrossSeconds, l.withinSeconds, l.resolved, l.overSystemsSeconds);
    const auto ofRun = [&](const char* question, double given, const Estimate& across, double over) {
        text += report::row({question, number(given), number(across.value), number(across.halfWidth), "", "", "1", number(over)});
    };
    if (g.hasTraining) {
        ofRun("training_days", 0.5, g.training.p50, g.training.overSystems.median);
        ofRun("training_days", 0.95, g.training.p95, g.training.overSystems.high);
        if (g.deadlineDays > 0)
            ofRun("deadline_probability", g.deadlineDays, g.deadlineProbability, g.deadlineProbability.value);
    }
    return text;
}

} // namespace prism
