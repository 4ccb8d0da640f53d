// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/sweep/blocksweep.h"

#include "core/base/index.h"
#include "core/sim/draw/draws.h"
#include "core/sim/lanes/lanes.h"
#include "core/step/passes.h"

#include <array>
#include <map>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/sim/sweep/blocksweep.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "core/sim/lanes/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace prism::HWY_NAMESPACE {

/// One of kLengthNodes values by lane.
HWY_INLINE hn::Vec<F> nodeValue(const float* HWY_RESTRICT table, hn::Vec<I> node)
{
    const F d;
#if PRISM_WHOLE_TABLES
    return hn::TableLookupLanes(hn::Load(d, table), hn::IndicesFromVec(d, node));
#elif PRISM_COMMON_PIECES
    const I di;
    const auto half = hn::IndicesFromVec(d, hn::And(node, hn::Set(di, 7)));
    return hn::IfThenElse(hn::RebindMask(d, hn::Gt(node, hn::Set(di, 7))), hn::TableLookupLanes(hn::Load(d, table + 8), half),
                          hn::TableLookupLanes(hn::Load(d, table), half));
#else
    return hn::GatherIndex(d, table, node);
#endif
}

/// Seconds of a pass at its mean.
HWY_INLINE hn::Vec<F> meanSeconds(const NodeRows& n, std::size_t l)
{
    const F d;
    return hn::MulAdd(hn::Mul(hn::Load(d, n.length + l), hn::Load(d, n.data + l)), hn::Load(d, n.compute + l), hn::Load(d, n.exposed + l));
}

void MeanPass(const NodeRows& rows)
{
    const F d;
    const NodeRows n = rows; // stores cannot change it
    for (std::size_t l = 0; l < kLanes; l += hn::Lanes(d))
        hn::Store(meanSeconds(n, l), d, n.seconds + l);
}

/// Seconds of a pass with kernel noise, without the rare events that are drawn separately.
void NoisyPass(const NodeRows& rows, const PassTable& table, const LaneSeeds& seeds, LaneKey key)
{
    const F d;
    const NodeRows n = rows;
    const I di;
    const Residual& r = table.usual;
    const Quantiles shape(r.shape);
    for (std::size_t l = 0; l < kLanes; l += hn::Lanes(d)) {
        const auto x = hn::Mul(hn::Load(d, n.length + l), hn::Load(d, n.data + l));
        auto location = hn::Set(d, r.location[0]), spread = hn::Set(d, r.spread[0]);
        if (table.perNode > 0.0F) {
            const auto place = hn::Min(hn::Max(hn::Mul(hn::Sub(x, hn::Set(d, table.low)), hn::Set(d, table.perNode)), hn::Zero(d)),
                                       hn::Set(d, static_cast<float>(kLengthNodes - 1)));
            const auto node = hn::Min(hn::ConvertTo(di, place), hn::Set(di, static_cast<int>(kLengthNodes) - 1));
            const auto part = hn::Sub(place, hn::ConvertTo(d, node));
            location = hn::MulAdd(nodeValue(r.locationRise, node), part, nodeValue(r.location, node));
            spread = hn::MulAdd(nodeValue(r.spreadRise, node), part, nodeValue(r.spread, node));
        }
        const auto residual = hn::MulAdd(spread, shape.at(words(seeds, key, l)), location);
        const auto share = hn::MulAdd(hn::Load(d, n.stretch + l), residual, hn::Load(d, n.compute + l));
        hn::Store(hn::MulAdd(x, share, hn::Load(d, n.exposed + l)), d, n.seconds + l);
    }
}

/// Adds the seconds of the next pass to the clock of its stage, once its message is there.
void Advance(const NodeRows& rows)
{
    const F d;
    const NodeRows n = rows;
    for (std::size_t l = 0; l < kLanes; l += hn::Lanes(d)) {
        auto t = hn::Load(d, n.clock + l);
        if (n.arrived != nullptr)
            t = hn::Max(t, hn::Load(d, n.arrived + l));
        hn::Store(n.seconds != nullptr ? hn::Add(t, hn::Load(d, n.seconds + l)) : t, d, n.clock + l);
    }
}

