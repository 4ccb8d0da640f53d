// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/guarantee/trainingtime.h"

#include "core/base/timeunits.h"
#include "core/stats/moments.h"
#include "core/stats/quantile.h"

#include <algorithm>
#include <cmath>

namespace prism {

namespace {

/// Multiples of the golden ratio modulo 1 are evenly spread over any run of i.
double goldenPosition(std::size_t i)
{
    return std::fmod((static_cast<double>(i) + 0.5) * 0.6180339887498949, 1.0);
}

/// Standard normal quantiles of evenly spread positions.
std::vector<double> spreadNormals(std::size_t n)
{
    Distribution unit;
    unit.family = Family::lognormal;
    unit.cv = std::sqrt(std::exp(1.0) - 1.0); // ln Q(u) + 1/2 is the standard normal quantile
    std::vector<double> z;
    for (std::size_t i = 0; i < n; ++i) {
        z.push_back(std::log(baseQuantile(unit, std::clamp(goldenPosition(i), 1e-9, 1 - 1e-9))) + 0.5);
    }
    return z;
}

} // namespace

std::vector<double> daysOfRuns(const std::vector<double>& sortedDays, const std::vector<double>& levels)
{
    std::vector<double> days;
    for (std::size_t i = 0; i < levels.size(); ++i)
        days.push_back(levels[i] * quantileOfSorted(sortedDays, goldenPosition(i)));
    return days;
}

double correlationFactor(double regimeShare, double lag1)
{
    return 1 - regimeShare + regimeShare * (1 + lag1) / (1 - lag1);
}

TrainingTime trainingTime(const TrainingInputs& in)
{
    TrainingTime t;
    t.tokens = in.tokens;
    t.steps = std::ceil(in.tokens / in.tokensPerStep);
    const double factor = correlationFactor(in.regimeShare, in.regimeLag1), jobVariance = varianceOf(in.jobMeans);
    t.stdStepsDays = std::sqrt(t.steps * in.withinVariance * factor) / kSecondsPerDay;
    t.stdJobDays = t.steps * std::sqrt(jobVariance) / kSecondsPerDay;
    t.stdIfIndependentDays = std::sqrt(t.steps * (in.withinVariance + jobVariance)) / kSecondsPerDay;
    t.effectiveIndependentSteps = factor > 0 ? t.steps / factor : t.steps;
    // The sum over the steps of a job is normal around its mean (central limit theorem).
    const std::vector<double> noise = spreadNormals(t.stdStepsDays > 0 ? in.jobMeans.size() : 0);
    for (std::size_t i = 0; i < in.jobMeans.size(); ++i)
        t.sortedDays.push_back(std::max(0.0, t.steps * in.jobMeans[i] / kSecondsPerDay + (noise.empty() ? 0 : t.stdStepsDays * noise[i])));
    sortAscending(t.sortedDays);
    const double perStep = t.steps / kSecondsPerDay;
    t.meanDays = meanOf(t.sortedDays);
    t.p5Days = quantileOfSorted(t.sortedDays, 0.05);
    t.p50 = quantileEstimate(t.sortedDays, 0.5);
    t.p95 = quantileEstimate(t.sortedDays, 0.95);
    t.p50.halfWidth = std::hypot(t.p50.halfWidth, perStep * in.meanHalfWidth);
    t.p95.halfWidth = std::hypot(t.p95.halfWidth, perStep * in.meanHalfWidth, perStep * in.p95HalfWidth);
    t.p50Days = t.p50.value;
    t.p95Days = t.p95.value;
    t.p99Days = quantileOfSorted(t.sortedDays, 0.99);
    return t;
}

} // namespace prism
