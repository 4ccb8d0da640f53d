// SPDX-License-Identifier: GPL-3.0-or-later
// A run while it goes on: each step in the predicted distribution of its job, and running checks with a stated rate of false alarms.
#pragma once

#include "core/measured/steplog.h"

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace prism {

enum class DeviationKind { level, drift, stalls };
[[nodiscard]] std::string_view deviationName(DeviationKind kind);

/// An alarm.
struct Deviation {
    DeviationKind kind = DeviationKind::level;
    std::int64_t step = 0;     ///< at which it was raised: as logged, or counted from 1
    double ratio = 1;          ///< level and drift: of the step time to what it was before
    int events = 0;            ///< stalls: in the window
    double expectedEvents = 0; ///< stalls: what the scenario says of as many steps
    std::string text;          ///< for people
};

struct FollowOptions {
    double falseAlarmsPerWeek = 1;
    double leastShift = 0.03; ///< smaller changes of level are no alarm: healthy runs wander by up to 2 % within some 40 steps
    double leastDrift = 0.06; ///< of the level against that of the first steps: a healthy run's trend reached 1.8 % in 310 steps
    double gpus = 1, stallsPerGpuHour = 0, stallRateCv = 0; ///< of the scenario
};

/// Where a step stands.
struct PlacedStep {
    std::int64_t number = 0;
    double seconds = 0;
    double overLevel = 1;   ///< over the level that the run had before; 1 while it is being learnt
    double probability = 0; ///< of a predicted step being shorter, both over their medians
    bool learning = true;
};

/// Learns the level from the first calm steps (warm-up is left out), then checks every step:
///  - level: seven of the last eight steps above the median of the forty before them by more than the threshold;
///  - drift: the median of the last forty steps against the first level;
///  - stalls: events beyond 1.05 times the level in the last 200 steps against their negative binomial distribution.
/// Thresholds share the false alarms: level half, the others a quarter each, by the statistics of the predicted series itself. One thread.
class StepFollower final {
public:
    /// `predictedWithin`: steps of one median job in their order, seconds; at least 100.
    StepFollower(const std::vector<double>& predictedWithin, const FollowOptions& options);

    /// Takes a step; the alarms that it raises. After an alarm the level is learnt again.
    std::vector<Deviation> take(const LoggedStep& step);
    [[nodiscard]] const PlacedStep& last() const { return m_last; }
    /// Level that was learnt over the predicted median; nothing while it is being learnt.
    [[nodiscard]] std::optional<double> levelOverPredicted() const;
    [[nodiscard]] double levelThreshold() const { return m_levelThreshold; }
    [[nodiscard]] std::size_t steps() const { return m_steps; }

private:
    void learn(double seconds);
    std::optional<Deviation> checkLevel();
    std::optional<Deviation> checkDrift();
    std::optional<Deviation> checkStalls(bool stalled);
    [[nodiscard]] double reference() const;

    FollowOptions m_options;
    std::vector<double> m_predicted; ///< sorted, over the median
    double m_predictedMedian = 0, m_levelThreshold = 0, m_stallChance = 0;
    std::vector<double> m_learning;
    std::deque<double> m_recent; ///< steps since the level was learnt, the last kWindow + kReference
    std::deque<bool> m_stalls;   ///< first steps of stalls among the last kStallWindow
    bool m_inStall = false;
    double m_firstLevel = 0;
    std::size_t m_steps = 0;
    PlacedStep m_last;
};

} // namespace prism
