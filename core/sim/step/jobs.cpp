// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/step/jobs.h"

#include "core/sim/draw/draws.h"
#include "core/sim/draw/nodeshare.h"
#include "core/sim/step/lucks.h"
#include "core/sim/step/stilljobs.h"
#include "core/step/deterministicstep.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace prism {

namespace {

/// Replicas whose candidates' lucks make one node.
constexpr std::size_t kReplicasPerNode = 64;

/// CDF of a factor by bisection of its quantile function.
double cdf(const FactorSampler& sampler, double x)
{
    double low = 1e-12, high = 1.0 - 1e-12;
    for (int i = 0; i < 48; ++i) {
        const double middle = 0.5 * (low + high);
        (sampler.base(middle) < x ? low : high) = middle;
    }
    return 0.5 * (low + high);
}

/// Lucks of the cells of candidate jobs.
class Candidates final {
public:
    explicit Candidates(const Prepared& prepared, std::uint64_t seed)
        : m_prepared(prepared),
          m_graph(prepared.graph()),
          m_seed(seed),
          m_sampler(prepared.graph().spatial),
          m_spatial(prepared.graph())
    {
    }

    /// Everything that decides the lucks of replicas [first, last).
    [[nodiscard]] ContentHash key(std::size_t first, std::size_t last) const
    {
        Hasher h;
        h.add("job lucks").add(m_seed).add(m_graph.spatial.rareProbability).add(m_graph.cellRanks()).add(m_graph.schedule.numStages);
        h.add(m_spatial.sharesNodes() ? m_graph.spatialNodeShare : 0.0).add(m_graph.nodeRanks);
        h.add(static_cast<std::uint64_t>(first)).add(static_cast<std::uint64_t>(last));
        for (std::size_t d = first; d < last; ++d)
            for (std::size_t s = 0; s < stages(); ++s) {
                const std::vector<double>& slow = slowFactors(d, s);
                if (slow.empty())
                    continue;
                h.add(static_cast<std::uint64_t>(d)).add(static_cast<std::uint64_t>(s)).add(contentOf(m_graph.spatial));
                for (const double f : slow)
                    h.add(f);
            }
        return h.result();
    }

    /// [job][replica - first][stage]
    [[nodiscard]] std::vector<float> lucks(std::size_t first, std::size_t last, std::stop_token stop) const
    {
        std::vector<StreamId> streams; // [replica - first][stage][rank]
        for (std::size_t d = first; d < last; ++d)
            for (std::size_t s = 0; s < stages(); ++s)
                for (std::size_t r = 0; r < ranks(); ++r)
                    streams.push_back(purposeStream(Purpose::spatial, d, s, r));
        const std::size_t perJob = (last - first) * stages();
        std::vector<float> out(kMedianCandidates * perJob);
        tbb::parallel_for(std::size_t{0}, std::size_t{kMedianCandidates}, [&](std::size_t job) {
            for (std::size_t d = first; d < last && !stop.stop_requested(); ++d)
                for (std::size_t s = 0; s < stages(); ++s) {
                    const std::size_t cell = (d - first) * stages() + s;
                    out[job * perJob + cell] = luck(job, d, s, &streams[cell * ranks()]);
                }
        });
        return out;
    }

private:
    [[nodiscard]] std::size_t stages() const { return static_cast<std::size_t>(m_graph.schedule.numStages); }
    [[nodiscard]] std::size_t ranks() const { return static_cast<std::size_t>(m_graph.cellRanks()); }
    [[nodiscard]] const std::vector<double>& slowFactors(std::size_t replica, std::size_t stage) const
    {
        const ReplicaKind& kind = m_prepared.replicas[static_cast<std::size_t>(m_prepared.kindOfReplica[replica])];
        return m_prepared.kinds[static_cast<std::size_t>(m_prepared.cells[static_cast<std::size_t>(kind.cellOfStage[stage])].kind)]
            .computeFactor;
    }

