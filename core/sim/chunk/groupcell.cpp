// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/chunk/groupcell.h"

#include "core/sim/chunk/sidebyside.h"

#include <boost/math/special_functions/erf.hpp>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>

namespace prism {

namespace {

/// Groups up to which vectors of spatial factors of a whole cell are drawn.
constexpr int kMostDrawnTogether = 64;
/// Points of a factor that groups share, times those of one that they don't.
constexpr double kFiner = 3.0;
/// Known groups of a cell that keep their own times; the faster ones are merged.
constexpr double kKnownShare = 1e-3;

double normalQuantile(double u)
{
    return -std::numbers::sqrt2 * boost::math::erfc_inv(2.0 * u);
}

bool ownData(const StepGraph& graph)
{
    const bool varies = graph.data.rareProbability > 0.0 || (graph.data.cv > 0.0 && graph.data.family != Family::deterministic);
    return graph.groupsPerCell > 1 && (graph.dataScope == DataScope::group || graph.lockstepReplicas > 1) && varies;
}

/// Neighbouring groups of a cell with one data factor: those of a lockstep member, where it draws one for all.
int sharingData(const StepGraph& graph)
{
    return graph.dataScope == DataScope::group ? 1 : graph.groupsPerCell / std::max(1, graph.lockstepReplicas);
}

/// Ranks' own factors of one group of a kind of cell.
std::vector<double> factorsOf(const CellKind& kind, std::size_t group, std::size_t ranks)
{
    if (kind.computeFactor.empty())
        return {};
    const auto first = kind.computeFactor.begin() + static_cast<std::ptrdiff_t>(group * ranks);
    std::vector<double> out(first, first + static_cast<std::ptrdiff_t>(ranks));
    std::sort(out.begin(), out.end());
    if (out.back() == 1.0 && out.front() == 1.0)
        out.clear();
    return out;
}

/// Alike groups that meet: samples of their lucks by number, weighted.
struct Lot {
    double count = 1.0;
    std::vector<std::size_t> sample;
    std::vector<double> weight;
};

/// Cells whose score lies on so many nodes: who meets there, and how the luck of the slowest rises with the score, standardised.
struct GroupPart {
    int firstNode = 0, lastNode = kScoreNodes;
    std::vector<Lot> lots;
    std::vector<double> shape; ///< per node from firstNode on
};

/// Samples of a kind of group: those without a rare event times `clean`, the others times `hit`.
Lot lotOf(const GroupLucks& lucks, const GroupKind& kind, double count, double clean, double hit)
{
    Lot out;
    out.count = count;
    for (std::size_t i = kind.first; i < kind.last; ++i)
        if (const double times = kind.firstHit > 0 && i >= kind.firstHit ? hit : clean; times > 0.0) {
            out.sample.push_back(i);
            out.weight.push_back(lucks.samples.weight[i] * times);
        }
    const double total = std::accumulate(out.weight.begin(), out.weight.end(), 0.0);
    for (double& w : out.weight)
        w /= total;
    return out;
}

/// Standardised seconds of the slowest of `groups` alike ones, per node of the part.
std::vector<double> slowestLuck(const Lot& lot, double groups, const ScoreScale& scale, const GroupPart& part,
                                const std::vector<double>& time)
{
    std::vector<std::size_t> order(lot.sample.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto secondsOf = [&](std::size_t i) { return time[lot.sample[i]]; };
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return secondsOf(a) < secondsOf(b); });
    double below = 0.0;
    std::vector<double> score;
    for (const std::size_t i : order) {
        score.push_back(normalQuantile(std::clamp(below + 0.5 * lot.weight[i], 1e-12, 1.0 - 1e-12)));
        below += lot.weight[i];
    }
    const auto above = [](double z) { return 0.5 * std::erfc(z / std::numbers::sqrt2); };
    const bool whole = part.lastNode - part.firstNode == kScoreNodes, hit = part.firstNode > 0;
    const double share = whole ? 1.0 : (hit ? above(scale.jump) : above(-scale.jump)), beyond = whole || hit ? 0.0 : above(scale.jump);
    std::vector<double> out;
    double mean = 0.0, square = 0.0, total = 0.0;
    for (int j = part.firstNode; j < part.lastNode; ++j) {
        const double z = scale.scoreOf(j), upper = std::clamp((above(z) - beyond) / share, 0.0, 1.0);
        const double lower = hit ? 1.0 - upper : std::min(1.0, above(-z) / share);
        const TailPair one = tailsOfOne({lower, upper}, static_cast<int>(groups));
        const double at = one.lower < 0.5 ? normalQuantile(std::max(one.lower, 1e-12)) : -normalQuantile(std::max(one.upper, 1e-12));
        const auto it = std::lower_bound(score.begin(), score.end(), at);
        const auto i =
            static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(it - score.begin(), 1, static_cast<std::ptrdiff_t>(score.size()) - 1));
        const double between = std::clamp((at - score[i - 1]) / std::max(1e-12, score[i] - score[i - 1]), 0.0, 1.0);
        out.push_back(secondsOf(order[i - 1]) + between * (secondsOf(order[i]) - secondsOf(order[i - 1])));
        const double w = std::exp(-0.5 * z * z);
        total += w;
        mean += w * out.back();
        square += w * out.back() * out.back();
    }
    mean /= total;
    const double sigma = std::sqrt(std::max(0.0, square / total - mean * mean));
    for (double& x : out)
        x = sigma > 0.0 ? (x - mean) / sigma : 0.0;
    return out;
}

