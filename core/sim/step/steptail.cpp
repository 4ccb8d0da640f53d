// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/step/steptail.h"

#include <algorithm>

namespace prism {

namespace {

constexpr std::uint64_t kGradSyncDraws = 0x41, kParamGatherDraws = 0x42, kGradNormDraws = 0x43;

} // namespace

void StepTail::draw(const Prepared& prepared, const RoundKeys& keys, std::uint64_t block, const Rows& regime, bool noise)
{
    const StepGraph& graph = prepared.graph();
    for (std::size_t s = 0; s < graph.gradSync.size(); ++s) {
        communicationRow(prepared, graph.gradSync[s], drawKey(kGradSyncDraws, s, 0), keys, block, regime, prepared.stageLinkFactor[s],
                         noise, gradSync.row(s));
        communicationRow(prepared, graph.paramGather[s], drawKey(kParamGatherDraws, s, 0), keys, block, regime, prepared.stageLinkFactor[s],
                         noise, paramGather.row(s));
    }
    communicationRow(prepared, graph.gradNorm, drawKey(kGradNormDraws, 0, 0), keys, block, regime, prepared.linkFactor, noise,
                     gradNorm.row(0));
}

void StepTail::end(const Prepared& prepared, const float* ends, const float* optimizer, float* seconds) const
{
    const auto stages = static_cast<std::size_t>(prepared.plan->numStages);
    const bool together = prepared.graph().gradNorm.kernelClass >= 0;
    float ready[kLanes] = {};
    for (std::size_t s = 0; together && s < stages; ++s)
        for (std::size_t l = 0; l < lanes; ++l)
            ready[l] = std::max(ready[l], ends[s * kLanes + l] + gradSync.row(s)[l]);
    std::fill_n(seconds, lanes, 0.0F);
    for (std::size_t s = 0; s < stages; ++s)
        for (std::size_t l = 0; l < lanes; ++l) {
            const float start = together ? ready[l] + gradNorm.row(0)[l] : ends[s * kLanes + l] + gradSync.row(s)[l];
            seconds[l] = std::max(seconds[l], start + optimizer[s * kLanes + l] + paramGather.row(s)[l]);
        }
}

} // namespace prism
