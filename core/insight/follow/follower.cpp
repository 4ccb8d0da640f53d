// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/follow/follower.h"

#include "core/base/timeunits.h"
#include "core/measured/seriesshape.h"
#include "core/stats/moments.h"

#include <boost/math/distributions/negative_binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace prism {

namespace {

constexpr std::size_t kWindow = 8, kReference = 40, kStallWindow = 200;
/// Steps of which all but this many lie above the threshold: one fast step does not hide a shift.
constexpr std::size_t kBelow = 1;
constexpr std::size_t kLearnSteps = 20, kCalmSteps = 10, kMaxLearning = 60;
constexpr double kStallBeyond = 1.05;
constexpr double kLevelShare = 0.5, kStallShare = 0.25;
/// Of the run's own wander: steps that may belong to a change that is not found yet, values from which on they give the threshold, and the
/// smallest threshold before: 2 % of wander and its error.
constexpr std::size_t kWanderLag = 16, kMaxWander = 400;
constexpr std::ptrdiff_t kMinWander = 32;
constexpr double kUnknownShift = 0.03;
/// Of the CUSUM: lost step times that are worth an alarm, and the share of a step by which the level may wander.
constexpr double kLostSteps = 2.0, kLevelAllowance = 0.01;
/// Where the scenario knows no stalls, half an event in the window is taken (Jeffreys' prior of a rate).
constexpr double kMinExpected = 0.5, kMinRateCv = 1.0;

/// The step above which all but kBelow of the window lie.
double lowestBut(std::vector<double> window)
{
    std::nth_element(window.begin(), window.begin() + kBelow, window.end());
    return window[kBelow];
}

/// Threshold on a change of level: the mean plus z standard deviations of the same statistic over the predicted series.
double thresholdOf(const std::vector<double>& series, double z)
{
    std::vector<double> statistic;
    for (std::size_t i = kReference + kWindow; i <= series.size(); i += kWindow) {
        const auto end = series.begin() + static_cast<std::ptrdiff_t>(i), start = end - static_cast<std::ptrdiff_t>(kWindow);
        statistic.push_back(lowestBut({start, end}) / medianOf({start - static_cast<std::ptrdiff_t>(kReference), start}) - 1.0);
    }
    if (statistic.size() < 2)
        return 0.0;
    return meanOf(statistic) + z * std::sqrt(varianceOf(statistic));
}

/// Height of a CUSUM that the increments reach in a cycle with a probability: Lundberg's inequality, exp(-theta h) with the theta at which
/// the mean of exp(theta increment) is 1. Infinite where the mean increment is not negative.
double cusumHeight(const std::vector<double>& increments, double probability)
{
    if (meanOf(increments) >= 0)
        return std::numeric_limits<double>::infinity();
    double low = 0, high = 1e4; // beyond it every height is below kLostSteps
    for (int i = 0; i < 60; ++i) {
        const double theta = (low + high) / 2;
        double sum = 0;
        for (const double x : increments)
            sum += std::exp(std::min(700.0, theta * x));
        (sum > static_cast<double>(increments.size()) ? high : low) = theta;
    }
    return -std::log(probability) / low;
}

/// Excess of a step over the level, in step times: one long stop alone does not raise an alarm.
double lossOf(double overLevel)
{
    return std::min(1.0, overLevel - 1.0);
}

} // namespace

std::string_view deviationName(DeviationKind kind)
{
    switch (kind) {
    case DeviationKind::level:
        return "level";
    case DeviationKind::drift:
        return "drift";
    case DeviationKind::stalls:
        return "stalls";
    case DeviationKind::lostTime:
        return "lost_time";
    }
    return "level";
}

