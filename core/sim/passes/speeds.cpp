// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/passes/speeds.h"

#include "core/base/index.h"
#include "core/sim/draw/draws.h"
#include "core/sim/lanes/lanes.h"
#include "core/stats/normal.h"
#include "core/stats/quantile.h"

#include <algorithm>
#include <cmath>

namespace prism {

namespace {

constexpr double kScoreEnd = 8.0, kKnotsPerUnit = 64.0;
constexpr int kScoreKnots = static_cast<int>(2.0 * kScoreEnd * kKnotsPerUnit) + 2;

} // namespace

ScoredFactor::ScoredFactor(const Distribution& d) : m_rareFrom(static_cast<float>(kScoreEnd + 1.0))
{
    const QuantileFunction quantile(d);
    const double p = d.rareProbability;
    if (p > 0.0)
        m_rareFrom = static_cast<float>(normalQuantile(1.0 - p));
    for (int i = 0; i < kScoreKnots; ++i) {
        const double score = -kScoreEnd + i / kKnotsPerUnit, above = normalCdf(-score), below = normalCdf(score);
        const double left = openUniform(std::min(1.0, below / (1.0 - p)));
        m_usual.push_back(static_cast<float>(quantile.fromTails(left, openUniform((above - p) / (1.0 - p)))));
        if (p > 0.0)
            m_rare.push_back(
                static_cast<float>(d.rareMultiplier * quantile.fromTails(openUniform(1.0 - above / p), openUniform(above / p))));
    }
}

float ScoredFactor::at(float score) const
{
    const std::vector<float>& table = score > m_rareFrom ? m_rare : m_usual;
    const float place = std::clamp((score + static_cast<float>(kScoreEnd)) * static_cast<float>(kKnotsPerUnit), 0.0F, kScoreKnots - 2.0F);
    const auto i = static_cast<std::size_t>(place);
    const float part = place - static_cast<float>(i);
    return table[i] + part * (table[i + 1] - table[i]);
}

Speeds::Speeds(const StepGraph& graph, const JobUnits& job)
    : m_graph(graph),
      m_job(job),
      m_table(drawTable(graph.spatial)),
      m_share(static_cast<float>(nodeShare(graph)))
{
    if (m_share > 0.0F) {
        m_scored = ScoredFactor(graph.spatial);
        m_normal.body = quantileTable(
            [](double lower, double upper) { return lower < upper ? normalQuantile(lower) : -normalQuantile(upper); }, 0.0, 1.0);
    }
}

void Speeds::draw(const LaneSeeds& seeds, const int* unitOfLane, int stage, Rows& out) const
{
    const auto ranks = index(m_job.unitRanks());
    if (measured()) {
        const std::size_t perCell = index(m_job.ranks), stages = index(m_graph.schedule.numStages);
        for (std::size_t l = 0; l < kLanes; ++l)
            for (std::size_t r = 0; r < ranks; ++r) {
                const std::size_t replica = index(unitOfLane[l] * m_job.members) + r / perCell;
                out.row(r)[l] = static_cast<float>(m_graph.fixedSpatial[(replica * stages + index(stage)) * perCell + r % perCell]);
            }
        return;
    }
    if (m_share == 0.0F) {
        for (std::size_t r = 0; r < ranks; ++r)
            drawRow(m_table, seeds, laneKey(Purpose::spatial, index(stage), r), out.row(r));
        return;
    }
    Rows node(1);
    const float common = std::sqrt(m_share), own = std::sqrt(1.0F - m_share);
    for (std::size_t r = 0; r < ranks; ++r) {
        if (r % index(m_job.ranks) % index(m_graph.nodeRanks) == 0)
            drawRow(m_normal, seeds, laneKey(Purpose::spatialNode, index(stage), r), node.row(0));
        float* row = out.row(r);
        drawRow(m_normal, seeds, laneKey(Purpose::spatial, index(stage), r), row);
        for (std::size_t l = 0; l < kLanes; ++l)
            row[l] = m_scored.at(common * node.row(0)[l] + own * row[l]);
    }
}

} // namespace prism
