#include "core/sim/jobs.h"

#include "core/sim/draws.h"
#include "core/sim/sweep.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace prism {

namespace {

constexpr std::uint64_t kGradSyncDraws = 0x41, kParamGatherDraws = 0x42, kGradNormDraws = 0x43;

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
        : m_prepared(prepared), m_graph(prepared.graph), m_seed(seed), m_sampler(prepared.graph.spatial)
    {
        const auto ranks = static_cast<std::uint64_t>(m_graph.cellRanks());
        for (int d = 0; d < m_graph.numReplicas; ++d)
            for (int s = 0; s < m_graph.schedule.numStages; ++s)
                for (std::uint64_t r = 0; r < ranks; ++r)
                    m_streams.push_back(purposeStream(Purpose::spatial, static_cast<std::uint64_t>(d), static_cast<std::uint64_t>(s), r));
    }

    [[nodiscard]] float score(std::uint64_t job, std::size_t replica, std::size_t stage) const
    {
        const auto ranks = static_cast<std::size_t>(m_graph.cellRanks());
        const std::size_t first = (replica * static_cast<std::size_t>(m_graph.schedule.numStages) + stage) * ranks;
        const ReplicaKind& kind = m_prepared.replicas[static_cast<std::size_t>(m_prepared.kindOfReplica[replica])];
        const auto& slow = m_prepared.kinds[static_cast<std::size_t>(m_prepared.cells[static_cast<std::size_t>(kind.cellOfStage[stage])].kind)].computeFactor;
        const double p = m_graph.spatial.rareProbability;
        double most = 0.0, slowest = 0.0;
        for (std::size_t r = 0; r < ranks; ++r) {
            double u = uniform(m_seed, m_streams[first + r], job);
            if (!slow.empty())
                slowest = std::max(slowest, slow[r] * m_sampler.base(u));
            if (p > 0.0) {
                const bool rare = uniform(m_seed, purposeStream(Purpose::spatialRare, replica, stage, r), job) < p;
                u = rare ? 1.0 - p * (1.0 - u) : (1.0 - p) * u;
            }
            most = std::max(most, u);
        }
        double below = std::pow(most, static_cast<double>(ranks));
        if (!slow.empty()) {
            below = 1.0;
            for (std::size_t r = 0; r < ranks; ++r)
                below *= cdf(m_sampler, slowest / slow[r]);
        }
        return static_cast<float>(scoreOfTail(std::clamp(1.0 - below, 1e-12, 1.0 - 1e-12)));
    }

private:
    const Prepared& m_prepared;
    const StepGraph& m_graph;
    std::uint64_t m_seed;
    FactorSampler m_sampler;
    std::vector<StreamId> m_streams;
};

std::vector<float> fixedScores(const Prepared& prepared)
{
    const StepGraph& graph = prepared.graph;
    std::vector<float> out;
    std::size_t i = 0;
    for (int d = 0; d < graph.numReplicas; ++d)
        for (int s = 0; s < graph.schedule.numStages; ++s) {
            double slowest = 0.0;
            for (int r = 0; r < graph.cellRanks(); ++r)
                slowest = std::max(slowest, graph.fixedSpatial[i++] * (graph.slow.empty() ? 1.0 : slowComputeFactor(graph, d, s, r)));
            out.push_back(prepared.fixed.score(slowest));
        }
    return out;
}

/// Noise-free sweep of replicas given by their scores; lanes are replicas. Calls take(item, lane, ends, optimizer).
template <class Take>
void sweepStill(const Prepared& prepared, const std::vector<float>& scores, const std::vector<std::size_t>& replicas, int kind, const Take& take)
{
    const auto stages = static_cast<std::size_t>(prepared.plan.numStages);
    const std::size_t blocks = (replicas.size() + kLanes - 1) / kLanes;
    tbb::parallel_for(std::size_t{0}, blocks, [&](std::size_t block) {
        ReplicaSweep sweep(prepared);
        Rows regime(2), score(stages), ends(stages), optimizer(stages);
        regime.fill(1.0F);
        for (std::size_t l = 0; l < kLanes; ++l)
            for (std::size_t s = 0; s < stages; ++s)
                score.row(s)[l] = scores[replicas[std::min(block * kLanes + l, replicas.size() - 1)] * stages + s];
        sweep.beginBlock(0, regime);
        sweep.run(prepared.replicas[static_cast<std::size_t>(kind)], 0, 0, score, false, ends, optimizer);
        for (std::size_t l = 0; l < kLanes && block * kLanes + l < replicas.size(); ++l)
            take(block * kLanes + l, l, ends, optimizer);
    });
}

