// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/sweep/tableerror.h"

#include "core/sim/sweep/stepsweeper.h"

#include <cmath>

namespace prism {

namespace {

/// Share by which a pass is lengthened to find the effect on the step: far above the rounding of single precision.
constexpr double kProbe = 0.01;

/// A unit of each pattern.
std::vector<int> oneOfEach(const JobUnits& job)
{
    std::vector<int> out(job.patterns.size(), -1);
    for (int u = job.units - 1; u >= 0; --u)
        out[index(job.patternOf[index(u)])] = u;
    return out;
}

} // namespace

double tableError(const SweepModel& model, std::uint64_t seed, std::stop_token stop)
{
    const std::size_t passes = model.passes.size(), stages = index(model.plan->numStages);
    RegimeTable probed(model, std::vector<RegimeFactors>(passes + 1)); // step i: with a longer pass i
    for (std::size_t p = 0; p < passes; ++p)
        probed.lengthen(p, p, kProbe * model.passes[p]->computeSeconds);
    const std::vector<int> units = oneOfEach(model.job);
    const StepFinish finish(model);
    BlockSweep sweep(model, probed);
    std::vector<StageMaxima> maxima(passes + 1, StageMaxima(stages));
    for (std::size_t pattern = 0; pattern < units.size(); ++pattern)
        for (std::size_t first = 0; first <= passes && !stop.stop_requested(); first += kLanes) {
            std::vector<SweptLane> lanes;
            for (std::size_t i = first; i <= passes && i < first + kLanes; ++i) {
                lanes.push_back(SweptSeries{seed, Run::within, {0}}.lane(0, units[pattern]));
                lanes.back().regimes = i;
            }
            sweep.run(static_cast<int>(pattern), lanes, Noise::speedsOnly);
            for (std::size_t i = 0; i < lanes.size(); ++i)
                for (std::size_t s = 0; s < stages; ++s)
                    maxima[first + i].add(s, sweep.ends().row(s)[i], sweep.optimizer().row(s)[i]);
        }
    const double unchanged = finish.meanSeconds(maxima[passes]);
    double square = 0.0;
    for (std::size_t p = 0; p < passes; ++p)
        if (const double probe = kProbe * model.passes[p]->computeSeconds; probe > 0.0)
            square += std::pow((finish.meanSeconds(maxima[p]) - unchanged) / probe * model.passes[p]->stdErr, 2.0);
    return std::sqrt(square);
}

} // namespace prism
