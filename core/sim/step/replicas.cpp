// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/step/replicas.h"

#include "core/base/hash.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace prism {

namespace {

constexpr std::uint64_t kDataDraws = 0x33, kEmbeddingDraws = 0x34, kOptimizerDraws = 0x35, kRoutingDraws = 0x36;
/// Kinds of replicas whose nodes a sweep keeps ready.
constexpr std::size_t kBoundKinds = 3;

float exposed(const StepOp& op, float factor)
{
    return std::max(static_cast<float>(op.minExposedSeconds) * factor,
                    static_cast<float>(op.meanSeconds) * factor - static_cast<float>(op.hiddenSeconds));
}

} // namespace

/// Scores as places in the tables over the score.
struct ReplicaSweep::ScorePlaces {
    std::array<std::uint32_t, kLanes> node;
    std::array<float, kLanes> part;
    bool same;

    ScorePlaces(const ScoreScale& scale, const float* score)
        : same(std::all_of(score, score + kLanes, [&](float x) { return x == score[0]; }))
    {
        for (std::size_t l = 0; l < kLanes; ++l) {
            const double place = scale.place(score[l]);
            node[l] = static_cast<std::uint32_t>(scale.nodeBelow(place));
            part[l] = static_cast<float>(place - node[l]);
        }
    }
    /// Values of a table at the places. Where all lanes have one score, as within a job, one look-up serves them.
    [[nodiscard]] LaneValues at(const std::vector<float>& table) const
    {
        LaneValues out;
        for (std::size_t l = 0; l < (same ? 1 : kLanes); ++l) {
            const float low = table[node[l]];
            out[l] = low + part[l] * (table[node[l] + 1] - low);
        }
        if (same)
            out.fill(out[0]);
        return out;
    }
};

void communicationRow(const Prepared& prepared, const StepOp& op, const DrawKey& key, const RoundKeys& keys, std::uint64_t block,
                      const Rows& regime, double link, bool noise, float* seconds)
{
    if (op.kernelClass < 0) {
        std::fill_n(seconds, kLanes, 0.0F);
        return;
    }
    const auto kernelClass = static_cast<std::size_t>(op.kernelClass);
    const std::size_t scope = prepared.graph().classes[kernelClass].scope == Scope::interNode ? 1 : 0;
    if (noise)
        factorRow(prepared.factor(op), key, keys, block, seconds);
    else
        std::fill_n(seconds, kLanes, 1.0F);
    const auto factor = static_cast<float>(scope == 1 ? link : 1.0);
    const float* r = regime.row(scope);
    for (std::size_t l = 0; l < kLanes; ++l)
        seconds[l] = exposed(op, seconds[l] * factor * r[l]);
}

ReplicaSweep::ReplicaSweep(const Prepared& prepared)
    : m_prepared(prepared),
      m_collectiveMean(prepared.models.size()),
      m_collectiveVariance(prepared.models.size()),
      m_mean(prepared.plan->cells()),
      m_compute(prepared.plan->cells()),
      m_spread(prepared.plan->cells()),
      m_spreadData(prepared.plan->cells()),
      m_routed(prepared.plan->cells()),
      m_routedSpread(prepared.plan->cells()),
      m_data(static_cast<std::size_t>(prepared.plan->numMicrobatches)),
      m_transfer(prepared.transfers.size()),
      m_slots(static_cast<std::size_t>(prepared.plan->numSlots)),
      m_scratch(1),
      m_luck(static_cast<std::size_t>(prepared.plan->numStages) * kLanes)
{
}

/// Row of durations of each cell of the plan: chunks of a stage that run the same program share one.
std::vector<int> ReplicaSweep::rowOfCell(const ReplicaKind& kind, Bound& bound) const
{
    const Plan& plan = *m_prepared.plan;
    const auto perStage = static_cast<std::size_t>(plan.numRows) * kPhases;
    std::vector<int> out(plan.cells(), -1);
    for (std::size_t s = 0; s < static_cast<std::size_t>(plan.numStages); ++s) {
        const auto& programs = m_prepared.cells[static_cast<std::size_t>(kind.cellOfStage[s])].programs;
        const auto first = static_cast<std::ptrdiff_t>(bound.durations.size());
        for (std::size_t q = 0; q < perStage; ++q) {
            if (programs[q] < 0)
                continue;
            const auto known = std::find_if(bound.durations.begin() + first, bound.durations.end(),
                                            [&](const DurationRow& r) { return r.model == programs[q]; });
            out[s * perStage + q] = static_cast<int>(known - bound.durations.begin());
            if (known == bound.durations.end())
                bound.durations.push_back({static_cast<int>(s), programs[q]});
        }
    }
    return out;
}

