// SPDX-License-Identifier: GPL-3.0-or-later
// A model of the variation from step to step of a measured job, fitted from some of its steps, that draws new steps.
#pragma once

#include "core/trace/regularjob.h"

#include <cstdint>

namespace prism {

/// duration of a computation = mean of its stage, direction, chunk and place in the schedule x factor of the worker in this direction x
/// step factor x micro-batch factor.
struct ComputeFactors {
    std::vector<double> mean;                       ///< seconds; [slots], 0 for slots other than computations
    std::vector<double> worker;                     ///< persistent, of both directions together; [replicas * stages], mean 1
    std::array<std::vector<double>, 2> byDirection; ///< forward, backward: the same of each direction alone
    std::vector<double> step;                       ///< [steps], mean 1
    /// What is left, dimensionless: [steps][replicas * slots]; 1 for slots other than computations.
    std::vector<std::vector<double>> residual;
    double workerNoiseShare = 0, stepNoiseShare = 0; ///< of the spread of the raw factors; the part that sampling explains is removed
    double microBatchCorrelation = 0;                ///< of the residuals of one micro-batch in forward and backward, over stages

    /// Persistent factor of a worker's computations of a type.
    [[nodiscard]] double ofWorker(TraceOp type, std::size_t worker) const { return byDirection[isForward(type) ? 0 : 1][worker]; }
};

/// Worker, step and place factors are shrunk towards 1 by the share of their spread that the micro-batches' own spread explains.
[[nodiscard]] ComputeFactors computeFactors(const RegularJob& job);

/// One drawn step, seconds.
struct DrawnStep {
    double seconds = 0;
    std::vector<double> phase; ///< end of each replica's last computation; [replicas]
    ReplayTimes times;         ///< of the graph's nodes
};

/// Draws steps of a measured job, also with another number of replicas. Immutable after make(); any thread.
///
/// A step takes its step factor, collectives and gaps together from one measured step. Residuals are drawn by runs of four consecutive
/// micro-batches of one (step, replica), all stages and both directions together, at the same place in the step where there are at least
/// 8 (step, replica) pairs, else single micro-batches from anywhere. Where all replicas of the job are recorded over 16 steps or more, all
/// but five of them on average keep the residuals of the measured step: independent draws lose how heavy the replicas of a step are
/// together (halves of a job with 32 replicas: mean -1.7 %, with five redrawn -0.2 %; with none the distribution is that of the measured
/// steps). With another number of replicas the first ones keep their factors, further ones take those of a measured replica drawn for each
/// step; a ring's share (n - 1) / n scales the transfer time of the gathers and reductions over replicas. Where replicas of the job left no
/// record, what is recorded of these and of the gap behind a hidden barrier holds waits for them: the lowest tenth over the steps is
/// for the transfer and the gap without a wait.
class StepModel final {
public:
    /// `job` must outlive the model. replicas 0 = as measured. Error: the operations cannot be put in order.
    [[nodiscard]] static Result<StepModel> make(const RegularJob& job, int replicas = 0);

    /// The k-th step of a seed; `drawn` is reused. About 50 ns per operation.
    void draw(std::uint64_t seed, std::uint64_t k, DrawnStep& drawn) const;

    [[nodiscard]] int replicas() const { return m_layout.replicas; }
    [[nodiscard]] const ComputeFactors& factors() const { return m_factors; }
    /// The drawn step's operations with their times, for export.
    [[nodiscard]] TraceStep operations(const DrawnStep& drawn, int number) const;

private:
    void takeOutWaits(const HiddenBarriers& barriers);

    const RegularJob* m_job = nullptr;
    TraceJob m_layout;   ///< sizes alone
    TraceStep m_pattern; ///< operations of the graph, in the order of its nodes
    BlockingGraph m_graph;
    std::vector<int> m_slotOf; ///< slot of a node; [operations]
    ComputeFactors m_factors;
    std::vector<double> m_scale;                     ///< on transfer times; [slots]
    std::vector<double> m_transferLimit, m_gapLimit; ///< seconds, [measured replicas * slots]
    std::vector<int> m_microBatchOf;                 ///< [slots], -1 = no computation
    std::vector<std::vector<int>> m_equal;           ///< slots of one stage, direction and chunk, by micro-batch
    std::vector<int> m_equalOf;                      ///< which of them a computation's slot belongs to; [slots]
    std::size_t m_microBatches = 0;
};

} // namespace prism
