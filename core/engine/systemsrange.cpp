// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/systemsrange.h"

#include "core/cost/domain.h"
#include "core/cost/predictor.h"
#include "core/scenario/parameters.h"
#include "core/sim/draw/stepdelays.h"
#include "core/stats/moments.h"
#include "core/stats/normal.h"
#include "core/stats/quantile.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace prism {

namespace {

constexpr double kNineOfTenLow = 0.05, kNineOfTenHigh = 0.95;
constexpr double kSmallestFactor = 0.01;
/// Standard deviation of the logarithm of p95/p50 - 1 between two runs of one system: root mean square over the 12 pairs of the runs of
/// Llama 3.1 405B on four systems (MLPerf Training 5.0 and 5.1 result logs; resources/help/spread.md lists them).
constexpr double kSpreadBetweenRuns = 0.24;
constexpr int kDelaysPerStep = 8; ///< delays that are put onto each swept step: they are cheap, and rare

/// Coordinate `axis` of point `index` of a sequence that fills the unit cube of `axes` dimensions evenly (powers of the root of
/// x^(axes + 1) = x + 1: the golden ratio's multiples in more dimensions).
double evenPosition(int index, std::size_t axis, std::size_t axes)
{
    double root = 2.0;
    for (int i = 0; i < 40; ++i)
        root = std::pow(1.0 + root, 1.0 / (static_cast<double>(axes) + 1.0));
    return std::fmod(0.5 + (index + 1) * std::pow(1.0 / root, static_cast<double>(axis) + 1.0), 1.0);
}

/// Causes that act on whole steps alone: StepDelays and the trend of a run.
bool delaysSteps(const std::string& path)
{
    return path == kTrendOfRun || path == "variability.step_jitter_s";
}

/// One system drawn: a scenario with its causes, and what its runs do.
struct Draw {
    Scenario scenario;
    double trend = 0;
};

void setCause(Draw& draw, const CauseOverSystems& cause, double value)
{
    if (cause.path == kTrendOfRun) {
        draw.trend = value;
        return;
    }
    const Parameter* parameter = findParameter(cause.path);
    parameter->set(draw.scenario, value);
    VariabilityConfig& v = draw.scenario.variability;
    for (Distribution* d : {&v.spatial, &v.intraRegime, &v.interRegime, &v.computeRegime, &v.moeImbalance, &v.moeImbalanceRegime})
        if (d->cv > 0 && d->family == Family::deterministic)
            d->family = Family::lognormal;
}

/// Another run of a job that was measured: its jitter and compute regime times a factor.
void scaleMeasured(VariabilityConfig& v, double factor)
{
    v.stepJitterS = std::min(findParameter("variability.step_jitter_s")->maximum, v.stepJitterS * factor);
    v.computeRegime.cv = std::min(maxCv(v.computeRegime.family), v.computeRegime.cv * factor);
    if (v.computeRegime.pool == nullptr)
        return;
    std::vector<double> values = *v.computeRegime.pool;
    for (double& x : values)
        x = std::max(kSmallestFactor, 1 + (x - 1) * factor);
    v.computeRegime = empiricalDistribution(std::move(values));
}

Draw drawnSystem(const Scenario& scenario, const SystemsPrior& prior, int index, bool isMeasured)
{
    Draw draw{scenario};
    const std::size_t axes = prior.causes.size() + (isMeasured ? 2 : 1);
    const int swept = index / (kDrawnSystems / kSweptSystems);
    if (isMeasured)
        scaleMeasured(draw.scenario.variability, std::exp(kSpreadBetweenRuns * normalQuantile(evenPosition(swept, axes - 2, axes))));
    for (std::size_t c = 0; c < prior.causes.size(); ++c)
        setCause(draw, prior.causes[c], prior.causes[c].at(evenPosition(delaysSteps(prior.causes[c].path) ? index : swept, c, axes)));
    VariabilityConfig& v = draw.scenario.variability;
    if (v.stallRateCv > 0) // of the rate from one system to another: drawn here, once
        v.stallsPerGpuHour =
            std::min(findParameter("variability.stalls_per_gpu_hour")->maximum,
                     v.stallsPerGpuHour * baseQuantile({Family::gamma, v.stallRateCv}, evenPosition(index, axes - 1, axes)));
    return draw;
}

/// Swept steps, each with as many delays.
std::vector<double> runOf(const std::vector<double>& once, const StepGraph& graph, double trend, std::uint64_t seed, Run run)
{
    std::vector<double> seconds;
    for (int i = 0; i < kDelaysPerStep; ++i)
        seconds.insert(seconds.end(), once.begin(), once.end());
    addTrend(seconds, trend);
    addStepDelays(graph, seed, run, seconds);
    return seconds;
}

struct RunMetricsOf {
    std::vector<double> sorted;
    double mean = 0, p50 = 0, p95 = 0, p99 = 0;
    std::vector<double> acrossOverMean{};
    explicit RunMetricsOf(std::vector<double> seconds) : sorted(std::move(seconds)), mean(meanOf(sorted))
    {
        sortAscending(sorted);
        p50 = quantileOfSorted(sorted, 0.5);
        p95 = quantileOfSorted(sorted, 0.95);
        p99 = quantileOfSorted(sorted, 0.99);
    }
};

std::vector<double> overMean(std::vector<double> values)
{
    const double mean = meanOf(values);
    for (double& x : values)
        x /= mean;
    return values;
}

std::vector<double> jointLevels(const SystemsRange& range, const CostedStep& costed)
{
    constexpr double kSilver = 0.41421356237309515; // multiples modulo 1 are evenly spread, also next to those of the golden ratio
    std::vector<double> levels;
    for (std::size_t i = 0; i < kJointDraws; ++i) {
        levels.push_back(measuredOverPredicted(costed, std::fmod((static_cast<double>(i) + 0.5) * kSilver, 1.0)));
        if (!range.systems.empty())
            levels.back() *= range.systems[i % range.systems.size()].meanRatio;
    }
    return overMean(std::move(levels));
}

template <class Get>
OverSystems overSystems(const SystemsRange& range, Get get)
{
    std::vector<double> values;
    for (std::size_t i = 0; i < range.systems.size(); ++i)
        values.push_back(get(i));
    return nineOfTen(std::move(values));
}

} // namespace

