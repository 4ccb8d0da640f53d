// SPDX-License-Identifier: GPL-3.0-or-later
// A run in progress: each step in the predicted distribution of its job, and sequential tests with a stated rate of false alarms.
#pragma once

#include "core/measured/steplog.h"

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace prism {

enum class DeviationKind { level, drift, stalls, lostTime };
[[nodiscard]] std::string_view deviationName(DeviationKind kind);

/// An alarm.
struct Deviation {
    DeviationKind kind = DeviationKind::level;
    std::int64_t step = 0;     ///< at which it was raised: as logged, or counted from 1
    double ratio = 1;          ///< of the step time to the one before; lost time: mean since the loss began; 1 for stalls
    int events = 0;            ///< stalls: in the window
    double expectedEvents = 0; ///< stalls: the prediction for as many steps
    std::string text;          ///< for people
};

struct FollowOptions {
    double falseAlarmsPerWeek = 1;
    /// Smaller changes of level do not raise an alarm: seven of eight steps of 12 measured runs (MLPerf Training 5.0 and 5.1, Llama 3.1
    /// 405B) lay above the median of the forty before them by 1.5 % at most, after their first 20 steps.
    double minShift = 0.015;
    double minDrift = 0.025; ///< of the level relative to that of the first steps: the same runs drifted by up to 2.5 %, start-up included
    double gpus = 1, stallsPerGpuHour = 0, stallRateCv = 0; ///< of the scenario
};

/// Where a step is.
struct PlacedStep {
    std::int64_t number = 0;
    double seconds = 0;
    double overLevel = 1;   ///< over the level that the run had before; 1 while it is being learnt
    double probability = 0; ///< of a predicted step being shorter, both over their medians
    bool learning = true;
};

/// Learns the level from the first calm steps (warm-up is omitted), then checks every step:
/// Steps after a logged pause are placed but not tested.
///  - level: seven of the last eight steps above the median of the previous forty steps by more than the threshold;
///  - drift: the median of the last forty steps against the first level, by more than that threshold and minDrift;
///  - stalls: events beyond 1.05 times the level in the last 200 steps against their negative binomial distribution;
///  - lost time: CUSUM (Page 1954) of the steps over that median, less an allowance, reaches two step times.
/// The threshold is the tail of the run's own variation around its trend, once there is enough of it; before, that of the predicted series.
/// Thresholds share the false alarms: level half, stalls and lost time a quarter each. One thread.
class StepFollower final {
public:
    /// `predictedWithin`: steps of one median job in their order, seconds; at least 100.
    StepFollower(const std::vector<double>& predictedWithin, const FollowOptions& options);

    /// Takes a step; the alarms that it raises. After an alarm the level is learnt again.
    std::vector<Deviation> take(const LoggedStep& step);
    [[nodiscard]] const PlacedStep& last() const { return m_last; }
    /// Level that was learnt over the predicted median; nothing while it is being learnt.
    [[nodiscard]] std::optional<double> levelOverPredicted() const;
    [[nodiscard]] double levelThreshold() const;
    [[nodiscard]] std::size_t steps() const { return m_steps; }

private:
    void learn(double seconds);
    std::optional<Deviation> checkLevel();
    std::optional<Deviation> checkLostTime(double overLevel);
    std::optional<Deviation> checkDrift();
    std::optional<Deviation> checkStalls(bool stalled);
    [[nodiscard]] double reference() const;

    FollowOptions m_options;
    std::vector<double> m_predicted; ///< sorted, over the median
    double m_predictedMedian = 0, m_predictedThreshold = 0, m_z = 0, m_stallProbability = 0;
    double m_allowance = 0, m_lostLimit = 0; ///< of the CUSUM, in step times: each step's, and that of an alarm
    double m_lost = 0;
    std::size_t m_lostSince = 0; ///< steps since the CUSUM was 0
    std::deque<double> m_wander; ///< the level statistic of earlier steps, the last kMaxWander
    std::vector<double> m_learning;
    std::deque<double> m_recent; ///< steps since the level was learnt, the last kWindow + kReference
    std::deque<bool> m_stalls;   ///< first steps of stalls among the last kStallWindow
    bool m_inStall = false;
    double m_firstLevel = 0;
    std::size_t m_steps = 0;
    PlacedStep m_last;
};

} // namespace prism
