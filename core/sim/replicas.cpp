#include "core/sim/replicas.h"

#include "core/sim/sweep.h"
#include "core/stats/quantile.h"
#include "core/stats/random.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace prism {

namespace {

constexpr std::uint64_t kChunkDraws = 0x31, kTransferDraws = 0x32, kDataDraws = 0x33, kEmbeddingDraws = 0x34, kOptimizerDraws = 0x35;
constexpr int kClassShapeSize = 4096;

CellKind cellKind(const StepGraph& graph, int replica, int stage)
{
    CellKind kind;
    const int ranks = graph.cellRanks();
    bool slow = false;
    std::vector<double> factors(static_cast<std::size_t>(ranks), 1.0);
    for (int r = 0; r < ranks && !graph.slow.empty(); ++r) {
        factors[static_cast<std::size_t>(r)] = slowComputeFactor(graph, replica, stage, r);
        slow = slow || factors[static_cast<std::size_t>(r)] != 1.0;
    }
    if (!graph.slow.empty())
        kind.linkFactor = cellLinkFactor(graph, replica, stage);
    if (slow)
        kind.computeFactor = std::move(factors);
    if (!graph.fixedSpatial.empty()) {
        const std::size_t at = (static_cast<std::size_t>(replica) * static_cast<std::size_t>(graph.schedule.numStages)
                                + static_cast<std::size_t>(stage))
                               * static_cast<std::size_t>(ranks);
        kind.fixedSpatial.assign(graph.fixedSpatial.begin() + static_cast<std::ptrdiff_t>(at),
                                 graph.fixedSpatial.begin() + static_cast<std::ptrdiff_t>(at) + ranks);
    }
    return kind;
}

/// Program of the optimizer of a stage: one kernel on every rank.
Program optimizerProgram(const StepGraph& graph, int stage)
{
    Program program;
    const StepOp& op = graph.optimizer[static_cast<std::size_t>(stage)];
    if (op.kernelClass >= 0)
        program.blocks = {{1, {{op.kernelClass, op.meanSeconds, 0.0, Sync::cell}}}};
    return program;
}

CellModels cellModels(const StepGraph& graph, int stage, const CellKind& kind, const std::vector<QuantilePoints>& points,
                      const RegimeRange& regimes, std::stop_token stop)
{
    CellModels out;
    out.stage = stage;
    out.kind = kind;
    StepGraph withOptimizer = graph;
    withOptimizer.programs.push_back(optimizerProgram(graph, stage));
    std::vector<int> programs;
    std::vector<double> weights;
    std::vector<std::size_t> place;
    const auto& table = graph.programOf[static_cast<std::size_t>(stage)];
    out.programs.resize(table.size() * kPhases + 1);
    for (std::size_t c = 0; c < table.size(); ++c)
        for (std::size_t p = 0; p < kPhases; ++p)
            if (table[c][p] >= 0) {
                programs.push_back(table[c][p]);
                weights.push_back(graph.schedule.numMicrobatches);
                place.push_back(c * kPhases + p);
            }
    programs.push_back(static_cast<int>(withOptimizer.programs.size()) - 1);
    weights.push_back(1.0);
    place.push_back(out.programs.size() - 1);
    std::vector<ChunkModel> models = chunkModels(withOptimizer, kind, programs, weights, points, regimes, stop);
    for (std::size_t i = 0; i < models.size(); ++i)
        out.programs[place[i]] = std::move(models[i]);
    return out;
}

float shapeAt(const std::vector<float>& shape, double u)
{
    const double t = std::clamp(u * static_cast<double>(shape.size()) - 0.5, 0.0, static_cast<double>(shape.size() - 1));
    const auto i = std::min(static_cast<std::size_t>(t), shape.size() - 2);
    return shape[i] + static_cast<float>(t - static_cast<double>(i)) * (shape[i + 1] - shape[i]);
}

float tableAt(const std::vector<double>& table, float score)
{
    return static_cast<float>(atScore(table, score));
}

} // namespace

