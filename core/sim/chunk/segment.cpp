// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/chunk/segment.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>

namespace prism {

namespace {

ContentHash segmentKey(const StepGraph& graph, const ClassSet& classes, const SpatialSamples& spatial, const SegmentRequest& request)
{
    Hasher h;
    h.add("segment").add(spatial.hash).add(graph.groupRanks).add(graph.groupsPerCell);
    for (std::size_t i = 0; i < request.terms.size(); ++i) {
        const OpTerm& t = request.terms[i];
        h.add(t.kernelClass).add(classes.hash[static_cast<std::size_t>(t.kernelClass)]).add(t.meanSeconds).add(t.count);
        h.add(static_cast<bool>(request.withRare[i]));
    }
    return h.result();
}

RankSum rankSum(const StepGraph& graph, const ClassSet& classes, const SegmentRequest& request)
{
    RankSum out;
    std::vector<Summand> summands, bulk;
    bool anyRare = false;
    for (std::size_t i = 0; i < request.terms.size(); ++i) {
        const OpTerm& t = request.terms[i];
        const KernelClass& c = graph.classes[static_cast<std::size_t>(t.kernelClass)];
        const ClassModel& factor = *classes.factor[static_cast<std::size_t>(t.kernelClass)];
        const QuantilePoints& p = request.withRare[i] ? factor.all : factor.base;
        anyRare = anyRare || request.withRare[i];
        const double s = c.spatialSensitivity, m = t.meanSeconds;
        out.a += t.count * m * p.mean * (1.0 - s);
        out.b += t.count * m * p.mean * s;
        const double v = t.count * m * m * p.variance;
        out.v0 += v * (1.0 - s) * (1.0 - s);
        out.v1 += v * 2.0 * s * (1.0 - s);
        out.v2 += v * s * s;
        summands.push_back({&p, m, t.count});
        bulk.push_back({&factor.base, m, t.count});
    }
    out.atOne = sumDistribution(summands, 0.0);
    if (!anyRare) {
        out.shape = StandardCdf(out.atOne);
        return out;
    }
    out.bulkAtOne = sumDistribution(bulk, 0.0);
    out.shape = StandardCdf(out.atOne, out.bulkAtOne, graph.groupRanks);
    return out;
}

SegmentModel segmentModel(const StepGraph& graph, const ClassSet& classes, const SpatialSamples& spatial, const SegmentRequest& request,
                          std::stop_token stop)
{
    SegmentModel out;
    out.sum = rankSum(graph, classes, request);
    out.maximumAtOne = maximumOf(out.sum.atOne, graph.groupRanks);
    if (!out.sum.bulkAtOne.mass.empty())
        out.bulkMaximumAtOne = maximumOf(out.sum.bulkAtOne, graph.groupRanks);
    const auto ranks = static_cast<std::size_t>(graph.groupRanks), groups = static_cast<std::size_t>(graph.groupsPerCell);
    out.group.resize(spatial.weight.size() * groups);
    constexpr std::size_t kAtOnce = 32;
    tbb::parallel_for(std::size_t{0}, (out.group.size() + kAtOnce - 1) / kAtOnce, [&](std::size_t part) {
        std::vector<double> mean(ranks), sigma(ranks);
        for (std::size_t i = part * kAtOnce; i < std::min(out.group.size(), (part + 1) * kAtOnce) && !stop.stop_requested(); ++i) {
            for (std::size_t r = 0; r < ranks; ++r) {
                const double g = spatial.factor[i * ranks + r];
                mean[r] = out.sum.mean(g);
                sigma[r] = out.sum.sigma(g);
            }
            out.group[i] = maximumMoments(out.sum.shape, mean.data(), sigma.data(), graph.groupRanks);
        }
    });
    return out;
}

} // namespace

double RankSum::sigma(double g) const
{
    return std::sqrt(std::max(0.0, v0 + g * (v1 + g * v2)));
}

ClassSet classSet(const StepGraph& graph, Recall& recall)
{
    ClassSet out;
    for (std::size_t c = 0; c < graph.classes.size(); ++c) {
        const KernelClass& k = graph.classes[c];
        std::size_t same = 0;
        while (same < c && !(graph.classes[same].temporal == k.temporal))
            ++same;
        out.factor.push_back(same < c ? out.factor[same] : classModel(k.temporal, recall));
        out.hash.push_back(Hasher().add(static_cast<int>(k.scope)).add(k.spatialSensitivity).add(out.factor.back()->hash).result());
        out.rare.push_back(k.temporal.rareProbability > 0.0 && k.temporal.rareMultiplier != 1.0);
    }
    return out;
}

std::vector<SegmentModelPtr> segmentModels(const StepGraph& graph, const ClassSet& classes, const SpatialSamples& spatial,
                                           const std::vector<SegmentRequest>& requests, Recall& recall, std::stop_token stop)
{
    std::vector<SegmentModelPtr> out(requests.size());
    std::vector<ContentHash> keys;
    std::vector<std::size_t> missing;
    for (std::size_t i = 0; i < requests.size(); ++i) {
        keys.push_back(segmentKey(graph, classes, spatial, requests[i]));
        out[i] = recall.find<SegmentModel>(keys[i]);
        if (!out[i])
            missing.push_back(i);
    }
    std::vector<SegmentModel> made(missing.size());
    tbb::parallel_for(std::size_t{0}, missing.size(),
                      [&](std::size_t m) { made[m] = segmentModel(graph, classes, spatial, requests[missing[m]], stop); });
    if (stop.stop_requested())
        return {};
    for (std::size_t m = 0; m < missing.size(); ++m) {
        const std::size_t bytes = sizeof made[m] + sizeof(Moments) * made[m].group.size() + 8 * 8 * made[m].sum.atOne.mass.size();
        out[missing[m]] = recall.keep<SegmentModel>("segment", keys[missing[m]], std::move(made[m]), bytes);
    }
    return out;
}

} // namespace prism