/// Adds mean seconds of a pass `times` over.
void AddMean(const NodeRows& rows, float times)
{
    const F d;
    const NodeRows n = rows;
    for (std::size_t l = 0; l < kLanes; l += hn::Lanes(d))
        hn::Store(hn::MulAdd(hn::Set(d, times), meanSeconds(n, l), hn::Load(d, n.clock + l)), d, n.clock + l);
}

/// Seconds of a transfer, of its draws or of the mean factor.
void SendSeconds(const SendRows& rows, bool noisy, const LaneSeeds& seeds, LaneKey key)
{
    const F d;
    const SendRows s = rows;
    const Quantiles factor(s.op->factor->body);
    const auto meanFactor = hn::Set(d, static_cast<float>(s.op->factor->mean)), mean = hn::Set(d, s.op->meanSeconds),
               smallest = hn::Set(d, s.op->minExposedSeconds), hidden = hn::Set(d, s.op->hiddenSeconds);
    for (std::size_t l = 0; l < kLanes; l += hn::Lanes(d)) {
        auto f = noisy ? factor.at(words(seeds, key, l)) : meanFactor;
        if (s.regime != nullptr)
            f = hn::Mul(f, hn::Load(d, s.regime + l));
        hn::Store(hn::Max(hn::Mul(smallest, f), hn::Sub(hn::Mul(mean, f), hidden)), d, s.seconds + l);
    }
}

void Send(const SendRows& rows)
{
    const F d;
    const SendRows s = rows;
    for (std::size_t l = 0; l < kLanes; l += hn::Lanes(d)) {
        const auto t = hn::Add(hn::Load(d, s.clock + l), hn::Load(d, s.seconds + l));
        hn::Store(t, d, s.arrives + l);
        if (s.occupies)
            hn::Store(t, d, s.clock + l);
    }
}

} // namespace prism::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace prism {

namespace {

HWY_EXPORT(MeanPass);
HWY_EXPORT(NoisyPass);
HWY_EXPORT(Advance);
HWY_EXPORT(AddMean);
HWY_EXPORT(SendSeconds);
HWY_EXPORT(Send);

/// Rare events of a kind of pass that a unit expects fewer of in a step are found by their distances, others by a draw in every pass.
constexpr double kListedUpTo = 1.0;
constexpr std::size_t kNoPlace = ~std::size_t{0}; ///< of no listed event
constexpr std::uint32_t kTransferTurn = 0x85ebca6bU, kRareTurn = 0xc2b2ae35U, kOftenTurn = 0x27d4eb2fU;
constexpr std::uint64_t kOptimizerDraws = 0x51, kEmbeddingDraws = 0x52, kRareEventDraws = 0x53;

LaneKey turned(LaneKey key, std::uint32_t turn)
{
    return {key.low ^ turn, key.high + turn};
}

float residualAt(const PassTable& table, const Residual& r, float x, std::uint32_t word)
{
    const float place = std::clamp((x - table.low) * table.perNode, 0.0F, static_cast<float>(kLengthNodes - 1));
    const auto i = static_cast<std::size_t>(place);
    const float part = place - static_cast<float>(i);
    return r.location[i] + part * r.locationRise[i] + (r.spread[i] + part * r.spreadRise[i]) * r.shape.at(word);
}

} // namespace

