// SPDX-License-Identifier: GPL-3.0-or-later
// Speeds of the ranks: G in rows of lanes, drawn, drawn with a node share, or measured.
#pragma once

#include "core/sim/lanes/lanewords.h"
#include "core/sim/lanes/quantiletable.h"
#include "core/sim/passes/jobunits.h"

#include <vector>

namespace prism {

/// A factor as a function of its normal score, the rare event at the top of the scale; linear between 64 knots a unit.
class ScoredFactor final {
public:
    ScoredFactor() = default;
    explicit ScoredFactor(const Distribution& distribution);
    [[nodiscard]] float at(float score) const;

private:
    std::vector<float> m_usual, m_rare;
    float m_rareFrom = 0.0F;
};

/// Immutable; any thread.
class Speeds final {
public:
    Speeds(const StepGraph& graph, const JobUnits& job);

    [[nodiscard]] bool measured() const { return !m_graph.fixedSpatial.empty(); }
    [[nodiscard]] bool varies() const { return !m_table.isConstant() || measured(); }
    /// Rows of G of all ranks of a unit at a stage, [member][rank], without slow spots. Lanes of measured jobs are given by their units.
    void draw(const LaneSeeds& seeds, const int* unitOfLane, int stage, Rows& out) const;

private:
    const StepGraph& m_graph;
    const JobUnits& m_job;
    DrawTable m_table, m_normal;
    ScoredFactor m_scored;
    float m_share = 0.0F;
};

} // namespace prism