StepFollower::StepFollower(const std::vector<double>& predictedWithin, const FollowOptions& options)
    : m_options(options),
      m_predicted(predictedWithin),
      m_predictedMedian(medianOf(predictedWithin))
{
    const double perStep = options.falseAlarmsPerWeek * m_predictedMedian / kSecondsPerWeek;
    const double probability = std::min(0.5, kLevelShare * perStep);
    m_z = boost::math::quantile(boost::math::complement(boost::math::normal_distribution<>(), probability));
    m_predictedThreshold = thresholdOf(predictedWithin, m_z);
    m_stallProbability = kStallShare * perStep;
    std::vector<double> increments;
    for (double& x : m_predicted) {
        x /= m_predictedMedian;
        increments.push_back(lossOf(x));
        m_allowance += x > kStallBeyond ? lossOf(x) / static_cast<double>(m_predicted.size()) : 0.0;
    }
    m_allowance = kLevelAllowance + (1 + std::max(kMinRateCv, options.stallRateCv)) * m_allowance;
    for (double& x : increments)
        x -= m_allowance;
    m_lostLimit = std::max(kLostSteps, cusumHeight(increments, m_stallProbability));
    sortAscending(m_predicted);
}

double StepFollower::levelThreshold() const
{
    const auto known = static_cast<std::ptrdiff_t>(std::max(m_wander.size(), kWanderLag) - kWanderLag);
    const double wander = known < kMinWander ? std::max(kUnknownShift, m_predictedThreshold)
                                             : m_z * std::sqrt(varianceOf({m_wander.begin(), m_wander.begin() + known}));
    return std::max(m_options.minShift, wander);
}

std::optional<double> StepFollower::levelOverPredicted() const
{
    return m_recent.empty() ? std::nullopt : std::optional(reference() / m_predictedMedian);
}

/// Median of the steps before the window.
double StepFollower::reference() const
{
    const std::size_t held = m_recent.size() > kWindow ? m_recent.size() - kWindow : m_recent.size();
    return medianOf({m_recent.begin(), m_recent.begin() + static_cast<std::ptrdiff_t>(held)});
}

/// Collects first steps until enough of them are calm.
void StepFollower::learn(double seconds)
{
    m_learning.push_back(seconds);
    if (m_learning.size() < kLearnSteps)
        return;
    // As if the run were long: its warm-up may reach over what was seen so far.
    std::vector<double> run = m_learning;
    run.resize(kMaxLearning * 4, medianOf(m_learning));
    const auto warmUp = static_cast<std::size_t>(warmUpOf(run));
    if (m_learning.size() < warmUp + kCalmSteps && m_learning.size() < kMaxLearning)
        return;
    m_recent.assign(m_learning.begin() + static_cast<std::ptrdiff_t>(std::min(warmUp, m_learning.size() - 1)), m_learning.end());
    m_learning.clear();
    if (m_firstLevel <= 0.0)
        m_firstLevel = medianOf({m_recent.begin(), m_recent.end()});
}

std::optional<Deviation> StepFollower::checkLevel()
{
    if (m_recent.size() < kWindow + kCalmSteps)
        return std::nullopt;
    const std::vector<double> window(m_recent.end() - static_cast<std::ptrdiff_t>(kWindow), m_recent.end());
    const double before = reference();
    const double threshold = levelThreshold(), lowest = lowestBut(window);
    if (lowest <= (1.0 + threshold) * before) {
        m_wander.push_back(lowest / before - 1.0);
        if (m_wander.size() > kMaxWander)
            m_wander.pop_front();
        return std::nullopt;
    }
    Deviation d;
    d.ratio = medianOf(window) / before;
    d.text = fmt::format("the level rose by {:.1f} %: {} of the last {} steps lie more than {:.1f} % above those before",
                         100 * (d.ratio - 1), kWindow - kBelow, kWindow, 100 * threshold);
    return d;
}