RegimeTable::RegimeTable(const SweepModel& model, std::vector<RegimeFactors> steps)
    : m_steps(std::move(steps)),
      m_passes(model.passes.size())
{
    m_pass.reserve(m_steps.size() * m_passes);
    for (std::size_t i = 0; i < m_steps.size(); ++i)
        for (std::size_t p = 0; p < m_passes; ++p) {
            if (i > 0 && !model.regimesVary) {
                m_pass.push_back(m_pass[p]);
                continue;
            }
            const PassTable& table = *model.passes[p];
            m_pass.push_back({static_cast<float>(table.regimeSeconds(m_steps[i])), static_cast<float>(table.exposedSeconds(m_steps[i])),
                              static_cast<float>(table.stretch(m_steps[i]))});
        }
}

BlockSweep::BlockSweep(const SweepModel& model, const RegimeTable& regimes)
    : m_model(model),
      m_regimes(regimes),
      m_lengths(model.job),
      m_hazards(model.job.patterns.size()),
      m_equal(model.job.patterns.size()),
      m_speed(index(model.job.unitRanks())),
      m_group(model.lengthRows.size() * index(model.job.members * model.job.groups)),
      m_stageLength(model.lengthRows.size()),
      m_ownLength(model.ownLengths.size()),
      m_data((model.data.isConstant() ? 1 : index(model.graph.schedule.numMicrobatches)) * index(model.job.members * model.job.dataOwners)),
      m_compute(model.passes.size()),
      m_exposed(model.passes.size()),
      m_stretch(model.passes.size()),
      m_regime(3),
      m_extraScale(1),
      m_rareSeconds(1),
      m_slots(index(model.plan->numSlots)),
      m_ends(index(model.graph.schedule.numStages)),
      m_optimizer(index(model.graph.schedule.numStages)),
      m_busy(index(model.graph.schedule.numStages)),
      m_busyOfMicrobatch(model.data.isConstant() && model.routing.isConstant() ? 0 : index(model.graph.schedule.numMicrobatches)),
      m_seconds(1),
      m_ones(1),
      m_words(1),
      m_unitOfLane(kLanes, 0)
{
    m_ones.fill(1.0F);
    int layers = 0;
    for (const FlatProgram& p : model.programs)
        layers = std::max(layers, p.layers);
    m_routing.resize(index(layers * model.job.members));
}

const BlockSweep::Hazards& BlockSweep::hazards(int pattern)
{
    Hazards& h = m_hazards[index(pattern)];
    if (h.made)
        return h;
    h.made = true;
    const UnitPattern& units = m_model.job.patterns[index(pattern)];
    const std::vector<UnitCommunication>& hops = m_model.sends[index(pattern)].hops;
    std::vector<double> ofPass(m_model.passes.size(), 0.0), ofHop(hops.size(), 0.0);
    for (const PlanNode& node : m_model.plan->nodes) {
        const int program = node.slot < 0 ? -1 : programInSlot(m_model.graph, node.slot);
        h.pass.push_back(program < 0 ? -1 : m_model.passOf[index(program)][index(units.kind[index(node.stage)])]);
        if (h.pass.back() >= 0)
            ofPass[index(h.pass.back())] += m_model.passes[index(h.pass.back())]->rareHazard;
        if (node.send >= 0)
            ofHop[index(node.send)] -= std::log1p(-hops[index(node.send)].factor->rareProbability);
    }
    const auto below = [](double all, double probability) {
        return all > kListedUpTo ? static_cast<std::uint32_t>(probability * 0x1.0p32) : 0U;
    };
    for (std::size_t p = 0; p < ofPass.size(); ++p)
        h.passBelow.push_back(below(ofPass[p], -std::expm1(-m_model.passes[p]->rareHazard)));
    for (std::size_t i = 0; i < ofHop.size(); ++i)
        h.hopBelow.push_back(hops[i].present() ? below(ofHop[i], hops[i].factor->rareProbability) : 0U);
    double all = 0.0;
    for (std::size_t i = 0; i < h.pass.size(); ++i) {
        const int hop = m_model.plan->nodes[i].send;
        if (h.pass[i] >= 0 && h.passBelow[index(h.pass[i])] == 0)
            all += m_model.passes[index(h.pass[i])]->rareHazard;
        h.until.push_back(all);
        if (hop >= 0 && h.hopBelow[index(hop)] == 0)
            all -= std::log1p(-hops[index(hop)].factor->rareProbability);
        h.until.push_back(all);
    }
    h.none = std::exp(-all);
    return h;
}

