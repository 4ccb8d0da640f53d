// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/passes/passlengths.h"

#include "core/base/index.h"
#include "core/sim/lanes/lanes.h"

namespace prism {

PassLengths::PassLengths(const JobUnits& job) : m_job(job), m_group(index(job.groups)), m_member(2 * index(job.members)) {}

void PassLengths::slowestOfGroups(const PassShape& shape, const UnitKind& kind, const Rows& speeds, float* out) const
{
    const std::size_t ranks = index(m_job.groupRanks), groups = index(m_job.members * m_job.groups);
    for (std::size_t g = 0; g < groups; ++g)
        slowestOfRanks(speeds.row(g * ranks), kind.speed.empty() ? nullptr : kind.speed.data() + g * ranks, ranks,
                       static_cast<float>(shape.sensitivity), shape.rankBeta, out + g * kLanes);
}

void PassLengths::length(const PassShape& shape, const float* groups, const PassFactors& f, float* out)
{
    const std::size_t members = index(m_job.members), perMember = index(m_job.groups), owners = index(m_job.dataOwners);
    for (std::size_t k = 0; k < members; ++k) {
        for (std::size_t g = 0; g < perMember; ++g)
            scaleRow(groups + (k * perMember + g) * kLanes, f.data + (k * f.dataStride + (owners > 1 ? g : 0)) * kLanes, 0.0F,
                     m_group.row(g));
        softMaximum(m_group.row(0), perMember, shape.groupBeta, m_member.row(k));
        if (f.memberExtra != nullptr)
            for (std::size_t l = 0; l < kLanes; ++l)
                m_member.row(k)[l] += f.memberExtra[k] * (f.extraScale != nullptr ? f.extraScale[l] : 1.0F);
    }
    const std::size_t layers = shape.layerSeconds.size();
    const double all = shape.seconds();
    if (f.routing == nullptr || shape.routedSeconds() == 0.0) {
        softMaximum(m_member.row(0), members, shape.memberBeta, out);
        return;
    }
    std::vector<float> weights;
    for (const double seconds : shape.layerSeconds)
        weights.push_back(static_cast<float>(seconds / all));
    if (members == 1) {
        weightedSum(f.routing, kLanes, weights.data(), layers, static_cast<float>(shape.fixedSeconds / all), m_member.row(0), out);
        return;
    }
    // The members wait for each other at a barrier in every layer.
    const auto base = static_cast<float>(shape.fixedSeconds / all / static_cast<double>(layers));
    Rows sum(1), latest(1), ones(1);
    ones.fill(1.0F);
    for (std::size_t y = 0; y < layers; ++y) {
        for (std::size_t k = 0; k < members; ++k)
            weightedSum(f.routing + (k * f.routingStride + y) * kLanes, kLanes, &weights[y], 1, base, m_member.row(k),
                        m_member.row(members + k));
        // Of one layer in units of the whole pass, so that beta means the same.
        for (std::size_t k = 0; k < members; ++k)
            for (std::size_t l = 0; l < kLanes; ++l)
                m_member.row(members + k)[l] *= static_cast<float>(layers);
        softMaximum(m_member.row(members), members, shape.memberBeta, latest.row(0));
        for (std::size_t l = 0; l < kLanes; ++l)
            sum.row(0)[l] += latest.row(0)[l] / static_cast<float>(layers);
    }
    scaleRow(sum.row(0), ones.row(0), 0.0F, out);
}

} // namespace prism
