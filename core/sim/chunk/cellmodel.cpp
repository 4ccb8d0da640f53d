// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/chunk/cellmodel.h"

#include "core/sim/chunk/chunkbuilder.h"
#include "core/sim/chunk/groupcell.h"

#include <boost/math/special_functions/erf.hpp>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace prism {

namespace {

constexpr int kRegimeNodes = 33;
/// Rare events up to this expected number per chunk execution are drawn one by one; more frequent ones are part of the shape.
constexpr double kRareUpTo = 0.05;

double normalQuantile(double u)
{
    return -std::numbers::sqrt2 * boost::math::erfc_inv(2.0 * u);
}

/// Conditional averages of per-sample values at the score nodes, by a triangular kernel over the samples' own scores,
/// rescaled so that the table's mean over a normal score is the samples' mean.
std::vector<float> scoreTable(const std::vector<double>& score, const std::vector<double>& weight, const std::vector<double>& value)
{
    const double spacing = 2.0 * kScoreLimit / (kScoreNodes - 1);
    std::vector<double> sum(kScoreNodes, 0.0), mass(kScoreNodes, 0.0), table(kScoreNodes, 0.0);
    double mean = 0.0;
    for (std::size_t i = 0; i < score.size(); ++i) {
        mean += weight[i] * value[i];
        const double t = std::clamp((score[i] + kScoreLimit) / spacing, 0.0, kScoreNodes - 1.0);
        const auto j = std::min<std::size_t>(static_cast<std::size_t>(t), kScoreNodes - 2);
        const double part = t - static_cast<double>(j);
        sum[j] += weight[i] * (1.0 - part) * value[i];
        mass[j] += weight[i] * (1.0 - part);
        sum[j + 1] += weight[i] * part * value[i];
        mass[j + 1] += weight[i] * part;
    }
    // Nodes without samples take the line between their neighbours, and the nearest value beyond the ends.
    int last = -1;
    for (int j = 0; j < kScoreNodes; ++j) {
        const auto k = static_cast<std::size_t>(j);
        if (mass[k] <= 0.0)
            continue;
        table[k] = sum[k] / mass[k];
        for (int q = last + 1; q < j; ++q) {
            const double part = last < 0 ? 1.0 : static_cast<double>(q - last) / (j - last);
            table[static_cast<std::size_t>(q)] =
                (last < 0 ? table[k] : table[static_cast<std::size_t>(last)]) * (1.0 - part) + table[k] * part;
        }
        last = j;
    }
    for (int q = last + 1; q < kScoreNodes; ++q)
        table[static_cast<std::size_t>(q)] = table[static_cast<std::size_t>(last)];
    double tableMean = 0.0, total = 0.0;
    for (int i = 0; i < 8 * (kScoreNodes - 1); ++i) {
        const double z = -kScoreLimit + (i + 0.5) * spacing / 8.0, part = (i % 8 + 0.5) / 8.0;
        const double w = std::exp(-0.5 * z * z);
        tableMean += w * (table[static_cast<std::size_t>(i / 8)] * (1.0 - part) + table[static_cast<std::size_t>(i / 8 + 1)] * part);
        total += w;
    }
    tableMean /= total;
    std::vector<float> out;
    for (const double v : table)
        out.push_back(static_cast<float>(tableMean > 0.0 ? v * mean / tableMean : v));
    return out;
}

/// What routing factors have to do with a program.
void addRouting(ChunkModel& model, const Program& program, const StepGraph& graph)
{
    double compute = 0.0, routed = 0.0;
    for (const Block& b : program.blocks) {
        for (const Op& op : b.ops) {
            const bool kernel = graph.classes[static_cast<std::size_t>(op.kernelClass)].scope == Scope::none;
            compute += kernel ? b.repeat * op.meanSeconds : 0.0;
            routed += kernel && op.routed ? b.repeat * op.meanSeconds : 0.0;
        }
        model.routedLayers += std::any_of(b.ops.begin(), b.ops.end(), [](const Op& op) { return op.routed; }) ? b.repeat : 0;
    }
    model.routedShare = compute > 0.0 ? routed / compute : 0.0;
}

/// How often a micro-batch runs each program, summed over the stages: cells are ordered by the weighted sum.
std::vector<double> programWeights(const StepGraph& graph)
{
    std::vector<double> weights(graph.programs.size(), 0.0);
    for (const auto& stage : graph.programOf)
        for (const auto& chunk : stage)
            for (const int p : chunk)
                if (p >= 0)
                    weights[static_cast<std::size_t>(p)] += 1.0;
    return weights;
}

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

/// Normal scores of the spatial samples by the weighted time of all chunks.
std::vector<double> sampleScores(const SpatialSamples& spatial, const std::vector<double>& weights,
                                 const std::vector<std::vector<double>>& means)
{
    const std::size_t count = spatial.weight.size();
    std::vector<double> key(count, 0.0), score(count, 0.0);
    for (std::size_t p = 0; p < means.size(); ++p)
        for (std::size_t i = 0; i < count; ++i)
            key[i] += weights[p] * means[p][i];
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key[a] < key[b]; });
    double below = 0.0;
    for (const std::size_t i : order) {
        score[i] = normalQuantile(std::clamp(below + 0.5 * spatial.weight[i], 1e-12, 1.0 - 1e-12));
        below += spatial.weight[i];
    }
    return score;
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

