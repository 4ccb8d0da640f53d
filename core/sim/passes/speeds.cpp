// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/passes/speeds.h"

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

std::uint64_t purpose(Purpose p)
{
    return static_cast<std::uint64_t>(p);
}

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
    : m_job(job),
      m_table(drawTable(graph.spatial)),
      m_share(static_cast<float>(nodeShare(graph))),
      m_nodeRanks(graph.nodeRanks),
      m_stages(graph.schedule.numStages)
{
    if (m_share > 0.0F) {
        m_scored = ScoredFactor(graph.spatial);
        m_normal.body = quantileTable(
            [](double lower, double upper) { return lower < upper ? normalQuantile(lower) : -normalQuantile(upper); }, 0.0, 1.0);
    }
}

void Speeds::draw(const LaneSeeds& seeds, const int* unitOfLane, int stage, Rows& out) const
{
    const auto ranks = static_cast<std::size_t>(m_job.unitRanks());
    if (!m_job.fixedSpeed.empty()) {
        for (std::size_t l = 0; l < kLanes; ++l) {
            const std::size_t first =
                (static_cast<std::size_t>(unitOfLane[l]) * static_cast<std::size_t>(m_stages) + static_cast<std::size_t>(stage)) * ranks;
            for (std::size_t r = 0; r < ranks; ++r)
                out.row(r)[l] = m_job.fixedSpeed[first + r];
        }
        return;
    }
    if (m_share > 0.0F) {
        drawNodes(seeds, stage, out);
        return;
    }
    for (std::size_t r = 0; r < ranks; ++r)
        drawRow(m_table, seeds, laneKey(purpose(Purpose::spatial), static_cast<std::uint64_t>(stage), r), out.row(r));
}

void Speeds::drawNodes(const LaneSeeds& seeds, int stage, Rows& out) const
{
    Rows node(1);
    const float common = std::sqrt(m_share), own = std::sqrt(1.0F - m_share);
    const auto s = static_cast<std::uint64_t>(stage);
    for (int k = 0; k < m_job.members; ++k)
        for (int r = 0; r < m_job.ranks; ++r) {
            const auto rank = static_cast<std::size_t>(k * m_job.ranks + r);
            if (r % m_nodeRanks == 0)
                drawRow(m_normal, seeds, laneKey(purpose(Purpose::spatialNode), s, rank), node.row(0));
            float* row = out.row(rank);
            drawRow(m_normal, seeds, laneKey(purpose(Purpose::spatial), s, rank), row);
            for (std::size_t l = 0; l < kLanes; ++l)
                row[l] = m_scored.at(common * node.row(0)[l] + own * row[l]);
        }
}

} // namespace prism
