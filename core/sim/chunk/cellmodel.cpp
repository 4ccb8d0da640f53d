// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/chunk/cellmodel.h"

#include "core/sim/chunk/chunkbuilder.h"
#include "core/sim/chunk/groupcell.h"
#include "core/sim/chunk/scoretable.h"
#include "core/stats/quantile.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace prism {

namespace {

constexpr int kRegimeNodes = 33;

/// Tables of the collectives by regime factor; true when they vary.
bool addCollectives(ChunkModel& model, const ChunkBuilder& builder, const RegimeRange& regimes)
{
    bool varies = false;
    for (int scope = 0; scope < 2; ++scope) {
        const bool fixed = regimes.low[scope] == regimes.high[scope];
        const int nodes = fixed ? 1 : kRegimeNodes;
        LinearTable& mean = model.collectiveMean[scope];
        LinearTable& variance = model.collectiveVariance[scope];
        mean.low = variance.low = regimes.low[scope];
        mean.perUnit = variance.perUnit = fixed ? 0.0 : (nodes - 1) / (regimes.high[scope] - regimes.low[scope]);
        for (int k = 0; k < nodes; ++k) {
            const Moments sum = builder.collectives(scope, fixed ? regimes.low[scope] : regimes.low[scope] + k / mean.perUnit);
            mean.value.push_back(sum.mean);
            variance.value.push_back(sum.variance);
            varies = varies || sum.variance > 0.0;
        }
    }
    return varies;
}

/// Weighted time of all chunks of a micro-batch, per sample.
std::vector<double> chunkTimes(const std::vector<double>& weights, const std::vector<std::vector<double>>& means)
{
    std::vector<double> out(means.empty() ? 0 : means[0].size(), 0.0);
    for (std::size_t p = 0; p < weights.size(); ++p)
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] += weights[p] * means[p][i];
    return out;
}

/// Gives each builder the models of its segments, each distinct segment once; false when stopped.
bool findSegments(const StepGraph& graph, const ClassSet& classes, const SpatialSamples& spatial, std::vector<ChunkBuilder>& builders,
                  Recall& recall, std::stop_token stop)
{
    std::vector<SegmentRequest> distinct;
    std::vector<std::vector<std::size_t>> uses;
    for (const ChunkBuilder& builder : builders) {
        uses.emplace_back();
        for (SegmentRequest& request : builder.requests()) {
            const auto it = std::find(distinct.begin(), distinct.end(), request);
            uses.back().push_back(static_cast<std::size_t>(it - distinct.begin()));
            if (it == distinct.end())
                distinct.push_back(std::move(request));
        }
    }
    const std::vector<SegmentModelPtr> models = segmentModels(graph, classes, spatial, distinct, recall, stop);
    if (stop.stop_requested())
        return false;
    for (std::size_t p = 0; p < builders.size(); ++p) {
        std::vector<SegmentModelPtr> own;
        for (const std::size_t i : uses[p])
            own.push_back(models[i]);
        builders[p].setSegments(std::move(own));
    }
    return true;
}

/// The lucks of groups, each kind with the number of its groups as weight.
SpatialSamples weightedGroups(const GroupLucks& lucks)
{
    SpatialSamples out = lucks.samples;
    if (!out.ordered && !lucks.cells.empty())
        for (const GroupKind& kind : lucks.cells[0])
            for (std::size_t i = kind.first; i < kind.last; ++i)
                out.weight[i] *= kind.count;
    return out;
}

void takeGroupTables(KindModels& models, std::vector<GroupTables> tables)
{
    for (std::size_t p = 0; p < tables.size(); ++p) {
        models.program[p].computeMean = std::move(tables[p].mean);
        models.program[p].computeVariance = std::move(tables[p].variance);
        models.program[p].dataSeconds = std::move(tables[p].data);
        models.program[p].rareDataSeconds = std::move(tables[p].rareData);
        models.program[p].routedSeconds = std::move(tables[p].routed);
        for (RareEvent& rare : models.program[p].rare)
            rare.followsData = rare.followsData && models.program[p].dataSeconds.empty(); // an event hits any group, not the slowest
    }
}

std::size_t bytesOf(const KindModels& models)
{
    std::size_t bytes = sizeof models;
    for (const ChunkModel& m : models.program)
        bytes += sizeof m
                 + 4
                       * (m.computeMean.size() + m.computeVariance.size() + m.routedSeconds.size() + m.routedVariance.size()
                          + m.shape.steps.size())
                 + 4 * 8 * kRegimeNodes;
    for (const ChunkModel& m : models.program)
        for (const RareEvent& rare : m.rare)
            bytes += sizeof rare + 4 * (rare.extra.size() + rare.extraTypical.size()) * (1 + rare.atLuck.size());
    return bytes;
}

