// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/step/stilljobs.h"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <numeric>

namespace prism {

namespace {

/// Replicas of a job that are looked at as its slowest.
constexpr std::size_t kLikelySlowest = 16;

} // namespace

StillJobs::StillJobs(const Prepared& prepared, std::vector<float> scores)
    : m_prepared(prepared),
      m_scores(std::move(scores)),
      m_stages(static_cast<std::size_t>(prepared.plan->numStages)),
      m_replicas(prepared.kindOfReplica.size()),
      m_ends(m_scores.size()),
      m_optimizer(m_scores.size()),
      m_tail(m_stages)
{
    m_regime.fill(1.0F);
    m_tail.draw(prepared, roundKeys(0), 0, m_regime, false);
    m_tail.lanes = 1;
}

std::vector<std::size_t> StillJobs::likelySlowest(std::stop_token stop) const
{
    std::vector<std::size_t> out;
    if (m_replicas <= kLikelySlowest) {
        out.resize(jobs() * m_replicas);
        std::iota(out.begin(), out.end(), std::size_t{0});
        return out;
    }
    const std::vector<std::vector<float>> times = cellTimes();
    out.resize(jobs() * kLikelySlowest);
    tbb::parallel_for(std::size_t{0}, jobs(), [&](std::size_t job) {
        if (stop.stop_requested())
            return;
        std::vector<std::pair<float, std::size_t>> order(m_replicas);
        for (std::size_t d = 0; d < m_replicas; ++d)
            order[d] = {-bound(times, job, d), d};
        std::partial_sort(order.begin(), order.begin() + kLikelySlowest, order.end());
        for (std::size_t i = 0; i < kLikelySlowest; ++i)
            out[job * kLikelySlowest + i] = job * m_replicas + order[i].second;
    });
    return out;
}

void StillJobs::sweep(const std::vector<std::size_t>& wanted, std::stop_token stop)
{
    for (std::size_t kind = 0; kind < m_prepared.replicas.size(); ++kind) {
        std::vector<std::size_t> items;
        for (const std::size_t i : wanted)
            if (static_cast<std::size_t>(m_prepared.kindOfReplica[i % m_replicas]) == kind)
                items.push_back(i);
        sweepKind(static_cast<int>(kind), items, stop);
    }
}

/// Per cell of the graph: seconds of all its chunks of one micro-batch, by score node.
std::vector<std::vector<float>> StillJobs::cellTimes() const
{
    std::vector<std::vector<float>> out;
    for (const CellModels& cell : m_prepared.cells) {
        out.emplace_back(kScoreNodes, 0.0F);
        for (std::size_t q = 0; q + 1 < cell.programs.size(); ++q)
            for (std::size_t k = 0; cell.programs[q] >= 0 && k < kScoreNodes; ++k)
                out.back()[k] += m_prepared.models[static_cast<std::size_t>(cell.programs[q])]->computeMean[k];
    }
    return out;
}

float StillJobs::bound(const std::vector<std::vector<float>>& times, std::size_t job, std::size_t d) const
{
    const ReplicaKind& kind = m_prepared.replicas[static_cast<std::size_t>(m_prepared.kindOfReplica[d])];
    float most = 0.0F, sum = 0.0F;
    for (std::size_t s = 0; s < m_stages; ++s) {
        const double at = m_prepared.scoreScale.place(m_scores[(job * m_replicas + d) * m_stages + s]);
        const float time = times[static_cast<std::size_t>(kind.cellOfStage[s])][static_cast<std::size_t>(at)];
        most = std::max(most, time);
        sum += time;
    }
    return static_cast<float>(m_prepared.plan->numMicrobatches) * most + sum;
}

void StillJobs::sweepKind(int kind, const std::vector<std::size_t>& items, std::stop_token stop)
{
    tbb::enumerable_thread_specific<ReplicaSweep> sweeps([&] { return ReplicaSweep(m_prepared); });
    tbb::parallel_for(std::size_t{0}, (items.size() + kLanes - 1) / kLanes, [&](std::size_t block) {
        if (stop.stop_requested())
            return;
        ReplicaSweep& sweep = sweeps.local();
        Rows score(m_stages), ends(m_stages), optimizer(m_stages);
        for (std::size_t l = 0; l < kLanes; ++l)
            for (std::size_t s = 0; s < m_stages; ++s)
                score.row(s)[l] = m_scores[items[std::min(block * kLanes + l, items.size() - 1)] * m_stages + s];
        sweep.beginBlock(0, m_regime);
        sweep.run(kind, 0, 0, score, false, ends.row(0), optimizer.row(0));
        for (std::size_t l = 0; l < kLanes && block * kLanes + l < items.size(); ++l)
            for (std::size_t s = 0; s < m_stages; ++s) {
                m_ends[items[block * kLanes + l] * m_stages + s] = ends.row(s)[l];
                m_optimizer[items[block * kLanes + l] * m_stages + s] = optimizer.row(s)[l];
            }
    });
}

float StillJobs::seconds(std::size_t first, std::size_t last) const
{
    Rows latest(m_stages), slowest(m_stages), step(1);
    for (std::size_t i = first; i < last; ++i)
        for (std::size_t s = 0; s < m_stages; ++s) {
            latest.row(s)[0] = std::max(latest.row(s)[0], m_ends[i * m_stages + s]);
            slowest.row(s)[0] = std::max(slowest.row(s)[0], m_optimizer[i * m_stages + s]);
        }
    m_tail.end(m_prepared, latest.row(0), slowest.row(0), step.row(0));
    return step.row(0)[0];
}

} // namespace prism
