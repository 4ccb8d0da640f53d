// SPDX-License-Identifier: GPL-3.0-or-later
// Draws of a walk that all durations of a step or a replica share: regimes, data, speeds.
#include "core/walk/walkmodel.h"

#include "core/sim/draw/draws.h"

namespace prism {

StepRegimes WalkModel::regimes(int sample) const
{
    const auto draw = [&](const FactorSampler& sampler, std::uint64_t scope) {
        const auto run = static_cast<std::uint64_t>(Run::across);
        return drawFactor(sampler, seed, purposeStream(Purpose::regime, run, scope), purposeStream(Purpose::regimeRare, run, scope),
                          static_cast<std::uint64_t>(sample));
    };
    return {draw(m_intra, 0), draw(m_inter, 1), draw(m_computeRegime, 2)};
}

double WalkModel::dataOf(int sample, int replica, int microbatch) const
{
    if (m_data.isDeterministic())
        return 1.0;
    return dataFactor(m_data, seed, Run::across, static_cast<std::uint64_t>(sample), static_cast<std::uint64_t>(replica),
                      static_cast<std::uint64_t>(microbatch));
}

void WalkModel::drawSpeeds(int sample, int replica, double* drawn, double* speed) const
{
    const std::size_t count = static_cast<std::size_t>(stages()) * ranks();
    const std::size_t first = static_cast<std::size_t>(replica) * count;
    for (std::size_t i = 0; i < count; ++i) {
        if (!graph->fixedSpatial.empty())
            drawn[i] = graph->fixedSpatial[first + i];
        else if (m_speedStream.empty())
            drawn[i] = 1.0;
        else if (graph->spatial.rareProbability > 0 || m_spatial.sharesNodes())
            drawn[i] = m_spatial(seed, static_cast<std::uint64_t>(sample), static_cast<std::uint64_t>(replica), i / ranks(), i % ranks());
        else
            drawn[i] = m_spatial.base(uniform(seed, m_speedStream[first + i], static_cast<std::uint64_t>(sample)));
        speed[i] = drawn[i];
    }
    for (const SlowSpot& spot : graph->slow) {
        if (spot.replica >= 0 && spot.replica != replica)
            continue;
        for (std::size_t i = 0; i < count; ++i)
            if ((spot.stage < 0 || static_cast<std::size_t>(spot.stage) == i / ranks())
                && (spot.rank < 0 || static_cast<std::size_t>(spot.rank) == i % ranks()))
                speed[i] *= spot.computeFactor;
    }
}

WalkedReplica WalkModel::drawnReplica(int sample, int index) const
{
    WalkedReplica replica;
    replica.index = index;
    const std::size_t count = static_cast<std::size_t>(stages()) * ranks();
    replica.drawn.resize(count);
    replica.speed.resize(count);
    drawSpeeds(sample, index, replica.drawn.data(), replica.speed.data());
    for (int s = 0; s < stages(); ++s)
        replica.link.push_back(linkOf(index, s));
    for (int b = 0; b < graph->schedule.numMicrobatches; ++b)
        replica.data.push_back(dataOf(sample, index, b));
    return replica;
}

} // namespace prism