/// Replicas that can be the slowest of their job: of each kind the first by the time of their slowest stage in steady state plus
/// one pass through all stages (the 1F1B bound M max + sum).
std::vector<std::size_t> likelySlowest(const Prepared& prepared, const std::vector<float>& scores, std::size_t jobs)
{
    constexpr std::size_t kEach = 16;
    const auto stages = static_cast<std::size_t>(prepared.plan.numStages), replicas = prepared.kindOfReplica.size();
    std::vector<std::size_t> out;
    if (replicas <= kEach) {
        out.resize(jobs * replicas);
        std::iota(out.begin(), out.end(), std::size_t{0});
        return out;
    }
    std::vector<std::pair<double, std::size_t>> order(replicas);
    for (std::size_t job = 0; job < jobs; ++job) {
        for (std::size_t d = 0; d < replicas; ++d) {
            double most = 0.0, sum = 0.0;
            for (std::size_t s = 0; s < stages; ++s) {
                const auto& cell = prepared.cells[static_cast<std::size_t>(prepared.replicas[static_cast<std::size_t>(prepared.kindOfReplica[d])].cellOfStage[s])];
                const double at = (scores[(job * replicas + d) * stages + s] + kScoreLimit) / (2.0 * kScoreLimit) * (kScoreNodes - 1);
                double time = 0.0;
                for (std::size_t q = 0; q + 1 < cell.programs.size(); ++q)
                    if (cell.programs[q] >= 0)
                        time += static_cast<double>(prepared.models[static_cast<std::size_t>(cell.programs[q])].computeMean[static_cast<std::size_t>(at)]);
                most = std::max(most, time);
                sum += time;
            }
            order[d] = {-(prepared.plan.numMicrobatches * most + sum), d};
        }
        std::partial_sort(order.begin(), order.begin() + kEach, order.end());
        for (std::size_t i = 0; i < kEach; ++i)
            out.push_back(job * replicas + order[i].second);
    }
    return out;
}

} // namespace

double scoreOfTail(double tail)
{
    // Acklam's rational approximation of the normal quantile, relative error below 1.2e-9.
    static constexpr double a[] = {-3.969683028665376e+01, 2.209460984245205e+02, -2.759285104469687e+02,
                                   1.383577518672690e+02,  -3.066479806614716e+01, 2.506628277459239e+00};
    static constexpr double b[] = {-5.447609879822406e+01, 1.615858368580409e+02, -1.556989798598866e+02, 6.680131188771972e+01,
                                   -1.328068155288572e+01};
    static constexpr double c[] = {-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
                                   -2.549732539343734e+00, 4.374664141464968e+00,  2.938163982698783e+00};
    static constexpr double d[] = {7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00, 3.754408661907416e+00};
    const double p = std::min(tail, 1.0 - tail);
    double z = 0.0;
    if (p < 0.02425) {
        const double q = std::sqrt(-2.0 * std::log(p));
        z = (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) / ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1.0);
    } else {
        const double q = p - 0.5, r = q * q;
        z = (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q
            / (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1.0);
    }
    return tail < 0.5 ? -z : z;
}

void StepRows::draw(const Prepared& prepared, const RoundKeys& keys, std::uint64_t block, const Rows& regime, bool noise)
{
    const StepGraph& graph = prepared.graph;
    for (std::size_t s = 0; s < graph.gradSync.size(); ++s) {
        communicationRow(prepared, graph.gradSync[s], drawKey(kGradSyncDraws, s, 0), keys, block, regime, prepared.stageLinkFactor[s], noise, gradSync.row(s));
        communicationRow(prepared, graph.paramGather[s], drawKey(kParamGatherDraws, s, 0), keys, block, regime, prepared.stageLinkFactor[s], noise, paramGather.row(s));
    }
    communicationRow(prepared, graph.gradNorm, drawKey(kGradNormDraws, 0, 0), keys, block, regime, prepared.linkFactor, noise, gradNorm.row(0));
}