/// Places in `until` of a lane's rare events: the distance to the next one begins again behind a pass that has one.
template <class At>
void BlockSweep::rareEvents(const Hazards& h, LaneSeed seed, const At& at) const
{
    if (h.until.empty() || !(h.until.back() > 0.0))
        return;
    double position = 0.0;
    for (std::uint64_t count = 0;; ++count) {
        const double u = uniformOf(laneWord(seed, laneKey(kRareEventDraws, count)));
        if (count == 0 && u < h.none) // most lanes need no logarithm
            return;
        position -= std::log(u);
        if (!(position < h.until.back()))
            return;
        const auto place = static_cast<std::size_t>(std::upper_bound(h.until.begin(), h.until.end(), position) - h.until.begin());
        position = h.until[place];
        if (!at(place))
            return;
    }
}

double BlockSweep::rareHazard(int pattern)
{
    const Hazards& h = hazards(pattern);
    return h.until.empty() ? 0.0 : h.until.back();
}

bool BlockSweep::hasRareEvent(int pattern, const SweptLane& lane)
{
    bool any = false;
    rareEvents(hazards(pattern), lane.step, [&](std::size_t) { return !(any = true); });
    return any;
}

void BlockSweep::findEvents(const Hazards& h, std::size_t lanes)
{
    m_events.clear();
    for (std::size_t l = 0; l < lanes; ++l)
        rareEvents(h, m_stepSeeds.at(l), [&](std::size_t place) {
            m_events.push_back({place, l});
            return true;
        });
    std::sort(m_events.begin(), m_events.end());
    m_events.push_back({h.until.size(), 0});
    m_event = m_events.data();
}

void BlockSweep::setRegimes(std::span<const SweptLane> lanes)
{
    const std::size_t first = lanes.front().regimes;
    const bool equal = std::all_of(lanes.begin(), lanes.end(), [&](const SweptLane& l) { return l.regimes == first; });
    if (equal && first == m_stepOfAll)
        return;
    m_stepOfAll = equal ? first : kNoStep;
    for (std::size_t l = 0; l < kLanes; ++l) {
        const std::size_t step = lanes[std::min(l, lanes.size() - 1)].regimes;
        m_regime.row(0)[l] = static_cast<float>(m_regimes.step(step).intra);
        m_regime.row(1)[l] = static_cast<float>(m_regimes.step(step).inter);
        m_regime.row(2)[l] = static_cast<float>(m_regimes.step(step).compute);
        for (std::size_t p = 0; p < m_model.passes.size(); ++p) {
            const RegimeTable::Pass& pass = m_regimes.pass(step, p);
            m_compute.row(p)[l] = pass.computeSeconds;
            m_exposed.row(p)[l] = pass.exposedSeconds;
            m_stretch.row(p)[l] = pass.stretch;
        }
        m_extraScale.row(0)[l] = m_regime.row(1)[l] / m_regime.row(2)[l];
    }
}

