// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/predictor.h"

#include "core/base/figure.h"
#include "core/base/text.h"
#include "core/cost/classnames.h"
#include "core/step/graphlimits.h"

#include "core/cost/classes.h"
#include "core/cost/costmodel.h"
#include "core/cost/granularity.h"
#include "core/cost/datatraffic.h"
#include "core/cost/predictwith.h"
#include "core/cost/programs.h"
#include "core/cost/quickstep.h"
#include "core/cost/scheduleof.h"
#include "core/schedule/shape.h"
#include "core/step/breakdown.h"
#include "core/step/deterministicstep.h"
#include "core/workload/count.h"
#include "core/workload/memory.h"

#include <algorithm>

namespace prism {
namespace {

constexpr double kGib = 1024.0 * 1024.0 * 1024.0;

double real(std::int64_t x)
{
    return static_cast<double>(x);
}

/// Bytes of model state per parameter (Rajbhandari et al. 2020, ZeRO, arXiv 1910.02054, section 3.1).
struct StateBytes {
    double weight = 2, gradient = 4, optimizer = 12;
};

StateBytes stateBytes(const TrainingConfig& t)
{
    StateBytes b;
    const bool full = t.precision == "fp32";
    b.weight = full ? 4 : 2;
    b.gradient = t.gradReduceInFp32 || full ? 4 : 2;
    const double moments = t.optimizer == "sgd" ? 4 : 8;
    b.optimizer = moments + (full ? 0 : 4); // and the FP32 master weights
    return b;
}

/// Assembles one CostedStep; every member function adds one part of it.
class Assembly final {
public:
    Assembly(const Scenario& scenario, const Calibration& calibration)
        : m_scenario(scenario),
          m_calibration(calibration),
          m_shape(shapeOf(scenario)),
          m_cost(scenario, calibration),
          m_state(stateBytes(scenario.training))
    {
    }

    [[nodiscard]] Result<CostedStep> run();
    /// The noise-free step alone: no breakdown, memory or counts.
    [[nodiscard]] Result<double> noiseFreeSeconds();
    [[nodiscard]] Result<QuickStep> quick(ScheduleMemo& schedules);
    [[nodiscard]] const StepGraph& graph() const { return m_out.graph; }

private:
    const Scenario& m_scenario;
    const Calibration& m_calibration;
    Shape m_shape;
    CostModel m_cost;
    StateBytes m_state;
    CostedStep m_out;
    std::vector<ChunkLayers> m_chunks;
    std::vector<StageParameters> m_parameters;
    std::vector<double> m_programSeconds;

