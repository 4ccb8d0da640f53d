// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/chunk/grouplucks.h"

#include "core/sim/chunk/sidebyside.h"
#include "core/stats/normal.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace prism {

namespace {

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

/// Values at the nodes of a part, lines between which follow a function of the score in the mean around each node: at the end of a part,
/// where it is steep, the node's own value stands for few. Mean 0 and variance 1 over the part's scores.
template <class Function>
std::vector<double> standardisedTable(const ScoreScale& scale, const GroupPart& part, const Function& valueAt)
{
    constexpr int kPerNode = 8;
    const auto nodes = static_cast<std::size_t>(part.lastNode - part.firstNode);
    std::vector<double> sum(nodes, 0.0), mass(nodes, 0.0);
    const auto overScores = [&](const auto& use) { // node below, part of the way to the next, score, weight
        for (std::size_t i = 0; i < kPerNode * (nodes - 1); ++i) {
            const double at = (static_cast<double>(i) + 0.5) / kPerNode, z = scale.scoreOf(part.firstNode + at);
            use(i / kPerNode, at - std::floor(at), z, std::exp(-0.5 * z * z));
        }
    };
    overScores([&](std::size_t j, double along, double z, double weight) {
        const double value = valueAt(z);
        sum[j] += weight * (1.0 - along) * value;
        mass[j] += weight * (1.0 - along);
        sum[j + 1] += weight * along * value;
        mass[j + 1] += weight * along;
    });
    for (std::size_t j = 0; j < nodes; ++j)
        sum[j] /= mass[j];
    double total = 0.0, mean = 0.0, square = 0.0;
    overScores([&](std::size_t j, double along, double, double weight) {
        const double value = std::lerp(sum[j], sum[j + 1], along);
        total += weight;
        mean += weight * value;
        square += weight * value * value;
    });
    mean /= total;
    const double sigma = std::sqrt(std::max(0.0, square / total - mean * mean));
    for (double& x : sum)
        x = sigma > 0.0 ? (x - mean) / sigma : 0.0;
    return sum;
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
    const auto above = [](double z) { return normalCdf(-z); };
    const bool whole = part.lastNode - part.firstNode == kScoreNodes, hit = part.firstNode > 0;
    const double share = whole ? 1.0 : (hit ? above(scale.jump) : above(-scale.jump)), beyond = whole || hit ? 0.0 : above(scale.jump);
    const auto secondsAt = [&](double z) {
        const double upper = std::clamp((above(z) - beyond) / share, 0.0, 1.0),
                     lower = hit ? 1.0 - upper : std::min(1.0, above(-z) / share);
        const TailPair one = tailsOfOne({lower, upper}, static_cast<int>(groups));
        const double at = one.lower < 0.5 ? normalQuantile(std::max(one.lower, 1e-12)) : -normalQuantile(std::max(one.upper, 1e-12));
        const auto it = std::lower_bound(score.begin(), score.end(), at);
        const auto i =
            static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(it - score.begin(), 1, static_cast<std::ptrdiff_t>(score.size()) - 1));
        const double between = std::clamp((at - score[i - 1]) / std::max(1e-12, score[i] - score[i - 1]), 0.0, 1.0);
        return secondsOf(order[i - 1]) + between * (secondsOf(order[i]) - secondsOf(order[i - 1]));
    };
    return standardisedTable(scale, part, secondsAt);
}

} // namespace

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
    const double any = normalCdf(-scale.jump), one = -std::expm1(std::log1p(-any) / groups);
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

} // namespace prism
