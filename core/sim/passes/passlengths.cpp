// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/passes/passlengths.h"

#include "core/base/index.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace prism {

namespace {

/// Spread of the largest of many normal variables that a soft maximum stands for, measured on random graphs.
constexpr double kBetaTimesSpread = 1.35;
/// Share of a variance that a maximum over several leaves: between that of two (0.68) and of eight (0.37).
constexpr double kLeftByMaximum = 0.6;

/// In steps of a quarter octave, so that programs with nearly the same noise share their lengths; without noise kSharp.
float betaOf(double spread)
{
    return std::min(kSharp, static_cast<float>(std::exp2(std::round(2.0 * std::log2(kBetaTimesSpread / spread)) / 2.0)));
}

double bodyCv(const Distribution& d)
{
    return std::sqrt(d.baseVariance());
}

/// Variances since the last barrier and sums of spreads at barriers, at the levels rank, group, member.
struct Spreads {
    std::array<double, 3> variance{}, spread{};
    void close(std::size_t level) { spread[level] += std::sqrt(variance[level]); }
};

} // namespace

bool PassShape::sameLength(const PassShape& other) const
{
    return routedSeconds() == 0.0 && other.routedSeconds() == 0.0 && sensitivity == other.sensitivity && rankBeta == other.rankBeta
           && groupBeta == other.groupBeta && memberBeta == other.memberBeta;
}

PassShape passShape(const StepGraph& graph, const FlatProgram& program, int members)
{
    PassShape out;
    out.layerSeconds.assign(index(program.layers), 0.0);
    double sensitive = 0.0, all = 0.0;
    Spreads s;
    for (const Segment& segment : program.segments) {
        for (const FlatKernels& k : segment.kernels) {
            const KernelClass& kernel = graph.classes[index(k.kernelClass)];
            const double cv = bodyCv(kernel.temporal);
            for (std::size_t i = 0; i < k.meanSeconds.size(); ++i) {
                const double mean = k.meanSeconds[i];
                (k.layer[i] < 0 ? out.fixedSeconds : out.layerSeconds[index(k.layer[i])]) += mean;
                sensitive += kernel.spatialSensitivity * mean;
                all += mean;
                s.variance[0] += mean * mean * cv * cv;
            }
        }
        Barrier level = segment.barrier == Barrier::none ? Barrier::unit : segment.barrier;
        if (level == Barrier::group && graph.groupsPerCell == 1)
            level = Barrier::cell;
        if (level == Barrier::cell && members == 1)
            level = Barrier::unit;
        const double exposed = segment.collective < 0 ? 0.0 : std::max(0.0, segment.meanSeconds - segment.hiddenSeconds);
        const double noise = exposed > 0.0 ? segment.meanSeconds * bodyCv(graph.classes[index(segment.collective)].temporal) : 0.0;
        s.close(0);
        s.variance[1] += (graph.groupRanks > 1 ? kLeftByMaximum : 1.0) * s.variance[0] + (level == Barrier::group ? noise * noise : 0.0);
        s.variance[0] = 0.0;
        if (level == Barrier::group)
            continue;
        s.close(1);
        s.variance[2] += (graph.groupsPerCell > 1 ? kLeftByMaximum : 1.0) * s.variance[1] + (level == Barrier::cell ? noise * noise : 0.0);
        s.variance[1] = 0.0;
        if (level == Barrier::cell)
            continue;
        s.close(2);
        s.variance[2] = 0.0;
    }
    if (all > 0.0) {
        out.sensitivity = sensitive / all;
        out.rankBeta = betaOf(s.spread[0] / all);
        out.groupBeta = betaOf(s.spread[1] / all);
        out.memberBeta = betaOf(s.spread[2] / all);
    }
    return out;
}

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
        for (std::size_t g = 0; g < perMember; ++g) {
            const float *length = groups + (k * perMember + g) * kLanes, *data = f.data + (k * owners + (owners > 1 ? g : 0)) * kLanes;
            for (std::size_t l = 0; l < kLanes; ++l)
                m_group.row(g)[l] = length[l] * data[l];
        }
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
    std::fill_n(out, kLanes, 0.0F);
    for (std::size_t y = 0; y < layers; ++y) {
        for (std::size_t k = 0; k < members; ++k)
            weightedSum(f.routing + (k * layers + y) * kLanes, kLanes, &weights[y], 1, base, m_member.row(k), m_member.row(members + k));
        // Of one layer in units of the whole pass, so that beta means the same.
        for (std::size_t k = 0; k < members; ++k)
            for (std::size_t l = 0; l < kLanes; ++l)
                m_member.row(members + k)[l] *= static_cast<float>(layers);
        softMaximum(m_member.row(members), members, shape.memberBeta, m_member.row(members));
        for (std::size_t l = 0; l < kLanes; ++l)
            out[l] += m_member.row(members)[l] / static_cast<float>(layers);
    }
}

} // namespace prism