void takeGroupTables(KindModels& models, std::vector<GroupTables> tables)
{
    for (std::size_t p = 0; p < tables.size(); ++p) {
        models.program[p].computeMean = std::move(tables[p].mean);
        models.program[p].computeVariance = std::move(tables[p].variance);
        models.program[p].dataSeconds = std::move(tables[p].data);
    }
}

std::size_t bytesOf(const KindModels& models)
{
    std::size_t bytes = sizeof models;
    for (const ChunkModel& m : models.program)
        bytes += sizeof m + 4 * (m.computeMean.size() + m.computeVariance.size() + m.rare.extra.size() + m.shape.steps.size())
                 + 4 * 8 * kRegimeNodes;
    return bytes;
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
    const bool groupwise = isGroupwise(in.graph);
    const GroupLucks lucks = groupwise ? groupLucks(in, kind) : GroupLucks{};
    const SpatialSamples spatial = groupwise ? lucks.samples : spatialSamples(in.graph, kind, in.measured);
    const ContentHash key = Hasher()
                                .add("cell models")
                                .add(in.content)
                                .add(spatial.hash)
                                .add(kind.linkFactor)
                                .add(in.graph.groupsPerCell)
                                .add(static_cast<int>(in.graph.dataScope))
                                .add(groupwise ? contentOf(in.graph.data) : ContentHash{})
                                .result();
    if (auto known = recall.find<KindModels>(key))
        return known;
    const std::size_t programs = in.graph.programs.size(), count = spatial.weight.size();
    std::vector<ProgramShape> shapes;
    std::vector<ChunkBuilder> builders;
    shapes.reserve(programs);
    std::vector<double> rates;
    for (const Program& program : in.graph.programs) {
        shapes.push_back(programShape(in.graph, program));
        rates.push_back(ChunkBuilder::rareRate(in, shapes.back()));
        builders.emplace_back(in, kind, shapes.back(), -std::expm1(-rates.back()) > kRareUpTo);
    }
    if (!findSegments(groupwise ? lucks.graph : in.graph, in.classes, spatial, builders, recall, stop))
        return nullptr;
    KindModels out;
    out.hash = key;
    out.program.resize(programs);
    std::vector<std::vector<double>> means(programs), variances(programs);
    tbb::parallel_for(std::size_t{0}, programs, [&](std::size_t p) {
        ChunkModel& model = out.program[p];
        ChunkBuilder& builder = builders[p];
        addRouting(model, in.graph.programs[p], in.graph);
        if (rates[p] > 0.0 && -std::expm1(-rates[p]) <= kRareUpTo)
            model.rare = builder.rareEvent();
        const GridDist chunk = builder.chunkAtOne();
        for (std::size_t i = 0; i < count && !groupwise; ++i) {
            if ((i & 63U) == 0 && stop.stop_requested())
                return;
            const Moments m = builder.compute(i);
            means[p].push_back(m.mean);
            variances[p].push_back(m.variance);
        }
        const bool collectivesVary = addCollectives(model, builder, in.regimes);
        const bool computeVaries = std::any_of(variances[p].begin(), variances[p].end(), [](double v) { return v > 0.0; });
        model.isRandom = (collectivesVary || computeVaries || groupwise) && chunk.mass.size() > 1;
        if (model.isRandom)
            model.shape = standardTable(chunk);
    });
    if (stop.stop_requested())
        return nullptr;
    if (groupwise)
        takeGroupTables(out, groupTables(in, lucks, builders, programWeights(in.graph), stop));
    const std::vector<double> score = groupwise ? std::vector<double>{} : sampleScores(spatial, programWeights(in.graph), means);
    for (std::size_t p = 0; p < programs && !groupwise; ++p) {
        ChunkModel& model = out.program[p];
        if (count > 1 && !spatial.ordered) {
            model.computeMean = scoreTable(score, spatial.weight, means[p]);
            model.computeVariance = scoreTable(score, spatial.weight, variances[p]);
            continue;
        }
        model.computeMean.assign(means[p].begin(), means[p].end());
        model.computeVariance.assign(variances[p].begin(), variances[p].end());
        model.computeMean.resize(kScoreNodes, model.computeMean.back());
        model.computeVariance.resize(kScoreNodes, model.computeVariance.back());
    }
    if (stop.stop_requested())
        return nullptr;
    const std::size_t bytes = bytesOf(out);
    return recall.keep<KindModels>("cell models", key, std::move(out), bytes);
}

} // namespace prism