void BlockSweep::drawLengths(const UnitPattern& pattern, LengthOf factors)
{
    static const UnitKind kUnmarked;
    const bool withData = factors >= LengthOf::data, withSlowSpots = factors >= LengthOf::slowSpots;
    const JobUnits& job = m_model.job;
    const std::size_t perUnit = index(job.members * job.groups), owners = index(job.members * job.dataOwners);
    m_data.fill(1.0F);
    if (withData && !m_model.data.isConstant())
        for (std::size_t mb = 0; mb < index(m_model.graph.schedule.numMicrobatches); ++mb)
            for (std::size_t o = 0; o < owners; ++o)
                drawRow(m_model.data, m_stepSeeds, laneKey(Purpose::data, o, mb), m_data.row(mb * owners + o));
    int drawn = -1;
    for (std::size_t i = 0; i < m_model.lengthRows.size(); ++i) {
        const SweepModel::LengthRow& row = m_model.lengthRows[i];
        const PassShape& shape = m_model.shapes[index(row.program)];
        if (row.stage != drawn)
            m_model.speeds->draw(m_jobSeeds, m_unitOfLane.data(), row.stage, m_speed);
        drawn = row.stage;
        float* groups = perUnit == 1 ? m_stageLength.row(i) : m_group.row(i * perUnit);
        m_lengths.slowestOfGroups(shape, withSlowSpots ? job.kinds[index(pattern.kind[index(row.stage)])] : kUnmarked, m_speed, groups);
        if (perUnit > 1) { // of the optimizer: without data factors all groups' slowest
            softMaximum(groups, perUnit, shape.groupBeta, m_stageLength.row(i));
        }
    }
    const bool routes = factors == LengthOf::all && !m_model.routing.isConstant();
    std::pair<int, int> routed{-1, -1};
    for (std::size_t i = 0; i < m_model.ownLengths.size(); ++i) {
        const SweepModel::OwnLength& own = m_model.ownLengths[i];
        const int stage = m_model.lengthRows[index(own.lengthRow)].stage, layers = m_model.programs[index(own.program)].layers;
        const PassShape& shape = m_model.shapes[index(own.program)];
        PassFactors f{m_data.row(dataRow(own.microbatch)), nullptr, nullptr, m_extraScale.row(0)};
        if (routes && shape.routedSeconds() > 0.0) {
            const int place = stage * m_model.graph.schedule.numChunks + own.chunk;
            if (routed != std::pair{place, own.microbatch})
                for (std::size_t y = 0; y < index(layers * job.members); ++y)
                    drawRow(m_model.routing, m_stepSeeds,
                            laneKey(Purpose::routing, static_cast<std::uint64_t>(place), static_cast<std::uint64_t>(own.microbatch), y),
                            m_routing.row(y));
            f.routing = m_routing.row(0);
        }
        const PassTable& pass = *m_model.passes[index(m_model.passOf[index(own.program)][index(pattern.kind[index(stage)])])];
        if (withSlowSpots && !pass.memberExtra.empty())
            f.memberExtra = pass.memberExtra.data();
        m_lengths.length(shape, perUnit == 1 ? m_stageLength.row(index(own.lengthRow)) : m_group.row(index(own.lengthRow) * perUnit), f,
                         m_ownLength.row(i));
    }
}

/// Calls `at` with every lane in which a rare event happens at a place: those found by distance, or one draw for each lane.
template <class At>
void BlockSweep::atRareEvents(std::size_t place, std::uint32_t below, LaneKey key, const At& at)
{
    for (; m_event->place == place; ++m_event)
        at(m_event->lane);
    if (below == 0)
        return;
    drawWords(m_stepSeeds, turned(key, kOftenTurn), m_words.row(0));
    for (std::size_t l = 0; l < kLanes; ++l)
        if (m_words.row(0)[l] < below)
            at(l);
}

/// Seconds of a pass. `unrouted`: the length that rare events go with, its product with `data`.
void BlockSweep::passSeconds(const NodeRows& n, const float* unrouted, const float* unroutedData, const PassTable& table, bool noisy,
                             std::size_t place, std::uint32_t rareBelow, LaneKey key)
{
    if (!noisy || (table.usual.shape.isConstant() && table.perNode == 0.0F && table.rareHazard == 0.0)) {
        HWY_DYNAMIC_DISPATCH(MeanPass)(n);
        return;
    }
    HWY_DYNAMIC_DISPATCH(NoisyPass)(n, table, m_stepSeeds, key);
    atRareEvents(place, rareBelow, key, [&](std::size_t l) {
        const float x = n.length[l] * n.data[l];
        const float r = residualAt(table, table.rare, x, laneWord(m_stepSeeds.at(l), turned(key, kRareTurn)));
        const float seconds = x * n.compute[l] + unrouted[l] * unroutedData[l] * n.stretch[l] * r + n.exposed[l];
        m_rareSeconds.row(0)[l] = seconds - n.seconds[l];
        n.seconds[l] = seconds;
    });
}