    void setSizes();
    [[nodiscard]] Diagnostics addPrograms();
    void costPrograms(const Schedule& schedule);
    void addParameters();
    void addSeconds();
    [[nodiscard]] double leastSeconds() const;
    void addTransfers();
    void addStepOps();
    void useMeasuredMeans();
    void useMeasuredLevels();
    void addVariability();
    void addMemory(const std::vector<double>& inFlight);
    [[nodiscard]] std::vector<double> bytesInFlight(const Schedule& schedule) const;
    void addCounts();
    template <class Seconds>
    [[nodiscard]] std::vector<ChunkTraffic> chunkTraffic(std::size_t stage, Seconds seconds) const;
    void addGradientSync(std::size_t stage);
    void addParameterGather(std::size_t stage);
    void addGradNorm();
    [[nodiscard]] double passesBetweenChunks() const;
    [[nodiscard]] double dataSeconds(CollectiveOp op, const StageParameters& n, double bytes) const;
    static void hide(StepOp& op, double exposed);
    [[nodiscard]] double optimizerSeconds(std::size_t stage) const;
    [[nodiscard]] double largestChunk(std::size_t stage) const;
};

Diagnostics Assembly::addPrograms()
{
    StepGraph& g = m_out.graph;
    const int microbatches = static_cast<int>(m_shape.numMicrobatches);
    const ParallelismConfig& par = m_scenario.parallelism;
    const std::string name = scheduleName(par);
    // Programs read the order only where communication runs beside another micro-batch's compute.
    Result<Schedule> schedule = plansOrder(name) && !par.overlapMoeExpertParallelComm
                                    ? scheduleShape(name, par.pipelineModelParallelSize, par.virtualPipelineModelParallelSize, microbatches)
                                    : scheduleOf(m_scenario, microbatches, {});
    if (!schedule)
        return schedule.errors();
    g.schedule = std::move(schedule.value());
    m_chunks = chunkLayers(m_scenario, g.schedule.path);
    costPrograms(g.schedule);
    // Planned schedules are planned for the times of a chunk in the middle of the model.
    if (plansOrder(name)) {
        const auto& middle = g.schedule.path[g.schedule.path.size() / 2];
        const auto& of = g.programOf[static_cast<std::size_t>(middle[0])][static_cast<std::size_t>(middle[1])];
        const auto seconds = [&](int phase) { return m_programSeconds[static_cast<std::size_t>(of[static_cast<std::size_t>(phase)])]; };
        Result<Schedule> planned = scheduleOf(m_scenario, microbatches, {seconds(0), seconds(1), seconds(2), 0});
        if (!planned)
            return planned.errors();
        g.schedule = std::move(planned.value());
    }
    addParameters();
    return {};
}

void Assembly::costPrograms(const Schedule& schedule)
{
    StepGraph& g = m_out.graph;
    CostedPrograms programs = costedPrograms(m_scenario, m_shape, m_cost, schedule, m_chunks);
    g.programs = std::move(programs.programs);
    g.programOf = std::move(programs.programOf);
    m_programSeconds = std::move(programs.seconds);
}

void Assembly::addParameters()
{
    std::vector<std::vector<ChunkLayers>> ofStage(static_cast<std::size_t>(m_shape.pp));
    for (std::size_t i = 0; i < m_chunks.size(); ++i)
        ofStage[static_cast<std::size_t>(m_out.graph.schedule.path[i][0])].push_back(m_chunks[i]);
    for (const auto& chunks : ofStage)
        m_parameters.push_back(stageParameters(m_scenario, m_shape, chunks, m_shape.pp > 1));
}

void Assembly::addTransfers()
{
    StepGraph& g = m_out.graph;
    const Layout& layout = m_cost.layout();
    const std::size_t hops = g.schedule.path.size() - 1;
    g.sendForward.resize(hops);
    g.sendBackward.resize(hops);
    double bytes = m_shape.shardedTokens * real(m_scenario.model.hiddenSize) * m_shape.elementBytes;
    if (!m_scenario.model.operators.empty())
        bytes = m_scenario.model.operators.front().bytes * m_shape.microBatch / 2;
    for (std::size_t i = 0; i < hops; ++i) {
        const int from = g.schedule.path[i][0], to = g.schedule.path[i + 1][0];
        if (from == to)
            continue;
        const bool inter = layout.hopLeavesNode(from, to);
        GroupGeometry pair;
        pair.size = 2;
        pair.nodes = inter ? 2 : 1;
        pair.ranksPerNode = inter ? 1 : 2;
        StepOp op;
        op.kernelClass = static_cast<int>(inter ? KernelId::ppSendRecvInter : KernelId::ppSendRecvIntra);
        // Without sequence parallelism every tensor-parallel rank sends its share and the receivers gather it
        // (scatter/gather optimisation, Narayanan et al. 2021, arXiv 2104.04473, section 4.1).
        const bool scatters = !m_shape.sequenceParallel && m_shape.tp > 1 && m_scenario.model.operators.empty();
        op.meanSeconds = m_cost.collectiveSeconds(CollectiveOp::sendRecv, pair, scatters ? bytes / real(m_shape.tp) : bytes);
        if (scatters)
            op.meanSeconds += m_cost.collectiveSeconds(CollectiveOp::allGather, layout.tensor, bytes);
        g.sendForward[i] = g.sendBackward[i] = op;
    }
    // Megatron-LM overlaps transfers in the interleaved schedule only; plain 1F1B sends and receives between its chunks.
    const bool overlaps = m_scenario.parallelism.overlapP2pComm && g.schedule.name != "1f1b" && g.schedule.name != "gpipe";
    g.transferOccupiesSender = !overlaps && m_shape.pp > 1;
}

/// The chunks of a stage with the passes of one micro-batch and the traffic of `seconds(parameters of the chunk)`.
template <class Seconds>
std::vector<ChunkTraffic> Assembly::chunkTraffic(std::size_t stage, Seconds seconds) const
{
    std::vector<ChunkTraffic> chunks;
    for (std::size_t i = 0; i < m_chunks.size(); ++i) {
        const auto& at = m_out.graph.schedule.path[i];
        if (at[0] != static_cast<int>(stage))
            continue;
        const auto& of = m_out.graph.programOf[stage][static_cast<std::size_t>(at[1])];
        const auto pass = [&](std::size_t phase) { return of[phase] >= 0 ? m_programSeconds[static_cast<std::size_t>(of[phase])] : 0.0; };
        chunks.push_back({pass(0), pass(1) + pass(2), seconds(stageParameters(m_scenario, m_shape, {m_chunks[i]}, m_shape.pp > 1))});
    }
    return chunks;
}

/// Exposed seconds as Megatron-Core runs them (datatraffic.h).
void Assembly::addGradientSync(std::size_t stage)
{
    const ParallelismConfig& par = m_scenario.parallelism;
    const CollectiveOp op = m_shape.distributedOptimizer ? CollectiveOp::reduceScatter : CollectiveOp::allReduce;
    const auto seconds = [&](const StageParameters& n) { return dataSeconds(op, n, m_state.gradient); };
    StepOp& sync = m_out.graph.gradSync[stage];
    sync.kernelClass = static_cast<int>(m_shape.distributedOptimizer ? KernelId::dpReduceScatter : KernelId::dpAllReduce);
    sync.meanSeconds = seconds(m_parameters[stage]);
    if (!par.overlapGradReduce || (m_shape.pp > 1 && m_shape.vpp == 1 && stage > 0))
        return; // behind the cool-down of its stage, in the bubble
    const std::vector<ChunkTraffic> chunks = chunkTraffic(stage, seconds);
    const double buckets = m_parameters[stage].total() / bucketParameters(m_cost.layout().data.size);
    const double exposed = chunks.size() > 1 ? exposedChunkReduction(chunks, passesBetweenChunks())
                           : chunks.empty()  ? sync.meanSeconds
                                             : exposedBucketReduction(chunks.front(), buckets);
    hide(sync, exposed);
}

void Assembly::addParameterGather(std::size_t stage)
{
    const ParallelismConfig& par = m_scenario.parallelism;
    const std::string& precision = m_scenario.training.precision;
    const double bytes = par.fp8ParamGather && precision.starts_with("fp8") ? 1 : m_state.weight;
    const auto seconds = [&](const StageParameters& n) { return dataSeconds(CollectiveOp::allGather, n, bytes); };
    StepOp& gather = m_out.graph.paramGather[stage];
    gather.kernelClass = static_cast<int>(KernelId::dpAllGather);
    gather.meanSeconds = seconds(m_parameters[stage]);
    if (!par.overlapParamGather)
        return;
    const std::vector<ChunkTraffic> chunks = chunkTraffic(stage, seconds);
    if (chunks.size() > 1) {
        hide(gather, exposedChunkGather(chunks, passesBetweenChunks()));
    } else if (stage == 0 && !chunks.empty()) {
        double behind = 0; // without chunks each later stage gathers when its first input arrives, on the way of the warm-up
        for (std::size_t p = 1; p < m_parameters.size(); ++p)
            behind += seconds(m_parameters[p]);
        const double buckets = m_parameters[stage].total() / bucketParameters(m_cost.layout().data.size);
        const double exposed = exposedBucketGather(chunks.front(), buckets);
        hide(gather, exposed);
        gather.minExposedSeconds = std::max(gather.minExposedSeconds, exposed + behind);
    }
}

/// Micro-batches that a chunk works on before the next chunk's turn.
double Assembly::passesBetweenChunks() const
{
    return real(std::min<std::int64_t>(m_shape.pp, m_shape.numMicrobatches));
}

double Assembly::dataSeconds(CollectiveOp op, const StageParameters& n, double bytes) const
{
    const Layout& layout = m_cost.layout();
    return m_cost.collectiveSeconds(op, layout.data, n.dense * bytes) + m_cost.collectiveSeconds(op, layout.expertData, n.expert * bytes);
}

/// What is not exposed runs beside compute and slows it.
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
    const bool shards = m_shape.distributedOptimizer;
    const double dense = shards ? n.dense / real(layout.data.size) : n.dense;
    const double expert = shards ? n.expert / real(std::max<std::int64_t>(1, layout.expertData.size)) : n.expert;
    constexpr double kNormAndClip = 12; // bytes per parameter of the shard
    const double update = 2 * m_state.optimizer + m_state.gradient + m_state.weight;
    const double scaled = layout.data.size > 1 ? 3 : 1; // written once to clear, read and written once to scale
    return m_cost.memorySeconds((dense + expert) * (update + kNormAndClip) + n.total() * scaled * m_state.gradient, 20)
           + m_cost.stepSeconds();
}

void Assembly::addGradNorm()
{
    const Layout& layout = m_cost.layout();
    GroupGeometry all;
    all.size = m_shape.numGpus;
    all.ranksPerNode = std::min<std::int64_t>(layout.gpusPerNode, all.size);
    all.nodes = (all.size + all.ranksPerNode - 1) / all.ranksPerNode;
    StepOp& norm = m_out.graph.gradNorm;
    norm.kernelClass = static_cast<int>(KernelId::gradNorm);
    // A scalar: a tree of latencies, not a ring.
    GroupGeometry tree = all;
    tree.size = 1;
    for (std::int64_t r = 1; r < all.size; r *= 2)
        ++tree.size;
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
        if (layout.data.size > 1 && m_scenario.parallelism.zeroStage < 3) {
            addGradientSync(p);
            if (m_shape.distributedOptimizer)
                addParameterGather(p);
        }
        g.optimizer[p].kernelClass = static_cast<int>(KernelId::optimizer);
        g.optimizer[p].meanSeconds = optimizerSeconds(p);
    }
    if (m_shape.numGpus > 1)
        addGradNorm();
    if (m_scenario.model.tiedEmbeddings && m_shape.pp > 1) {
        GroupGeometry pair;
        pair.size = 2;
        pair.nodes = layout.hopLeavesNode(0, m_shape.pp - 1) ? 2 : 1;
        pair.ranksPerNode = pair.nodes == 2 ? 1 : 2;
        g.embeddingAllReduce.kernelClass = static_cast<int>(KernelId::embeddingAllReduce);
        g.embeddingAllReduce.meanSeconds =
            m_cost.collectiveSeconds(CollectiveOp::allReduce, pair,
                                     real(m_scenario.model.vocabSize * m_scenario.model.hiddenSize) / real(m_shape.tp) * m_state.gradient);
    }
}