    [[nodiscard]] float luck(std::uint64_t job, std::size_t replica, std::size_t stage, const StreamId* streams) const
    {
        const std::vector<double>& slow = slowFactors(replica, stage);
        if (m_spatial.sharesNodes())
            return sharedLuck(job, replica, stage, slow);
        const double p = m_graph.spatial.rareProbability;
        double most = 0.0, slowest = 0.0, mostHit = 0.0;
        for (std::size_t r = 0; r < ranks(); ++r) {
            double u = uniform(m_seed, streams[r], job);
            if (!slow.empty())
                slowest = std::max(slowest, slow[r] * m_sampler.base(u));
            if (p > 0.0 && m_graph.spatial.rareMultiplier != 1.0) {
                const bool rare = uniform(m_seed, purposeStream(Purpose::spatialRare, replica, stage, r), job) < p;
                if (rare)
                    mostHit = std::max(mostHit, u);
                u = rare ? 1.0 - p * (1.0 - u) : (1.0 - p) * u;
            }
            most = std::max(most, u);
        }
        double below = 1.0;
        for (std::size_t r = 0; r < ranks(); ++r)
            below *= slow.empty() ? most : cdf(m_sampler, slowest / slow[r]);
        // Cells with a rare event have the scores above all others (cellkind.h).
        if (const double hit = -std::expm1(static_cast<double>(ranks()) * std::log1p(-p)); !slow.empty() && hit > 0.0)
            below = mostHit > 0.0 ? 1.0 - hit * (1.0 - mostHit) : (1.0 - hit) * below;
        return static_cast<float>(scoreOfTail(std::clamp(1.0 - below, 1e-12, 1.0 - 1e-12)));
    }

    /// The same where the ranks of a node share a part of their factor.
    [[nodiscard]] float sharedLuck(std::uint64_t job, std::size_t replica, std::size_t stage, const std::vector<double>& slow) const
    {
        std::vector<double> bounds(ranks());
        double most = -kScoreLimit * 2.0, slowest = 0.0;
        for (std::size_t r = 0; r < ranks(); ++r) {
            const double score = m_spatial.score(m_seed, job, replica, stage, r);
            most = std::max(most, score);
            slowest = std::max(slowest, slow.empty() ? 0.0 : slow[r] * m_spatial.atScore(score));
        }
        for (std::size_t r = 0; r < ranks(); ++r)
            bounds[r] = slow.empty() ? most : m_spatial.scoreOf(slowest / slow[r]);
        return static_cast<float>(scoreOfTail(std::clamp(m_spatial.someAbove(bounds), 1e-12, 1.0 - 1e-12)));
    }

    const Prepared& m_prepared;
    const StepGraph& m_graph;
    std::uint64_t m_seed;
    FactorSampler m_sampler;
    SpatialFactors m_spatial;
};

/// Lucks of all cells of the candidate jobs, [job][replica][stage]. Empty when stopped.
std::vector<float> candidateScores(const Prepared& prepared, std::uint64_t seed, Recall& recall, std::stop_token stop)
{
    const std::size_t replicas = prepared.kindOfReplica.size(), stages = static_cast<std::size_t>(prepared.plan->numStages);
    const Candidates candidates(prepared, seed);
    std::vector<float> out(kMedianCandidates * replicas * stages);
    for (std::size_t first = 0; first < replicas; first += kReplicasPerNode) {
        const std::size_t last = std::min(replicas, first + kReplicasPerNode);
        const ContentHash key = candidates.key(first, last);
        auto part = recall.find<std::vector<float>>(key);
        if (!part) {
            std::vector<float> made = candidates.lucks(first, last, stop);
            if (stop.stop_requested())
                return {};
            const std::size_t bytes = sizeof(std::vector<float>) + sizeof(float) * made.size();
            part = recall.keep<std::vector<float>>("job lucks", key, std::move(made), bytes);
        }
        const std::size_t perJob = (last - first) * stages;
        for (std::size_t job = 0; job < kMedianCandidates; ++job)
            std::copy_n(part->begin() + static_cast<std::ptrdiff_t>(job * perJob), perJob,
                        out.begin() + static_cast<std::ptrdiff_t>((job * replicas + first) * stages));
    }
    return out;
}

JobScores findMedian(const Prepared& prepared, std::vector<float> scores, std::stop_token stop)
{
    const auto stages = static_cast<std::size_t>(prepared.plan->numStages), replicas = prepared.kindOfReplica.size();
    const StillJobs noiseFree(prepared, std::move(scores));
    const std::vector<std::size_t> likely = noiseFree.likelySlowest(stop);
    const StillJobs::Swept slowest = noiseFree.sweep(likely, stop);
    const std::size_t perJob = likely.size() / noiseFree.jobs();
    if (stop.stop_requested())
        return {};
    std::vector<std::pair<float, std::size_t>> order(noiseFree.jobs());
    tbb::parallel_for(std::size_t{0}, noiseFree.jobs(), [&](std::size_t job) {
        order[job] = {noiseFree.seconds(slowest, job * perJob, (job + 1) * perJob), job};
    });
    std::sort(order.begin(), order.end());
    const auto scoresOf = [&](std::size_t job) {
        JobScores out;
        std::vector<std::size_t> ofJob(replicas);
        std::iota(ofJob.begin(), ofJob.end(), job * replicas);
        const StillJobs::Swept swept = noiseFree.sweep(ofJob, stop);
        const auto first = noiseFree.scores().begin() + static_cast<std::ptrdiff_t>(job * replicas * stages);
        out.scores.assign(first, first + static_cast<std::ptrdiff_t>(replicas * stages));
        out.replicaSeconds.resize(replicas);
        tbb::parallel_for(std::size_t{0}, replicas, [&](std::size_t d) { out.replicaSeconds[d] = noiseFree.seconds(swept, d, d + 1); });
        return out;
    };
    JobScores out = scoresOf(order[order.size() / 2].second);
    for (const int away : kOtherJobs)
        if (order.size() == kMedianCandidates)
            out.others.push_back(scoresOf(order[static_cast<std::size_t>(kMedianCandidates / 2 + away)].second));
    return out;
}

} // namespace

