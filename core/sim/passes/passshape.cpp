// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/passes/passshape.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace prism {

namespace {

/// Spread of the largest of many normal variables that a soft maximum stands for, measured on random graphs.
constexpr double kBetaTimesSpread = 1.35;
/// Share of a variance that a maximum over several leaves: between that of two (0.68) and of eight (0.37).
constexpr double kLeftByMaximum = 0.6;

/// In steps of a quarter octave, so that programs with nearly the same noise share their lengths.
float betaOf(double spread)
{
    if (!(spread > 0.0))
        return kSharp;
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

double PassShape::routedSeconds() const
{
    return std::accumulate(layerSeconds.begin(), layerSeconds.end(), 0.0);
}

bool PassShape::sameLength(const PassShape& other) const
{
    return routedSeconds() == 0.0 && other.routedSeconds() == 0.0 && sensitivity == other.sensitivity && rankBeta == other.rankBeta
           && groupBeta == other.groupBeta && memberBeta == other.memberBeta;
}

PassShape passShape(const StepGraph& graph, const FlatProgram& program, int members)
{
    PassShape out;
    out.layerSeconds.assign(static_cast<std::size_t>(program.layers), 0.0);
    double sensitive = 0.0, all = 0.0;
    Spreads s;
    for (const Segment& segment : program.segments) {
        for (const FlatKernels& k : segment.kernels) {
            const KernelClass& kernel = graph.classes[static_cast<std::size_t>(k.kernelClass)];
            const double cv = bodyCv(kernel.temporal);
            for (std::size_t i = 0; i < k.meanSeconds.size(); ++i) {
                const double mean = k.meanSeconds[i];
                (k.layer[i] < 0 ? out.fixedSeconds : out.layerSeconds[static_cast<std::size_t>(k.layer[i])]) += mean;
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
        const double noise =
            exposed > 0.0 ? segment.meanSeconds * bodyCv(graph.classes[static_cast<std::size_t>(segment.collective)].temporal) : 0.0;
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

} // namespace prism