/// A kind of cell on the way to its models.
struct Making {
    const ModelInputs& in;
    bool groupwise;
    GroupLucks lucks;                                  ///< of groups
    SpatialSamples spatial;                            ///< of the cell
    std::vector<int> ranges;                           ///< luckRanges
    std::vector<ChunkBuilder> builders;                ///< of the programs, then of `routed`
    std::vector<GridDist> chunks;                      ///< [builder], at luck 1
    std::vector<std::vector<double>> means, variances; ///< of compute, [builder][sample]
    std::vector<double> scores;                        ///< of the samples of cells
    LuckyCells lucky;
    /// A program with a layer whose routing is typical.
    struct Routed {
        ProgramShape shape;
        double share; ///< RoutedProgram::share
        std::size_t builder;
    };
    std::map<std::size_t, Routed> routed;           ///< by program
    std::vector<std::vector<RareEvent>> routedRare; ///< [builder]
};

Making makingOf(const ModelInputs& in, const CellKind& kind)
{
    const bool groupwise = isGroupwise(in.graph);
    GroupLucks lucks = groupwise ? groupLucks(in, kind) : GroupLucks{};
    SpatialSamples spatial = groupwise ? lucks.samples : spatialSamples(in.graph, kind, in.measured);
    return {in, groupwise, std::move(lucks), std::move(spatial), luckRanges(in.graph, in.measured, groupwise), {}, {}, {}, {}, {}, {},
            {}, {}};
}

ContentHash keyOf(const Making& making, const CellKind& kind)
{
    const StepGraph& graph = making.in.graph;
    return Hasher()
        .add("cell models")
        .add(making.in.content)
        .add(making.spatial.hash)
        .add(kind.linkFactor)
        .add(graph.groupsPerCell)
        .add(static_cast<int>(graph.dataScope))
        .add(making.groupwise ? contentOf(graph.data) : ContentHash{})
        .add(graph.lockstepReplicas)
        .add(routesByMember(graph) || hasRoutedPrograms(graph) ? contentOf(graph.routing) : ContentHash{})
        .result();
}

void addBuilders(Making& making, const CellKind& kind)
{
    const ModelInputs& in = making.in;
    const std::size_t programs = in.graph.programs.size();
    for (std::size_t p = 0; p < programs; ++p)
        making.builders.emplace_back(in, kind, in.shapes[p], in.apart[p]);
    for (std::size_t p = 0; p < programs && !making.groupwise; ++p) {
        if (!needsRoutedProgram(in.graph, in.graph.programs[p]))
            continue;
        const RoutedProgram routed = routedProgram(in.graph, in.graph.programs[p]);
        const auto added =
            making.routed.emplace(p, Making::Routed{programShape(in.graph, routed.program), routed.share, making.builders.size()});
        making.builders.emplace_back(in, kind, added.first->second.shape, in.apart[p]);
    }
    making.chunks.resize(making.builders.size());
    making.means.resize(making.builders.size());
    making.variances.resize(making.builders.size());
    making.routedRare.resize(making.builders.size());
}

/// A builder's chunk and its compute by sample.
void fillMoments(Making& making, std::size_t b, std::stop_token stop)
{
    making.chunks[b] = making.builders[b].chunkAtOne();
    for (std::size_t i = 0; i < making.spatial.weight.size() && !making.groupwise; ++i) {
        if ((i & 63U) == 0 && stop.stop_requested())
            return;
        const Moments m = making.builders[b].compute(i);
        making.means[b].push_back(m.mean);
        making.variances[b].push_back(m.variance);
    }
}

/// Scores of the cells' samples, all programs together, and the cells that rare events are sampled in.
void placeSamples(Making& making)
{
    if (making.groupwise) {
        making.lucky = {weightedGroups(making.lucks), making.lucks.cells, {}};
        return;
    }
    making.scores = sampleScores(making.spatial, chunkTimes(programWeights(making.in.graph), making.means));
    making.lucky.spatial = making.spatial;
    const ScoreScale scale = scoreScale(making.in.graph);
    for (std::size_t i = 0; i < making.scores.size(); ++i)
        making.lucky.node.push_back(making.spatial.ordered ? static_cast<int>(i)
                                                           : static_cast<int>(scale.nodeBelow(scale.place(making.scores[i]))));
}

