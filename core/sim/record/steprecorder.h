// SPDX-License-Identifier: GPL-3.0-or-later
// Records swept steps of a job: the slowest replicas are swept once more, with the times of every pass and transfer.
#pragma once

#include "core/sim/draw/stepdelays.h"
#include "core/sim/record/passcauses.h"
#include "core/sim/simulate.h"
#include "core/sim/sweep/stepsweeper.h"

#include <tbb/enumerable_thread_specific.h>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace prism {

/// Steps of the series across jobs: step i has the draws of step i of simulate() with the same seed and the default number of steps.
struct RecordOptions {
    std::uint64_t seed = 1;
    int first = 0;        ///< number of the first step, 0 to kLastRecordedStep
    int steps = 500;      ///< at least 1
    int threads = 0;      ///< 0 = all cores; results do not depend on it
    std::stop_token stop; ///< looked at every few milliseconds
};
inline constexpr int kLastRecordedStep = 999'999;

/// Immutable after it is made; every function may be called from any thread.
class StepRecorder final {
public:
    /// Sweeps the steps. `graph` must be checked. Null when stopped.
    [[nodiscard]] static std::unique_ptr<StepRecorder> make(const StepGraph& graph, const RecordOptions& options);

    [[nodiscard]] const std::vector<RecordNode>& nodes() const { return m_nodes; }
    /// Seconds of each step, with the delays of whole steps.
    [[nodiscard]] const std::vector<double>& seconds() const { return m_seconds; }
    /// The steps `which` (indices into seconds()), with the times of the replica on the critical path. `allStages`: with the
    /// causes of every stage's optimizer, else of the stage that ends last.
    [[nodiscard]] std::vector<StepRecord> record(std::span<const std::size_t> which, bool allStages) const;
    /// The same step with the times of another replica, which waits for the slowest: the critical path has only what all replicas do
    /// together. `replica` from 0 to the graph's replicas - 1.
    [[nodiscard]] StepRecord withReplica(StepRecord step, int replica) const;

    /// What the pass of a node, the transfer behind it, or an operation of a stage consists of; sums to its duration.
    [[nodiscard]] Parts passParts(const StepRecord& step, int node) const;
    [[nodiscard]] Parts transferParts(const StepRecord& step, int node) const;
    [[nodiscard]] Parts stageOpParts(const StepRecord& step, int stage, StageOp op) const;

private:
    struct Requested {
        std::size_t step = 0;
        int unit = 0;
    };
    StepRecorder(const RecordOptions& options, std::shared_ptr<const SweepModel> model, RegimeTable regimes);
    [[nodiscard]] std::vector<UnitRecord> recordUnits(const std::vector<Requested>& requested) const;
    [[nodiscard]] const RegimeFactors& regimesOf(const StepRecord& step) const
    {
        return m_regimes.step(index(step.number) - m_series.first);
    }
    [[nodiscard]] const UnitPattern& patternOf(int unit) const { return m_model->job.patterns[index(m_model->job.patternOf[index(unit)])]; }
    [[nodiscard]] const PassCauses& causesOf(int unit, int stage, int program) const;
    [[nodiscard]] CauseSeconds sendCauses(const StepRecord& step, const SweepSend& send, const PassRecord& record) const;
    [[nodiscard]] double optimizerSeconds(const StepRecord& step, int stage) const;
    [[nodiscard]] CauseSeconds transferCauses(const StepRecord& step, int node) const;
    void setTimes(StepRecord& step, int unit) const;
    void finishStep(StepRecord& step, const SlowestUnits& slowest, std::size_t at) const;
    void setCritical(StepRecord& step, int stage) const;
    void followUnit(StepRecord& step, int stage) const;
    [[nodiscard]] int pathStage(const StepTail& tail) const { return m_model->gradNorm.present() ? tail.normStage : tail.last; }

    std::shared_ptr<const SweepModel> m_model;
    const StepGraph& m_graph; ///< the model's
    RegimeTable m_regimes;
    SweptSeries m_series;
    StepFinish m_finish;
    StepDelayModel m_delays;
    std::vector<SlowestUnits> m_slowest;
    std::vector<double> m_seconds;
    std::vector<RecordNode> m_nodes;
    std::vector<SweepSend> m_sends;
    SweepSend m_embedding;            ///< between the ends of the path
    std::vector<PassCauses> m_causes; ///< of the model's passes
    mutable tbb::enumerable_thread_specific<BlockSweep> m_sweeps;
};

} // namespace prism