/// Parts of the score's nodes: cells none of whose groups has a rank with a rare spatial event, and those of which one has it, if there
/// may be one. In the latter the others are hit as often as makes the expected number right.
std::vector<GroupPart> partsOf(const StepGraph& graph, const GroupLucks& lucks, const std::vector<double>& time)
{
    const ScoreScale scale = scoreScale(graph);
    const std::vector<GroupKind>& kinds = lucks.cells[0];
    const auto most =
        std::max_element(kinds.begin(), kinds.end(), [](const GroupKind& a, const GroupKind& b) { return a.count < b.count; });
    const auto index = static_cast<std::size_t>(most - kinds.begin());
    const auto groups = static_cast<double>(graph.groupsPerCell);
    if (scale.firstHit >= kScoreNodes) {
        GroupPart all;
        for (const GroupKind& k : kinds)
            all.lots.push_back(lotOf(lucks, k, k.count, 1.0, 1.0));
        all.shape = slowestLuck(all.lots[index], groups, scale, all, time);
        return {all};
    }
    GroupPart clean{0, scale.firstHit, {}, {}}, hit{scale.firstHit, kScoreNodes, {}, {}};
    const double any = 0.5 * std::erfc(scale.jump / std::numbers::sqrt2), one = -std::expm1(std::log1p(-any) / groups);
    const double other = groups > 1.0 ? (groups * one / any - 1.0) / (groups - 1.0) : 0.0;
    for (const GroupKind& k : kinds) {
        clean.lots.push_back(lotOf(lucks, k, k.count, 1.0, 0.0));
        if (groups > 1.0)
            hit.lots.push_back(lotOf(lucks, k, k.count * (groups - 1.0) / groups, (1.0 - other) / (1.0 - one), other / one));
    }
    clean.shape = slowestLuck(clean.lots[index], groups, scale, clean, time);
    hit.lots.push_back(lotOf(lucks, *most, 1.0, 0.0, 1.0));
    hit.shape = slowestLuck(hit.lots.back(), 1.0, scale, hit, time);
    return {clean, hit};
}

/// Moments of a program's compute in one cell: of its own, and what other programs and micro-batches share.
struct ProgramMoments {
    double mean = 0.0, variance = 0.0, luck = 0.0, data = 0.0, routing = 0.0; ///< the latter three: standard deviations
};

/// A factor that so many neighbouring groups share.
struct SharedFactor {
    WeightedPoints factor{{1.0}, {1.0}, {0.0}};
    int together = 1;
};

SharedFactor memberRouting(const StepGraph& graph)
{
    if (!routesByMember(graph))
        return {};
    const GroupFactors own = groupFactors(graph);
    const QuantilePoints& all = *own.routing;
    const int together = own.sharingRouting;
    // What lies within a point counts as a spread of each group's own: where they share the factor it has to be small.
    return {coarsePoints(all.value, all.weight, graph.lockstepReplicas, together > 1 ? kFiner : 1.0), together};
}

/// Data factors of a cell's groups, with their rare event unless that is drawn apart.
SharedFactor groupData(const StepGraph& graph, bool rareApart)
{
    QuantilePoints all = quantilePoints(graph.data);
    if (!rareApart)
        all = withRareEvent(all, graph.data);
    const int together = sharingData(graph), factors = graph.groupsPerCell / together;
    return {coarsePoints(all.value, all.weight, factors, together > 1 ? kFiner : 1.0), together};
}

