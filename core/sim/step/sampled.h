// SPDX-License-Identifier: GPL-3.0-or-later
// Step ends of a series before the slowest of the pooled replicas is drawn from their common sample.
#pragma once

#include "core/stats/distribution.h"

#include <cstddef>
#include <vector>

namespace prism {

/// What the blocks of a series leave behind.
struct Sampled {
    std::vector<double> single;         ///< step end over the replicas simulated one by one
    std::vector<double> location;       ///< step end of a replica without noise in this step's conditions
    std::vector<double> excess, weight; ///< of each pooled replica over its step's location, in its step's scale, [copy][step]
    std::vector<double> scale;          ///< of each step: what its conditions make of an excess, 1 on average; empty = 1
    bool follow = false;                ///< the steps follow one another, as those of a job do

    /// The excess, in the step's scale, with which a replica ends so late.
    [[nodiscard]] double excessAt(double seconds, std::size_t step) const
    {
        return (seconds - location[step]) / (scale.empty() ? 1.0 : scale[step]);
    }
    /// When a replica with such an excess ends.
    [[nodiscard]] double secondsAt(double ownExcess, std::size_t step) const
    {
        return location[step] + ownExcess * (scale.empty() ? 1.0 : scale[step]);
    }
};

/// Where a rare regime makes a step, waits begin elsewhere than in the others, and what a replica exceeds them by is less or more: the
/// location takes over by how much its mean differs. `regime` of the steps; parted at the root of the multiplier.
void moveByRare(Sampled& sampled, const std::vector<double>& regime, const Distribution& of);

/// Gives the steps their scales by a regime that all their kernels share, and divides the excesses by them. Noise and waiting come from
/// kernels that this regime stretches, transfers that it does not, and from what is hidden: how much of it follows is seen in the sample,
/// as the slope of its mean size over the regime (weighted least squares), between nothing and all of it. Unchanged where it is constant.
void scaleByRegime(Sampled& sampled, const std::vector<double>& regime);

} // namespace prism
