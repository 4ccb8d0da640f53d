// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/chunk/groupcell.h"

#include "core/sim/chunk/sidebyside.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace prism {

namespace {

/// Groups up to which vectors of spatial factors of a whole cell are drawn.
constexpr int kMostDrawnTogether = 64;
/// Points of a factor that groups share, times those of one that they don't.
constexpr double kFiner = 3.0;
/// Known groups of a cell that keep their own times; the faster ones are merged.
constexpr double kKnownShare = 1e-3;

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
