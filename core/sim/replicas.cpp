#include "core/sim/replicas.h"

#include "core/sim/sweep.h"
#include "core/stats/quantile.h"
#include "core/stats/random.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>

namespace prism {

namespace {

constexpr std::uint64_t kChunkDraws = 0x31, kTransferDraws = 0x32, kDataDraws = 0x33, kEmbeddingDraws = 0x34, kOptimizerDraws = 0x35;

CellKind cellKind(const StepGraph& graph, int replica, int stage)
{
    CellKind kind;
    if (graph.slow.empty())
        return kind;
    kind.linkFactor = cellLinkFactor(graph, replica, stage);
    if (!graph.fixedSpatial.empty())
        return kind; // slow ranks are part of the measured factors then
    std::vector<double> factors;
    bool slow = false;
    for (int r = 0; r < graph.cellRanks(); ++r) {
        factors.push_back(slowComputeFactor(graph, replica, stage, r));
        slow = slow || factors.back() != 1.0;
    }
    if (slow)
        kind.computeFactor = std::move(factors);
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

/// What all kinds of cells are modelled from.
struct ModelInputs {
    StepGraph graph; ///< with the distinct optimizers as further programs
    ClassPoints points;
    RegimeRange regimes;
    FixedRange fixed;
    std::vector<int> optimizerOfStage; ///< program, -1 = none
};

void addOptimizers(ModelInputs& in)
{
    for (int s = 0; s < in.graph.schedule.numStages; ++s) {
        Program program = optimizerProgram(in.graph, s);
        if (program.blocks.empty()) {
            in.optimizerOfStage.push_back(-1);
            continue;
        }
        auto it = std::find(in.graph.programs.begin(), in.graph.programs.end(), program);
        in.optimizerOfStage.push_back(static_cast<int>(it - in.graph.programs.begin()));
        if (it == in.graph.programs.end())
            in.graph.programs.push_back(std::move(program));
    }
}

/// Models of every program in one kind of cell: models[first + program].
void addModels(Prepared& out, const ModelInputs& in, const CellKind& kind, std::stop_token stop)
{
    std::vector<int> programs;
    std::vector<double> weights(in.graph.programs.size(), 0.0);
    for (std::size_t p = 0; p < in.graph.programs.size(); ++p)
        programs.push_back(static_cast<int>(p));
    for (const auto& stage : in.graph.programOf)
        for (const auto& chunk : stage)
            for (const int p : chunk)
                if (p >= 0)
                    weights[static_cast<std::size_t>(p)] += in.graph.schedule.numMicrobatches;
    std::vector<ChunkModel> models = chunkModels(in.graph, kind, programs, weights, in.points, in.regimes, in.fixed, stop);
    models.resize(programs.size());
    std::move(models.begin(), models.end(), std::back_inserter(out.models));
    out.kinds.push_back(kind);
}

CellModels cellModels(const ModelInputs& in, int stage, int kind)
{
    CellModels out;
    out.stage = stage;
    out.kind = kind;
    const int first = kind * static_cast<int>(in.graph.programs.size());
    const auto add = [&](int program) { out.programs.push_back(program < 0 ? -1 : first + program); };
    for (const auto& chunk : in.graph.programOf[static_cast<std::size_t>(stage)])
        for (const int program : chunk)
            add(program);
    add(in.optimizerOfStage[static_cast<std::size_t>(stage)]);
    return out;
}

ClassModel classModel(const Distribution& d)
{
    ClassModel out;
    if (d.family != Family::deterministic && d.cv > 0.0) {
        const QuantileFunction quantile(d);
        out.table = registerTable([&](double lower, double upper) { return quantile.fromTails(lower, upper); }, 1.0, d.baseVariance());
        out.isRandom = true;
    }
    if (d.rareProbability > 0.0 && d.rareMultiplier != 1.0) {
        out.rare.probability = d.rareProbability;
        out.rare.noneInBlock = std::pow(1.0 - d.rareProbability, static_cast<double>(kLanes));
        out.rare.perLog = 1.0 / std::log1p(-d.rareProbability);
        out.rare.extra = {static_cast<float>(d.rareMultiplier)};
    }
    return out;
}

/// A row of a class's factor with its rare event.
void factorRow(const ClassModel& model, const DrawKey& key, const RoundKeys& keys, std::uint64_t block, float* row)
{
    if (model.isRandom)
        drawRow(model.table, key, keys, block, row);
    else
        std::fill_n(row, kLanes, 1.0F);
    if (model.rare.probability > 0.0)
        rareFactors(model.rare, key, keys, block, row);
}

float exposed(const StepOp& op, float factor)
{
    return std::max(static_cast<float>(op.minExposedSeconds) * factor,
                    static_cast<float>(op.meanSeconds) * factor - static_cast<float>(op.hiddenSeconds));
}

/// Cells and kinds of all replicas; false when stopped.
bool sortReplicas(Prepared& out, const ModelInputs& in, std::stop_token stop)
{
    const StepGraph& graph = out.graph;
    const int stages = graph.schedule.numStages;
    const auto& path = graph.schedule.path;
    std::map<std::vector<int>, int> known;
    out.stageLinkFactor.assign(static_cast<std::size_t>(stages), 1.0);
    for (int d = 0; d < graph.numReplicas; ++d) {
        if (d > 0 && !anySlow(graph, d) && !anySlow(graph, d - 1)) {
            out.kindOfReplica.push_back(out.kindOfReplica.back());
            ++out.replicas[static_cast<std::size_t>(out.kindOfReplica.back())].count;
            continue;
        }
        ReplicaKind replica;
        for (int s = 0; s < stages; ++s) {
            const CellKind kind = cellKind(graph, d, s);
            const auto known = std::find(out.kinds.begin(), out.kinds.end(), kind);
            const auto index = static_cast<int>(known - out.kinds.begin());
            if (known == out.kinds.end())
                addModels(out, in, kind, stop);
            if (stop.stop_requested())
                return false;
            const CellModels cell = cellModels(in, s, index);
            const auto same = std::find_if(out.cells.begin(), out.cells.end(), [&](const CellModels& c) { return c.kind == index && c.programs == cell.programs; });
            const auto at = static_cast<std::size_t>(same - out.cells.begin());
            if (same == out.cells.end())
                out.cells.push_back(cell);
            replica.cellOfStage.push_back(static_cast<int>(at));
            out.stageLinkFactor[static_cast<std::size_t>(s)] = std::max(out.stageLinkFactor[static_cast<std::size_t>(s)], kind.linkFactor);
            out.linkFactor = std::max(out.linkFactor, kind.linkFactor);
        }
        const auto [it, added] = known.try_emplace(replica.cellOfStage, static_cast<int>(out.replicas.size()));
        out.kindOfReplica.push_back(it->second);
        if (!added) {
            ++out.replicas[static_cast<std::size_t>(it->second)].count;
            continue;
        }
        replica.firstReplica = d;
        const auto link = [&](int stage) {
            const CellModels& cell = out.cells[static_cast<std::size_t>(replica.cellOfStage[static_cast<std::size_t>(stage)])];
            return static_cast<float>(out.kinds[static_cast<std::size_t>(cell.kind)].linkFactor);
        };
        for (std::size_t hop = 0; hop < out.plan.transfers.size(); ++hop) {
            const std::size_t h = hop % (path.size() - 1);
            replica.transferFactor.push_back(out.plan.transferScope[hop] == 1 ? std::max(link(path[h][0]), link(path[h + 1][0])) : 1.0F);
        }
        replica.embeddingFactor = std::max(link(path.front()[0]), link(path.back()[0]));
        out.replicas.push_back(std::move(replica));
    }
    return true;
}

} // namespace

std::shared_ptr<const Prepared> prepare(const StepGraph& graph, std::stop_token stop)
{
    auto out = std::make_shared<Prepared>();
    out->graph = graph;
    out->plan = makePlan(graph);
    ModelInputs in{graph, classPoints(graph), regimeRange(graph), fixedRange(graph), {}};
    addOptimizers(in);
    out->fixed = in.fixed;
    for (const KernelClass& c : graph.classes)
        out->classes.push_back(classModel(c.temporal));
    out->data = classModel(graph.data);
    if (!sortReplicas(*out, in, stop))
        return nullptr;
    return out;
}

void communicationRow(const Prepared& prepared, const StepOp& op, const DrawKey& key, const RoundKeys& keys, std::uint64_t block,
                      const Rows& regime, double link, bool noise, float* seconds)
{
    if (op.kernelClass < 0) {
        std::fill_n(seconds, kLanes, 0.0F);
        return;
    }
    const auto kernelClass = static_cast<std::size_t>(op.kernelClass);
    const std::size_t scope = prepared.graph.classes[kernelClass].scope == Scope::interNode ? 1 : 0;
    if (noise)
        factorRow(prepared.classes[kernelClass], key, keys, block, seconds);
    else
        std::fill_n(seconds, kLanes, 1.0F);
    const auto factor = static_cast<float>(scope == 1 ? link : 1.0);
    const float* r = regime.row(scope);
    for (std::size_t l = 0; l < kLanes; ++l)
        seconds[l] = exposed(op, seconds[l] * factor * r[l]);
}

ReplicaSweep::ReplicaSweep(const Prepared& prepared)
    : m_prepared(prepared),
      m_collectiveMean(prepared.models.size()), m_collectiveVariance(prepared.models.size()),
      m_mean(prepared.plan.cells()), m_compute(prepared.plan.cells()), m_spread(prepared.plan.cells()),
      m_spreadData(prepared.plan.cells()), m_data(static_cast<std::size_t>(prepared.plan.numMicrobatches)),
      m_transfer(prepared.plan.transfers.size()), m_slots(static_cast<std::size_t>(prepared.plan.numSlots)), m_scratch(1)
{
    for (const PlanNode& n : prepared.plan.nodes) {
        KernelNode node;
        node.chunkKey = drawKey(kChunkDraws, static_cast<std::uint64_t>(n.cell), static_cast<std::uint64_t>(n.microbatch));
        node.clockRow = n.stage;
        node.durationRow = n.cell;
        node.dataRow = n.microbatch;
        node.waitRow = n.waitSlot;
        node.sendRow = n.sendSlot;
        if (n.transfer >= 0) {
            const StepOp& op = prepared.plan.transfers[static_cast<std::size_t>(n.transfer)];
            const ClassModel& model = prepared.classes[static_cast<std::size_t>(op.kernelClass)];
            node.transferKey = drawKey(kTransferDraws, static_cast<std::uint64_t>(n.transfer), static_cast<std::uint64_t>(n.microbatch));
            node.transferRow = n.transfer;
            node.transferTable = model.isRandom ? &model.table : nullptr;
            node.transferRare = model.rare.probability > 0.0 ? &model.rare : nullptr;
            node.hiddenSeconds = static_cast<float>(op.hiddenSeconds);
            node.minExposedShare = op.meanSeconds > 0.0 ? static_cast<float>(op.minExposedSeconds / op.meanSeconds) : 0.0F;
        }
        m_nodes.push_back(node);
    }
}

void ReplicaSweep::bind(const ReplicaKind& kind)
{
    if (m_bound == &kind)
        return;
    m_bound = &kind;
    const int perStage = m_prepared.plan.numChunks * kPhases;
    for (KernelNode& node : m_nodes) {
        const CellModels& cell = m_prepared.cells[static_cast<std::size_t>(kind.cellOfStage[static_cast<std::size_t>(node.clockRow)])];
        const ChunkModel& model = m_prepared.models[static_cast<std::size_t>(cell.programs[static_cast<std::size_t>(node.durationRow % perStage)])];
        node.table = model.isRandom ? &model.shape : nullptr;
        node.rare = model.rare.probability > 0.0 ? &model.rare : nullptr;
    }
}

void ReplicaSweep::beginBlock(std::uint64_t block, const Rows& regime)
{
    m_block = block;
    m_regime = &regime;
    for (std::size_t k = 0; k < m_prepared.models.size(); ++k) {
        const ChunkModel& model = m_prepared.models[k];
        float* mean = m_collectiveMean.row(k);
        float* variance = m_collectiveVariance.row(k);
        for (std::size_t l = 0; l < kLanes; ++l) {
            double m = 0.0, v = 0.0;
            for (std::size_t scope = 0; scope < 2; ++scope) {
                m += model.collectiveMean[scope].at(regime.row(scope)[l]);
                v += model.collectiveVariance[scope].at(regime.row(scope)[l]);
            }
            mean[l] = static_cast<float>(m);
            variance[l] = static_cast<float>(v);
        }
    }
}

void ReplicaSweep::fillDurations(const ReplicaKind& kind, const RoundKeys& keys, const Rows& scores, bool noise, Rows& optimizer)
{
    const auto perStage = static_cast<std::size_t>(m_prepared.plan.numChunks) * kPhases;
    const bool hasData = noise && (m_prepared.data.isRandom || m_prepared.data.rare.probability > 0.0);
    std::array<std::uint32_t, kLanes> node;
    std::array<float, kLanes> part;
    constexpr auto kPerScore = static_cast<float>((kScoreNodes - 1) / (2.0 * kScoreLimit));
    for (std::size_t s = 0; s < static_cast<std::size_t>(m_prepared.plan.numStages); ++s) {
        const auto cell = static_cast<std::size_t>(kind.cellOfStage[s]);
        const float* score = scores.row(s);
        for (std::size_t l = 0; l < kLanes; ++l) {
            const float t = std::clamp((score[l] + static_cast<float>(kScoreLimit)) * kPerScore, 0.0F, kScoreNodes - 1.001F);
            node[l] = static_cast<std::uint32_t>(t);
            part[l] = t - static_cast<float>(node[l]);
        }
        const auto at = [&](const std::vector<float>& table, std::size_t l) {
            const float low = table[node[l]];
            return low + part[l] * (table[node[l] + 1] - low);
        };
        for (std::size_t q = 0; q < perStage; ++q) {
            const int index = m_prepared.cells[cell].programs[q];
            if (index < 0)
                continue;
            const ChunkModel& model = m_prepared.models[static_cast<std::size_t>(index)];
            const std::size_t row = s * perStage + q;
            const float* cm = m_collectiveMean.row(static_cast<std::size_t>(index));
            const float* cv = m_collectiveVariance.row(static_cast<std::size_t>(index));
            float *mean = m_mean.row(row), *compute = m_compute.row(row), *spread = m_spread.row(row), *spreadData = m_spreadData.row(row);
            const bool random = noise && model.isRandom;
            for (std::size_t l = 0; l < kLanes; ++l) {
                const float own = at(model.computeMean, l);
                const float vc = random ? at(model.computeVariance, l) : 0.0F;
                const float total = random ? vc + cv[l] : 0.0F;
                const float sigma = std::sqrt(total);
                if (!hasData) {
                    mean[l] = cm[l] + own;
                    spread[l] = sigma;
                    continue;
                }
                // sqrt(D^2 vc + vl) to first order around D = 1
                const float share = total > 0.0F ? vc / total : 0.0F;
                mean[l] = cm[l];
                compute[l] = own;
                spread[l] = sigma * (1.0F - share);
                spreadData[l] = sigma * share;
            }
        }
        float* seconds = optimizer.row(s);
        if (m_prepared.cells[cell].programs.back() < 0) {
            std::fill_n(seconds, kLanes, 0.0F);
            continue;
        }
        const ChunkModel& last = m_prepared.models[static_cast<std::size_t>(m_prepared.cells[cell].programs.back())];
        const DrawKey key = drawKey(kOptimizerDraws, s, 0);
        if (noise && last.isRandom)
            drawRow(last.shape, key, keys, m_block, seconds);
        else
            std::fill_n(seconds, kLanes, 0.0F);
        for (std::size_t l = 0; l < kLanes; ++l)
            seconds[l] = std::max(0.0F, at(last.computeMean, l) + std::sqrt(at(last.computeVariance, l)) * seconds[l]);
        if (noise && last.rare.probability > 0.0)
            rareSeconds(last.rare, key, keys, m_block, seconds);
    }
}

void ReplicaSweep::fillData(const RoundKeys& keys)
{
    for (std::size_t b = 0; b < static_cast<std::size_t>(m_prepared.plan.numMicrobatches); ++b)
        factorRow(m_prepared.data, drawKey(kDataDraws, b, 0), keys, m_block, m_data.row(b));
}

void ReplicaSweep::run(const ReplicaKind& kind, std::uint64_t seed, std::uint64_t copy, const Rows& scores, bool noise, Rows& ends,
                       Rows& optimizer)
{
    const StepGraph& graph = m_prepared.graph;
    const Plan& plan = m_prepared.plan;
    const RoundKeys keys = roundKeys(seed, copy);
    bind(kind);
    fillDurations(kind, keys, scores, noise, optimizer);
    const bool hasData = noise && (m_prepared.data.isRandom || m_prepared.data.rare.probability > 0.0);
    if (hasData)
        fillData(keys);
    for (std::size_t hop = 0; hop < plan.transfers.size(); ++hop) {
        const float factor = static_cast<float>(plan.transfers[hop].meanSeconds) * kind.transferFactor[hop];
        const float* r = m_regime->row(plan.transferScope[hop]);
        float* mean = m_transfer.row(hop);
        for (std::size_t l = 0; l < kLanes; ++l)
            mean[l] = factor * r[l];
    }
    ends.fill(0.0F);
    const KernelRows rows{m_mean.row(0), m_compute.row(0), m_spread.row(0),      m_spreadData.row(0), hasData ? m_data.row(0) : nullptr,
                          m_transfer.row(0), m_slots.row(0), ends.row(0), m_regime->row(0)};
    sweepNodes(m_nodes, rows, keys, m_block, plan.transferOccupiesSender, noise);
    if (graph.embeddingAllReduce.kernelClass < 0)
        return;
    communicationRow(m_prepared, graph.embeddingAllReduce, drawKey(kEmbeddingDraws, 0, 0), keys, m_block, *m_regime, kind.embeddingFactor,
                     noise, m_scratch.row(0));
    float* first = ends.row(static_cast<std::size_t>(graph.schedule.path.front()[0]));
    float* last = ends.row(static_cast<std::size_t>(graph.schedule.path.back()[0]));
    for (std::size_t l = 0; l < kLanes; ++l)
        first[l] = last[l] = std::max(first[l], last[l]) + m_scratch.row(0)[l];
}

} // namespace prism
