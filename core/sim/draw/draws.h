// SPDX-License-Identifier: GPL-3.0-or-later
// The draws that both simulators share, so that both simulate the same jobs and the same congested steps.
#pragma once

#include "core/stats/random.h"
#include "core/stats/sampler.h"
#include "core/step/stepgraph.h"

#include <algorithm>
#include <array>
#include <cstddef>
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

/// The same by purpose and coordinates; the next Purpose is that of the rare event.
[[nodiscard]] inline double drawFactor(const FactorSampler& sampler, std::uint64_t seed, Purpose purpose,
                                       const std::array<std::uint64_t, 3>& at, std::uint64_t index)
{
    const auto rare = static_cast<Purpose>(static_cast<std::uint64_t>(purpose) + 1);
    return drawFactor(sampler, seed, purposeStream(purpose, at[0], at[1], at[2]), purposeStream(rare, at[0], at[1], at[2]), index);
}

/// Uniform in (0, 1) from a probability that rounding may have made 0 or 1.
[[nodiscard]] inline double openUniform(double probability)
{
    return std::clamp(probability, 0x1.0p-54, 1.0 - 0x1.0p-53);
}

/// Share of the variance of their speeds that the ranks of a node have in common; below 1, which would make them equal.
[[nodiscard]] double nodeShare(const StepGraph& graph);

/// G of the ranks of a job, without slow spots. Without a node share the ranks' draws are independent. With a share w the normal score of a
/// rank is sqrt(w) z_node + sqrt(1 - w) z_rank (a Gaussian copula: the distribution of one rank stays the same), and the rare event takes
/// the top of the scale, so that it is correlated within a node as well. Nodes are nodeRanks consecutive ranks of a cell. Any thread.
class SpatialFactors final {
public:
    explicit SpatialFactors(const StepGraph& graph);

    [[nodiscard]] double operator()(std::uint64_t seed, std::uint64_t job, std::uint64_t replica, std::uint64_t stage,
                                    std::uint64_t rank) const;

private:
    FactorSampler m_sampler;
    double m_rareProbability, m_rareMultiplier;
    double m_share; ///< w
    int m_nodeRanks;
};

/// Regime factors of one step: R of communications within and between nodes, of the compute kernels and of the routed ones.
struct RegimeFactors {
    double intra = 1.0, inter = 1.0, compute = 1.0, routing = 1.0;
    /// Of communications of a scope.
    [[nodiscard]] double of(Scope scope) const { return scope == Scope::interNode ? inter : scope == Scope::intraNode ? intra : 1.0; }
};
/// Those of steps `first` ... `first` + `count` - 1 of a run. Across jobs the steps are independent. Within a job the ranks follow a
/// Gaussian copula with z_0 = n_0, z_t = rho z_{t-1} + sqrt(1 - rho^2) n_t, n_t = Phi^-1(u_t), R_t = Q(Phi(z_t)), rho = graph.regimeLag1,
/// computeRegimeLag1 or routingRegimeLag1; the rare event, where there is one, is independent from step to step. Any thread.
[[nodiscard]] std::vector<RegimeFactors> regimeSeries(const StepGraph& graph, std::uint64_t seed, Run run, std::size_t first,
                                                      std::size_t count);

} // namespace prism
