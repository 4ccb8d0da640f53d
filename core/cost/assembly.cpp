// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/assembly.h"

#include "core/cost/domain.h"
#include "core/cost/granularity.h"
#include "core/cost/programs.h"
#include "core/cost/scheduleof.h"
#include "core/scenario/measuredlevel.h"
#include "core/schedule/shape.h"
#include "core/step/breakdown.h"
#include "core/step/deterministicstep.h"
#include "core/workload/count.h"

#include <algorithm>

namespace prism {
namespace {

/// Outside of what was validated no prediction is surer than inside: the widest band of the job's kinds and of other rows' errors.
ErrorBand bandOutside(const Calibration& calibration, const Scenario& scenario)
{
    ErrorBand widest{"", calibration.domain.bandLow, calibration.domain.bandHigh};
    for (const std::string& kind : bandKinds(scenario)) {
        const ErrorBand band = errorBand(calibration, kind);
        widest.low = std::min(widest.low, band.low);
        widest.high = std::max(widest.high, band.high);
    }
    return widest;
}

} // namespace

Diagnostics Assembly::addPrograms()
{
    StepGraph& g = m_out.graph;
    const int microbatches = static_cast<int>(m_shape.numMicrobatches);
    const ParallelismConfig& par = m_scenario.parallelism;
    const std::string name = scheduleName(par);
    // Programs read the order only where communication is overlapped with another micro-batch's compute.
    Result<Schedule> schedule = plansOrder(name) && !par.overlapMoeExpertParallelComm
                                    ? scheduleShape(name, static_cast<int>(m_shape.pp), static_cast<int>(m_shape.vpp), microbatches)
                                    : scheduleOf(m_scenario, microbatches, {});
    if (!schedule)
        return schedule.errors();
    g.schedule = std::move(schedule.value());
    addChunks();
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

/// The layers of every chunk on the schedule's path, and what they hold.
void Assembly::addChunks()
{
    const auto& path = m_out.graph.schedule.path;
    m_chunks = chunkLayers(m_scenario, path);
    std::vector<std::size_t> distinct;
    m_ofStage.assign(static_cast<std::size_t>(m_shape.pp), {});
    for (std::size_t i = 0; i < m_chunks.size(); ++i) {
        const auto known =
            std::find_if(distinct.begin(), distinct.end(), [&](std::size_t first) { return sameContents(m_chunks[first], m_chunks[i]); });
        m_firstEqual.push_back(known != distinct.end() ? *known : i);
        if (known == distinct.end())
            distinct.push_back(i);
        m_ofStage[static_cast<std::size_t>(path[i][0])].push_back(i);
    }
    const bool tiedCopy = m_shape.pp > 1;
    m_chunkParameters = ofChunks([&](const ChunkLayers& chunk) { return stageParameters(m_scenario, m_shape, {chunk}, tiedCopy); });
    for (const std::vector<std::size_t>& stage : m_ofStage) {
        std::vector<ChunkLayers> chunks;
        for (const std::size_t i : stage)
            chunks.push_back(m_chunks[i]);
        m_parameters.push_back(stageParameters(m_scenario, m_shape, chunks, tiedCopy));
    }
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
    const bool mirrored = m_shape.pp < m_scenario.parallelism.pipelineModelParallelSize;
    for (std::size_t i = 0; i < hops; ++i) {
        const int from = g.schedule.path[i][0], to = g.schedule.path[i + 1][0];
        const bool toMirror = from == to && mirrored; // the mirror is a member of the data-parallel group
        if (from == to && !toMirror)
            continue;
        GroupGeometry pair = layout.hop(from, to);
        if (toMirror && layout.data.nodes > 1)
            pair = {2, 1, 2, layout.data.stride, layout.data.nodesInPod};
        const bool inter = pair.nodes > 1;
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

void Assembly::addCounts()
{
    const ModelConfig& model = m_scenario.model;
    const TrainingConfig& t = m_scenario.training;
    World& w = m_out.world;
    w.gpus = m_shape.numGpus;
    w.nodes = (m_shape.numGpus + m_scenario.cluster.gpusPerNode - 1) / std::max(1, m_scenario.cluster.gpusPerNode);
    w.tp = m_shape.tp;
    const std::int64_t devicesOfStage = std::max<std::int64_t>(1, m_scenario.parallelism.pipelineModelParallelSize / m_shape.pp);
    w.pp = m_shape.pp * devicesOfStage; // a pair of devices counts as two stages, and its micro-batches of both directions
    w.vpp = m_scenario.parallelism.virtualPipelineModelParallelSize;
    w.cp = m_shape.cp;
    w.ep = m_shape.ep;
    w.dp = m_shape.dp / devicesOfStage;
    w.numMicrobatches = m_shape.numMicrobatches * devicesOfStage;
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
    const MeasuredLevel level = measuredLevel(m_scenario);
    m_out.levelMeasured = level.error > 0;
    Diagnostics outside = m_out.levelMeasured ? Diagnostics() : outsideOf(m_calibration.domain, m_scenario);
    m_out.withinCalibration = outside.empty();
    const ErrorBand band = m_out.levelMeasured       ? ErrorBand{"", -level.error, level.error}
                           : m_out.withinCalibration ? errorBand(m_calibration, m_scenario)
                                                     : bandOutside(m_calibration, m_scenario);
    m_out.errorBandLow = band.low;
    m_out.errorBandHigh = band.high;
    if (level.otherSettings)
        m_out.warnings.push_back({Severity::warning, "measured.level_job",
                                  "The level was measured with other settings than this job has: it may not apply.",
                                  m_scenario.measured.levelJob, "a fit with " + levelSettings(m_scenario), "", ""});
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

/// The means of everything that takes time besides the programs, and the classes of all.
void Assembly::addMeans()
{
    addTransfers();
    addStepOps();
    useMeasuredMeans();
    addVariability();
    useMeasuredLevels();
}

void Assembly::addSeconds()
{
    addMeans();
    setGranularity(m_out.graph, {m_scenario, m_shape, m_cost.layout(), m_chunks});
}

Diagnostics Assembly::addGraph()
{
    setSizes();
    if (Diagnostics errors = addPrograms(); !errors.empty())
        return errors;
    addSeconds();
    return {};
}

Result<double> Assembly::noiseFreeSeconds()
{
    if (Diagnostics errors = addGraph(); !errors.empty())
        return errors;
    return deterministicStepSeconds(m_out.graph);
}

Result<CostedStep> Assembly::run()
{
    if (Diagnostics errors = addGraph(); !errors.empty())
        return errors;
    StepGraph& g = m_out.graph;
    const DeterministicStep step(g);
    const CriticalPath path = criticalPath(g, step);
    m_out.noiseFreeSeconds = path.seconds;
    m_out.breakdown = breakdownOf(g, step, path);
    m_out.stages = stageBreakdowns(g, step, path);
    const std::vector<double> kept = activations();
    addMemory(bytesInFlight(g.schedule, kept));
    addCounts();
    return std::move(m_out);
}

} // namespace prism