OverSystems nineOfTen(std::vector<double> values)
{
    sortAscending(values);
    return {quantileOfSorted(values, kNineOfTenLow), quantileOfSorted(values, 0.5), quantileOfSorted(values, kNineOfTenHigh)};
}

double measuredOverPredicted(const CostedStep& costed, double probability)
{
    const double z = normalQuantile(probability) / normalQuantile(kNineOfTenHigh);
    const double slowest = -std::log1p(std::min(0.0, costed.errorBandLow)), fastest = std::log1p(std::max(0.0, costed.errorBandHigh));
    return std::exp(z * (z > 0 ? slowest : fastest));
}

std::vector<double> atOneLevel(std::vector<double> seconds)
{
    constexpr std::size_t kMinOfAJob = 10;
    if (seconds.size() < kMinOfAJob * kMiddleJobs)
        return seconds;
    const double all = medianOf(seconds);
    for (std::size_t job = 0; job < kMiddleJobs; ++job) {
        std::vector<double> own;
        for (std::size_t i = job; i < seconds.size(); i += kMiddleJobs)
            own.push_back(seconds[i]);
        const double shift = all - medianOf(own);
        for (std::size_t i = job; i < seconds.size(); i += kMiddleJobs)
            seconds[i] += shift;
    }
    return seconds;
}

namespace {

/// Share of a run's trend that has happened at `place` in (0, 1): the trends settle. In 12 runs of Llama 3.1 405B (MLPerf Training 5.0
/// and 5.1 result logs) the running median's p95 lies 0.2 to 0.5 of the trend above its median where the trend is upwards, 0.6 where it is
/// downwards; here 0.25 and 0.62, linear 0.45.
double settled(double place)
{
    return std::expm1(-2 * place) / std::expm1(-2);
}
const double kMeanSettled = -1 / std::expm1(-2) - 0.5;

} // namespace

void addTrend(std::vector<double>& steps, double trend)
{
    for (std::size_t i = 0; i < steps.size(); ++i)
        steps[i] *= 1 + trend * (settled((static_cast<double>(i) + 0.5) / static_cast<double>(steps.size())) - kMeanSettled);
}