void ReplicaSweep::addTransfer(const PlanNode& from, const ReplicaKind& kind, Bound& bound, KernelNode& node) const
{
    const auto hop = static_cast<std::size_t>(from.transfer);
    const StepOp& op = m_prepared.transfers[hop];
    const ClassModel& factor = m_prepared.factor(op);
    const TransferRow row{static_cast<float>(op.meanSeconds) * kind.transferFactor[hop], m_prepared.transferScope[hop]};
    const TransferLimits limits{static_cast<float>(op.hiddenSeconds),
                                op.meanSeconds > 0.0 ? static_cast<float>(op.minExposedSeconds / op.meanSeconds) : 0.0F};
    std::size_t at = 0;
    while (at < bound.transfers.size() && !(bound.transfers[at] == row && bound.limits[at] == limits))
        ++at;
    if (at == bound.transfers.size()) {
        bound.transfers.push_back(row);
        bound.limits.push_back(limits);
    }
    node.transferRow = static_cast<std::int32_t>(at);
    node.transferSource = factor.isRandom ? &m_prepared.source(factor.table) : nullptr;
}

void ReplicaSweep::addChunk(const PlanNode& from, Bound& bound, KernelNode& node) const
{
    const ChunkModel& model =
        *m_prepared.models[static_cast<std::size_t>(bound.durations[static_cast<std::size_t>(node.durationRow)].model)];
    node.source = model.isRandom ? &m_prepared.source(model.shape) : nullptr;
    const auto routing = m_prepared.routing.find(model.routed.layers);
    if (model.routed.layers <= 0 || routing == m_prepared.routing.end() || !routing->second->isRandom)
        return;
    const DrawKey key = drawKey(kRoutingDraws, static_cast<std::uint64_t>(from.place), static_cast<std::uint64_t>(from.microbatch));
    node.routing = &bound.routing.emplace_back(RoutingDraw{
        key, &routing->second->table, static_cast<float>((typicalRouting(m_prepared.graph().routing) - 1.0) / model.routed.layers)});
}

const ReplicaSweep::Bound& ReplicaSweep::bind(int kind)
{
    const auto known = std::find_if(m_bound.begin(), m_bound.end(), [&](const Bound& b) { return b.kind == kind; });
    if (known != m_bound.end()) {
        m_bound.splice(m_bound.begin(), m_bound, known);
        return m_bound.front();
    }
    if (m_bound.size() >= kBoundKinds)
        m_bound.pop_back();
    m_bound.emplace_front();
    Bound& bound = m_bound.front();
    bound.kind = kind;
    const Plan& plan = *m_prepared.plan;
    const ReplicaKind& replica = m_prepared.replicas[static_cast<std::size_t>(kind)];
    const std::vector<int> rows = rowOfCell(replica, bound);
    bound.nodes.reserve(plan.nodes.size());
    for (const PlanNode& n : plan.nodes) {
        KernelNode node;
        node.key = n.key;
        node.clockRow = n.stage;
        node.durationRow = n.cell < 0 ? -1 : rows[static_cast<std::size_t>(n.cell)];
        node.dataRow = n.microbatch;
        node.waitRow = n.waitSlot;
        node.sendRow = n.sendSlot;
        if (n.cell >= 0)
            addChunk(n, bound, node);
        if (n.transfer >= 0)
            addTransfer(n, replica, bound, node);
        bound.nodes.push_back(node);
    }
    addRare(bound);
    return bound;
}