void StepRows::end(const Prepared& prepared, const Rows& ends, const Rows& optimizer, float* seconds) const
{
    const auto stages = static_cast<std::size_t>(prepared.plan.numStages);
    const bool together = prepared.graph.gradNorm.kernelClass >= 0;
    float ready[kLanes] = {};
    for (std::size_t s = 0; together && s < stages; ++s)
        for (std::size_t l = 0; l < kLanes; ++l)
            ready[l] = std::max(ready[l], ends.row(s)[l] + gradSync.row(s)[l]);
    std::fill_n(seconds, kLanes, 0.0F);
    for (std::size_t s = 0; s < stages; ++s)
        for (std::size_t l = 0; l < kLanes; ++l) {
            const float start = together ? ready[l] + gradNorm.row(0)[l] : ends.row(s)[l] + gradSync.row(s)[l];
            seconds[l] = std::max(seconds[l], start + optimizer.row(s)[l] + paramGather.row(s)[l]);
        }
}

JobScores medianJob(const Prepared& prepared, std::uint64_t seed, std::stop_token stop)
{
    const StepGraph& graph = prepared.graph;
    const auto stages = static_cast<std::size_t>(prepared.plan.numStages), replicas = static_cast<std::size_t>(graph.numReplicas);
    JobScores out;
    const bool drawn = graph.fixedSpatial.empty() && graph.spatial.cv > 0.0;
    const std::size_t jobs = drawn ? kMedianCandidates : 1;
    std::vector<float> scores(jobs * replicas * stages, 0.0F);
    if (!graph.fixedSpatial.empty())
        scores = fixedScores(prepared);
    if (drawn) {
        const Candidates candidates(prepared, seed);
        tbb::parallel_for(std::size_t{0}, jobs, [&](std::size_t job) {
            if (stop.stop_requested())
                return;
            for (std::size_t d = 0; d < replicas; ++d)
                for (std::size_t s = 0; s < stages; ++s)
                    scores[(job * replicas + d) * stages + s] = candidates.score(job, d, s);
        });
    }
    std::vector<float> ends(jobs * replicas * stages), optimizer(ends.size());
    const auto sweepAll = [&](const std::vector<std::size_t>& wanted) {
        for (std::size_t kind = 0; kind < prepared.replicas.size() && !stop.stop_requested(); ++kind) {
            std::vector<std::size_t> items;
            for (const std::size_t i : wanted)
                if (static_cast<std::size_t>(prepared.kindOfReplica[i % replicas]) == kind)
                    items.push_back(i);
            if (items.empty())
                continue;
            sweepStill(prepared, scores, items, static_cast<int>(kind), [&](std::size_t item, std::size_t lane, const Rows& e, const Rows& o) {
                for (std::size_t s = 0; s < stages; ++s) {
                    ends[items[item] * stages + s] = e.row(s)[lane];
                    optimizer[items[item] * stages + s] = o.row(s)[lane];
                }
            });
        }
    };
    sweepAll(likelySlowest(prepared, scores, jobs));
    if (stop.stop_requested())
        return out;
    StepRows still(stages);
    Rows regime(2), latest(stages), slowest(stages), step(1);
    regime.fill(1.0F);
    still.draw(prepared, roundKeys(0), 0, regime, false);
    std::vector<std::pair<float, std::size_t>> order;
    for (std::size_t job = 0; job < jobs; ++job) {
        latest.fill(0.0F);
        slowest.fill(0.0F);
        for (std::size_t d = 0; d < replicas; ++d)
            for (std::size_t s = 0; s < stages; ++s) {
                latest.row(s)[0] = std::max(latest.row(s)[0], ends[(job * replicas + d) * stages + s]);
                slowest.row(s)[0] = std::max(slowest.row(s)[0], optimizer[(job * replicas + d) * stages + s]);
            }
        still.end(prepared, latest, slowest, step.row(0));
        order.emplace_back(step.row(0)[0], job);
    }
    std::sort(order.begin(), order.end());
    const std::size_t job = order[jobs / 2].second;
    out.scores.assign(scores.begin() + static_cast<std::ptrdiff_t>(job * replicas * stages),
                      scores.begin() + static_cast<std::ptrdiff_t>((job + 1) * replicas * stages));
    std::vector<std::size_t> ofJob(replicas);
    std::iota(ofJob.begin(), ofJob.end(), job * replicas);
    sweepAll(ofJob);
    for (std::size_t d = 0; d < replicas; ++d) {
        for (std::size_t s = 0; s < stages; ++s) {
            latest.row(s)[0] = ends[(job * replicas + d) * stages + s];
            slowest.row(s)[0] = optimizer[(job * replicas + d) * stages + s];
        }
        still.end(prepared, latest, slowest, step.row(0));
        out.replicaSeconds.push_back(step.row(0)[0]);
    }
    return out;
}

} // namespace prism
