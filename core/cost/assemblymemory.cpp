// SPDX-License-Identifier: GPL-3.0-or-later
// Memory of each stage: model state, activations in flight, buffers.
#include "core/cost/assembly.h"

#include "core/schedule/pieces.h"

#include <algorithm>

namespace prism {

namespace {

constexpr double kGib = 1024.0 * 1024.0 * 1024.0;

} // namespace

StateBytes stateBytesOf(const TrainingConfig& t)
{
    StateBytes b;
    const bool full = t.precision == "fp32";
    b.weight = full ? 4 : 2;
    b.gradient = t.gradReduceInFp32 || full ? 4 : 2;
    const double moments = t.optimizer == "sgd" ? 4 : 8;
    b.optimizer = moments + (full ? 0 : 4); // and the FP32 master weights
    return b;
}

/// Of each chunk: what the forward of one micro-batch keeps.
std::vector<double> Assembly::activations() const
{
    return ofChunks([&](const ChunkLayers& chunk) { return activationBytes(m_scenario, m_shape, chunk); });
}

/// Activations of the largest chunk of each stage.
std::vector<double> Assembly::largestChunks(const std::vector<double>& activations) const
{
    std::vector<double> bytes(m_ofStage.size(), 0.0);
    for (std::size_t stage = 0; stage < m_ofStage.size(); ++stage)
        for (const std::size_t i : m_ofStage[stage])
            bytes[stage] = std::max(bytes[stage], activations[i]);
    return bytes;
}

/// Bytes of activations that each stage holds at most; of a schedule without orders what any order does at the least.
std::vector<double> Assembly::bytesInFlight(const Schedule& schedule, const std::vector<double>& activations) const
{
    std::vector<std::vector<HeldByChunk>> held(static_cast<std::size_t>(m_shape.pp),
                                               std::vector<HeldByChunk>(static_cast<std::size_t>(schedule.numChunks)));
    for (std::size_t i = 0; i < m_chunks.size(); ++i)
        held[static_cast<std::size_t>(schedule.path[i][0])][static_cast<std::size_t>(schedule.path[i][1])] = {
            activations[i], activations[i] - lossBytes(m_scenario, m_shape, m_chunks[i])};
    const std::vector<double> largest = largestChunks(activations);
    std::vector<double> bytes = schedule.order.empty() ? largest : largestHeld(schedule, held);
    // A forward that runs beside a backward holds its own before the other's are free. An order with pieces has both held there; of others
    // it is not known which pass is beside which.
    if (m_scenario.parallelism.overlapMoeExpertParallelComm && !pairsPasses(schedule))
        for (std::size_t stage = 0; stage < bytes.size(); ++stage)
            bytes[stage] += largest[stage];
    return bytes;
}

void Assembly::addMemory(const std::vector<double>& inFlight)
{
    const ParallelismConfig& par = m_scenario.parallelism;
    const Layout& layout = m_cost.layout();
    MemoryReport& report = m_out.memory;
    report.capacityGib = m_scenario.cluster.gpu.memoryGib;
    const std::vector<double> transients = ofChunks([&](const ChunkLayers& chunk) { return transientBytes(m_scenario, m_shape, chunk); });
    for (std::size_t p = 0; p < m_parameters.size(); ++p) {
        const StageParameters& n = m_parameters[p];
        const double denseShare = 1.0 / real(layout.data.size), expertShare = 1.0 / real(std::max<std::int64_t>(1, layout.expertData.size));
        const auto state = [&](double bytes, bool sharded) {
            return (n.dense * (sharded ? denseShare : 1.0) + n.expert * (sharded ? expertShare : 1.0)) * bytes / kGib;
        };
        StageMemory m;
        m.stage = static_cast<int>(p);
        m.weightsGib = state(m_state.weight, par.zeroStage >= 3);
        m.gradientsGib = state(m_state.gradient, par.zeroStage >= 2);
        m.optimizerGib = state(m_state.optimizer, par.zeroStage >= 1);
        m.activationsGib = inFlight[p] / kGib;
        double transient = 0;
        bool holdsEmbedding = false;
        for (const std::size_t i : m_ofStage[p]) {
            transient = std::max(transient, transients[i]);
            holdsEmbedding = holdsEmbedding || m_chunks[i].embedding || m_chunks[i].head;
        }
        constexpr double kReservedGib = 0.5; // blocks that the allocator rounds up and keeps
        m.buffersGib = (transient + gradientCopyBytes(m_scenario.model, m_shape, holdsEmbedding)) / kGib + kReservedGib + kContextGib;
        m.totalGib = m.weightsGib + m.gradientsGib + m.optimizerGib + m.activationsGib + m.buffersGib;
        report.peakGib = std::max(report.peakGib, m.totalGib);
        report.stages.push_back(m);
    }
    report.fits = report.peakGib <= report.capacityGib;
}

} // namespace prism