/// The pass of a node, once its message is there, and its transfer.
void BlockSweep::runNode(std::size_t i, const Hazards& h, const std::vector<UnitCommunication>& hops, bool noisy)
{
    const PlanNode& node = m_model.plan->nodes[i];
    float* clock = m_ends.row(index(node.stage));
    const NodeRows n = rowsOf(i, h, clock);
    if (n.seconds != nullptr) {
        const bool oneGroup = m_model.job.members * m_model.job.groups == 1;
        const auto p = index(h.pass[i]);
        passSeconds(n, oneGroup ? m_stageLength.row(index(m_model.nodeLength[i].lengthRow)) : n.length,
                    oneGroup ? m_data.row(dataRow(node.microbatch)) : m_ones.row(0), *m_model.passes[p], noisy, 2 * i, h.passBelow[p],
                    node.key);
        keep(&UnitRecord::passes, i, n.seconds);
    }
    HWY_DYNAMIC_DISPATCH(Advance)(n);
    if (node.output < 0)
        return;
    float* arrives = m_slots.row(index(node.output));
    if (node.send < 0) {
        std::copy_n(clock, kLanes, arrives);
        return;
    }
    const UnitCommunication& op = hops[index(node.send)];
    const float* regime = op.scope == Scope::none ? nullptr : m_regime.row(op.scope == Scope::interNode ? 1 : 0);
    const SendRows s{&op, regime, m_seconds.row(0), clock, arrives, m_model.graph.transferOccupiesSender};
    const LaneKey key = turned(node.key, kTransferTurn);
    HWY_DYNAMIC_DISPATCH(SendSeconds)(s, noisy, m_stepSeeds, key);
    if (noisy)
        atRareEvents(2 * i + 1, h.hopBelow[index(node.send)], key, [&](std::size_t l) {
            const float seconds = op.exposed(op.factor->rare.at(laneWord(m_stepSeeds.at(l), key)) * (regime != nullptr ? regime[l] : 1.0F));
            m_rareSeconds.row(0)[l] = seconds - s.seconds[l];
            s.seconds[l] = seconds;
        });
    keep(&UnitRecord::transfers, i, s.seconds);
    HWY_DYNAMIC_DISPATCH(Send)(s);
}

/// Of a node; the seconds and what they are made of are null where it takes no time.
NodeRows BlockSweep::rowsOf(std::size_t i, const Hazards& h, float* clock)
{
    const PlanNode& node = m_model.plan->nodes[i];
    const SweepModel::NodeLength& length = m_model.nodeLength[i];
    const float* arrived = node.input < 0 ? nullptr : m_slots.row(index(node.input));
    if (h.pass[i] < 0)
        return {nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, clock, arrived};
    const auto p = index(h.pass[i]);
    const bool own = length.ownRow >= 0;
    return {own ? m_ownLength.row(index(length.ownRow)) : m_stageLength.row(index(length.lengthRow)),
            own ? m_ones.row(0) : m_data.row(dataRow(node.microbatch)),
            m_compute.row(p),
            m_exposed.row(p),
            m_stretch.row(p),
            m_seconds.row(0),
            clock,
            arrived};
}

void BlockSweep::begin(int pattern, std::span<const SweptLane> lanes, Noise noise)
{
    for (std::size_t l = 0; l < kLanes; ++l) {
        const SweptLane& lane = lanes[std::min(l, lanes.size() - 1)];
        m_jobSeeds.set(l, lane.job);
        m_stepSeeds.set(l, lane.step);
        m_unitOfLane[l] = lane.unit;
    }
    setRegimes(lanes);
    drawLengths(m_model.job.patterns[index(pattern)], noise == Noise::speedsOnly ? LengthOf::slowSpots : LengthOf::all);
}

