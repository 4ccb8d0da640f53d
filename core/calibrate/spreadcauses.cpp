// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/calibrate/spreadcauses.h"

#include "core/base/timeunits.h"
#include "core/calibrate/stallsteps.h"
#include "core/stats/intervals.h"
#include "core/stats/moments.h"
#include "core/stats/redraws.h"

#include <boost/math/distributions/gamma.hpp>
#include <boost/math/distributions/negative_binomial.hpp>
#include <boost/math/distributions/poisson.hpp>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace prism {

namespace {

constexpr std::size_t kBlock = 20;
constexpr int kRedraws = 200;
constexpr double kWinsorAt = 5.0;
constexpr std::uint64_t kStream = 0x5c5e5; // names the redraws of this file

using Runs = RelativeRuns;

/// Part of the variance that lasts: standard deviation and its correlation from one step to the next.
struct Lasting {
    double cv = 0, lag1 = 0;
};
Lasting lastingPart(const Runs& runs)
{
    std::vector<double> all;
    for (const std::vector<double>& run : runs)
        all.insert(all.end(), run.begin(), run.end());
    const double limit = kWinsorAt * robustSpread(all, 1.0);
    double covariance[3] = {}, count[3] = {};
    for (const std::vector<double>& run : runs)
        for (std::size_t lag = 0; lag < 3; ++lag)
            for (std::size_t i = lag; i < run.size(); ++i) {
                covariance[lag] += std::clamp(run[i] - 1.0, -limit, limit) * std::clamp(run[i - lag] - 1.0, -limit, limit);
                count[lag] += 1.0;
            }
    for (std::size_t lag = 0; lag < 3; ++lag)
        covariance[lag] /= std::max(1.0, count[lag]);
    // White noise correlates by 1 / sqrt(n): up to twice that is sampling noise.
    if (!(covariance[1] > 2.0 * covariance[0] / std::sqrt(std::max(1.0, count[0]))) || !(covariance[2] > 0.0))
        return {};
    const double lag1 = std::clamp(covariance[2] / covariance[1], 0.05, 0.98);
    return {std::sqrt(std::min(covariance[1] / lag1, covariance[0])), lag1};
}

double sortedAt(std::vector<double>& values, double probability)
{
    std::sort(values.begin(), values.end());
    return values[std::min(values.size() - 1, static_cast<std::size_t>(probability * static_cast<double>(values.size())))];
}

Bounded poissonRate(int events, double exposure)
{
    using boost::math::gamma_distribution;
    if (!(exposure > 0.0))
        return {};
    const double low = events > 0 ? boost::math::quantile(gamma_distribution<>(events), 0.025) : 0.0;
    return {events / exposure, low / exposure, boost::math::quantile(gamma_distribution<>(events + 1.0), 0.975) / exposure};
}

void addStalls(SpreadCauses& out, const std::vector<double>& sizes)
{
    out.stalls = static_cast<int>(sizes.size());
    out.stallsPerGpuHour = poissonRate(out.stalls, out.gpuHours);
    if (sizes.empty())
        return;
    std::vector<double> logs;
    for (const double s : sizes)
        logs.push_back(std::log(s));
    const double mean = meanOf(sizes), s2 = varianceOf(logs);
    out.stallCv = std::min(5.0, std::sqrt(std::expm1(s2)));
    const double error = sizes.size() > 1 ? std::sqrt(varianceOf(sizes) / static_cast<double>(sizes.size())) : mean;
    out.stallMeanSeconds = {mean, std::max(mean - normalReach() * error, 0.0), mean + normalReach() * error};
    constexpr int kFewStalls = 5;
    if (out.stalls < kFewStalls)
        out.notes.push_back(fmt::format("{} stall{}: the tail of their sizes cannot be known", out.stalls, out.stalls == 1 ? "" : "s"));
}

void addIntervals(SpreadCauses& out, const Runs& runs, double explained)
{
    std::vector<double> jitters, regimes;
    std::size_t steps = 0;
    for (const std::vector<double>& run : runs)
        steps += run.size();
    for (std::uint64_t k = 0; k < redrawsOf(steps, kRedraws); ++k) {
        const Runs again = redrawnBlocks(runs, kBlock, stream(kStream, k));
        const double noise = neighbourSpread(again);
        jitters.push_back(out.medianSeconds * std::sqrt(std::max(0.0, noise * noise - explained * explained)));
        regimes.push_back(lastingPart(again).cv);
    }
    out.jitterSeconds.low = sortedAt(jitters, 0.025);
    out.jitterSeconds.high = sortedAt(jitters, 0.975);
    out.regimeCv.low = sortedAt(regimes, 0.025);
    out.regimeCv.high = sortedAt(regimes, 0.975);
    if (!(out.regimeCv.low > 0.0))
        out.regimeCv.value = out.regimeLag1 = 0.0;
}

/// CV of the rate from system to system, beyond the sampling noise of equal rates.
double rateSpread(const std::vector<SystemSpread>& systems, double mean)
{
    double weighted = 0, expected = 0;
    for (const SystemSpread& s : systems) {
        const double count = mean * s.causes.gpuHours;
        weighted += (s.causes.stalls - count) * (s.causes.stalls - count) - count;
        expected += count * count;
    }
    constexpr double kMin = 1.0; // few systems cannot show less; 20 systems differ by 1.07 (presets/variability)
    return std::max(kMin, std::sqrt(std::max(0.0, expected > 0 ? weighted / expected : 0.0)));
}

/// Of the rate of a system that was not seen: it differs from the mean as systems do, and the mean is known from few events of few systems
/// alone. Relative variances add: between^2 of the new one, between^2 over the number of systems (by their hours) and 1 / stalls of the
/// mean.
double unseenRateSpread(const std::vector<SystemSpread>& systems, double mean)
{
    const double between = rateSpread(systems, mean);
    double hours = 0, squares = 0, stalls = 0;
    for (const SystemSpread& s : systems) {
        hours += s.causes.gpuHours;
        squares += s.causes.gpuHours * s.causes.gpuHours;
        stalls += s.causes.stalls;
    }
    constexpr double kMax = 5.0; // of the parameter
    const double ofMean = (hours > 0 ? between * between * squares / (hours * hours) : 0.0) + (stalls > 0 ? 1.0 / stalls : 0.0);
    return std::min(kMax, std::sqrt(between * between + ofMean));
}

Distribution factorOf(double cv)
{
    Distribution d;
    d.family = cv > 0 ? Family::lognormal : Family::deterministic;
    d.cv = cv;
    return d;
}

} // namespace

