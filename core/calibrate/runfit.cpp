// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/calibrate/runfit.h"

#include "core/base/diagnostictext.h"
#include "core/base/text.h"
#include "core/calibrate/factorpool.h"
#include "core/calibrate/stallsteps.h"
#include "core/cost/predictor.h"
#include "core/scenario/measuredlevel.h"
#include "core/scenario/scenariolimits.h"
#include "core/scenario/namedspreads.h"
#include "core/sim/draw/draws.h"
#include "core/sim/simulate.h"
#include "core/stats/moments.h"

#include <boost/math/distributions/normal.hpp>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>

namespace prism {

namespace {

constexpr int kPartBlock = 20;
constexpr double kLevelProbe = 1.1;
constexpr std::size_t kMinForShape = 100; ///< steps that a shape takes

/// The scenario without the causes that are fitted.
Scenario withoutFitted(Scenario scenario)
{
    VariabilityConfig& v = scenario.variability;
    v.computeRegime = {};
    v.computeRegimeLag1 = 0;
    v.stepJitterS = v.stallsPerGpuHour = v.stallMeanS = v.stallCv = v.stallRateCv = 0;
    return scenario;
}

/// How much of a relative change of all compute reaches the noise-free step.
Result<double> computeShareOf(Scenario scenario)
{
    const double own = scenario.measured.computeLevel;
    const Result<double> now = noiseFreeSeconds(scenario);
    scenario.measured.computeLevel = std::min(kMaxComputeLevel, own * kLevelProbe);
    const Result<double> probed = noiseFreeSeconds(scenario);
    if (!now.ok() || !probed.ok())
        return now.ok() ? probed.errors() : now.errors();
    return (*probed / *now - 1) / (scenario.measured.computeLevel / own - 1);
}

/// Values of the compute regime that, with the noise between neighbours next to them, spread as the steps do: the quantile of a step
/// against the median is freed of the noise's at the same probability, y^2 = d^2 - (noise z)^2, exact for normal steps, and the whole of
/// what lies far beyond the noise. Empty with too few steps or where nothing is left.
std::vector<double> regimeShape(const std::vector<double>& steps, double noise, double computeShare)
{
    if (steps.size() < kMinForShape || !(computeShare > 0))
        return {};
    const boost::math::normal_distribution<> normal;
    std::vector<double> pool;
    bool any = false;
    for (std::size_t i = 0; i < kPoolSize; ++i) {
        const double u = poolProbability(i);
        const double d = quantileOfSorted(steps, u) - 1, own = noise * boost::math::quantile(normal, u);
        const double y = std::sqrt(std::max(0.0, d * d - own * own));
        any = any || y > 0;
        pool.push_back(std::max(0.01, 1 + std::copysign(y, d) / computeShare));
    }
    std::sort(pool.begin(), pool.end());
    return any ? pool : std::vector<double>();
}

/// Puts the fitted causes into the scenario: the compute regime has the shape of the steps and the persistence of what lasts of them.
void useFitted(RunFit& fit, Scenario& scenario, const std::vector<CleanRun>& runs)
{
    VariabilityConfig& v = scenario.variability;
    useSpread(v, fit.causes);
    const std::vector<double> pool = regimeShape(stepsWithoutStalls(runs), stepNoise(runs), fit.computeShare);
    if (pool.empty())
        return;
    v.computeRegime = empiricalDistribution(pool);
    const double lasting = fit.causes.regimeCv.value * fit.causes.regimeCv.value * fit.causes.regimeLag1; // covariance of neighbours
    const double spread = v.computeRegime.cv * fit.computeShare;
    v.computeRegimeLag1 = spread > 0 ? std::clamp(lasting / (spread * spread), 0.0, kMaxFittedLag1) : 0.0;
    fit.notes.emplace_back("the compute regime has the shape of the measured steps beyond the noise between neighbours: what else bends "
                           "that shape (network, hosts) is in it");
}

/// Nine of ten: of the level of a run against that of the job's next steps, and of the median of the fitted steps (1.25 times as far off as
/// their mean; what lasts counts for the steps over which it lasts).
double levelError(const RunFit& fit)
{
    constexpr double kMedianOverMean = 1.2533, kNineOfTen = 1.645;
    const SpreadCauses& c = fit.causes;
    const double noise = std::hypot(c.jitterSeconds.value / c.medianSeconds, fit.explainedCv),
                 lasting = fit.computeShare * c.regimeCv.value * std::sqrt((1 + c.regimeLag1) / (1 - c.regimeLag1));
    return std::min(1.0, std::hypot(kRunLevelError, kNineOfTen * kMedianOverMean * std::hypot(noise, lasting) / std::sqrt(c.steps)));
}

/// The compute level at which the noise-free step takes `factor` times as long, by secants: other parts of the step bend the line.
Result<double> levelFor(Scenario scenario, double factor)
{
    constexpr int kRounds = 6;
    constexpr double kClose = 1e-5;
    double level = scenario.measured.computeLevel;
    const Result<double> now = noiseFreeSeconds(scenario);
    if (!now.ok())
        return now.errors();
    const double requested = factor * *now;
    double before = level, secondsBefore = *now;
    level = std::min(kMaxComputeLevel, level * kLevelProbe);
    for (int round = 0; round < kRounds; ++round) {
        scenario.measured.computeLevel = level;
        const Result<double> seconds = noiseFreeSeconds(scenario);
        if (!seconds.ok())
            return seconds.errors();
        const double slope = (*seconds - secondsBefore) / (level - before);
        if (std::abs(*seconds / requested - 1) < kClose || !(slope > 0))
            break;
        before = level;
        secondsBefore = *seconds;
        level = std::clamp(level + (requested - *seconds) / slope, kMinComputeLevel, kMaxComputeLevel);
        if (level == before)
            break;
    }
    return level;
}

/// What a fit scales together: all that changes from step to step but the compute regime, which is fitted by itself, and routing, which is
/// the model's. A measured pool has no spread to scale.
bool isScaled(const VariabilityConfig& v, const NamedSpread& spread)
{
    const auto is = [&](Distribution VariabilityConfig::*member) { return spread.member == member; };
    return !is(&VariabilityConfig::spatial) && !is(&VariabilityConfig::computeRegime) && !is(&VariabilityConfig::moeImbalance)
           && (v.*spread.member).family != Family::empirical;
}

void scaleSpreads(VariabilityConfig& v, double factor)
{
    for (const NamedSpread& spread : kNamedSpreads)
        if (isScaled(v, spread))
            (v.*spread.member).cv *= factor;
}

/// Spread of neighbouring steps of the prediction: independent but for its regimes.
double explainedSpread(const std::vector<double>& steps)
{
    CleanRun run;
    run.seconds = steps;
    run.medianSeconds = medianOf(steps);
    const SpreadCauses causes = spreadCauses({run}, 1, 0);
    return causes.jitterSeconds.value / run.medianSeconds;
}

Result<Bounded> fittedLevel(const Scenario& scenario, const std::vector<CleanRun>& runs, const RunFit& fit)
{
    const auto level = [&](double seconds) { return levelFor(scenario, seconds / fit.predictedMedianSeconds); };
    const double spread = runs.size() > 1 ? fit.causes.runMedianSpread / std::sqrt(static_cast<double>(runs.size())) : 0.003;
    const Result<double> value = level(fit.measuredMedianSeconds), low = level(fit.measuredMedianSeconds * (1 - 2 * spread)),
                         high = level(fit.measuredMedianSeconds * (1 + 2 * spread));
    if (!value.ok() || !low.ok() || !high.ok())
        return value.errors();
    return Bounded{*value, *low, *high};
}

void addNotes(RunFit& fit, std::size_t runs)
{
    fit.notes = fit.causes.notes;
    fit.notes.emplace_back("the level is assigned to compute: one configuration cannot distinguish slower compute from slower links");
    if (runs == 1)
        fit.notes.emplace_back("one run: the level's interval takes the 0.3 % by which medians of identical runs differ on other systems");
    if (fit.otherSpread < 1)
        fit.notes.push_back(
            fmt::format("the scenario's own spreads explained more than was measured and are scaled by {:.2f}", fit.otherSpread));
    fit.notes.emplace_back("GPU-to-GPU spread does not show in the steps of one job: it stays as it was");
    fit.notes.emplace_back("on another number of GPUs jitter and regime stay, stalls grow with GPUs times step time, the level stays");
    fit.notes.emplace_back("a GPU of another chip takes none of level and spread");
}

std::string rangeText(const char* name, const Bounded& b, const char* unit)
{
    return fmt::format("{} {:.4g} ({:.4g} to {:.4g}) {}", name, b.value, b.low, b.high, unit);
}

} // namespace

Result<std::vector<double>> withinSteps(Evaluator& evaluator, const Scenario& scenario, const RunFitOptions& options)
{
    EvaluateOptions evaluate;
    evaluate.seed = options.seed;
    evaluate.numSamples = options.samples;
    evaluate.numThreads = options.threads;
    evaluate.varianceShares = evaluate.systemsRange = false;
    const SnapshotPtr snapshot = evaluator.evaluate(scenario, evaluate);
    if (!snapshot->valid())
        return snapshot->diagnostics;
    return atOneLevel(snapshot->samples->withinSeconds);
}

Result<PredictedRun> predictedRun(Evaluator& evaluator, const Scenario& scenario, EvaluateOptions options, bool hasTrend)
{
    options.varianceShares = false;
    options.systemsRange = true;
    const SnapshotPtr snapshot = evaluator.evaluate(scenario, options);
    if (!snapshot->valid())
        return snapshot->diagnostics;
    if (!snapshot->systems)
        return Diagnostic();
    PredictedRun run{atOneLevel(snapshot->samples->withinSeconds), snapshot->systems};
    if (hasTrend)
        addTrend(run.seconds, run.systems->trend);
    return run;
}

Result<RunFit> fittedRun(Evaluator& evaluator, const Scenario& scenario, const std::vector<CleanRun>& given, const RunFitOptions& options)
{
    std::vector<CleanRun> runs = given;
    std::erase_if(runs, [](const CleanRun& r) { return r.seconds.size() < static_cast<std::size_t>(kMinSteps); });
    if (runs.empty())
        return errorAt("", "no run is long enough to fit", "", "at least 20 steps in addition to the omitted ones");
    RunFit fit;
    Scenario bare = withoutFitted(scenario);
    Result<std::vector<double>> predicted = withinSteps(evaluator, bare, options);
    if (!predicted.ok())
        return predicted.errors();
    fit.explainedCv = explainedSpread(*predicted);
    const auto gpus = static_cast<double>(scenario.cluster.numGpus);
    fit.causes = spreadCauses(runs, gpus, 0);
    const double noise = fit.causes.jitterSeconds.value / fit.causes.medianSeconds;
    if (fit.explainedCv > noise && noise > 0) {
        fit.otherSpread = noise / fit.explainedCv;
        scaleSpreads(bare.variability, fit.otherSpread);
        predicted = withinSteps(evaluator, bare, options);
        if (!predicted.ok())
            return predicted.errors();
        fit.explainedCv = explainedSpread(*predicted);
    }
    fit.causes = spreadCauses(runs, gpus, std::min(fit.explainedCv, noise));
    fit.measuredMedianSeconds = fit.causes.medianSeconds;
    const Result<double> share = computeShareOf(bare);
    if (!share.ok())
        return share.errors();
    fit.computeShare = *share;
    addNotes(fit, runs.size());
    const Scenario before = bare;
    useFitted(fit, bare, runs);
    predicted = withinSteps(evaluator, bare, options);
    if (!predicted.ok())
        return predicted.errors();
    fit.predictedMedianSeconds = medianOf(*predicted);
    Result<Bounded> level = fittedLevel(before, runs, fit);
    if (!level.ok())
        return level.errors();
    fit.computeLevel = *level;
    fit.fitted = bare;
    fit.fitted.measured.computeLevel = fit.computeLevel.value;
    fit.fitted.measured.levelError = levelError(fit);
    fit.fitted.measured.levelJob = measuredJob(fit.fitted);
    return fit;
}

Result<RunFit> fittedLog(Evaluator& evaluator, const Scenario& scenario, const std::vector<LoggedRun>& logged, const std::string& part,
                         const RunFitOptions& options)
{
    std::vector<RunShape> shapes = runShapes(logged);
    std::vector<CleanRun> runs;
    for (std::size_t i = 0; i < shapes.size(); ++i)
        runs.push_back(partOf(cleanRun(logged[i], shapes[i], {}), part));
    Result<RunFit> made = fittedRun(evaluator, scenario, runs, options);
    if (!made.ok())
        return made;
    RunFit fit = std::move(made).value();
    fit.costs = shapeCosts(logged, shapes);
    fit.shapes = std::move(shapes);
    const ShapeCosts& c = fit.costs;
    if (c.pauseEverySteps > 0) {
        fit.fitted.job.evaluationIntervalSteps = c.pauseEverySteps;
        fit.fitted.job.evaluationS = c.pauseSeconds;
        fit.notes.push_back(fmt::format("pauses count as evaluations: one every {:g} steps, {:.3g} s with the longer step after it; for "
                                        "checkpoints set job.evaluation_s to 0",
                                        c.pauseEverySteps, c.pauseSeconds));
    }
    fit.notes.push_back(fmt::format("not in the days of a job: warm-up {:.3g} s (job.restart_s), trend {:+.2f} % (guarantee --trend)",
                                    c.warmUpSeconds, 100 * c.trend));
    return fit;
}

ClusterCalibration calibrationOf(const RunFit& fit, const std::string& input)
{
    ClusterCalibration out;
    out.machine = machineOf(fit.fitted.cluster.gpu);
    const VariabilityConfig& v = fit.fitted.variability;
    const auto set = [&](const char* path, double value) { out.values.emplace_back(path, numberText(value)); };
    set("measured.compute_level", fit.computeLevel.value);
    set("measured.level_error", fit.fitted.measured.levelError);
    out.values.emplace_back("measured.level_job", fit.fitted.measured.levelJob);
    set("variability.step_jitter_s", v.stepJitterS);
    if (v.computeRegime.family == Family::empirical) {
        out.regimePool = *v.computeRegime.pool;
    } else {
        out.values.emplace_back("variability.compute_regime.family", std::string(familyName(v.computeRegime.family)));
        set("variability.compute_regime.cv", v.computeRegime.cv);
    }
    set("variability.compute_regime_lag1", v.computeRegimeLag1);
    set("variability.stalls_per_gpu_hour", v.stallsPerGpuHour);
    set("variability.stall_mean_s", v.stallMeanS);
    set("variability.stall_cv", v.stallCv);
    if (fit.costs.pauseEverySteps > 0) {
        set("job.evaluation_interval_steps", fit.costs.pauseEverySteps);
        set("job.evaluation_s", fit.costs.pauseSeconds);
    }
    if (fit.otherSpread < 1)
        for (const NamedSpread& spread : kNamedSpreads)
            if (isScaled(v, spread))
                set(fmt::format("variability.{}.cv", spread.name).c_str(), (v.*spread.member).cv);
    CalibrationSource source{"fit of step times", input, {}};
    source.facts.push_back(fmt::format("{} steps of {} runs on {:.0f} GPUs, {:.0f} GPU-hours, {} stalls", fit.causes.steps, fit.causes.runs,
                                       fit.causes.gpus, fit.causes.gpuHours, fit.causes.stalls));
    source.facts.push_back(rangeText("compute level", fit.computeLevel, "x"));
    source.facts.push_back(rangeText("step jitter", fit.causes.jitterSeconds, "s"));
    source.facts.push_back(rangeText("compute regime", fit.causes.regimeCv, "cv"));
    source.facts.push_back(rangeText("stalls", fit.causes.stallsPerGpuHour, "per GPU-hour"));
    source.facts.push_back(rangeText("stall size", fit.causes.stallMeanSeconds, "s"));
    source.facts.insert(source.facts.end(), fit.notes.begin(), fit.notes.end());
    out.sources.push_back(std::move(source));
    return out;
}

CleanRun partOf(const CleanRun& run, const std::string& part)
{
    CleanRun out;
    const auto middle = static_cast<std::size_t>(run.seconds.size() / 2);
    for (std::size_t i = 0; i < run.seconds.size(); ++i) {
        const bool even = i / kPartBlock % 2 == 0;
        if ((part == "even" && !even) || (part == "odd" && even) || (part == "first" && i >= middle) || (part == "second" && i < middle))
            continue;
        out.seconds.push_back(run.seconds[i]);
        out.index.push_back(run.index[i]);
    }
    out.medianSeconds = medianOf(out.seconds);
    return out;
}

} // namespace prism
