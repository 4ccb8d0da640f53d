// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/step/parts.h"

#include "core/sim/step/lucks.h"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace prism {

namespace {

ContentHash partKey(const Series& series, const PartRequest& request, std::size_t firstBlock, std::size_t numBlocks)
{
    const Prepared& prepared = series.prepared;
    Hasher h;
    h.add("replica samples").add(prepared.sweepHash).add(series.seed).add(static_cast<int>(series.run)).add(request.noise);
    h.add(static_cast<std::uint64_t>(firstBlock)).add(static_cast<std::uint64_t>(numBlocks));
    h.add(static_cast<std::uint64_t>(series.sideBySide)).add(series.onGrid);
    for (std::size_t i = 0; i < series.regimes.intra.size() && series.onGrid; ++i)
        h.add(series.regimes.intra[i]).add(series.regimes.inter[i]).add(series.regimes.compute[i]);
    for (const ReplicaDraw& r : request.replicas) {
        h.add(prepared.replicas[static_cast<std::size_t>(r.kind)].hash).add(r.copy).add(static_cast<int>(r.source));
        for (const float score : r.scores)
            h.add(static_cast<double>(score));
    }
    if (request.members != nullptr)
        h.add(request.members->hash);
    return h.result();
}

/// Where `parts` replicas stand side by side in rows: gives each step of the block the largest of them.
void joinReplicas(float* rows, std::size_t count, std::size_t steps, std::size_t parts)
{
    for (float* row = rows; row < rows + count * kLanes; row += kLanes)
        for (std::size_t l = steps; l < parts * steps; ++l)
            row[l % steps] = std::max(row[l % steps], row[l]);
}

/// What one thread needs to sample blocks.
class Sampler final {
public:
    explicit Sampler(const Series& series)
        : m_series(series),
          m_sweep(series.prepared),
          m_scores(series.stages()),
          m_ends(series.stages()),
          m_optimizer(series.stages())
    {
    }

    void begin(std::size_t block)
    {
        m_block = block;
        m_regime = m_series.regimeRows(block);
        m_sweep.beginBlock(block, m_regime);
    }

    /// Fills the part's rows `at` of the block; false when stopped.
    bool fill(const PartRequest& request, std::size_t at, ReplicaPart& part, std::stop_token stop)
    {
        const std::size_t stages = m_series.stages();
        float* ends = part.ends.row(at * stages);
        float* optimizer = part.optimizer.row(at * stages);
        for (std::size_t i = 0; i < request.replicas.size(); ++i) {
            if (stop.stop_requested())
                return false;
            const ReplicaDraw& replica = request.replicas[i];
            const bool searches = request.noise && (replica.source == LuckSource::tilted || replica.source == LuckSource::members);
            RareSearch search;
            if (const auto& causes = m_sweep.causes(replica.kind); searches && !causes.empty()) {
                m_ratio.assign(causes.size() * kLanes, 0.0);
                search = {soughtIn(m_block, replica.copy, causes.size()), m_ratio.data()};
            }
            drawLucks(request, replica, search.sought < 0);
            if (i == 0) {
                m_sweep.run(replica.kind, m_series.seed, replica.copy, m_scores, request.noise, ends, optimizer, search);
                join(replica, ends, optimizer);
                weigh(m_sweep.causes(replica.kind), search, part.weights.row(at));
                continue;
            }
            m_sweep.run(replica.kind, m_series.seed, replica.copy, m_scores, request.noise, m_ends.row(0), m_optimizer.row(0));
            join(replica, m_ends.row(0), m_optimizer.row(0));
            for (std::size_t j = 0; j < stages * kLanes; ++j) {
                ends[j] = std::max(ends[j], m_ends.row(0)[j]);
                optimizer[j] = std::max(optimizer[j], m_optimizer.row(0)[j]);
            }
        }
        return true;
    }

private:
    void drawLucks(const PartRequest& request, const ReplicaDraw& replica, bool tilt)
    {
        m_density.fill(1.0);
        if (replica.source == LuckSource::fixed)
            fixedLucks(replica.scores, m_series.sideBySide, m_scores);
        else if (replica.source == LuckSource::members)
            memberLucks(*request.members, {m_series.seed, replica.copy, m_block}, tilt, m_scores, m_density.data());
        else if (!m_series.prepared.drawsScores())
            m_scores.fill(0.0F);
        else if (replica.source == LuckSource::tilted)
            tiltedLucks(m_series.seed, replica.copy, m_block, tilt, m_scores, m_density.data());
        else
            freshLucks(m_series.seed, replica.copy, m_block, m_scores);
    }