double drawFactor(const Prepared& prepared, int kernelClass, double u, double rare)
{
    const KernelClass& c = prepared.graph.classes[static_cast<std::size_t>(kernelClass)];
    const std::vector<float>& shape = prepared.classShape[static_cast<std::size_t>(kernelClass)];
    const double e = shape.empty() ? 1.0 : shapeAt(shape, u);
    return rare < c.temporal.rareProbability ? e * c.temporal.rareMultiplier : e;
}

double exposedSeconds(const StepOp& op, double regimeTimesFactor)
{
    if (op.kernelClass < 0)
        return 0.0;
    return std::max(op.minExposedSeconds * regimeTimesFactor, op.meanSeconds * regimeTimesFactor - op.hiddenSeconds);
}

std::shared_ptr<const Prepared> prepare(const StepGraph& graph, std::stop_token stop)
{
    auto out = std::make_shared<Prepared>();
    out->graph = graph;
    out->plan = makePlan(graph);
    out->points = classPoints(graph);
    for (const KernelClass& c : graph.classes) {
        std::vector<float> shape;
        if (c.temporal.family != Family::deterministic && c.temporal.cv > 0.0) {
            const QuantileFunction quantile(c.temporal);
            for (int i = 0; i < kClassShapeSize; ++i)
                shape.push_back(static_cast<float>(quantile((i + 0.5) / kClassShapeSize)));
        }
        out->classShape.push_back(std::move(shape));
    }
    const RegimeRange regimes = regimeRange(graph);
    const int stages = graph.schedule.numStages;
    std::vector<int> programKind(static_cast<std::size_t>(stages), 0);
    std::map<std::vector<int>, ReplicaKind> kinds;
    out->stageLinkFactor.assign(static_cast<std::size_t>(stages), 1.0);
    for (int d = 0; d < graph.numReplicas; ++d) {
        ReplicaKind replica;
        for (int s = 0; s < stages; ++s) {
            const CellKind kind = cellKind(graph, d, s);
            std::size_t at = 0;
            for (; at < out->cells.size(); ++at) {
                const CellModels& known = out->cells[at];
                const auto i = static_cast<std::size_t>(s), j = static_cast<std::size_t>(known.stage);
                if (known.kind == kind && graph.programOf[i] == graph.programOf[j] && graph.optimizer[i] == graph.optimizer[j])
                    break;
            }
            if (at == out->cells.size()) {
                out->cells.push_back(cellModels(graph, s, kind, out->points, regimes, stop));
                if (stop.stop_requested())
                    return nullptr;
            }
            replica.cellOfStage.push_back(static_cast<int>(at));
            out->stageLinkFactor[static_cast<std::size_t>(s)] = std::max(out->stageLinkFactor[static_cast<std::size_t>(s)], kind.linkFactor);
            out->linkFactor = std::max(out->linkFactor, kind.linkFactor);
        }
        auto [it, added] = kinds.try_emplace(replica.cellOfStage, replica);
        if (!added) {
            ++it->second.count;
            continue;
        }
        it->second.firstReplica = d;
        const auto link = [&](int stage) {
            return out->cells[static_cast<std::size_t>(replica.cellOfStage[static_cast<std::size_t>(stage)])].kind.linkFactor;
        };
        const auto& path = graph.schedule.path;
        for (std::size_t hop = 0; hop < out->plan.transfers.size(); ++hop) {
            const std::size_t h = hop % std::max<std::size_t>(1, path.size() - 1);
            const bool inter = out->plan.transferScope[hop] == 1;
            it->second.transferFactor.push_back(inter ? std::max(link(path[h][0]), link(path[h + 1][0])) : 1.0);
        }
        it->second.embeddingFactor = std::max(link(path.front()[0]), link(path.back()[0]));
    }
    for (auto& [cells, kind] : kinds)
        out->replicas.push_back(kind);
    std::sort(out->replicas.begin(), out->replicas.end(), [](const ReplicaKind& a, const ReplicaKind& b) {
        return a.count != b.count ? a.count > b.count : a.firstReplica < b.firstReplica;
    });
    return out;
}

