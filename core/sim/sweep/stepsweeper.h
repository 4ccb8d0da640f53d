// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the slowest units of a step and the ends of its stages. Every unit is drawn; those that can be the slowest are swept.
#pragma once

#include "core/sim/sweep/blocksweep.h"
#include "core/sim/sweep/stepfinish.h"

#include <array>
#include <cstdint>
#include <stop_token>
#include <vector>

namespace prism {

/// Steps of a series. The speeds of step i are those of job jobs[i % jobs.size()]; without jobs they are redrawn per step.
struct SweptSeries {
    std::uint64_t seed = 1;
    Run run = Run::across;
    std::vector<std::uint64_t> jobs;
    std::size_t first = 0; ///< number of step 0
    /// The common part of the seeds of all units of a step.
    struct Common {
        std::size_t step = 0;
        std::uint64_t job = 0, seconds = 0;
        [[nodiscard]] SweptLane lane(int unit) const
        {
            const auto u = static_cast<std::uint64_t>(unit);
            return {unit, laneSeed(job, u), laneSeed(seconds, u), step};
        }
    };
    [[nodiscard]] Common common(std::size_t step) const;
    [[nodiscard]] SweptLane lane(std::size_t step, int unit) const { return common(step).lane(unit); }
    [[nodiscard]] LaneSeed stepSeed(std::size_t step) const;
};

/// The units of a step that decided its end, of those that were swept in full.
struct SlowestUnits {
    StageMaxima maxima;               ///< of these units; without gradient exchange the optimizer is that of the last unit
    std::vector<int> last, optimizer; ///< per stage: the unit that ended last, and the one with the slowest optimizer
};

/// Sweeps steps. The units of a common pattern are screened twice. First, the noise-free time of a unit is predicted from the busy time of
/// its stages; candidates for the slowest are swept without noise, and the remaining candidates again with noise. The delay by noise of
/// a unit that is swept without it is that of another unit, drawn at random. Units with rare kernel events, where those are rare, are
/// swept in full. One caller; the work is spread over threads.
class StepSweeper final {
public:
    StepSweeper(const SweepModel& model, const RegimeTable& regimes, SweptSeries series, std::stop_token stop);

    /// Seconds of steps 0 ... count - 1; empty when stopped.
    [[nodiscard]] std::vector<double> seconds(std::size_t count);
    /// The units that decided the end of each of them; empty when stopped.
    [[nodiscard]] std::vector<SlowestUnits> slowestUnits(std::size_t count);
    /// The same with every factor but the GPUs' speeds at its mean.
    [[nodiscard]] std::vector<double> secondsBySpeeds(std::size_t count);
    /// Passes and transfers that were computed.
    [[nodiscard]] std::uint64_t nodeSamples() const { return m_nodeSamples; }

private:
    /// 1, the longest path through a busy stage, the mean busy time of a stage, and the regimes of the links.
    using Outline = std::array<double, 8>;
    /// Delays by noise of the ends of stages, of many units of a pattern.
    struct NoisePool {
        bool screens = false;            ///< else every unit is swept in full
        bool rareSeparate = false;       ///< units with rare events are swept in full
        double mean = 0.0, margin = 0.0; ///< of a unit's own end
        std::vector<float> added;        ///< [swept unit][stage]
        bool predicts = false;           ///< else every unit is swept at least without noise
        Outline weight{};                ///< of a unit's own end without noise
        double predictedMargin = 0.0;    ///< of noise and prediction together
    };
    enum class Swept : std::uint8_t { no, noiseFree, all };
    struct Place {
        std::size_t step = 0, unit = 0; ///< unit: index into m_units
    };
    void makePool(int pattern, std::size_t count);
    void fitPrediction(NoisePool& pool, const std::vector<Outline>& outlines, const std::vector<double>& ends, std::size_t units) const;
    [[nodiscard]] Outline outlineOf(const BlockSweep& sweep, std::size_t lane, const RegimeFactors& regimes) const;
    [[nodiscard]] std::vector<Place> predictedSlowest(int pattern, const std::vector<Place>& places, std::size_t first);
    void sweepWindow(std::size_t first, std::size_t last, bool speedsOnly);
    template <class Of>
    [[nodiscard]] auto perStep(std::size_t count, bool speedsOnly, const Of& of);
    [[nodiscard]] SlowestUnits slowestOf(std::size_t step, std::size_t first) const;
    void sweepPlaces(int pattern, const std::vector<Place>& places, Noise noise, std::size_t first, bool keepOptimizer);
    [[nodiscard]] std::vector<std::vector<Place>> placesToSweep(std::size_t first, std::size_t last) const;
    [[nodiscard]] double ownEnd(const float* ends) const;
    [[nodiscard]] StageMaxima maxima(std::size_t step, std::size_t first) const;
    [[nodiscard]] std::vector<SweptLane> lanesOf(const std::vector<Place>& places, std::size_t first, std::size_t last) const;
    template <class Work>
    void inBlocks(std::size_t lanes, const Work& work);

    const SweepModel& m_model;
    const RegimeTable& m_regimes;
    SweptSeries m_series;
    std::stop_token m_stop;
    StepFinish m_finish;
    std::size_t m_stages;
    std::vector<int> m_units;                                ///< that are swept: all, or one of each pattern if its units end together
    std::vector<std::vector<std::size_t>> m_placesOfPattern; ///< indices into m_units
    std::vector<NoisePool> m_pools;
    std::vector<float> m_after;             ///< mean seconds from a stage's end to the step's
    std::vector<float> m_ends, m_optimizer; ///< of a window: [step][unit][stage]
    std::vector<Swept> m_swept;             ///< [step][unit]
    std::uint64_t m_nodeSamples = 0;
};

/// The jobs around the median one.
struct MedianJobs {
    std::vector<std::uint64_t> jobs; ///< nine of kMedianCandidates, the middle ones by their step without noise
    double stdErr = 0.0;             ///< of the median of these candidates, in seconds
};
[[nodiscard]] MedianJobs medianJobs(const SweepModel& model, std::uint64_t seed, std::stop_token stop);

/// Standard error of the step, in seconds, due to the sampled tables of passes, which all steps share: the error of each table times the
/// derivative of the noise-free step by that pass.
[[nodiscard]] double tableError(const SweepModel& model, std::uint64_t seed, std::stop_token stop);

} // namespace prism
