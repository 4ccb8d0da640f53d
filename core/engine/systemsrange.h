// SPDX-License-Identifier: GPL-3.0-or-later
// The range of the scenario's step over systems like its own: causes that were not measured on it are drawn.
#pragma once

#include "core/cost/costedstep.h"
#include "core/scenario/systemsprior.h"
#include "core/sim/simulate.h"
#include "core/stats/intervals.h"
#include "core/stats/moments.h"

#include <functional>
#include <memory>
#include <vector>

namespace prism {

/// A statistic over systems: nine of ten lie between low and high.
struct OverSystems {
    double low = 0, median = 0, high = 0;
};

/// Of values of any order, not empty.
[[nodiscard]] OverSystems nineOfTen(std::vector<double> values);

/// The steps of one run on one drawn system.
struct DrawnSystem {
    double meanRatio = 1; ///< mean step over that of the scenario as it is
    double p50Ratio = 1;  ///< the same of the median
    double p95OverP50 = 1, p99OverP50 = 1;
    std::vector<double> stepsOverMean; ///< steps across jobs over their mean, ascending
};

/// One of three separate widths: this one, which measuring narrows, the sampling error, and the spread of the steps themselves.
struct SystemsRange {
    SystemsPrior prior; ///< without a title the variability preset does not describe other systems: `systems` is empty
    std::vector<DrawnSystem> systems;
    OverSystems p95OverP50, p99OverP50; ///< of the steps of one run
    std::vector<double> stepsOverP50;   ///< steps of all systems over their run's p50: quantiles at (i + 0.5) / kStepQuantiles
    OverSystems levelRatio;             ///< median step over the predicted one: the drawn systems and the error of the mean
    std::vector<double> levels; ///< mean step of kJointDraws runs over the predicted one: error of the mean, and system i % kDrawnSystems
    double trend = 0;           ///< of a run on the system in the middle
    bool complete = true;       ///< false when stopped
};

/// Measured over predicted step time that a share `probability` of the published rows stays below, by the error band of the mean
/// (CostedStep::errorBandLow, High; predicted over published - 1 of nine in ten). Its median is the prediction itself.
[[nodiscard]] double measuredOverPredicted(const CostedStep& costed, double probability);

/// Steps within one job come from the jobs around the median in turn: as steps of a single job, each one's are moved to the median of all.
/// With few steps per job the median is too noisy: they stay.
[[nodiscard]] std::vector<double> atOneLevel(std::vector<double> withinSeconds);

/// Multiplies the steps of a run, in their order, by its trend: the relative change from the first to the last, which settles. Their mean
/// stays.
void addTrend(std::vector<double>& steps, double trend);

inline constexpr int kDrawnSystems = 32, kJointDraws = 2'000;
/// Number of systems that are swept besides the scenario itself, and the steps of each.
inline constexpr int kSweptSystems = 8, kSystemSteps = 128;
inline constexpr int kStepQuantiles = 200;

/// Samples of a graph, memoised or not.
using SampleGraph = std::function<std::shared_ptr<const StepSamples>(const StepGraph&, const SimOptions&)>;
/// Draws of causes are evenly spread and the same for every scenario; causes that only delay whole steps are drawn again for each system,
/// the others for every fourth one. Where the job itself was measured (CostedStep::levelMeasured), its jitter and compute regime are drawn
/// as its runs differ. Seed, threads and stop of `options` are used. Errors: systemsPrior's.
[[nodiscard]] Result<SystemsRange> systemsRange(const Scenario& scenario, const CostedStep& costed, const SimOptions& options,
                                                const SampleGraph& sample);

/// The levels of `runs` runs, in turn where there are more than kJointDraws; their mean is 1. Pure.
[[nodiscard]] std::vector<double> runLevels(const SystemsRange& range, int runs);

/// P(step > x) of a job whose system is not known: `probability` over the joint sample, with its sampling error; nine of ten runs have
/// low to high.
struct ExceedanceOverSystems {
    Estimate probability;
    double low = 0, high = 0;
};

/// Steps across jobs over the joint sample of SystemsRange::levels. Keeps references; any thread.
class StepsOverSystems final {
public:
    /// `sortedSeconds`: the scenario's steps across jobs, ascending, not empty; `meanHalfWidth`: 95 % of their mean, seconds. Where the
    /// range draws no systems, their steps are used with the error of the mean alone.
    StepsOverSystems(const SystemsRange& range, const std::vector<double>& sortedSeconds, double meanHalfWidth)
        : m_range(range),
          m_sorted(sortedSeconds),
          m_mean(meanOf(sortedSeconds)),
          m_halfWidth(meanHalfWidth / m_mean)
    {
    }
    [[nodiscard]] ExceedanceOverSystems exceedance(double seconds) const;
    /// x with P(step > x) = probability, seconds.
    [[nodiscard]] double limit(double probability) const;

private:
    [[nodiscard]] std::vector<double> exceedances(double seconds) const;
    const SystemsRange& m_range;
    const std::vector<double>& m_sorted;
    double m_mean, m_halfWidth;
};

/// "In runs on nine of ten systems like this p95 lies 0.3 to 1.9 % above p50, p99 0.5 to 9.0 %."; empty where nothing is known of others.
[[nodiscard]] std::string systemsSentence(const SystemsRange& range);

} // namespace prism
