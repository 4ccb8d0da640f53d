// SPDX-License-Identifier: GPL-3.0-or-later
// The draws that both simulators share, so that both simulate the same jobs and the same congested steps.
#pragma once

#include "core/stats/random.h"
#include "core/stats/sampler.h"
#include "core/step/stepgraph.h"

#include <cstdint>
#include <vector>

namespace prism {

/// Purpose of a stream of uniforms; the first coordinate of every StreamId in sim. Values are part of the meaning of a seed.
enum class Purpose : std::uint64_t {
    spatial = 1,     ///< (replica, stage, rank); index = job
    spatialRare = 2, ///< same
    data = 3,        ///< (run, replica or group of a cell, micro-batch); index = step
    dataRare = 4,    ///< same
    regime = 5,      ///< (run, scope); index = step
    regimeRare = 6,  ///< same
    temporal = 7,    ///< free for each simulator
    temporalRare = 8,
    spatialNode = 9,  ///< (replica, stage, node of the cell); index = job
    stepJitter = 10,  ///< (run); index = step
    stallRate = 11,   ///< (run); index = job
    stallCount = 12,  ///< (run); index = step
    stallSize = 13,   ///< (run, number of the stall in its step); index = step
    routing = 14,     ///< (run, cell, place in the cell's work); index = step
    routingRare = 15, ///< same
};

/// The two series of a run: steps of fresh jobs, and steps of the jobs around the median one.
enum class Run : std::uint64_t { across = 0, within = 1 };

/// Candidates for the median job, ranked by their noise-free step: candidates 0 ... 100 are the first jobs of the run across.
inline constexpr int kMedianCandidates = 101;
/// The jobs around the median of the candidates; their steps are sampled in turn.
inline constexpr std::size_t kMiddleJobs = 9;

[[nodiscard]] inline StreamId purposeStream(Purpose purpose, std::uint64_t a = 0, std::uint64_t b = 0, std::uint64_t c = 0)
{
    return stream(static_cast<std::uint64_t>(purpose), a, b, c);
}

/// One draw of a factor from a base stream and, where the factor has a rare event, from a separate stream for it.
[[nodiscard]] inline double drawFactor(const FactorSampler& sampler, std::uint64_t seed, StreamId base, StreamId rare, std::uint64_t index)
{
    if (sampler.isDeterministic())
        return 1.0;
    return sampler.draw(uniform(seed, base, index), sampler.hasRareEvent() ? uniform(seed, rare, index) : 1.0);
}

/// G of one rank in one job (without slow spots).
[[nodiscard]] inline double spatialFactor(const FactorSampler& spatial, std::uint64_t seed, std::uint64_t job, std::uint64_t replica,
                                          std::uint64_t stage, std::uint64_t rank)
{
    return drawFactor(spatial, seed, purposeStream(Purpose::spatial, replica, stage, rank),
                      purposeStream(Purpose::spatialRare, replica, stage, rank), job);
}

/// D of one (replica, micro-batch) in one step, or of one group of the replica's cells: `owner` counts either.
[[nodiscard]] inline double dataFactor(const FactorSampler& data, std::uint64_t seed, Run run, std::uint64_t step, std::uint64_t owner,
                                       std::uint64_t microbatch)
{
    const auto r = static_cast<std::uint64_t>(run);
    return drawFactor(data, seed, purposeStream(Purpose::data, r, owner, microbatch),
                      purposeStream(Purpose::dataRare, r, owner, microbatch), step);
}

/// I of one layer of a cell's work in one step; `place` counts (chunk, micro-batch, layer).
[[nodiscard]] inline double routingFactor(const FactorSampler& routing, std::uint64_t seed, Run run, std::uint64_t step, std::uint64_t cell,
                                          std::uint64_t place)
{
    const auto r = static_cast<std::uint64_t>(run);
    return drawFactor(routing, seed, purposeStream(Purpose::routing, r, cell, place), purposeStream(Purpose::routingRare, r, cell, place),
                      step);
}

/// R of both scopes, of the compute kernels and of the routed ones, one of each per step. Across jobs the steps are independent. Within a
/// job the ranks follow a Gaussian copula with z_0 = n_0, z_t = rho z_{t-1} + sqrt(1 - rho^2) n_t, n_t = Phi^-1(u_t), R_t = Q(Phi(z_t)),
/// rho = graph.regimeLag1, computeRegimeLag1 or routingRegimeLag1; the rare event, where there is one, is independent from step to step.
/// Any thread.
struct RegimeSeries {
    std::vector<double> intra, inter, compute, routing;
};
[[nodiscard]] RegimeSeries regimeSeries(const StepGraph& graph, std::uint64_t seed, Run run, int numSteps);

} // namespace prism