ReplicaSweep::ReplicaSweep(const Prepared& prepared) : m_prepared(prepared)
{
    const std::size_t rows = prepared.plan.cells() * kLanes;
    m_mean.resize(rows);
    m_compute.resize(rows);
    m_spread.resize(rows);
    m_spreadData.resize(rows);
    m_data.resize(static_cast<std::size_t>(prepared.plan.numMicrobatches) * kLanes);
    m_slots.resize(static_cast<std::size_t>(prepared.plan.numSlots) * kLanes);
    m_clock.resize(static_cast<std::size_t>(prepared.plan.numStages) * kLanes);
}

void ReplicaSweep::run(const ReplicaKind& kind, std::uint64_t seed, std::uint64_t copy, std::uint64_t block,
                       const SharedDraws& shared, const float* scores, bool noise, float* ends)
{
    const StepGraph& graph = m_prepared.graph;
    const Plan& plan = m_prepared.plan;
    const std::uint64_t firstSample = block * kLanes;
    for (int s = 0; s < plan.numStages; ++s) {
        const CellModels& cell = m_prepared.cells[static_cast<std::size_t>(kind.cellOfStage[static_cast<std::size_t>(s)])];
        for (int q = 0; q < plan.numChunks * kPhases; ++q) {
            const ChunkModel& model = cell.programs[static_cast<std::size_t>(q)];
            if (model.computeMean.empty())
                continue;
            const std::size_t row = (static_cast<std::size_t>(s) * static_cast<std::size_t>(plan.numChunks) * kPhases
                                     + static_cast<std::size_t>(q))
                                    * kLanes;
            for (std::size_t l = 0; l < kLanes; ++l) {
                const float score = scores[static_cast<std::size_t>(s) * kLanes + l];
                const float compute = tableAt(model.computeMean, score), vc = tableAt(model.computeVariance, score);
                float mean = 0.0F, vl = 0.0F;
                for (std::size_t scope = 0; scope < 2; ++scope) {
                    mean += static_cast<float>(model.collectiveMean[scope].at(shared.regime[scope][l]));
                    vl += static_cast<float>(model.collectiveVariance[scope].at(shared.regime[scope][l]));
                }
                const float spread = noise && model.isRandom() ? std::sqrt(vc + vl) : 0.0F;
                const float share = vc + vl > 0.0F ? vc / (vc + vl) : 0.0F;
                m_mean[row + l] = mean;
                m_compute[row + l] = compute;
                // sqrt(D^2 vc + vl) to first order around D = 1
                m_spread[row + l] = spread * (1.0F - share);
                m_spreadData[row + l] = spread * share;
            }
        }
    }
    const bool hasData = noise && (graph.data.cv > 0.0 || graph.data.rareProbability > 0.0);
    std::fill(m_data.begin(), m_data.end(), 1.0F);
    if (hasData) {
        const QuantileFunction quantile(graph.data);
        for (int b = 0; b < plan.numMicrobatches; ++b) {
            const StreamId id = stream(kDataDraws, copy, static_cast<std::uint64_t>(b)), rare = stream(kDataDraws, copy, static_cast<std::uint64_t>(b), 1);
            for (std::size_t l = 0; l < kLanes; ++l) {
                double d = graph.data.cv > 0.0 ? quantile(uniform(seed, id, firstSample + l)) : 1.0;
                if (graph.data.rareProbability > 0.0 && uniform(seed, rare, firstSample + l) < graph.data.rareProbability)
                    d *= graph.data.rareMultiplier;
                m_data[static_cast<std::size_t>(b) * kLanes + l] = static_cast<float>(d);
            }
        }
    }
    std::fill(m_clock.begin(), m_clock.end(), 0.0F);
    for (const PlanNode& node : plan.nodes) {
        float* clock = &m_clock[static_cast<std::size_t>(node.stage) * kLanes];
        const std::size_t row = static_cast<std::size_t>(node.cell) * kLanes;
        const float* data = &m_data[static_cast<std::size_t>(node.microbatch) * kLanes];
        if (node.waitSlot >= 0)
            for (std::size_t l = 0; l < kLanes; ++l)
                clock[l] = std::max(clock[l], m_slots[static_cast<std::size_t>(node.waitSlot) * kLanes + l]);
        const CellModels& cell = m_prepared.cells[static_cast<std::size_t>(kind.cellOfStage[static_cast<std::size_t>(node.stage)])];
        const ChunkModel& model = cell.programs[static_cast<std::size_t>(node.cell % (plan.numChunks * kPhases))];
        const StreamId id = stream(kChunkDraws, copy, static_cast<std::uint64_t>(node.cell), static_cast<std::uint64_t>(node.microbatch));
        for (std::size_t l = 0; l < kLanes; ++l) {
            const float z = noise && model.isRandom() ? shapeAt(model.shape, uniform(seed, id, firstSample + l)) : 0.0F;
            clock[l] += std::max(0.0F, m_mean[row + l] + m_spread[row + l] * z + data[l] * (m_compute[row + l] + m_spreadData[row + l] * z));
        }
        if (node.sendSlot < 0)
            continue;
        float* slot = &m_slots[static_cast<std::size_t>(node.sendSlot) * kLanes];
        std::copy(clock, clock + kLanes, slot);
        if (node.transfer < 0)
            continue;
        const auto hop = static_cast<std::size_t>(node.transfer);
        const StepOp& op = plan.transfers[hop];
        const StreamId transfer = stream(kTransferDraws, copy, hop, static_cast<std::uint64_t>(node.microbatch)),
                       rare = stream(kTransferDraws, copy, hop, static_cast<std::uint64_t>(node.microbatch), 1);
        for (std::size_t l = 0; l < kLanes; ++l) {
            const double e = noise ? drawFactor(m_prepared, op.kernelClass, uniform(seed, transfer, firstSample + l), uniform(seed, rare, firstSample + l)) : 1.0;
            const double r = shared.regime[plan.transferScope[hop]][l] * kind.transferFactor[hop];
            slot[l] += static_cast<float>(exposedSeconds(op, r * e));
            if (plan.transferOccupiesSender)
                clock[l] = slot[l];
        }
    }
    std::copy(m_clock.begin(), m_clock.end(), ends);
    if (graph.embeddingAllReduce.kernelClass < 0)
        return;
    const StepOp& op = graph.embeddingAllReduce;
    const std::size_t scope = graph.classes[static_cast<std::size_t>(op.kernelClass)].scope == Scope::interNode ? 1 : 0;
    float* first = ends + static_cast<std::size_t>(graph.schedule.path.front()[0]) * kLanes;
    float* last = ends + static_cast<std::size_t>(graph.schedule.path.back()[0]) * kLanes;
    for (std::size_t l = 0; l < kLanes; ++l) {
        const std::uint64_t sample = block * kLanes + l;
        const double e = noise ? drawFactor(m_prepared, op.kernelClass, uniform(seed, stream(kEmbeddingDraws, copy), sample),
                                            uniform(seed, stream(kEmbeddingDraws, copy, 1), sample))
                               : 1.0;
        const double link = scope == 1 ? kind.embeddingFactor : 1.0;
        first[l] = last[l] = std::max(first[l], last[l]) + static_cast<float>(exposedSeconds(op, shared.regime[scope][l] * link * e));
    }
}

void ReplicaSweep::optimizer(const ReplicaKind& kind, std::uint64_t seed, std::uint64_t copy, std::uint64_t block, const float* scores,
                             bool noise, float* seconds) const
{
    for (int s = 0; s < m_prepared.plan.numStages; ++s) {
        const ChunkModel& model = m_prepared.cells[static_cast<std::size_t>(kind.cellOfStage[static_cast<std::size_t>(s)])].programs.back();
        const StreamId id = stream(kOptimizerDraws, copy, static_cast<std::uint64_t>(s));
        for (std::size_t l = 0; l < kLanes; ++l) {
            const std::size_t at = static_cast<std::size_t>(s) * kLanes + l;
            const float z = noise && model.isRandom() ? shapeAt(model.shape, uniform(seed, id, block * kLanes + l)) : 0.0F;
            seconds[at] = std::max(0.0F, tableAt(model.computeMean, scores[at]) + std::sqrt(tableAt(model.computeVariance, scores[at])) * z);
        }
    }
}

} // namespace prism