void BlockSweep::run(int pattern, std::span<const SweptLane> lanes, Noise noise)
{
    const SweepModel::UnitSends& sends = m_model.sends[index(pattern)];
    begin(pattern, lanes, noise);
    const Hazards& h = hazards(pattern);
    findEvents(h, noise == Noise::all ? lanes.size() : 0);
    m_ends.fill(0.0F);
    for (std::size_t i = 0; i < m_model.plan->nodes.size(); ++i)
        runNode(i, h, sends.hops, noise == Noise::all);
    runOptimizers(pattern, noise);
    joinEmbedding(sends.embedding, noise);
}

void BlockSweep::runOptimizers(int pattern, Noise noise)
{
    const UnitPattern& units = m_model.job.patterns[index(pattern)];
    for (std::size_t s = 0; s < m_model.optimizerRow.size(); ++s) {
        if (m_model.optimizerRow[s] < 0)
            continue;
        const auto p = index(m_model.passOf[index(m_model.optimizerOfStage[s])][index(units.kind[s])]);
        const PassTable& table = *m_model.passes[p];
        const float *length = m_stageLength.row(index(m_model.optimizerRow[s])), *ones = m_ones.row(0);
        const NodeRows n{length, ones, m_compute.row(p), m_exposed.row(p), m_stretch.row(p), m_optimizer.row(s), nullptr, nullptr};
        passSeconds(n, length, ones, table, noise != Noise::speedsOnly, kNoPlace,
                    static_cast<std::uint32_t>(-std::expm1(-table.rareHazard) * 0x1.0p32), laneKey(kOptimizerDraws, s));
        keep(&UnitRecord::optimizer, s, m_optimizer.row(s));
    }
}

/// Of a run that is recorded: what was just computed in every lane.
void BlockSweep::keep(std::vector<PassRecord> UnitRecord::*list, std::size_t at, const float* seconds)
{
    if (m_records == nullptr)
        return;
    for (std::size_t l = 0; l < m_records->size(); ++l) {
        PassRecord& record = ((*m_records)[l].*list)[at];
        record.seconds = seconds[l];
        record.rareSeconds = m_rareSeconds.row(0)[l];
    }
    m_rareSeconds.fill(0.0F);
}

void BlockSweep::keepLengths(int pattern, LengthOf factors)
{
    drawLengths(m_model.job.patterns[index(pattern)], factors);
    const auto at = static_cast<std::size_t>(factors);
    const Hazards& h = hazards(pattern);
    for (std::size_t i = 0; i < h.pass.size(); ++i) {
        if (h.pass[i] < 0)
            continue;
        const NodeRows rows = rowsOf(i, h, nullptr);
        for (std::size_t l = 0; l < m_records->size(); ++l)
            (*m_records)[l].passes[i].length[at] = rows.length[l] * rows.data[l];
    }
    for (std::size_t s = 0; s < m_model.optimizerRow.size(); ++s)
        for (std::size_t l = 0; l < m_records->size() && m_model.optimizerRow[s] >= 0; ++l)
            (*m_records)[l].optimizer[s].length[at] = m_stageLength.row(index(m_model.optimizerRow[s]))[l];
}

