// SPDX-License-Identifier: GPL-3.0-or-later
// Memory of each stage: model state, activations in flight, buffers.
#include "core/cost/assembly.h"

#include "core/schedule/pieces.h"

#include <algorithm>

namespace prism {

namespace {

constexpr double kGib = 1024.0 * 1024.0 * 1024.0;

/// Buffers of NCCL for ranks that send in pairs: 32 channels of 14 MiB to each peer of a node of eight (8 H100: 1.06 to 4.34 GB at the
/// first all-to-all, NCCL issue 1685). Beyond the node they do not grow (NCCL issue 986).
double pairBytes(const GroupGeometry& group)
{
    constexpr std::int64_t kPeers = 7;
    return static_cast<double>(std::min(group.ranksPerNode - 1, kPeers)) * 32 * 14 * 1024 * 1024;
}

/// Bytes outside of the framework's allocator: the CUDA context takes 0.6 GiB and the first communicator of the job 1.5
/// (stas00/ml-engineering, debug/pytorch), a further one 544 MB (NCCL issue 964). Transfers of a pipeline have none of this size.
double outsideBytes(const Layout& layout, std::int64_t gpus, bool hasExperts, const ParallelismConfig& parallelism)
{
    constexpr double kContext = 0.6 * kGib, kJob = 1.5 * kGib, kGroup = 544e6;
    double bytes = kContext + (gpus > 1 ? kJob : 0.0);
    const auto add = [&](const GroupGeometry& group) { bytes += group.size > 1 && group.size < gpus ? kGroup : 0.0; };
    for (const GroupGeometry& group : {layout.tensor, layout.context, layout.data})
        add(group);
    if (hasExperts)
        for (const GroupGeometry& group : {layout.expert, layout.expertData})
            add(group);
    if (parallelism.cpCommType == "a2a")
        bytes += pairBytes(layout.context);
    if (hasExperts && parallelism.moeTokenDispatcherType == "alltoall")
        bytes += pairBytes(layout.expert);
    return bytes;
}

} // namespace

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
    // A forward that overlaps a backward keeps a layer before the other's is free. An order with pieces has both micro-batches held; in
    // others forward and backward take turns layer by layer (Megatron-Core's merged 1F1B).
    if (m_scenario.parallelism.overlapMoeExpertParallelComm && !pairsPasses(schedule))
        for (std::size_t stage = 0; stage < bytes.size(); ++stage)
            bytes[stage] += largestLayer(stage, [&](const ChunkLayers& layer) { return activationBytes(m_scenario, m_shape, layer); });
    return bytes;
}

template <class Metric>
double Assembly::largestLayer(std::size_t stage, Metric metric) const
{
    double largest = 0;
    for (const std::size_t i : m_ofStage[stage])
        for (std::size_t kind = 0; kind < kLayerKinds; ++kind) {
            ChunkLayers one;
            one.count[kind] = one.total = 1;
            largest = m_chunks[i].count[kind] > 0 ? std::max(largest, metric(one)) : largest;
        }
    return largest;
}

/// Unsharded buffers: FSDP gathers the next layer (or embedding, or head) while one computes, and the backward makes the gradient of
/// a layer in 16 bit while the one before is reduced. ZeRO 2 adds up the gradients of a whole chunk where a stage has several.
double Assembly::unshardedBytes(std::size_t stage) const
{
    double end = 0, chunk = 0;
    const auto parameters = [&](const ChunkLayers& part) { return stageParameters(m_scenario, m_shape, {part}, m_shape.pp > 1).total(); };
    const double layer = largestLayer(stage, parameters);
    for (const std::size_t i : m_ofStage[stage]) {
        chunk = m_ofStage[stage].size() > 1 ? std::max(chunk, m_chunkParameters[i].total()) : 0.0;
        ChunkLayers embedding, head;
        embedding.embedding = m_chunks[i].embedding;
        head.head = m_chunks[i].head;
        if (m_scenario.model.operators.empty())
            end = std::max({end, parameters(embedding), parameters(head)});
    }
    const bool gathers = m_sharding.parameters.dense.shard.size > 1, reduces = m_sharding.gradients.dense.shard.size > 1;
    return (gathers ? (layer + std::max(layer, end)) * m_state.gathered : 0.0)
           + (reduces ? 2 * layer + std::max(layer, gathers ? 0.0 : chunk) * m_state.gradient : 0.0);
}

void Assembly::addMemory(const std::vector<double>& inFlight)
{
    MemoryReport& report = m_out.memory;
    report.capacityGib = m_scenario.cluster.gpu.memoryGib;
    report.outsideGib = outsideBytes(m_cost.layout(), m_shape.numGpus, m_shape.moe, m_scenario.parallelism) / kGib;
    const std::vector<double> transients = ofChunks([&](const ChunkLayers& chunk) { return transientBytes(m_scenario, m_shape, chunk); });
    for (std::size_t p = 0; p < m_parameters.size(); ++p) {
        const StageParameters& n = m_parameters[p];
        StageMemory m;
        m.stage = static_cast<int>(p);
        m.weightsGib = m_sharding.parameters.held(n) * m_state.weight / kGib;
        m.gradientsGib = m_sharding.gradients.held(n) * m_state.gradient / kGib;
        m.optimizerGib = m_sharding.optimizer.held(n) * m_state.optimizer / kGib;
        m.activationsGib = inFlight[p] / kGib;
        double transient = 0;
        bool holdsEmbedding = false;
        for (const std::size_t i : m_ofStage[p]) {
            transient = std::max(transient, transients[i]);
            holdsEmbedding = holdsEmbedding || m_chunks[i].embedding || m_chunks[i].head;
        }
        constexpr double kReservedGib = 0.5; // blocks that the allocator rounds up and keeps
        m.buffersGib = (transient + unshardedBytes(p) + gradientCopyBytes(m_scenario.model, m_shape, holdsEmbedding)) / kGib + kReservedGib
                       + report.outsideGib;
        m.totalGib = m.weightsGib + m.gradientsGib + m.optimizerGib + m.activationsGib + m.buffersGib;
        report.peakGib = std::max(report.peakGib, m.totalGib);
        report.stages.push_back(m);
    }
    report.fits = report.peakGib <= report.capacityGib;
}

} // namespace prism