/// Kernels of the programs take measured means when they are costed; this does the same for what happens once per step or hop.
void Assembly::useMeasuredMeans()
{
    StepGraph& g = m_out.graph;
    const auto use = [&](StepOp& op) {
        if (op.kernelClass >= 0)
            op.meanSeconds = m_cost.measuredOr(static_cast<KernelId>(op.kernelClass), op.meanSeconds);
    };
    for (auto* ops : {&g.sendForward, &g.sendBackward, &g.gradSync, &g.optimizer, &g.paramGather})
        std::for_each(ops->begin(), ops->end(), use);
    use(g.gradNorm);
    use(g.embeddingAllReduce);
}

/// The levels of a calibrated cluster: longer compute is longer room for what is hidden under it.
void Assembly::useMeasuredLevels()
{
    const MeasuredConfig& measured = m_scenario.measured;
    if (measured.computeLevel == 1 && measured.networkLevel == 1)
        return;
    StepGraph& g = m_out.graph;
    const auto scale = [&](auto& op) {
        if (op.kernelClass < 0)
            return;
        const Scope scope = g.classes[static_cast<std::size_t>(op.kernelClass)].scope;
        op.meanSeconds *= scope == Scope::none ? measured.computeLevel : scope == Scope::interNode ? measured.networkLevel : 1.0;
        op.hiddenSeconds *= measured.computeLevel;
        if constexpr (requires { op.minExposedSeconds; })
            op.minExposedSeconds *= scope == Scope::interNode ? measured.networkLevel : 1.0;
    };
    for (Program& program : g.programs)
        for (Block& block : program.blocks)
            std::for_each(block.ops.begin(), block.ops.end(), scale);
    for (auto* ops : {&g.sendForward, &g.sendBackward, &g.gradSync, &g.optimizer, &g.paramGather})
        std::for_each(ops->begin(), ops->end(), scale);
    scale(g.gradNorm);
    scale(g.embeddingAllReduce);
}

