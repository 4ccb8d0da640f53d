// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/step/stilljobs.h"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

namespace prism {

StillJobs::StillJobs(const Prepared& prepared, std::vector<float> scores)
    : m_prepared(prepared),
      m_scores(std::move(scores)),
      m_stages(static_cast<std::size_t>(prepared.plan->numStages)),
      m_replicas(prepared.kindOfReplica.size()),
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
        std::array<std::pair<float, std::size_t>, kLikelySlowest> slowest; // a heap, the fastest of them in front
        slowest.fill({std::numeric_limits<float>::infinity(), 0});
        for (std::size_t d = 0; d < m_replicas; ++d)
            if (const std::pair<float, std::size_t> next{-bound(times, job, d), d}; next < slowest.front()) {
                std::pop_heap(slowest.begin(), slowest.end());
                slowest.back() = next;
                std::push_heap(slowest.begin(), slowest.end());
            }
        for (std::size_t i = 0; i < kLikelySlowest; ++i)
            out[job * kLikelySlowest + i] = job * m_replicas + slowest[i].second;
    });
    return out;
}

StillJobs::Swept StillJobs::sweep(const std::vector<std::size_t>& wanted, std::stop_token stop) const
{
    Swept out{std::vector<float>(wanted.size() * m_stages), std::vector<float>(wanted.size() * m_stages)};
    for (std::size_t kind = 0; kind < m_prepared.replicas.size(); ++kind) {
        std::vector<std::size_t> places;
        for (std::size_t i = 0; i < wanted.size(); ++i)
            if (static_cast<std::size_t>(m_prepared.kindOfReplica[wanted[i] % m_replicas]) == kind)
                places.push_back(i);
        tbb::enumerable_thread_specific<ReplicaSweep> sweeps([&] { return ReplicaSweep(m_prepared); });
        tbb::parallel_for(std::size_t{0}, (places.size() + kLanes - 1) / kLanes, [&](std::size_t block) {
            if (stop.stop_requested())
                return;
            ReplicaSweep& sweep = sweeps.local();
            Rows score(m_stages), ends(m_stages), optimizer(m_stages);
            for (std::size_t l = 0; l < kLanes; ++l)
                for (std::size_t s = 0; s < m_stages; ++s)
                    score.row(s)[l] = m_scores[wanted[places[std::min(block * kLanes + l, places.size() - 1)]] * m_stages + s];
            sweep.beginBlock(0, m_regime);
            sweep.run(static_cast<int>(kind), 0, 0, score, false, ends.row(0), optimizer.row(0));
            for (std::size_t l = 0; l < kLanes && block * kLanes + l < places.size(); ++l)
                for (std::size_t s = 0; s < m_stages; ++s) {
                    out.ends[places[block * kLanes + l] * m_stages + s] = ends.row(s)[l];
                    out.optimizer[places[block * kLanes + l] * m_stages + s] = optimizer.row(s)[l];
                }
        });
    }
    return out;
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

float StillJobs::seconds(const Swept& swept, std::size_t first, std::size_t last) const
{
    Rows latest(m_stages), slowest(m_stages), step(1);
    for (std::size_t i = first; i < last; ++i)
        for (std::size_t s = 0; s < m_stages; ++s) {
            latest.row(s)[0] = std::max(latest.row(s)[0], swept.ends[i * m_stages + s]);
            slowest.row(s)[0] = std::max(slowest.row(s)[0], swept.optimizer[i * m_stages + s]);
        }
    m_tail.end(m_prepared, latest.row(0), slowest.row(0), step.row(0));
    return step.row(0)[0];
}

} // namespace prism