/// What is no table over the score: routing, rare events, collectives, the shape.
void fillProgram(const Making& making, std::size_t p, ChunkModel& model)
{
    const ModelInputs& in = making.in;
    const ChunkBuilder& builder = making.builders[p];
    const GridDist& chunk = making.chunks[p];
    model.rare = builder.rareEvents(making.lucky, making.ranges, making.groupwise ? groupFactors(in.graph) : GroupFactors{});
    model.routed = routedCompute(in.graph.programs[p], in.graph);
    for (RareEvent& event : model.rare) // those of lockstep members are sampled with the members' factors
        event.routedShare =
            routesByMember(in.graph) ? 0.0F : static_cast<float>(model.routed.shareOfClass[static_cast<std::size_t>(event.kernelClass)]);
    const std::vector<double>& variances = making.variances[p];
    const bool collectivesVary = addCollectives(model, builder, in.regimes);
    const bool computeVaries = std::any_of(variances.begin(), variances.end(), [](double v) { return v > 0.0; });
    model.isRandom = (collectivesVary || computeVaries || making.groupwise) && chunk.mass.size() > 1;
    if (model.isRandom)
        model.shape = standardTable(chunk);
}

/// (of - from) * factor.
std::vector<double> differences(const std::vector<double>& of, const std::vector<double>& from, double factor)
{
    std::vector<double> out(of.size());
    for (std::size_t i = 0; i < of.size(); ++i)
        out[i] = (of[i] - from[i]) * factor;
    return out;
}

/// `typical`: the event in the routedProgram.
void takeTypical(RareEvent& event, RareEvent typical)
{
    event.extraTypical = std::move(typical.extra);
    for (std::size_t k = 0; k < event.atLuck.size(); ++k)
        event.atLuck[k].extraTypical = std::move(typical.atLuck[k].extra);
}

/// Compute by score, or by sample where the samples stand in order.
void fillScoreTables(Making& making, KindModels& models)
{
    const SpatialSamples& spatial = making.spatial;
    const ScoreScale scale = scoreScale(making.in.graph);
    const auto byScore = [&](const std::vector<double>& values) {
        if (spatial.weight.size() > 1 && !spatial.ordered)
            return scoreTable(scale, spatial, making.scores, values);
        std::vector<float> table(values.begin(), values.end());
        table.resize(kScoreNodes, table.back());
        return table;
    };
    for (std::size_t p = 0; p < models.program.size(); ++p) {
        ChunkModel& model = models.program[p];
        const std::vector<double>&means = making.means[p], &variances = making.variances[p];
        model.computeMean = byScore(means);
        model.computeVariance = byScore(variances);
        const auto known = making.routed.find(p);
        if (known == making.routed.end())
            continue;
        const Making::Routed& routed = known->second;
        const double unit = (typicalRouting(making.in.graph.routing) - 1.0) / model.routed.layers;
        model.routedSeconds = byScore(differences(making.means[routed.builder], means, routed.share / unit));
        model.routedVariance = byScore(differences(making.variances[routed.builder], variances, routed.share * routed.share));
        for (std::size_t k = 0; k < model.rare.size(); ++k)
            takeTypical(model.rare[k], std::move(making.routedRare[routed.builder][k]));
    }
}

} // namespace

double LinearTable::at(double x) const
{
    if (value.size() < 2)
        return value.empty() ? 0.0 : value[0];
    const double t = std::clamp((x - low) * perUnit, 0.0, static_cast<double>(value.size() - 1));
    const auto i = std::min(static_cast<std::size_t>(t), value.size() - 2);
    return value[i] + (t - static_cast<double>(i)) * (value[i + 1] - value[i]);
}

std::shared_ptr<const KindModels> kindModels(const ModelInputs& in, const CellKind& kind, Recall& recall, std::stop_token stop)
{
    Making making = makingOf(in, kind);
    const ContentHash key = keyOf(making, kind);
    if (auto known = recall.find<KindModels>(key))
        return known;
    const std::size_t programs = in.graph.programs.size();
    addBuilders(making, kind);
    const StepGraph& lucky = making.groupwise ? making.lucks.graph : in.graph;
    if (!findSegments(lucky, in.classes, making.spatial, making.builders, recall, stop))
        return nullptr;
    KindModels out;
    out.hash = key;
    out.program.resize(programs);
    tbb::parallel_for(std::size_t{0}, making.builders.size(), [&](std::size_t b) { fillMoments(making, b, stop); });
    if (stop.stop_requested())
        return nullptr;
    placeSamples(making);
    tbb::parallel_for(std::size_t{0}, making.builders.size(), [&](std::size_t b) {
        if (b < programs)
            fillProgram(making, b, out.program[b]);
        else
            making.routedRare[b] = making.builders[b].rareEvents(making.lucky, making.ranges);
    });
    if (stop.stop_requested())
        return nullptr;
    if (making.groupwise)
        takeGroupTables(out, groupTables(in, making.lucks, making.builders, programWeights(in.graph), stop));
    else
        fillScoreTables(making, out);
    if (stop.stop_requested())
        return nullptr;
    const std::size_t bytes = bytesOf(out);
    return recall.keep<KindModels>("cell models", key, std::move(out), bytes);
}

} // namespace prism