void Assembly::addVariability()
{
    StepGraph& g = m_out.graph;
    const VariabilityConfig& v = m_scenario.variability;
    g.classes = kernelClasses(m_scenario, m_cost.layout());
    g.spatial = v.spatial;
    g.data = v.data;
    g.dataScope = DataScope::group;
    g.routing = v.moeImbalance;
    g.lockstepReplicas = lockstepReplicas(m_scenario, m_shape);
    g.intraRegime = v.intraRegime;
    g.interRegime = v.interRegime;
    g.regimeLag1 = v.regimeLag1;
    g.computeRegime = v.computeRegime;
    g.computeRegimeLag1 = v.computeRegimeLag1;
    g.spatialNodeShare = v.spatialNodeShare;
    g.nodeRanks = std::clamp(m_scenario.cluster.gpusPerNode, 1, std::max(1, g.cellRanks()));
    g.delays = {v.stepJitterS, v.stallsPerGpuHour, v.stallMeanS, v.stallCv, v.stallRateCv};
    const bool speeds = !m_scenario.measured.speeds.empty();
    if (v.slow.empty() && !speeds)
        return;
    const std::vector<RankPosition> positions = rankLayout(m_scenario);
    const auto perNode = static_cast<std::size_t>(std::max(1, m_scenario.cluster.gpusPerNode));
    const std::vector<int>& nodeOrder = m_scenario.measured.nodeOrder;
    // Ranks fill node positions in order; nodeOrder says which physical node stands at a position.
    std::vector<std::size_t> positionOfNode;
    for (std::size_t i = 0; i < nodeOrder.size(); ++i) {
        const auto node = static_cast<std::size_t>(std::max(0, nodeOrder[i]));
        if (node >= positionOfNode.size() && node < positions.size())
            positionOfNode.resize(node + 1, positions.size());
        if (node < positionOfNode.size())
            positionOfNode[node] = i;
    }
    const auto nodePosition = [&](int node) {
        const auto n = static_cast<std::size_t>(std::max(0, node));
        return nodeOrder.empty() || n >= positionOfNode.size() ? n : positionOfNode[n];
    };
    for (const SlowEntry& entry : v.slow) {
        const auto mark = [&](std::size_t rank) {
            if (rank < positions.size())
                g.slow.push_back(
                    {positions[rank].replica, positions[rank].stage, positions[rank].rankInCell, entry.computeFactor, entry.linkFactor});
        };
        if (entry.rank >= 0)
            mark(static_cast<std::size_t>(entry.rank));
        else if (entry.node >= 0)
            for (std::size_t i = 0; i < perNode; ++i)
                mark(nodePosition(entry.node) * perNode + i);
    }
    if (speeds) {
        const auto cell = static_cast<std::size_t>(g.cellRanks()), stages = static_cast<std::size_t>(m_shape.pp);
        g.fixedSpatial.assign(static_cast<std::size_t>(g.numReplicas) * stages * cell, 1.0);
        for (const MeasuredSpeed& speed : m_scenario.measured.speeds) {
            if (!(speed.relativeSpeed > 0))
                continue;
            for (std::size_t i = 0; i < perNode; ++i) {
                const std::size_t rank = nodePosition(speed.node) * perNode + i;
                if ((speed.gpu >= 0 && static_cast<std::size_t>(speed.gpu) != i) || rank >= positions.size())
                    continue;
                const RankPosition& r = positions[rank];
                const std::size_t at = (static_cast<std::size_t>(r.replica) * stages + static_cast<std::size_t>(r.stage)) * cell
                                       + static_cast<std::size_t>(r.rankInCell);
                if (at < g.fixedSpatial.size())
                    g.fixedSpatial[at] = 1.0 / speed.relativeSpeed;
            }
        }
    }
}