ContentHash medianJobKey(const Prepared& prepared, std::uint64_t seed)
{
    const StepGraph& graph = prepared.graph();
    Hasher h;
    h.add("median job").add(seed).add(prepared.stillHash).add(contentOf(prepared, graph.gradNorm)).add(prepared.linkFactor);
    for (const int kind : prepared.kindOfReplica)
        h.add(prepared.replicas[static_cast<std::size_t>(kind)].hash);
    for (std::size_t s = 0; s < graph.gradSync.size(); ++s)
        h.add(contentOf(prepared, graph.gradSync[s])).add(contentOf(prepared, graph.paramGather[s])).add(prepared.stageLinkFactor[s]);
    for (const double f : graph.fixedSpatial)
        h.add(f);
    return h.result();
}

std::vector<std::vector<double>> medianJobFactors(const StepGraph& graph, std::uint64_t seed)
{
    const DeterministicStep deterministic(graph);
    const SpatialFactors spatial(graph);
    const int ranks = graph.cellRanks(), stages = graph.schedule.numStages;
    std::vector<std::pair<double, std::vector<double>>> jobs(kMedianCandidates);
    tbb::parallel_for(std::size_t{0}, jobs.size(), [&](std::size_t job) {
        std::vector<double>& factors = jobs[job].second;
        for (int d = 0; d < graph.numReplicas; ++d)
            for (int s = 0; s < stages; ++s)
                for (int r = 0; r < ranks; ++r)
                    factors.push_back(
                        spatial(seed, job, static_cast<std::uint64_t>(d), static_cast<std::uint64_t>(s), static_cast<std::uint64_t>(r)));
        jobs[job].first = deterministic.seconds([&](int d, int s) {
            double slowest = 0.0;
            for (int r = 0; r < ranks; ++r)
                slowest = std::max(slowest, factors[static_cast<std::size_t>((d * stages + s) * ranks + r)]
                                                * (graph.slow.empty() ? 1.0 : slowComputeFactor(graph, d, s, r)));
            return slowest;
        });
    });
    std::sort(jobs.begin(), jobs.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::vector<double>> out = {jobs[kMedianCandidates / 2].second};
    for (const int away : kOtherJobs)
        out.push_back(jobs[static_cast<std::size_t>(kMedianCandidates / 2 + away)].second);
    return out;
}

std::shared_ptr<const JobScores> medianJob(const Prepared& prepared, std::uint64_t seed, Recall& recall, std::stop_token stop)
{
    const ContentHash key = medianJobKey(prepared, seed);
    if (auto known = recall.find<JobScores>(key))
        return known;
    std::vector<float> scores;
    if (!prepared.graph().fixedSpatial.empty())
        scores = prepared.inputs.measured.score;
    else if (prepared.drawsScores())
        scores = candidateScores(prepared, seed, recall, stop);
    else
        scores.assign(prepared.kindOfReplica.size() * static_cast<std::size_t>(prepared.plan->numStages), 0.0F);
    if (stop.stop_requested())
        return nullptr;
    JobScores found = findMedian(prepared, std::move(scores), stop);
    if (stop.stop_requested())
        return nullptr;
    const std::size_t bytes = sizeof found + (1 + found.others.size()) * (4 * found.scores.size() + 8 * found.replicaSeconds.size());
    return recall.keep<JobScores>("median job", key, std::move(found), bytes);
}

} // namespace prism
