// SPDX-License-Identifier: GPL-3.0-or-later
// Where the replicas of a step begin: the ends of one replica without noise, as a function of the step's regimes.
#pragma once

#include "core/sim/step/parts.h"

#include <array>
#include <cstddef>
#include <stop_token>
#include <vector>

namespace prism {

/// Ends of the stages of a replica without noise for every step of a series. They depend on the step's regimes alone: a long pipeline is
/// swept at the nodes of a grid over the regimes that the series has, and steps lie between nodes (linear in each regime). What is missed
/// is a smooth function of the regimes, in the sampled replicas as in the steps that they stand for. Short pipelines and series are swept
/// step by step. Immutable; any thread.
class StillEnds final {
public:
    /// Empty when stopped. `scores`: the replica's lucks, per stage.
    StillEnds(const Series& series, int kind, const std::vector<float>& scores, Recall& recall, std::stop_token stop,
              std::uint64_t& nodeSamples);

    /// Rows of kLanes seconds, one per stage, of a block of the series.
    void ends(std::size_t block, Rows& out) const;

private:
    /// One regime's values at the grid's nodes, ascending, and how far apart the nodes are in the grid.
    struct Axis {
        std::vector<double> node;
        std::size_t stride = 1;
    };
    static constexpr std::size_t kAxes = 3;
    void makeAxes();
    [[nodiscard]] Series gridded() const;

    const Series& m_series;
    std::array<Axis, kAxes> m_axis;
    std::size_t m_points = 0; ///< of the grid; 0: step by step
    ReplicaPartPtr m_part;
};

/// A grid has as many points as these blocks have samples, and is worth it from so many blocks on.
inline constexpr std::size_t kGridBlocks = 4;

} // namespace prism
