// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/chunk/luckranges.h"

#include <algorithm>
#include <cmath>

namespace prism {

namespace {

double weightOf(const SpatialSamples& samples, std::size_t first, std::size_t last)
{
    double sum = 0.0;
    for (std::size_t i = first; i < last; ++i)
        sum += samples.weight[i];
    return sum;
}

void scale(SpatialSamples& samples, std::size_t first, std::size_t last, double factor)
{
    for (std::size_t i = first; i < last; ++i)
        samples.weight[i] *= factor;
}

/// Of the weights of `all` what is left.
double shareLeft(const SpatialSamples& left, const SpatialSamples& all)
{
    return weightOf(left, 0, left.weight.size()) / weightOf(all, 0, all.weight.size());
}

/// Measured groups: the cells on the nodes, and each group as often as it is in them.
void keepNodes(LuckyCells& out, std::size_t first, std::size_t last)
{
    const std::size_t all = out.cells.size();
    out.cells.erase(out.cells.begin() + static_cast<std::ptrdiff_t>(std::min(last, out.cells.size())), out.cells.end());
    out.cells.erase(out.cells.begin(), out.cells.begin() + static_cast<std::ptrdiff_t>(first));
    out.share = static_cast<double>(out.cells.size()) / static_cast<double>(all);
    std::fill(out.spatial.weight.begin(), out.spatial.weight.end(), 0.0);
    for (const std::vector<GroupKind>& cell : out.cells)
        for (const GroupKind& kind : cell)
            out.spatial.weight[kind.first] += kind.count;
}

/// Groups drawn afresh: none of those that meet has a rare event, or one has.
void keepGroups(LuckyCells& out, bool hit)
{
    double groups = 0.0, clean = 0.0, rare = 0.0;
    for (const GroupKind& kind : out.cells[0]) {
        groups += kind.count;
        clean += weightOf(out.spatial, kind.first, kind.firstHit);
        rare += weightOf(out.spatial, kind.firstHit, kind.last);
    }
    const double probability = rare / (clean + rare), share = hit ? 1.0 / groups + (1.0 - 1.0 / groups) * probability : 0.0;
    for (const GroupKind& kind : out.cells[0]) {
        scale(out.spatial, kind.first, kind.firstHit, (1.0 - share) / (1.0 - probability));
        scale(out.spatial, kind.firstHit, kind.last, share / probability);
    }
    const double none = std::exp(groups * std::log1p(-probability));
    out.share = hit ? 1.0 - none : none;
    if (hit)
        out.othersHit = probability;
}

} // namespace

std::vector<int> luckRanges(const StepGraph& graph, const MeasuredCells& measured, bool groupwise)
{
    std::vector<int> first = {0};
    if (!measured.factor.empty()) {
        const std::size_t cells = measured.factor.size() / static_cast<std::size_t>(graph.cellRanks()),
                          ranges = std::min(cells, kLuckRanges);
        for (std::size_t k = 1; k < ranges; ++k)
            first.push_back(static_cast<int>(k * cells / ranges));
        return first;
    }
    if (!variesSpatially(graph))
        return first;
    const ScoreScale scores = scoreScale(graph);
    const bool rises = graph.spatial.family != Family::deterministic && graph.spatial.cv > 0.0 && graph.cellRanks() > 1 && !groupwise;
    for (const double score : {-1.0, 0.0, 1.0, 2.0})
        if (const int node = static_cast<int>(std::lround(scores.place(score))); rises && score < scores.jump && node < scores.firstHit - 1)
            first.push_back(node);
    if (scores.firstHit < kScoreNodes)
        first.push_back(scores.firstHit);
    return first;
}

LuckyCells cellsOfRange(const LuckyCells& all, int first, int last)
{
    LuckyCells out = all;
    std::vector<double>& weight = out.spatial.weight;
    if (out.cells.empty()) {
        for (std::size_t i = 0; i < weight.size(); ++i)
            weight[i] *= out.node[i] >= first && out.node[i] < last ? 1.0 : 0.0;
        out.share = shareLeft(out.spatial, all.spatial);
    } else if (out.spatial.ordered) {
        keepNodes(out, static_cast<std::size_t>(first), static_cast<std::size_t>(last));
    } else {
        keepGroups(out, first > 0);
    }
    return weightOf(out.spatial, 0, weight.size()) > 0.0 ? out : all;
}

} // namespace prism
