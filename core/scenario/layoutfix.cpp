// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/layoutfix.h"

#include "core/scenario/parameters.h"

#include <algorithm>
#include <cmath>

namespace prism {

namespace {

/// Costs of changing something, in doublings of a size: what a user would notice least comes first.
constexpr double kSplitCost = 0.2, kVirtualCost = 0.5, kExpertCost = 0.7, kContextCost = 1.2, kStageCost = 1, kTensorCost = 1.1;

/// One layout of the search.
struct Candidate {
    int tp = 1, pp = 1, vpp = 1, cp = 1, ep = 1;
    bool even = false; ///< the uneven split is given up
    double cost = 0;
};

/// Divisors of `whole` and the present size, at most `most`.
std::vector<int> sizesFor(std::int64_t whole, int now, int largest)
{
    std::vector<int> sizes{now};
    for (int d = 1; d <= largest && d <= whole; ++d)
        if (whole % d == 0 && d != now)
            sizes.push_back(d);
    return sizes;
}

double doublings(int from, int to)
{
    return std::abs(std::log2(static_cast<double>(to) / from));
}

bool hasUnevenSplit(const ParallelismConfig& p)
{
    return p.accountForEmbeddingInPipelineSplit || p.accountForLossInPipelineSplit || p.numLayersInFirstPipelineStage > 0
           || p.numLayersInLastPipelineStage > 0 || !p.pipelineModelParallelLayout.empty();
}

std::vector<Candidate> candidatesOf(const Scenario& s)
{
    constexpr int kMaxStages = 128, kMaxTensor = 64;
    const ParallelismConfig& p = s.parallelism;
    const std::int64_t heads = std::max<std::int64_t>(s.model.numAttentionHeads, 1), gpus = s.cluster.numGpus;
    std::vector<Candidate> all;
    for (const int tp : sizesFor(heads, p.tensorModelParallelSize, kMaxTensor))
        for (const int cp : sizesFor(p.contextParallelSize, p.contextParallelSize, p.contextParallelSize))
            for (const int pp : sizesFor(s.model.numLayers, p.pipelineModelParallelSize, kMaxStages)) {
                if (gpus % (std::int64_t{tp} * cp * pp) != 0)
                    continue;
                for (const int vpp : sizesFor(s.model.numLayers / std::max(pp, 1), p.virtualPipelineModelParallelSize, kMaxStages))
                    for (const int ep : sizesFor(std::max<std::int64_t>(s.model.numExperts, 1), p.expertModelParallelSize, kMaxStages))
                        for (const bool even : {false, true}) {
                            if ((even && !hasUnevenSplit(p)) || (pp == 1 && vpp > 1))
                                continue;
                            all.push_back({tp, pp, vpp, cp, ep, even,
                                           kTensorCost * doublings(p.tensorModelParallelSize, tp)
                                               + kStageCost * doublings(p.pipelineModelParallelSize, pp)
                                               + kVirtualCost * doublings(p.virtualPipelineModelParallelSize, vpp)
                                               + kContextCost * doublings(p.contextParallelSize, cp)
                                               + kExpertCost * doublings(p.expertModelParallelSize, ep) + (even ? kSplitCost : 0)});
                        }
            }
    std::stable_sort(all.begin(), all.end(), [](const Candidate& a, const Candidate& b) { return a.cost < b.cost; });
    return all;
}

/// The multiple of `step` nearest to `value`, at least one.
std::int64_t nearestMultipleOf(std::int64_t value, std::int64_t step)
{
    return std::max<std::int64_t>(1, (value + step / 2) / step) * step;
}

Scenario layoutOf(const Scenario& scenario, const Candidate& c)
{
    Scenario s = scenario;
    ParallelismConfig& p = s.parallelism;
    p.tensorModelParallelSize = c.tp;
    p.pipelineModelParallelSize = c.pp;
    p.virtualPipelineModelParallelSize = c.vpp;
    p.contextParallelSize = c.cp;
    p.expertModelParallelSize = c.ep;
    if (c.even) {
        p.accountForEmbeddingInPipelineSplit = p.accountForLossInPipelineSplit = false;
        p.numLayersInFirstPipelineStage = p.numLayersInLastPipelineStage = 0;
        p.pipelineModelParallelLayout.clear();
    }
    if (p.pipelineSchedule == "interleaved" && c.vpp == 1)
        p.pipelineSchedule = "1f1b";
    if (p.pipelineSchedule == "1f1b" && c.vpp > 1)
        p.pipelineSchedule = "interleaved";
    if (const std::int64_t dp = s.dataParallelSize(); dp > 0) {
        const std::int64_t pass = s.training.microBatchSize * dp * (c.vpp > 1 ? c.pp : 1);
        if (pass > 0 && s.training.globalBatchSize % pass != 0)
            s.training.globalBatchSize = nearestMultipleOf(s.training.globalBatchSize, pass);
    }
    return s;
}

LayoutFix fixOf(const Scenario& before, Scenario after)
{
    LayoutFix fix{std::move(after), {}};
    for (const Parameter* p : differences(before, fix.scenario))
        fix.changes.push_back({p->id, parameterText(*p, before), parameterText(*p, fix.scenario)});
    return fix;
}

} // namespace

std::optional<LayoutFix> layoutFix(const Scenario& scenario, const LayoutAccept& accept, int maxTried)
{
    if (!hasErrors(check(scenario)) && (!accept || accept(scenario)))
        return LayoutFix{scenario, {}};
    int tried = 0;
    for (const Candidate& candidate : candidatesOf(scenario)) {
        const Scenario next = layoutOf(scenario, candidate);
        if (hasErrors(check(next)))
            continue;
        if (!accept || accept(next))
            return fixOf(scenario, next);
        if (++tried >= maxTried)
            break;
    }
    return std::nullopt;
}

} // namespace prism