/// Works on one program.
class ProgramMeetings final {
public:
    ProgramMeetings(const ChunkBuilder& builder, const SharedFactor& data, const SharedFactor& routing)
        : m_builder(builder),
          m_data(data),
          m_routing(routing)
    {
    }

    [[nodiscard]] ProgramMoments of(const GroupPart& part) const
    {
        return of([&](std::size_t section) { return drawn(part.lots, section); });
    }
    [[nodiscard]] ProgramMoments of(const std::vector<GroupKind>& cell) const
    {
        return of([&](std::size_t section) { return known(cell, section); });
    }

    /// Mean seconds where one of the groups has the data factor `rare` on top of its own.
    [[nodiscard]] double mean(const GroupPart* part, const std::vector<GroupKind>& cell, double rare) const
    {
        double out = 0.0;
        for (std::size_t s = 0; s < m_builder.sections(); ++s) {
            std::vector<Participants> who = part != nullptr ? drawn(part->lots, s) : known(cell, s);
            const auto most =
                std::max_element(who.begin(), who.end(), [](const Participants& a, const Participants& b) { return a.count < b.count; });
            Participants hit = *most;
            hit.count = std::min(most->count, static_cast<double>(m_data.together));
            if (most->count > hit.count)
                most->count -= hit.count;
            else
                who.erase(most);
            for (double& m : hit.mean)
                m *= rare;
            for (double& v : hit.variance)
                v *= rare * rare;
            who.push_back(std::move(hit));
            const MeetingInput input = inputOf(std::move(who), s);
            out += m_builder.sectionCount(s) * (meetingMean(input, m_builder.groupShape(s)) - input.collectives.mean);
        }
        return out;
    }

private:
    [[nodiscard]] MeetingInput inputOf(std::vector<Participants> who, std::size_t section) const
    {
        MeetingInput out{std::move(who), m_builder.groupCollectives(section), m_data.factor};
        out.sharingData = m_data.together;
        if (const double share = m_builder.routedShare(section); share > 0.0) {
            out.routing = m_routing.factor;
            out.together = m_routing.together;
            out.routed = share;
        }
        return out;
    }
    template <class Who>
    [[nodiscard]] ProgramMoments of(const Who& who) const
    {
        ProgramMoments out;
        for (std::size_t s = 0; s < m_builder.sections(); ++s) {
            const double count = m_builder.sectionCount(s);
            const MeetingInput input = inputOf(who(s), s);
            const MeetingMoments m = meeting(input, m_builder.groupShape(s));
            out.mean += count * (m.time.mean - input.collectives.mean);
            out.variance += count * std::max(0.0, m.time.variance - m.sameData - m.sameRouting - input.collectives.variance);
            out.routing += count * std::sqrt(m.sameRouting);
            out.luck += count * std::sqrt(m.sameLuck);
            out.data += count * std::sqrt(std::max(0.0, m.sameData - m.sameLuck));
        }
        return out;
    }
    [[nodiscard]] std::vector<Participants> drawn(const std::vector<Lot>& lots, std::size_t section) const
    {
        std::vector<Participants> out;
        for (const Lot& lot : lots) {
            std::vector<double> mean;
            double whole = 0.0, noise = 0.0;
            for (std::size_t i = 0; i < lot.sample.size(); ++i) {
                const Moments m = m_builder.groupCompute(section, lot.sample[i]);
                mean.push_back(m.mean);
                whole += lot.weight[i] * m.mean;
                noise += lot.weight[i] * m.variance;
            }
            const WeightedPoints points = coarsePoints(mean, lot.weight, lot.count);
            out.push_back({lot.count, points.weight, points.value, {}});
            // The noise of a luck is that of its mean: interpolated by its share of the whole.
            for (std::size_t i = 0; i < points.value.size(); ++i) {
                const double relative = whole > 0.0 ? points.value[i] / whole : 1.0;
                out.back().variance.push_back(noise * relative * relative + points.inside[i]);
            }
        }
        return out;
    }
    /// Groups whose factors are known: each a participant, the fast ones in bunches.
    [[nodiscard]] std::vector<Participants> known(const std::vector<GroupKind>& cell, std::size_t section) const
    {
        std::vector<double> mean, weight;
        double noise = 0.0, groups = 0.0;
        for (const GroupKind& kind : cell) {
            const Moments m = m_builder.groupCompute(section, kind.first);
            mean.push_back(m.mean);
            weight.push_back(kind.count);
            noise += kind.count * (m.mean > 0.0 ? m.variance / (m.mean * m.mean) : 0.0);
            groups += kind.count;
        }
        const WeightedPoints points = coarsePoints(mean, weight, kKnownShare * groups);
        std::vector<Participants> out;
        for (std::size_t i = 0; i < points.value.size(); ++i)
            out.push_back({points.weight[i] * groups,
                           {1.0},
                           {points.value[i]},
                           {noise / groups * points.value[i] * points.value[i] + points.inside[i]}});
        return out;
    }