    void join(const ReplicaDraw& replica, float* ends, float* optimizer) const
    {
        const std::size_t stages = m_series.stages(), parts = replica.scores.size() / stages;
        joinReplicas(ends, stages, kLanes / m_series.sideBySide, parts);
        joinReplicas(optimizer, stages, kLanes / m_series.sideBySide, parts);
    }

    /// Plain density over that of all blocks together, whichever this one is: the balance heuristic (Veach and Guibas 1995).
    void weigh(const std::vector<RareCause>& causes, const RareSearch& search, float* weights) const
    {
        const double each = (1.0 - kPlainShare) / static_cast<double>(std::max<std::size_t>(1, causes.size()));
        for (std::size_t l = 0; l < kLanes; ++l) {
            double density = m_density[l] * (search.ratio != nullptr ? kPlainShare : 1.0);
            for (std::size_t c = 0; search.ratio != nullptr && c < causes.size(); ++c)
                density += each * std::exp(search.ratio[c * kLanes + l] - causes[c].silence);
            weights[l] = static_cast<float>(1.0 / density);
        }
    }

    const Series& m_series;
    ReplicaSweep m_sweep;
    std::array<double, kLanes> m_density{}; ///< of the lucks drawn, over the plain one
    std::vector<double> m_ratio;
    Rows m_regime, m_scores, m_ends, m_optimizer;
    std::size_t m_block = 0;
};

} // namespace

Rows Series::regimeRows(std::size_t block) const
{
    Rows out(kRegimeRows);
    for (std::size_t l = 0; l < kLanes; ++l) {
        out.row(0)[l] = static_cast<float>(regimes.intra[block * kLanes + l]);
        out.row(1)[l] = static_cast<float>(regimes.inter[block * kLanes + l]);
        out.row(kComputeRegimeRow)[l] = static_cast<float>(regimes.compute[block * kLanes + l]);
    }
    return out;
}

Series makeSeries(const Prepared& prepared, std::uint64_t seed, std::uint64_t regimeSeed, Run run, int steps)
{
    Series out{prepared, seed, run, {}, static_cast<std::size_t>(std::max(0, steps))};
    out.regimes = regimeSeries(prepared.graph(), regimeSeed, run, static_cast<int>(out.blocks() * kLanes));
    return out;
}

Series besideOneAnother(Series series, std::size_t replicas)
{
    series.sideBySide = replicas;
    const std::size_t steps = kLanes / replicas;
    for (std::vector<double>* regime : {&series.regimes.intra, &series.regimes.inter, &series.regimes.compute})
        for (std::size_t l = steps; l < regime->size(); ++l)
            (*regime)[l] = (*regime)[l % steps];
    return series;
}

std::vector<ReplicaPartPtr> replicaParts(const Series& series, const std::vector<PartRequest>& requests, std::size_t firstBlock,
                                         std::size_t numBlocks, Recall& recall, std::stop_token stop, std::uint64_t& nodeSamples)
{
    const std::size_t stages = series.stages();
    std::vector<ReplicaPartPtr> out;
    std::vector<ContentHash> keys;
    std::vector<std::size_t> missing;
    std::vector<ReplicaPart> made;
    for (const PartRequest& request : requests) {
        keys.push_back(partKey(series, request, firstBlock, numBlocks));
        out.push_back(recall.find<ReplicaPart>(keys.back()));
        if (out.back())
            continue;
        missing.push_back(out.size() - 1);
        made.push_back({Rows(numBlocks * stages), Rows(numBlocks * stages), Rows(numBlocks)});
    }
    if (missing.empty())
        return out;
    tbb::enumerable_thread_specific<Sampler> samplers([&] { return Sampler(series); });
    tbb::parallel_for(std::size_t{0}, numBlocks, [&](std::size_t at) {
        if (stop.stop_requested())
            return;
        Sampler& sampler = samplers.local();
        sampler.begin(firstBlock + at);
        for (std::size_t m = 0; m < missing.size(); ++m)
            if (!sampler.fill(requests[missing[m]], at, made[m], stop))
                return;
    });
    if (stop.stop_requested())
        return {};
    for (std::size_t m = 0; m < missing.size(); ++m) {
        const std::size_t bytes = sizeof(ReplicaPart) + 4 * kLanes * numBlocks * (2 * stages + 1);
        nodeSamples += series.prepared.plan->nodeCount() * numBlocks * kLanes * requests[missing[m]].replicas.size();
        out[missing[m]] = recall.keep<ReplicaPart>(requests[missing[m]].name, keys[missing[m]], std::move(made[m]), bytes);
    }
    return out;
}

} // namespace prism
