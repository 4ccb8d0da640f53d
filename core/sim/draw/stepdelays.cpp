// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/draw/stepdelays.h"

#include "core/base/timeunits.h"
#include "core/stats/poisson.h"

#include <algorithm>

namespace prism {

namespace {

const FactorSampler& unitJitter()
{
    static const FactorSampler kSampler({Family::gamma, kJitterShapeCv}); // 2,400 inversions of the incomplete gamma function
    return kSampler;
}

} // namespace

StepDelayModel::StepDelayModel(const StepGraph& graph, std::uint64_t seed, Run run)
    : m_delays(graph.delays),
      m_seed(seed),
      m_run(run),
      m_gpus(static_cast<double>(graph.numReplicas) * graph.schedule.numStages * graph.cellRanks()),
      m_size({Family::lognormal, m_delays.stallCv}),
      m_rate({Family::gamma, m_delays.stallRateCv})
{
}

double StepDelayModel::jitter(std::uint64_t step, double seconds) const
{
    if (!(m_delays.jitterSeconds > 0.0))
        return 0.0;
    const double u = uniform(m_seed, purposeStream(Purpose::stepJitter, static_cast<std::uint64_t>(m_run)), step);
    return std::max(-0.5 * seconds, m_delays.jitterSeconds * (unitJitter().base(u) - 1.0) / kJitterShapeCv);
}

double StepDelayModel::stalls(std::uint64_t step, double seconds) const
{
    if (!(m_delays.stallsPerGpuHour > 0.0))
        return 0.0;
    const auto r = static_cast<std::uint64_t>(m_run);
    const double factor = m_rate.base(m_run == Run::across ? uniform(m_seed, purposeStream(Purpose::stallRate, r), step) : 0.5);
    const int count = poissonCount(factor * m_delays.stallsPerGpuHour * m_gpus * seconds / kSecondsPerHour,
                                   uniform(m_seed, purposeStream(Purpose::stallCount, r), step), kMaxStalls);
    double added = 0.0;
    for (int k = 0; k < count; ++k)
        added += m_delays.stallMeanSeconds
                 * m_size.base(uniform(m_seed, purposeStream(Purpose::stallSize, r, static_cast<std::uint64_t>(k)), step));
    return added;
}

void addStepDelays(const StepGraph& graph, std::uint64_t seed, Run run, std::vector<double>& seconds)
{
    const StepDelayModel delays(graph, seed, run);
    for (std::size_t i = 0; i < seconds.size(); ++i)
        seconds[i] += delays.jitter(i, seconds[i]) + delays.stalls(i, seconds[i]);
}

} // namespace prism
