// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/step/slowestoptimizer.h"

#include "core/sim/step/tail.h"
#include "core/stats/random.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>

namespace prism {

namespace {

constexpr std::uint64_t kOptimizerMaximumDraws = 0x55;
constexpr std::size_t kMaximumCells = 512;
/// Quantiles of what a rare event adds.
constexpr std::size_t kExtras = 16;
/// Replicas of a job that stand for all of them.
constexpr std::size_t kMembers = 128;

/// Places in the tables over the score, with weights.
using ScoreMass = std::vector<std::pair<std::size_t, double>>;

ScoreMass freshMass(const Prepared& prepared)
{
    ScoreMass out;
    if (!prepared.drawsScores())
        return {{(kScoreNodes - 1) / 2, 1.0}};
    const ScoreScale& scale = prepared.scoreScale;
    const bool jumps = scale.firstHit < kScoreNodes;
    for (std::size_t j = jumps ? 0 : 1; j < kScoreNodes; j += jumps ? 1 : 2) {
        const double z = scale.scoreOf(static_cast<double>(j)), width = 1.0 / (z < scale.jump ? scale.perBelow : scale.perAbove);
        out.emplace_back(j, width * std::exp(-0.5 * z * z));
    }
    return out;
}

ScoreMass memberMass(const Prepared& prepared, const MemberScores& members, std::size_t stage)
{
    std::vector<double> weight(kScoreNodes, 0.0);
    const std::size_t stride = 1 + members.count() / kMembers;
    for (std::size_t i = 0; i < members.count(); i += stride) {
        weight[static_cast<std::size_t>(std::lround(prepared.scoreScale.place(members.of(i)[stage])))] += 1.0;
    }
    ScoreMass out;
    for (std::size_t j = 0; j < kScoreNodes; ++j)
        if (weight[j] > 0.0)
            out.emplace_back(j, weight[j]);
    return out;
}

std::vector<float> maximumQuantiles(const ChunkModel& model, const ScoreMass& mass, int pooled)
{
    std::vector<double> values, weights;
    double anyRare = 0.0;
    for (const RareEvent& rare : model.rare)
        anyRare += rare.chance.probability;
    for (const auto& [node, whole] : mass) {
        const double weight = whole * std::max(0.0, 1.0 - anyRare), mean = model.computeMean[node],
                     sigma = std::sqrt(model.computeVariance[node]);
        // Octaves of the tail probability, four draws each above the median and one below.
        for (int side = 0; side < 2; ++side)
            for (int k = 1; k <= 15; ++k)
                for (int j = 0, n = side == 1 ? 4 : 1; j < n; ++j) {
                    const double tail = std::ldexp(1.0 + (j + 0.5) / n, -(k + 1));
                    const auto draw = static_cast<std::uint16_t>((side == 1 ? 0.5 + tail : tail) * 65536.0); // registertable.h
                    values.push_back(mean + (model.isRandom ? sigma * static_cast<double>(model.shape.at(draw)) : 0.0));
                    weights.push_back(weight * std::ldexp(1.0 / n, -(k + 1)));
                }
        for (const RareEvent& rare : model.rare)
            for (std::size_t i = 0; i < kExtras; ++i) {
                values.push_back(mean + static_cast<double>(rare.extra[(2 * i + 1) * rare.extra.size() / (2 * kExtras)]));
                weights.push_back(whole * rare.chance.probability / kExtras);
            }
    }
    const TailSample sample(std::move(values), std::move(weights), anyRare > 0.0 ? Beyond::largest : Beyond::exponential);
    std::vector<float> out;
    for (std::size_t i = 0; i < kMaximumCells; ++i)
        out.push_back(
            static_cast<float>(sample.upperQuantile(tailOfMaximum(1.0 - (static_cast<double>(i) + 0.5) / kMaximumCells, pooled))));
    return out;
}

} // namespace

SlowestOptimizer::SlowestOptimizer(const Prepared& prepared, int kind, int pooled, const MemberScores& members)
{
    const ReplicaKind& replica = prepared.replicas[static_cast<std::size_t>(kind)];
    const std::size_t stages = replica.cellOfStage.size();
    const auto modelOf = [&](std::size_t stage) {
        return prepared.cells[static_cast<std::size_t>(replica.cellOfStage[stage])].programs.back();
    };
    m_quantile.assign(stages, {0.0F});
    tbb::parallel_for(std::size_t{0}, stages, [&](std::size_t s) {
        // With fresh lucks the stages with one model are alike.
        const bool first = !members.scores.empty() || s == 0 || modelOf(s) != modelOf(s - 1) || !prepared.meetsBeforeOptimizer(s - 1);
        if (modelOf(s) >= 0 && first && prepared.meetsBeforeOptimizer(s))
            m_quantile[s] = maximumQuantiles(*prepared.models[static_cast<std::size_t>(modelOf(s))],
                                             members.scores.empty() ? freshMass(prepared) : memberMass(prepared, members, s), pooled);
    });
    for (std::size_t s = 1; members.scores.empty() && s < stages; ++s)
        if (modelOf(s) >= 0 && modelOf(s) == modelOf(s - 1) && prepared.meetsBeforeOptimizer(s) && prepared.meetsBeforeOptimizer(s - 1))
            m_quantile[s] = m_quantile[s - 1];
}

void SlowestOptimizer::draw(std::uint64_t seed, std::uint64_t block, Rows& out) const
{
    for (std::size_t s = 0; s < m_quantile.size(); ++s) {
        const StreamId id = stream(kOptimizerMaximumDraws, s);
        for (std::size_t l = 0; l < kLanes; ++l)
            out.row(s)[l] =
                m_quantile[s][static_cast<std::size_t>(uniform(seed, id, block * kLanes + l) * static_cast<double>(m_quantile[s].size()))];
    }
}

} // namespace prism