SpreadCauses spreadCauses(const std::vector<CleanRun>& runs, double gpus, double explainedCv)
{
    SpreadCauses out;
    out.gpus = gpus;
    Runs relative;
    std::vector<double> medians;
    for (const CleanRun& run : runs) {
        relative.emplace_back();
        for (const double s : run.seconds)
            relative.back().push_back(s / run.medianSeconds);
        medians.push_back(run.medianSeconds);
        out.steps += static_cast<int>(run.seconds.size());
        out.gpuHours += gpus * std::accumulate(run.seconds.begin(), run.seconds.end(), 0.0) / kSecondsPerHour;
    }
    out.runs = static_cast<int>(runs.size());
    out.medianSeconds = medianOf(medians);
    if (runs.size() > 1)
        out.runMedianSpread = std::sqrt(varianceOf(medians)) / meanOf(medians);
    const double noise = neighbourSpread(relative);
    out.jitterSeconds.value = out.medianSeconds * std::sqrt(std::max(0.0, noise * noise - explainedCv * explainedCv));
    const Lasting lasting = lastingPart(relative);
    out.regimeCv.value = lasting.cv;
    out.regimeLag1 = lasting.lag1;
    addIntervals(out, relative, explainedCv);
    addStalls(out, stallSizes(runs, noise));
    out.notes.emplace_back(
        "what lasts from step to step is put to the compute regime: step times alone cannot distinguish it from the network's");
    if (explainedCv >= noise && noise > 0)
        out.notes.emplace_back("the other causes of the scenario explain all of the spread between neighbours: no jitter is left to fit");
    return out;
}

PooledSpread pooledSpread(const std::vector<SystemSpread>& systems, const std::string& generation)
{
    PooledSpread out;
    out.systems = static_cast<int>(systems.size());
    std::vector<double> jitters, sizes, cvs;
    double hours = 0, regime = 0, lag1 = 0, weight = 0, own = 0;
    int stalls = 0;
    for (const SystemSpread& s : systems) {
        const SpreadCauses& c = s.causes;
        jitters.push_back(c.jitterSeconds.value);
        if (c.stalls > 0)
            sizes.push_back(c.stallMeanSeconds.value);
        if (c.stalls > 1)
            cvs.push_back(c.stallCv);
        hours += c.gpuHours;
        stalls += c.stalls;
        const double w = s.generation == generation ? kOwnWeight : 1.0;
        out.ofGeneration += s.generation == generation ? 1 : 0;
        own += s.generation == generation ? c.regimeCv.value : 0.0;
        weight += w;
        regime += w * c.regimeCv.value;
        lag1 += w * c.regimeCv.value * c.regimeLag1;
    }
    if (systems.empty())
        return out;
    out.jitterSeconds = {medianOf(jitters), *std::min_element(jitters.begin(), jitters.end()),
                         *std::max_element(jitters.begin(), jitters.end())};
    out.stallsPerGpuHour = poissonRate(stalls, hours);
    out.stallMeanSeconds = medianOf(sizes);
    out.stallCv = cvs.empty() ? 1.0 : medianOf(cvs);
    out.stallRateCv = unseenRateSpread(systems, out.stallsPerGpuHour.value);
    if (own > 0.0 || out.ofGeneration == 0) {
        out.regimeCv.value = regime / weight;
        out.regimeLag1 = regime > 0 ? lag1 / regime : 0.0;
    }
    for (const SystemSpread& s : systems)
        out.regimeCv.high = std::max(out.regimeCv.high, s.causes.regimeCv.value);
    return out;
}

void useSpread(VariabilityConfig& v, const SpreadCauses& c)
{
    v.stepJitterS = c.jitterSeconds.value;
    v.computeRegime = factorOf(c.regimeCv.value);
    v.computeRegimeLag1 = c.regimeLag1;
    v.stallsPerGpuHour = c.stallsPerGpuHour.value;
    v.stallMeanS = c.stallMeanSeconds.value;
    v.stallCv = c.stallCv;
}

CountRange stallRange(double perGpuHour, double rateCv, double gpuHours)
{
    const double mean = perGpuHour * gpuHours;
    if (!(mean > 0))
        return {};
    const auto whole = [](double x) { return static_cast<int>(std::min(x, 1e9)); };
    if (!(rateCv > 1e-3)) {
        const boost::math::poisson_distribution<> count(std::min(mean, 1e10)); // the library's series end at some 1e11
        return {whole(boost::math::quantile(count, 0.025)), whole(boost::math::quantile(count, 0.975))};
    }
    const double shape = 1 / (rateCv * rateCv);
    const boost::math::negative_binomial_distribution<> count(shape, shape / (shape + mean));
    return {whole(boost::math::quantile(count, 0.025)), whole(boost::math::quantile(count, 0.975))};
}

} // namespace prism