std::optional<Deviation> StepFollower::checkDrift()
{
    if (m_recent.size() < kWindow + kReference)
        return std::nullopt;
    const double ratio = medianOf({m_recent.end() - static_cast<std::ptrdiff_t>(kReference), m_recent.end()}) / m_firstLevel;
    if (ratio <= 1.0 + std::max(m_options.minDrift, levelThreshold()))
        return std::nullopt;
    Deviation d;
    d.kind = DeviationKind::drift;
    d.ratio = ratio;
    d.text = fmt::format("the level has drifted to {:.1f} % above that of the first steps", 100 * (ratio - 1));
    return d;
}

std::optional<Deviation> StepFollower::checkStalls(bool stalled)
{
    m_stalls.push_back(stalled && !m_inStall);
    m_inStall = stalled;
    if (m_stalls.size() > kStallWindow)
        m_stalls.pop_front();
    const auto events = static_cast<int>(std::count(m_stalls.begin(), m_stalls.end(), true));
    if (!m_stalls.back() || events < 2)
        return std::nullopt;
    const double hours = static_cast<double>(m_stalls.size()) * m_options.gpus * reference() / kSecondsPerHour;
    const double expected = std::max(kMinExpected, m_options.stallsPerGpuHour * hours);
    const double cv = std::max(kMinRateCv, m_options.stallRateCv), shape = 1.0 / (cv * cv);
    const boost::math::negative_binomial_distribution<> count(shape, shape / (shape + expected));
    if (boost::math::cdf(boost::math::complement(count, events - 1)) > m_stallProbability)
        return std::nullopt;
    Deviation d;
    d.kind = DeviationKind::stalls;
    d.events = events;
    d.expectedEvents = m_options.stallsPerGpuHour * hours;
    d.text = fmt::format("{} stalls in the last {} steps, where the scenario expects {:.1f}", events, m_stalls.size(), d.expectedEvents);
    return d;
}

std::optional<Deviation> StepFollower::checkLostTime(double overLevel)
{
    m_lost += lossOf(overLevel) - m_allowance;
    ++m_lostSince;
    if (m_lost <= 0) {
        m_lost = 0;
        m_lostSince = 0;
    }
    if (m_lost <= m_lostLimit)
        return std::nullopt;
    Deviation d;
    d.kind = DeviationKind::lostTime;
    d.ratio = 1.0 + m_allowance + m_lost / static_cast<double>(m_lostSince);
    d.text = fmt::format("{:.1f} step times were lost in {} steps beyond what stalls of the scenario explain", m_lost, m_lostSince);
    return d;
}

std::vector<Deviation> StepFollower::take(const LoggedStep& step)
{
    ++m_steps;
    m_last = {step.number >= 0 ? step.number : static_cast<std::int64_t>(m_steps), step.seconds, 1.0, 0.5, m_recent.empty()};
    if (followsPause(step, m_recent.empty() ? m_predictedMedian : reference()))
        return {}; // longer by its evaluation or checkpoint, as for fit and validate steps
    if (m_recent.empty()) {
        learn(step.seconds);
        return {};
    }
    m_last.overLevel = step.seconds / reference();
    const auto below = std::lower_bound(m_predicted.begin(), m_predicted.end(), m_last.overLevel) - m_predicted.begin();
    m_last.probability = static_cast<double>(below) / static_cast<double>(m_predicted.size());
    const bool stalled = m_last.overLevel > kStallBeyond;
    m_recent.push_back(step.seconds);
    if (m_recent.size() > kWindow + kReference)
        m_recent.pop_front();
    std::vector<Deviation> found;
    for (std::optional<Deviation> d : {checkLevel(), checkDrift(), checkStalls(stalled), checkLostTime(m_last.overLevel)})
        if (d) {
            d->step = m_last.number;
            found.push_back(std::move(*d));
        }
    if (found.empty())
        return found;
    m_stalls.clear();
    m_lost = 0;
    m_lostSince = 0;
    if (found.front().kind == DeviationKind::stalls || found.front().kind == DeviationKind::lostTime)
        return found; // the level is as it was
    m_firstLevel = 0.0;
    m_recent.clear();
    return found;
}

} // namespace prism