Result<SystemsRange> systemsRange(const Scenario& scenario, const CostedStep& costed, const SimOptions& options, const SampleGraph& sample)
{
    SystemsRange out;
    Result<SystemsPrior> prior = systemsPrior(scenario, gpuType(scenario.cluster.gpu));
    if (!prior.ok())
        return prior.errors();
    out.prior = std::move(prior).value();
    SimOptions sim = options;
    sim.numSamples = sim.numWithinSamples = kSystemSteps;
    const auto steps = [&](StepGraph graph, double trend, int index) {
        StepDelays delays = std::exchange(graph.delays, {});
        delays.stallRateCv = 0; // drawn with the system; the scenario's own as the median job has it
        graph.regimeLag1 = graph.computeRegimeLag1 = graph.routingRegimeLag1 = 0; // the steps of a run in any order
        const auto swept = sample(graph, sim);
        out.complete = out.complete && swept->complete;
        if (!out.complete)
            return RunMetricsOf({1.0});
        graph.delays = delays;
        const std::uint64_t seed = options.seed + static_cast<std::uint64_t>(index);
        RunMetricsOf made(runOf(atOneLevel(swept->withinSeconds), graph, trend, seed, Run::within));
        made.acrossOverMean = overMean(runOf(swept->acrossSeconds, graph, trend, seed, Run::across));
        sortAscending(made.acrossOverMean);
        return made;
    };
    for (const CauseOverSystems& cause : out.prior.causes)
        out.trend = cause.path == kTrendOfRun ? cause.quantiles[1] : out.trend;
    out.levelRatio = {measuredOverPredicted(costed, kNineOfTenLow), 1, measuredOverPredicted(costed, kNineOfTenHigh)};
    if (out.prior.title.empty()) {
        out.levels = jointLevels(out, costed);
        return out;
    }
    const RunMetricsOf asItIs = steps(costed.graph, 0, kDrawnSystems);
    std::vector<double> all;
    for (int i = 0; i < kDrawnSystems && out.complete; ++i) {
        const Draw draw = drawnSystem(scenario, out.prior, i, costed.levelMeasured);
        const Result<CostedStep> other = costStep(draw.scenario);
        if (!other.ok())
            return other.errors();
        const RunMetricsOf f = steps(other->graph, draw.trend, i);
        out.systems.push_back({f.mean / asItIs.mean, f.p50 / asItIs.p50, f.p95 / f.p50, f.p99 / f.p50, f.acrossOverMean});
        for (const double seconds : f.sorted)
            all.push_back(seconds / f.p50);
    }
    sortAscending(all);
    for (int i = 0; i < kStepQuantiles && !all.empty(); ++i)
        out.stepsOverP50.push_back(quantileOfSorted(all, (i + 0.5) / kStepQuantiles));
    out.p95OverP50 = overSystems(out, [&](std::size_t i) { return out.systems[i].p95OverP50; });
    out.p99OverP50 = overSystems(out, [&](std::size_t i) { return out.systems[i].p99OverP50; });
    if (!out.systems.empty())
        out.levelRatio = overSystems(out, [&](std::size_t i) {
            return out.systems[i].p50Ratio * measuredOverPredicted(costed, evenPosition(static_cast<int>(i), 0, 1));
        });
    out.levels = jointLevels(out, costed);
    return out;
}

std::vector<double> runLevels(const SystemsRange& range, int runs)
{
    std::vector<double> levels;
    for (std::size_t i = 0; i < static_cast<std::size_t>(runs); ++i)
        levels.push_back(range.levels[i % range.levels.size()]);
    return overMean(std::move(levels)); // the mean of all stays that of the prediction
}

/// P(step > x) of every run of the joint sample.
std::vector<double> StepsOverSystems::exceedances(double seconds) const
{
    std::vector<double> out;
    for (std::size_t i = 0; i < m_range.levels.size(); ++i) {
        const auto& systems = m_range.systems;
        const std::vector<double>& steps = systems.empty() ? m_sorted : systems[i % systems.size()].stepsOverMean;
        const double x = seconds / m_range.levels[i] / (systems.empty() ? 1.0 : m_mean);
        const auto above = steps.end() - std::upper_bound(steps.begin(), steps.end(), x);
        out.push_back(static_cast<double>(above) / static_cast<double>(steps.size()));
    }
    return out;
}

ExceedanceOverSystems StepsOverSystems::exceedance(double seconds) const
{
    const std::vector<double> each = exceedances(seconds);
    const OverSystems range = nineOfTen(each);
    const double value = meanOf(each), below = meanOf(exceedances(seconds * (1 - m_halfWidth))),
                 above = meanOf(exceedances(seconds * (1 + m_halfWidth)));
    const auto n = static_cast<double>(m_sorted.size()); // without a step on one of the sides the interval is a bound
    const double halfWidth = below > 0 && above < 1 ? (below - above) / 2 : proportion(value * n, n).halfWidth;
    return {{value, halfWidth}, range.low, range.high};
}

double StepsOverSystems::limit(double probability) const
{
    double low = 0, high = m_sorted.back();
    while (meanOf(exceedances(high)) > probability)
        high *= 2;
    constexpr int kHalvings = 40;
    for (int i = 0; i < kHalvings; ++i) {
        const double middle = (low + high) / 2;
        (meanOf(exceedances(middle)) > probability ? low : high) = middle;
    }
    return high;
}

std::string systemsSentence(const SystemsRange& range)
{
    if (range.systems.empty())
        return {};
    const auto above = [](const OverSystems& o) { return fmt::format("{:.1f} to {:.1f} %", 100 * (o.low - 1), 100 * (o.high - 1)); };
    return fmt::format("In runs on nine of ten systems like this p95 lies {} above p50, p99 {}.", above(range.p95OverP50),
                       above(range.p99OverP50));
}

} // namespace prism
