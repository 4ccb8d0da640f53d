// SPDX-License-Identifier: GPL-3.0-or-later
// What happens once per step: gradients, optimizer, parameters, the norm.
#include "core/cost/assembly.h"

#include "core/cost/classes.h"

#include <algorithm>

namespace prism {

/// The chunks of a stage with the passes of one micro-batch and the traffic of `seconds(parameters of the chunk)`.
template <class Seconds>
std::vector<ChunkTraffic> Assembly::chunkTraffic(std::size_t stage, Seconds seconds) const
{
    std::vector<ChunkTraffic> chunks;
    for (const std::size_t i : m_ofStage[stage]) {
        const auto chunk = static_cast<std::size_t>(m_out.graph.schedule.path[i][1]);
        const auto& of = m_out.graph.programOf[stage][chunk];
        const auto pass = [&](std::size_t phase) { return of[phase] >= 0 ? m_programSeconds[static_cast<std::size_t>(of[phase])] : 0.0; };
        chunks.push_back({pass(0), pass(1) + pass(2), seconds(m_chunkParameters[i])});
    }
    return chunks;
}

/// Exposed seconds as Megatron-Core runs them (datatraffic.h).
void Assembly::addGradientSync(std::size_t stage)
{
    const ParallelismConfig& par = m_scenario.parallelism;
    const auto seconds = [&](const StageParameters& n) { return dataSeconds(CollectiveOp::reduceScatter, n); };
    StepOp& sync = m_out.graph.gradSync[stage];
    const double scatter = stateSeconds(m_cost, CollectiveOp::reduceScatter, m_sharding.optimizer, m_parameters[stage], m_state.gradient);
    sync.meanSeconds = seconds(m_parameters[stage]);
    sync.kernelClass = static_cast<int>(2 * scatter >= sync.meanSeconds ? KernelId::dpReduceScatter : KernelId::dpAllReduce);
    if (!par.overlapGradReduce || (m_shape.pp > 1 && m_shape.vpp == 1 && stage > 0))
        return; // behind the cool-down of its stage, in the bubble
    const std::vector<ChunkTraffic> chunks = chunkTraffic(stage, seconds);
    const double buckets = m_parameters[stage].total() / bucketParameters(m_cost.layout().data.size);
    const double exposed = chunks.size() > 1 ? exposedChunkReduction(chunks, passesBetweenChunks(m_shape.pp, m_shape.numMicrobatches))
                           : chunks.empty()  ? sync.meanSeconds
                                             : exposedBucketReduction(chunks.front(), buckets);
    hide(sync, exposed);
}

void Assembly::addParameterGather(std::size_t stage)
{
    const ParallelismConfig& par = m_scenario.parallelism;
    const auto seconds = [&](const StageParameters& n) { return dataSeconds(CollectiveOp::allGather, n); };
    StepOp& gather = m_out.graph.paramGather[stage];
    gather.kernelClass = static_cast<int>(KernelId::dpAllGather);
    gather.meanSeconds = seconds(m_parameters[stage]);
    if (!par.overlapParamGather)
        return;
    const std::vector<ChunkTraffic> chunks = chunkTraffic(stage, seconds);
    if (chunks.size() > 1) {
        hide(gather, exposedChunkGather(chunks, passesBetweenChunks(m_shape.pp, m_shape.numMicrobatches)));
    } else if (stage == 0 && !chunks.empty()) {
        // Each later stage gathers when its first input arrives, on the way of the warm-up, and all at once: Megatron-Core has buckets on
        // the first stage alone (core/distributed/distributed_data_parallel.py, disable_bucketing).
        double behind = 0;
        for (std::size_t p = 1; p < m_parameters.size(); ++p)
            behind += seconds(m_parameters[p]);
        const double buckets = m_parameters[stage].total() / bucketParameters(m_cost.layout().data.size);
        const double exposed = exposedBucketGather(chunks.front(), buckets);
        hide(gather, exposed);
        gather.minExposedSeconds = std::max(gather.minExposedSeconds, exposed + behind);
    }
}

double Assembly::dataSeconds(CollectiveOp op, const StageParameters& n) const
{
    for (const DataSeconds& known : m_dataSeconds)
        if (known.op == op && known.dense == n.dense && known.expert == n.expert)
            return known.seconds;
    const StateSharding& s = m_sharding.optimizer; // updated parts are gathered, and gradients are summed where they are used
    double seconds = stateSeconds(m_cost, op, s, n, op == CollectiveOp::allGather ? m_state.gathered : m_state.gradient);
    if (op != CollectiveOp::allGather)
        seconds += stateSeconds(m_cost, CollectiveOp::allReduce, s, n, m_state.gradient);
    m_dataSeconds.push_back({op, n.dense, n.expert, seconds});
    return seconds;
}

/// What is not exposed is overlapped with compute and slows it.
void Assembly::hide(StepOp& op, double exposed)
{
    op.hiddenSeconds = std::max(0.0, op.meanSeconds - exposed);
    op.minExposedSeconds = exposed + kOverlapSlowdown * op.hiddenSeconds;
}

/// Adam in FP32 over the shard (30 bytes a parameter: gradient, master and two moments read, the three and the 16-bit weight written),
/// the norm of the gradients (4) and their clipping (8); gradients are cleared, and scaled before their reduction.
double Assembly::optimizerSeconds(std::size_t stage) const
{
    const StageParameters& n = m_parameters[stage];
    const Layout& layout = m_cost.layout();
    constexpr double kNormAndClip = 12;                 // bytes per parameter of the shard
    const double scaled = layout.data.size > 1 ? 3 : 1; // written once to clear, read and written once to scale
    return m_cost.memorySeconds(m_sharding.optimizer.held(n) * (m_state.update + kNormAndClip) + n.total() * scaled * m_state.gradient, 20)
           + m_cost.stepSeconds();
}

void Assembly::addGradNorm()
{
    GroupGeometry tree = groupOf(m_shape.numGpus, m_cost.layout().gpusPerNode);
    tree.size = 1; // a scalar: a tree of latencies, not a ring
    for (std::int64_t r = 1; r < m_shape.numGpus; r *= 2)
        ++tree.size;
    StepOp& norm = m_out.graph.gradNorm;
    norm.kernelClass = static_cast<int>(KernelId::gradNorm);
    norm.meanSeconds = m_cost.collectiveSeconds(CollectiveOp::allReduce, tree, 4);
}

void Assembly::addStepOps()
{
    StepGraph& g = m_out.graph;
    const Layout& layout = m_cost.layout();
    const auto stages = static_cast<std::size_t>(m_shape.pp);
    g.gradSync.resize(stages);
    g.optimizer.resize(stages);
    g.paramGather.resize(stages);
    for (std::size_t p = 0; p < stages; ++p) {
        if (layout.data.size > 1 && !m_sharding.gathersEachPass)
            addGradientSync(p);
        if (m_sharding.optimizer.dense.shard.size > 1 && !m_sharding.gathersEachPass)
            addParameterGather(p);
        g.optimizer[p].kernelClass = static_cast<int>(KernelId::optimizer);
        g.optimizer[p].meanSeconds = optimizerSeconds(p);
    }
    if (m_shape.numGpus > 1)
        addGradNorm();
    if (m_scenario.model.tiedEmbeddings && m_shape.pp > 1) {
        const GroupGeometry pair = layout.hop(0, m_shape.pp - 1);
        g.embeddingAllReduce.kernelClass = static_cast<int>(KernelId::embeddingAllReduce);
        g.embeddingAllReduce.meanSeconds =
            m_cost.collectiveSeconds(CollectiveOp::allReduce, pair,
                                     real(m_scenario.model.vocabSize * m_scenario.model.hiddenSize) / real(m_shape.tp) * m_state.gradient);
    }
}

} // namespace prism
