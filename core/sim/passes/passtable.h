// SPDX-License-Identifier: GPL-3.0-or-later
// Delays of kernel noise and rare events over the noise-free length of a pass: residuals sampled rank by rank, in tables by that length.
#pragma once

#include "core/sim/draw/draws.h"
#include "core/sim/lanes/quantiletable.h"
#include "core/sim/passes/flatprogram.h"
#include "core/sim/passes/passlengths.h"
#include "core/sim/passes/speeds.h"

#include <array>
#include <stop_token>
#include <vector>

namespace prism {

inline constexpr std::size_t kLengthNodes = 16;

/// A residual, as a share of the length, at a place p between nodes of the length: location + spread * shape. Node i and what it rises by
/// to the next.
struct Residual {
    alignas(64) float location[kLengthNodes] = {}, locationRise[kLengthNodes] = {}, spread[kLengthNodes] = {},
                      spreadRise[kLengthNodes] = {};
    QuantileTable shape; ///< usual: mean 0 and mean distance from it 1; rare: seconds beyond the usual location, as a share of the length
};

/// Seconds of a pass of one program in one kind of unit, of noise-free length x under regimes R:
/// x * computeSeconds(R) + x' * stretch(R) * residual + exposedSeconds(R). x' = x without rare events; with them, where a unit is
/// one group, the length without routing factors: the kernels that are hit follow speeds and data, and only some of them the routing.
struct PassTable {
    double computeSeconds = 0.0; ///< of length 1, with the mean wait for noise
    double routedSeconds = 0.0;  ///< of its kernels with a routing factor
    /// Exposed seconds of the collectives of a scope (0 within nodes, 1 between) at 81 factors e^(-3 + i / 10), mean and variance; or
    /// empty.
    std::array<std::vector<double>, 2> exposedMean, exposedVariance;
    double residualVariance = 0.0;    ///< in seconds squared, of compute alone
    float low = 1.0F, perNode = 0.0F; ///< place = (x - low) * perNode, in [0, kLengthNodes - 1]; perNode = 0: one node. Beyond the longest
                                      ///< usual passes the last node may be that of far longer ones
    Residual usual, rare;             ///< without, and with at least one of the rare events that are drawn separately
    double rareHazard = 0.0;          ///< -ln P(none)
    std::vector<float> memberExtra;   ///< what slow links add to the length of each member; or empty
    double stdErr = 0.0;              ///< of the mean residual, in seconds: the sampling error of the table

    /// Of length 1 under regimes: (computeSeconds + routedSeconds (R_routing - 1)) R_compute.
    [[nodiscard]] double regimeSeconds(const RegimeFactors& r) const
    {
        return (computeSeconds + routedSeconds * (r.routing - 1.0)) * r.compute;
    }
    [[nodiscard]] double exposedSeconds(const RegimeFactors& r) const;
    /// Factor of the regimes on the residual.
    [[nodiscard]] double stretch(const RegimeFactors& r) const;
    [[nodiscard]] std::size_t bytes() const;
};

/// The slowest link that a segment's collective of the unit crosses, as a factor; those within one member are taken at its fastest
/// member's.
[[nodiscard]] float linkOf(const StepGraph& graph, const Segment& segment, const UnitKind& kind);

/// What passes are made of.
struct PassInputs {
    const StepGraph& graph;
    const JobUnits& job;
    const Speeds& speeds;
    const std::vector<DrawTable>& temporal; ///< per class
    const DrawTable &data, &routing;
    std::uint64_t seed = 1;
};

/// A table from about `kernelDraws` draws; at least one block of lanes. Empty when stopped.
[[nodiscard]] PassTable passTable(const PassInputs& in, const FlatProgram& program, const PassShape& shape, int kind, double kernelDraws,
                                  std::stop_token stop);

} // namespace prism