    const ChunkBuilder& m_builder;
    const SharedFactor& m_data;
    const SharedFactor& m_routing;
};

/// Compute seconds of the programs, weighted, by the luck of a group.
std::vector<double> secondsOfSamples(const GroupLucks& lucks, const std::vector<ChunkBuilder>& builders,
                                     const std::vector<double>& programWeights)
{
    std::vector<double> out(lucks.samples.weight.size(), 0.0);
    for (std::size_t p = 0; p < builders.size(); ++p)
        for (std::size_t s = 0; s < builders[p].sections(); ++s)
            for (std::size_t i = 0; i < out.size(); ++i)
                out[i] += programWeights[p] * builders[p].sectionCount(s) * builders[p].groupCompute(s, i).mean;
    return out;
}

} // namespace

bool isGroupwise(const StepGraph& graph)
{
    return ownData(graph) || routesByMember(graph) || graph.groupsPerCell > kMostDrawnTogether;
}

GroupFactors groupFactors(const StepGraph& graph)
{
    GroupFactors out;
    if (ownData(graph))
        out.data = withRareEvent(quantilePoints(graph.data), graph.data);
    out.sharingData = sharingData(graph);
    if (routesByMember(graph)) {
        out.routing = withRareEvent(quantilePoints(graph.routing), graph.routing);
        out.sharingRouting = graph.groupsPerCell / graph.lockstepReplicas;
    }
    return out;
}

ClassModelPtr dataFactorOf(const StepGraph& graph, Recall& recall)
{
    return sideBySide(graph.data, ownData(graph) ? graph.groupsPerCell / sharingData(graph) : 1, 1, recall);
}

ClassModelPtr plainDataFactorOf(const StepGraph& graph, Recall& recall)
{
    const ClassModelPtr all = dataFactorOf(graph, recall);
    if (!ownData(graph) || !(all->rare.chance.probability > 0.0))
        return all;
    StepGraph plain = graph;
    plain.data.rareProbability = 0.0;
    return sideBySide(plain.data, graph.groupsPerCell / sharingData(graph), 1, recall);
}

std::vector<double> rareDataValues(const StepGraph& graph, const ClassModel& factor)
{
    constexpr std::size_t kValues = 6;
    std::vector<double> out;
    if (ownData(graph) && factor.rare.chance.probability > 0.0) {
        const auto [low, high] = std::minmax_element(factor.rare.extra.begin(), factor.rare.extra.end());
        for (std::size_t i = 0; i<kValues&& * high> * low; ++i)
            out.push_back(*low + (*high - *low) * static_cast<double>(i) / (kValues - 1));
        if (out.empty())
            out = {*low};
    }
    return out;
}

GroupLucks groupLucks(const ModelInputs& in, const CellKind& kind)
{
    GroupLucks out;
    out.graph = in.graph;
    out.graph.groupsPerCell = 1;
    const auto ranks = static_cast<std::size_t>(in.graph.groupRanks), groups = static_cast<std::size_t>(in.graph.groupsPerCell);
    if (!in.measured.factor.empty()) {
        Hasher h;
        out.samples.ordered = true;
        out.samples.factor = in.measured.factor;
        out.samples.weight.assign(in.measured.factor.size() / ranks, 1.0);
        for (const double f : in.measured.factor)
            h.add(f);
        out.samples.hash = h.result();
        for (std::size_t first = 0; first < out.samples.weight.size(); first += groups) {
            out.cells.emplace_back();
            for (std::size_t g = first; g < first + groups; ++g)
                out.cells.back().push_back({g, g + 1, 1.0});
        }
        return out;
    }
    std::map<std::vector<double>, double> kinds;
    for (std::size_t g = 0; g < groups; ++g)
        kinds[factorsOf(kind, g, ranks)] += 1.0;
    Hasher h;
    out.cells.emplace_back();
    for (const auto& [factors, count] : kinds) {
        const SpatialSamples own = spatialSamples(out.graph, {factors, kind.linkFactor}, {});
        const std::size_t first = out.samples.weight.size();
        out.samples.weight.insert(out.samples.weight.end(), own.weight.begin(), own.weight.end());
        out.samples.factor.insert(out.samples.factor.end(), own.factor.begin(), own.factor.end());
        out.cells[0].push_back({first, out.samples.weight.size(), count, own.firstHit > 0 ? first + own.firstHit : 0});
        out.drawn = out.drawn || own.weight.size() > 1;
        h.add(own.hash).add(count);
    }
    out.samples.hash = h.result();
    return out;
}