/// Activations of the largest chunk of a stage: a forward that runs beside a backward holds its own before the other's are free.
double Assembly::largestChunk(std::size_t stage) const
{
    double bytes = 0;
    for (std::size_t i = 0; i < m_chunks.size(); ++i)
        if (m_out.graph.schedule.path[i][0] == static_cast<int>(stage))
            bytes = std::max(bytes, activationBytes(m_scenario, m_shape, m_chunks[i]));
    return bytes;
}

/// Bytes of activations that each stage holds at most.
std::vector<double> Assembly::bytesInFlight(const Schedule& schedule) const
{
    std::vector<std::vector<HeldByChunk>> held(static_cast<std::size_t>(m_shape.pp),
                                               std::vector<HeldByChunk>(static_cast<std::size_t>(schedule.numChunks)));
    for (std::size_t i = 0; i < m_chunks.size(); ++i) {
        const double bytes = activationBytes(m_scenario, m_shape, m_chunks[i]);
        held[static_cast<std::size_t>(schedule.path[i][0])][static_cast<std::size_t>(schedule.path[i][1])] = {
            bytes, bytes - lossBytes(m_scenario, m_shape, m_chunks[i])};
    }
    return largestHeld(schedule, held);
}

void Assembly::addMemory(const std::vector<double>& inFlight)
{
    const ParallelismConfig& par = m_scenario.parallelism;
    const Layout& layout = m_cost.layout();
    MemoryReport& report = m_out.memory;
    report.capacityGib = m_scenario.cluster.gpu.memoryGib;
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
        m.activationsGib = (inFlight[p] + (par.overlapMoeExpertParallelComm ? largestChunk(p) : 0.0)) / kGib;
        double transient = 0;
        bool holdsEmbedding = false;
        for (std::size_t i = 0; i < m_chunks.size(); ++i)
            if (m_out.graph.schedule.path[i][0] == static_cast<int>(p)) {
                transient = std::max(transient, transientBytes(m_scenario, m_shape, m_chunks[i]));
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

void Assembly::addCounts()
{
    const ModelConfig& model = m_scenario.model;
    const TrainingConfig& t = m_scenario.training;
    World& w = m_out.world;
    w.gpus = m_shape.numGpus;
    w.nodes = (m_shape.numGpus + m_scenario.cluster.gpusPerNode - 1) / std::max(1, m_scenario.cluster.gpusPerNode);
    w.tp = m_shape.tp;
    w.pp = m_shape.pp;
    w.vpp = m_shape.vpp;
    w.cp = m_shape.cp;
    w.ep = m_shape.ep;
    w.dp = m_shape.dp;
    w.numMicrobatches = m_shape.numMicrobatches;
    m_out.tokensPerStep = real(t.globalBatchSize) * real(model.seqLength);
    m_out.modelFlopsPerStep = modelFlopsPerToken(model) * m_out.tokensPerStep;
    m_out.causalFlopsPerStep = modelFlopsPerToken(model, {true, true}) * m_out.tokensPerStep;
    double again = 0;
    if (t.recomputeGranularity == "full") {
        again = layerForwardFlopsPerToken(model);
        if (t.recomputeMethod == "block" && t.recomputeNumLayers > 0)
            again *=
                std::min(1.0, real(t.recomputeNumLayers) * real(m_shape.pp) * real(m_shape.vpp) / std::max(1.0, real(model.numLayers)));
    } else if (t.recomputeGranularity == "selective") {
        again = recomputedFlopsPerToken(model, m_shape.recomputed);
    }
    m_out.hardwareFlopsPerStep = m_out.modelFlopsPerStep + again * m_out.tokensPerStep;
    m_out.parameters = totalParameters(model);
    m_out.peakTflopsPerGpu = m_cost.peakFlops(m_cost.matrixPrecision()) / 1e12;
    Diagnostics outside = outsideOf(m_calibration.domain, m_scenario);
    m_out.withinCalibration = outside.empty();
    const ErrorBand band = errorBand(m_calibration, modelCoverage(m_scenario));
    // Outside no prediction is surer than inside.
    m_out.errorBandLow = outside.empty() ? band.low : std::min(band.low, m_calibration.domain.bandLow);
    m_out.errorBandHigh = outside.empty() ? band.high : std::max(band.high, m_calibration.domain.bandHigh);
    m_out.warnings.insert(m_out.warnings.end(), std::make_move_iterator(outside.begin()), std::make_move_iterator(outside.end()));
}

void Assembly::setSizes()
{
    StepGraph& g = m_out.graph;
    g.name = m_scenario.name;
    g.numReplicas = static_cast<int>(m_shape.numReplicas);
    g.groupRanks = static_cast<int>(m_shape.tp * m_shape.cp);
    g.groupsPerCell = static_cast<int>(m_shape.groupsPerCell);
}

/// Everything that takes time besides the programs.
void Assembly::addSeconds()
{
    StepGraph& g = m_out.graph;
    addTransfers();
    addStepOps();
    setGranularity(g, {m_scenario, m_shape, m_cost.layout(), m_chunks});
    useMeasuredMeans();
    addVariability();
    useMeasuredLevels();
}

Result<double> Assembly::noiseFreeSeconds()
{
    setSizes();
    if (Diagnostics errors = addPrograms(); !errors.empty())
        return errors;
    addSeconds();
    return deterministicStepSeconds(m_out.graph);
}

Result<CostedStep> Assembly::run()
{
    StepGraph& g = m_out.graph;
    setSizes();
    if (Diagnostics errors = addPrograms(); !errors.empty())
        return errors;
    addSeconds();
    m_out.noiseFreeSeconds = deterministicStepSeconds(g);
    m_out.breakdown = breakdownOf(g);
    addMemory(bytesInFlight(g.schedule));
    addCounts();
    return std::move(m_out);
}

/// No order of its schedule takes less: a stage has to wait for its first forward, to do all its work, and to end the step.
double Assembly::leastSeconds() const
{
    const StepGraph& g = m_out.graph;
    const auto pass = [&](std::size_t stage, std::size_t chunk, std::size_t phase) {
        const int program = g.programOf[stage][chunk][phase];
        return program < 0 ? 0.0 : programSeconds(g.programs[static_cast<std::size_t>(program)]);
    };
    const auto exposed = [](const StepOp& op) {
        return op.kernelClass < 0 ? 0.0 : std::max(op.minExposedSeconds, op.meanSeconds - op.hiddenSeconds);
    };
    std::vector<double> arrival(g.programOf.size(), -1.0);
    double forwards = 0, least = 0;
    for (const auto& [stage, chunk] : g.schedule.path) {
        double& first = arrival[static_cast<std::size_t>(stage)];
        first = first < 0 ? forwards : first;
        forwards += pass(static_cast<std::size_t>(stage), static_cast<std::size_t>(chunk), 0);
    }
    for (std::size_t stage = 0; stage < g.programOf.size(); ++stage) {
        double work = 0;
        for (std::size_t chunk = 0; chunk < g.programOf[stage].size(); ++chunk)
            for (std::size_t phase = 0; phase < kPhases; ++phase)
                work += pass(stage, chunk, phase);
        const double tail = exposed(g.gradSync[stage]) + exposed(g.gradNorm) + exposed(g.optimizer[stage]) + exposed(g.paramGather[stage]);
        least = std::max(least, arrival[stage] + g.schedule.numMicrobatches * work + tail);
    }
    return least;
}

Result<QuickStep> Assembly::quick(ScheduleMemo& schedules)
{
    StepGraph& g = m_out.graph;
    setSizes();
    const Result<std::shared_ptr<const Schedule>> made = schedules.of(m_scenario.parallelism, static_cast<int>(m_shape.numMicrobatches));
    if (!made.ok())
        return made.errors();
    const Schedule& schedule = **made;
    g.schedule = {
        schedule.name, schedule.numStages, schedule.numChunks, schedule.numMicrobatches, schedule.splitsWeight, schedule.path, {}};
    m_chunks = chunkLayers(m_scenario, g.schedule.path);
    addParameters();
    QuickStep quick;
    quick.bound = schedule.order.empty();
    std::vector<double> inFlight;
    if (quick.bound)
        for (std::size_t stage = 0; stage < m_parameters.size(); ++stage)
            inFlight.push_back(largestChunk(stage));
    addMemory(quick.bound ? inFlight : bytesInFlight(schedule));
    quick.peakGib = m_out.memory.peakGib;
    quick.capacityGib = m_out.memory.capacityGib;
    quick.fits = m_out.memory.fits;
    quick.tokensPerStep = real(m_scenario.training.globalBatchSize) * real(m_scenario.model.seqLength);
    if (!quick.fits)
        return quick;
    costPrograms(schedule);
    addSeconds();
    if (quick.bound) {
        quick.noiseFreeSeconds = leastSeconds();
        return quick;
    }
    g.schedule.order = schedule.order;
    quick.noiseFreeSeconds = deterministicStepSeconds(g);
    return quick;
}

/// The longest kernel, collective or transfer of a graph.
double longestOpSeconds(const StepGraph& g)
{
    double longest = std::max(g.gradNorm.meanSeconds, g.embeddingAllReduce.meanSeconds);
    const auto take = [&longest](double seconds) { longest = seconds <= longest ? longest : seconds; }; // also what is no number
    for (const Program& p : g.programs)
        for (const Block& b : p.blocks)
            for (const Op& o : b.ops)
                take(o.meanSeconds);
    for (const auto* ops : {&g.sendForward, &g.sendBackward, &g.gradSync, &g.optimizer, &g.paramGather})
        for (const StepOp& o : *ops)
            take(o.meanSeconds);
    return longest;
}

/// What is wrong with a scenario, and what may be.
Diagnostics findings(const Scenario& scenario)
{
    Diagnostics diagnostics = check(scenario);
    Diagnostics unknown = unknownClasses(scenario);
    diagnostics.insert(diagnostics.end(), std::make_move_iterator(unknown.begin()), std::make_move_iterator(unknown.end()));
    return diagnostics;
}

Diagnostics tooLong(const StepGraph& graph)
{
    const double longest = longestOpSeconds(graph);
    if (longest <= kMaxOpSeconds)
        return {};
    return {{Severity::error, "model", "a kernel of this model takes longer than a step may", numberText(longest) + " s",
             "at most " + numberText(kMaxOpSeconds) + " s", "", ""}};
}

} // namespace

Result<CostedStep> costStepWith(const Scenario& scenario, const Calibration& calibration)
{
    Diagnostics diagnostics = findings(scenario);
    if (hasErrors(diagnostics))
        return diagnostics;
    Result<CostedStep> result = Assembly(scenario, calibration).run();
    if (!result)
        return result;
    CostedStep& step = result.value();
    if (Diagnostics errors = tooLong(step.graph); !errors.empty())
        return errors;
    step.warnings.insert(step.warnings.end(), std::make_move_iterator(diagnostics.begin()), std::make_move_iterator(diagnostics.end()));
    if (!step.memory.fits)
        step.warnings.push_back({Severity::warning, "cluster.gpu.memory_gib", "the job does not fit into the memory of a GPU",
                                 earnedDigits(step.memory.peakGib, 0.1) + " GiB",
                                 "at most " + earnedDigits(step.memory.capacityGib, 0.1) + " GiB", "", ""});
    return result;
}

Result<double> noiseFreeSecondsWith(const Scenario& scenario, const Calibration& calibration)
{
    Diagnostics diagnostics = check(scenario);
    if (hasErrors(diagnostics))
        return diagnostics;
    return Assembly(scenario, calibration).noiseFreeSeconds();
}

Result<CostedStep> costStep(const Scenario& scenario)
{
    return costStepWith(scenario, calibration());
}

Result<QuickStep> QuickCoster::step(const Scenario& scenario)
{
    if (Diagnostics diagnostics = findings(scenario); hasErrors(diagnostics))
        return diagnostics;
    // Lists of the user, nodes that are faster than the reference, and programs that depend on the order of the schedule are costed in
    // full.
    const ParallelismConfig& par = scenario.parallelism;
    const bool noBound = !scenario.measured.speeds.empty() || par.overlapMoeExpertParallelComm;
    if (par.pipelineSchedule == "custom" || (plansOrder(scheduleName(par)) && noBound)) {
        const Result<CostedStep> full = costStep(scenario);
        if (!full.ok())
            return full.errors();
        return QuickStep{full->memory.fits ? full->noiseFreeSeconds : 0,
                         full->memory.peakGib,
                         full->memory.capacityGib,
                         full->tokensPerStep,
                         full->memory.fits,
                         false};
    }
    Assembly assembly(scenario, calibration());
    Result<QuickStep> quick = assembly.quick(m_schedules);
    if (quick.ok() && quick->fits)
        if (Diagnostics errors = tooLong(assembly.graph()); !errors.empty())
            return errors;
    return quick;
}

} // namespace prism