std::vector<UnitRecord> BlockSweep::record(int pattern, std::span<const SweptLane> lanes)
{
    const std::size_t nodes = m_model.plan->nodes.size(), stages = index(m_model.graph.schedule.numStages);
    std::vector<UnitRecord> out;
    m_rareSeconds.fill(0.0F);
    for (std::size_t first = 0; first < lanes.size(); first += kLanes) {
        const auto block = lanes.subspan(first, std::min(kLanes, lanes.size() - first));
        std::vector<UnitRecord> records(block.size());
        for (UnitRecord& lane : records) {
            lane.passes.resize(nodes);
            lane.transfers.resize(nodes);
            lane.optimizer.resize(stages);
        }
        m_records = &records;
        run(pattern, block, Noise::all);
        for (const LengthOf factors : {LengthOf::speeds, LengthOf::slowSpots, LengthOf::data, LengthOf::all})
            keepLengths(pattern, factors);
        m_records = nullptr;
        std::move(records.begin(), records.end(), std::back_inserter(out));
    }
    return out;
}

const std::vector<BlockSweep::EqualPasses>& BlockSweep::equalPasses(int pattern)
{
    std::vector<EqualPasses>& out = m_equal[index(pattern)];
    if (!out.empty())
        return out;
    const Hazards& h = hazards(pattern);
    std::map<std::array<int, 5>, std::size_t> known; // stage, length, own length, micro-batch, pass
    for (std::size_t i = 0; i < h.pass.size(); ++i) {
        if (h.pass[i] < 0)
            continue;
        const PlanNode& node = m_model.plan->nodes[i];
        const SweepModel::NodeLength& length = m_model.nodeLength[i];
        const int microbatch = m_busyOfMicrobatch.rows() == 0 ? 0 : static_cast<int>(node.microbatch);
        const auto [it, added] = known.try_emplace({node.stage, length.lengthRow, length.ownRow, microbatch, h.pass[i]}, out.size());
        if (added)
            out.push_back({i, 0.0F});
        out[it->second].count += 1.0F;
    }
    return out;
}

void BlockSweep::outline(int pattern, std::span<const SweptLane> lanes)
{
    begin(pattern, lanes, Noise::noiseFree);
    const Hazards& h = hazards(pattern);
    findEvents(h, 0);
    m_busy.fill(0.0F);
    m_busyOfMicrobatch.fill(0.0F);
    for (const EqualPasses& passes : equalPasses(pattern)) {
        const PlanNode& node = m_model.plan->nodes[passes.node];
        HWY_DYNAMIC_DISPATCH(AddMean)(rowsOf(passes.node, h, m_busy.row(index(node.stage))), passes.count);
        if (m_busyOfMicrobatch.rows() > 0)
            HWY_DYNAMIC_DISPATCH(AddMean)(rowsOf(passes.node, h, m_busyOfMicrobatch.row(node.microbatch)), passes.count);
    }
    runOptimizers(pattern, Noise::noiseFree);
}

void BlockSweep::joinEmbedding(const UnitCommunication& op, Noise noise)
{
    if (!op.present())
        return;
    Rows factor(1);
    if (noise == Noise::all)
        drawRow(*op.factor, m_stepSeeds, laneKey(kEmbeddingDraws), factor.row(0));
    else
        factor.fill(static_cast<float>(op.factor->mean));
    const auto& path = m_model.graph.schedule.path;
    float* first = m_ends.row(index(path.front()[0]));
    float* last = m_ends.row(index(path.back()[0]));
    for (std::size_t l = 0; l < kLanes; ++l) {
        const float regime = op.scope == Scope::none ? 1.0F : m_regime.row(op.scope == Scope::interNode ? 1 : 0)[l];
        const float seconds = op.exposed(factor.row(0)[l] * regime);
        first[l] = last[l] = std::max(first[l], last[l]) + seconds;
        if (m_records == nullptr || l >= m_records->size())
            continue;
        const LaneSeed seed = m_stepSeeds.at(l);
        const bool rare = laneWord(seed, rareKey(laneKey(kEmbeddingDraws))) < op.factor->rareBelow;
        (*m_records)[l].embedding = {
            seconds, rare ? seconds - op.exposed(op.factor->body.at(laneWord(seed, laneKey(kEmbeddingDraws))) * regime) : 0.0F, {}};
    }
}

} // namespace prism
#endif