/// Rare events of the nodes, and which of their causes may be looked for.
void ReplicaSweep::addRare(Bound& bound) const
{
    const auto middle = [](const RareEvent& e) { return e.extra.empty() ? 0.0 : static_cast<double>(e.extra[e.extra.size() / 2]); };
    const auto modelOf = [&](const KernelNode& node) {
        return m_prepared.models[static_cast<std::size_t>(bound.durations[static_cast<std::size_t>(node.durationRow)].model)];
    };
    static const std::vector<RareEvent> kNone;
    const auto rareOf = [&](const KernelNode& node) -> const std::vector<RareEvent>& {
        return node.durationRow < 0 ? kNone : modelOf(node)->rare;
    };
    const auto transferOf = [&](const PlanNode& n) -> const StepOp& { return m_prepared.transfers[static_cast<std::size_t>(n.transfer)]; };
    const std::vector<PlanNode>& plan = m_prepared.plan->nodes;
    RareCounter counter;
    for (std::size_t i = 0; i < plan.size(); ++i) {
        for (const RareEvent& e : rareOf(bound.nodes[i]))
            counter.add(e.kernelClass, e.chance.probability, middle(e));
        if (plan[i].transfer < 0)
            continue;
        const RareEvent& e = m_prepared.factor(transferOf(plan[i])).rare;
        counter.add(transferOf(plan[i]).kernelClass, e.chance.probability, transferOf(plan[i]).meanSeconds * (middle(e) - 1.0));
    }
    const RareEvent& data = m_prepared.data->rare;
    for (int b = 0; b < m_prepared.plan->numMicrobatches && data.chance.probability > 0.0; ++b)
        counter.add(kDataCause, data.chance.probability, 1e9 * (middle(data) - 1.0)); // it hits every stage
    bound.causes = counter.causes();
    bound.dataRare = withSearch(data, bound.causes, kDataCause);
    const auto events = [&](const void* model, const RareEvent* first, std::size_t count, int kernelClass) {
        std::vector<RareEvent>& own = bound.rare[model];
        for (std::size_t k = 0; own.size() < count; ++k)
            own.push_back(withSearch(first[k], bound.causes, kernelClass >= 0 ? kernelClass : first[k].kernelClass));
        return own.data();
    };
    std::map<std::pair<const RareEvent*, int>, std::size_t> known; // by stage: what another stage has moves no draw
    const auto hits = [&](std::size_t i, const RareEvent* event, bool ofTransfer, std::uint64_t stream) {
        const auto [at, added] = known.try_emplace({event, plan[i].stage}, bound.sites.size());
        if (added)
            bound.sites.push_back({{}, ofTransfer, stream, event});
        bound.sites[at->second].nodes.push_back(static_cast<std::int32_t>(i));
    };
    for (std::size_t i = 0; i < plan.size(); ++i) {
        const DrawKey& key = bound.nodes[i].key;
        const std::vector<RareEvent>& rare = rareOf(bound.nodes[i]);
        const RareEvent* own = rare.empty() ? nullptr : events(&rare, rare.data(), rare.size(), -1);
        for (std::size_t k = 0; k < rare.size(); ++k)
            hits(i, own + k, false, k == 0 ? key.word[0] : mix64(key.word[0] + k));
        if (plan[i].transfer < 0)
            continue;
        if (const ClassModel& factor = m_prepared.factor(transferOf(plan[i])); factor.rare.chance.probability > 0.0)
            hits(i, events(&factor, &factor.rare, 1, transferOf(plan[i]).kernelClass), true, key.word[1]);
    }
}