std::vector<GroupTables> groupTables(const ModelInputs& in, const GroupLucks& lucks, const std::vector<ChunkBuilder>& builders,
                                     const std::vector<double>& programWeights, std::stop_token stop)
{
    const bool withData = ownData(in.graph);
    Memo own(std::size_t{1} << 20);
    Recall recall(own);
    const ClassModelPtr factor = plainDataFactorOf(in.graph, recall);
    const std::vector<double> rare = rareDataValues(in.graph, *dataFactorOf(in.graph, recall));
    const SharedFactor data = withData ? groupData(in.graph, !rare.empty()) : SharedFactor{}, none;
    const SharedFactor routing = memberRouting(in.graph);
    const std::vector<float> empty(kScoreNodes, 0.0F);
    std::vector<GroupTables> out(builders.size(), GroupTables{empty, empty, empty, {}, empty});
    const std::vector<GroupPart> parts =
        lucks.drawn ? partsOf(in.graph, lucks, secondsOfSamples(lucks, builders, programWeights)) : std::vector<GroupPart>{};
    const double spread = withData ? std::sqrt(factor->variance) : 0.0;
    const bool routes = routesByMember(in.graph);
    const double unlike = routes ? std::sqrt(layersOfSlowest(in.graph.routing, in.graph.lockstepReplicas, 1, recall)->variance) : 0.0;
    const std::size_t each = lucks.drawn ? parts.size() : lucks.cells.size();
    tbb::parallel_for(std::size_t{0}, builders.size() * each, [&](std::size_t at) {
        const std::size_t p = at / each, cell = at % each;
        if (stop.stop_requested())
            return;
        const bool isOptimizer =
            std::find(in.optimizerOfStage.begin(), in.optimizerOfStage.end(), static_cast<int>(p)) != in.optimizerOfStage.end();
        const ProgramMeetings meetings(builders[p], isOptimizer ? none : data, routing);
        const ProgramMoments m = lucks.drawn ? meetings.of(parts[cell]) : meetings.of(lucks.cells[cell]);
        GroupTables& t = out[p];
        double perData = spread > 0.0 && !isOptimizer ? m.data / spread : 0.0;
        if (!rare.empty() && !isOptimizer) {
            std::vector<double> added;
            for (const double value : rare)
                added.push_back(meetings.mean(lucks.drawn ? &parts[cell] : nullptr, lucks.cells[lucks.drawn ? 0 : cell], value) - m.mean);
            if (!(perData > 0.0)) // without a spread of its own any unit does
                perData = m.mean;
            if (cell == 0)
                t.rareData = std::move(added);
        }
        const auto fill = [&](std::size_t first, std::size_t last, const std::vector<double>& shape) {
            for (std::size_t j = first; j < last; ++j) {
                t.mean[j] = static_cast<float>(m.mean + (shape.empty() ? 0.0 : m.luck * shape[j - first]));
                t.variance[j] = static_cast<float>(m.variance);
                t.data[j] = static_cast<float>(perData);
                t.routed[j] = static_cast<float>(unlike > 0.0 ? m.routing / unlike : 0.0);
            }
        };
        if (lucks.drawn)
            fill(static_cast<std::size_t>(parts[cell].firstNode), static_cast<std::size_t>(parts[cell].lastNode), parts[cell].shape);
        else if (lucks.samples.ordered)
            fill(cell, cell + 1 == lucks.cells.size() ? kScoreNodes : cell + 1, {});
        else
            fill(0, kScoreNodes, {});
    });
    for (GroupTables& t : out) {
        if (!withData)
            t.data.clear();
        if (!routes)
            t.routed.clear();
    }
    return stop.stop_requested() ? std::vector<GroupTables>{} : out;
}

} // namespace prism