void ReplicaSweep::beginBlock(std::uint64_t block, const Rows& regime)
{
    m_block = block;
    m_regime = &regime;
    for (std::size_t k = 0; k < m_prepared.models.size(); ++k) {
        const ChunkModel& model = *m_prepared.models[k];
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

/// What each unit of the pass's mean routing factor adds to one row's compute and to its standard deviation.
void ReplicaSweep::fillRouting(std::size_t row, const ChunkModel& model, const ScorePlaces& places, const LaneValues& own,
                               const LaneValues& variance)
{
    const float* const regime = m_regime->row(kComputeRegimeRow);
    const float* const spread = m_spread.row(row);
    float *seconds = m_routed.row(row), *deviation = m_routedSpread.row(row);
    // Beside a data factor what both make is a product: at the data's mean it is the cell's.
    const auto average = static_cast<float>(model.dataSeconds.empty() ? 1.0 : m_prepared.dataMean);
    const auto perUnit = model.routedSeconds.empty() ? LaneValues{} : places.at(model.routedSeconds);
    for (std::size_t l = 0; l < kLanes; ++l)
        seconds[l] = model.routedSeconds.empty() ? own[l] * static_cast<float>(model.routed.share) : perUnit[l] * regime[l] / average;
    std::fill_n(deviation, kLanes, 0.0F);
    if (routesByMember(m_prepared.graph()))
        return;
    // One of the layers at `typical` raises the mean factor by (typical - 1) / layers and stretches the layer's own kernels.
    const double typical = typicalRouting(m_prepared.graph().routing);
    const auto units = static_cast<float>((typical - 1.0) / model.routed.layers),
               stretched = static_cast<float>((typical * typical - 1.0) / model.routed.layers * model.routed.varianceShare);
    const auto more = model.routedVariance.empty() ? LaneValues{} : places.at(model.routedVariance);
    for (std::size_t l = 0; l < kLanes && units != 0.0F; ++l) {
        const float added = model.routedVariance.empty() ? stretched * variance[l] : more[l] * regime[l] * regime[l];
        deviation[l] = (std::sqrt(std::max(0.0F, spread[l] * spread[l] + added)) - spread[l]) / units;
    }
}

/// One row: mean and spread of a chunk's duration per lane, and what a data factor weighs in both.
void ReplicaSweep::fillRow(std::size_t row, std::size_t index, const ScorePlaces& places, bool noise)
{
    const ChunkModel& model = *m_prepared.models[index];
    const float* const regime = m_regime->row(kComputeRegimeRow);
    const float *cm = m_collectiveMean.row(index), *cv = m_collectiveVariance.row(index);
    float *mean = m_mean.row(row), *compute = m_compute.row(row), *spread = m_spread.row(row), *spreadData = m_spreadData.row(row);
    const bool random = noise && model.isRandom;
    auto own = places.at(model.computeMean);
    auto variance = random ? places.at(model.computeVariance) : LaneValues{};
    for (std::size_t l = 0; l < kLanes; ++l) {
        own[l] *= regime[l];
        variance[l] *= regime[l] * regime[l];
        mean[l] = cm[l] + own[l];
        spread[l] = std::sqrt(variance[l] + (random ? cv[l] : 0.0F));
    }
    if (model.routed.layers > 0)
        fillRouting(row, model, places, own, variance);
    if (!noise || !m_prepared.data->varies())
        return;
    if (!model.dataSeconds.empty()) {
        const auto perUnit = places.at(model.dataSeconds);
        const auto average = static_cast<float>(m_prepared.dataMean);
        for (std::size_t l = 0; l < kLanes; ++l) {
            compute[l] = perUnit[l] * regime[l];
            mean[l] -= compute[l] * average;
            spreadData[l] = 0.0F;
        }
        return;
    }
    // sqrt(D^2 vc + vl) to first order around D = 1
    for (std::size_t l = 0; l < kLanes; ++l) {
        const float share = spread[l] > 0.0F ? variance[l] / (spread[l] * spread[l]) : 0.0F;
        mean[l] = cm[l];
        compute[l] = own[l];
        spreadData[l] = spread[l] * share;
        spread[l] -= spreadData[l];
    }
}

/// Optimizer seconds of a stage per lane.
void ReplicaSweep::fillOptimizer(std::size_t stage, int program, const ScorePlaces& places, const RoundKeys& keys, bool noise,
                                 float* seconds)
{
    std::fill_n(seconds, kLanes, 0.0F);
    if (program < 0)
        return;
    const ChunkModel& model = *m_prepared.models[static_cast<std::size_t>(program)];
    if (noise && model.isRandom)
        drawRow(model.shape, drawKey(kOptimizerDraws, stage, 0), keys, m_block, seconds);
    const auto own = places.at(model.computeMean), variance = places.at(model.computeVariance);
    for (std::size_t l = 0; l < kLanes; ++l)
        seconds[l] = std::max(0.0F, own[l] + std::sqrt(variance[l]) * seconds[l]);
    for (std::size_t k = 0; noise && k < model.rare.size(); ++k)
        rareSeconds(model.rare[k], drawKey(kOptimizerDraws, stage, k), keys, m_block, seconds);
    for (std::size_t l = 0; l < kLanes; ++l)
        seconds[l] *= m_regime->row(kComputeRegimeRow)[l];
}

void ReplicaSweep::fillDurations(const ReplicaKind& kind, const Bound& bound, const RoundKeys& keys, const Rows& scores, bool noise,
                                 float* optimizer)
{
    std::size_t row = 0;
    for (std::size_t s = 0; s < static_cast<std::size_t>(m_prepared.plan->numStages); ++s) {
        const ScorePlaces places(m_prepared.scoreScale, scores.row(s));
        const std::vector<int>& ranges = m_prepared.luckRanges;
        for (std::size_t l = 0; l < kLanes && ranges.size() > 1; ++l)
            m_luck[s * kLanes + l] = static_cast<std::uint8_t>(
                std::upper_bound(ranges.begin(), ranges.end(), static_cast<int>(places.node[l])) - ranges.begin() - 1);
        for (; row < bound.durations.size() && bound.durations[row].stage == static_cast<int>(s); ++row)
            fillRow(row, static_cast<std::size_t>(bound.durations[row].model), places, noise);
        const int last = m_prepared.cells[static_cast<std::size_t>(kind.cellOfStage[s])].programs.back();
        fillOptimizer(s, last, places, keys, noise, optimizer + s * kLanes);
    }
}

void ReplicaSweep::fillData(const Bound& bound, const RoundKeys& keys, const RareSearch& search)
{
    for (std::size_t b = 0; b < static_cast<std::size_t>(m_prepared.plan->numMicrobatches); ++b) {
        const DrawKey key = drawKey(kDataDraws, b, 0);
        baseFactorRow(*m_prepared.data, key, keys, m_block, m_data.row(b));
        if (bound.dataRare.chance.probability > 0.0)
            rareFactors(bound.dataRare, key, keys, m_block, m_data.row(b), search);
    }
}

void ReplicaSweep::run(int kind, std::uint64_t seed, std::uint64_t copy, const Rows& scores, bool noise, float* ends, float* optimizer,
                       const RareSearch& search)
{
    const StepGraph& graph = m_prepared.graph();
    const RoundKeys keys = roundKeys(seed, copy);
    const ReplicaKind& replica = m_prepared.replicas[static_cast<std::size_t>(kind)];
    const Bound& bound = bind(kind);
    fillDurations(replica, bound, keys, scores, noise, optimizer);
    const bool hasData = noise && m_prepared.data->varies();
    if (hasData)
        fillData(bound, keys, search);
    for (std::size_t t = 0; t < bound.transfers.size(); ++t) {
        const float* r = m_regime->row(bound.transfers[t].scope);
        for (std::size_t l = 0; l < kLanes; ++l)
            m_transfer.row(t)[l] = bound.transfers[t].seconds * r[l];
    }
    std::fill_n(ends, static_cast<std::size_t>(m_prepared.plan->numStages) * kLanes, 0.0F);
    const KernelRows rows{m_mean.row(0),
                          m_compute.row(0),
                          m_spread.row(0),
                          m_spreadData.row(0),
                          m_routed.row(0),
                          m_routedSpread.row(0),
                          hasData ? m_data.row(0) : nullptr,
                          m_transfer.row(0),
                          bound.limits.data(),
                          m_slots.row(0),
                          ends,
                          m_regime->row(0),
                          m_prepared.luckRanges.size() > 1 ? m_luck.data() : nullptr,
                          graph.transferOccupiesSender,
                          noise,
                          search};
    static const std::vector<RareHit> kNone;
    const bool anyRare = noise && !bound.sites.empty();
    sweepNodes(bound.nodes, anyRare ? m_hits.draw(bound.sites, bound.nodes, rows, keys, m_block) : kNone, rows, keys, m_block);
    if (graph.embeddingAllReduce.kernelClass >= 0)
        joinEmbedding(replica, keys, noise, ends);
    for (std::size_t s = 0; s < static_cast<std::size_t>(m_prepared.plan->numStages); ++s)
        for (std::size_t l = s * kLanes; l < (s + 1) * kLanes && !m_prepared.meetsBeforeOptimizer(s); ++l) {
            ends[l] += optimizer[l];
            optimizer[l] = 0.0F;
        }
}

void ReplicaSweep::joinEmbedding(const ReplicaKind& replica, const RoundKeys& keys, bool noise, float* ends)
{
    const StepGraph& graph = m_prepared.graph();
    communicationRow(m_prepared, graph.embeddingAllReduce, drawKey(kEmbeddingDraws, 0, 0), keys, m_block, *m_regime,
                     replica.embeddingFactor, noise, m_scratch.row(0));
    float* first = ends + static_cast<std::size_t>(graph.schedule.path.front()[0]) * kLanes;
    float* last = ends + static_cast<std::size_t>(graph.schedule.path.back()[0]) * kLanes;
    for (std::size_t l = 0; l < kLanes; ++l)
        first[l] = last[l] = std::max(first[l], last[l]) + m_scratch.row(0)[l];
}

} // namespace prism
