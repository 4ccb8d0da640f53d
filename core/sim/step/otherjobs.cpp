// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/step/otherjobs.h"

#include "core/sim/step/seriesends.h"
#include "core/stats/moments.h"
#include "core/stats/random.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace prism {

namespace {

/// Cells of a job up to which its median job is modelled rank by rank.
constexpr int kMostCellsRankByRank = 256;
constexpr int kMostRanksRankByRank = 1 << 16; ///< and its ranks
/// Steps of each of the other jobs, in whole blocks: as many as so many node-samples reach (a few milliseconds a job), within bounds.
constexpr int kFewestOtherSteps = static_cast<int>(kLanes), kMostOtherSteps = 2 * kFewestOtherSteps;
constexpr std::size_t kOtherNodeSamples = 8'000'000;
/// Replicas that each of those steps sweeps, roughly: the slowest of the job, the common sample's and the still one.
constexpr std::size_t kSweptReplicas = 16;
/// Of a series with fewer steps nobody asks for an interval.
constexpr int kLeastSteps = 32;
/// Memory for the other jobs' replicas: nobody asks for them again.
constexpr std::size_t kSideMemoBytes = std::size_t{16} << 20;

/// Several jobs of one graph as one graph: job k has the replicas from k * numReplicas on.
StepGraph behindOneAnother(const StepGraph& graph, const std::vector<std::vector<double>>& factors)
{
    StepGraph out = graph;
    const int jobs = static_cast<int>(factors.size());
    out.numReplicas = graph.numReplicas * jobs;
    out.fixedSpatial.clear();
    for (const std::vector<double>& job : factors)
        out.fixedSpatial.insert(out.fixedSpatial.end(), job.begin(), job.end());
    for (const SlowSpot& spot : graph.slow)
        for (int k = 1; k < jobs && spot.replica >= 0; ++k) {
            out.slow.push_back(spot);
            out.slow.back().replica += k * graph.numReplicas;
        }
    return out;
}

int otherSteps(const Prepared& prepared, int steps)
{
    const std::size_t perStep = kSweptReplicas * std::max<std::size_t>(1, prepared.plan->nodeCount());
    const auto affordable = static_cast<int>(std::min<std::size_t>(kMostOtherSteps, kOtherNodeSamples / perStep));
    return std::min(steps, std::max(kFewestOtherSteps, affordable));
}

JobScores slice(const JobScores& all, int job, int replicas)
{
    const auto first = static_cast<std::ptrdiff_t>(job) * replicas, last = first + replicas;
    const auto stages = static_cast<std::ptrdiff_t>(all.scores.size() / all.replicaSeconds.size());
    return {{all.scores.begin() + first * stages, all.scores.begin() + last * stages},
            {all.replicaSeconds.begin() + first, all.replicaSeconds.begin() + last},
            {}};
}

/// Steps of one of the jobs, with draws that the others have as well: the slowest replica of one shares those of another's.
std::vector<double> stepsOf(const Series& series, const JobScores& job, int firstReplica, Recall& recall, std::stop_token stop)
{
    ReplicaLayout layout = jobLayout(series.prepared, job, firstReplica, true);
    for (std::size_t i = 0; i < layout.single.size(); ++i)
        layout.single[i].copy = i;
    std::uint64_t nodeSamples = 0;
    return seriesEnds(series, layout, recall, stop, nodeSamples).seconds;
}

/// Mean difference of two series over the steps whose rank in the first lies between two shares.
double difference(const std::vector<std::size_t>& order, const std::vector<double>& base, const std::vector<double>& other, double from,
                  double to)
{
    const auto n = static_cast<double>(order.size());
    double sum = 0.0, count = 0.0;
    for (auto i = static_cast<std::size_t>(from * n); i < static_cast<std::size_t>(std::ceil(to * n)); ++i, count += 1.0)
        sum += other[order[i]] - base[order[i]];
    return count > 0.0 ? sum / count : 0.0;
}

/// Spread of the other jobs' shifts against the first. The first is none of them: where it happens to lie far out, it would widen its own
/// interval.
SharedError::Part spread(const std::vector<double>& shifts)
{
    return {std::sqrt(varianceOf(shifts)), static_cast<double>(shifts.size()) - 1.0};
}

SharedError spreadOf(const std::vector<std::vector<double>>& jobs)
{
    std::vector<std::size_t> order(jobs[0].size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return jobs[0][a] < jobs[0][b]; });
    const auto over = [&](double from, double to) {
        std::vector<double> shifts;
        for (std::size_t k = 1; k < jobs.size(); ++k)
            shifts.push_back(difference(order, jobs[0], jobs[k], from, to));
        return spread(shifts);
    };
    return {over(0.4, 0.6), over(0.9, 1.0), over(0.97, 1.0), over(0.0, 1.0)};
}

} // namespace

NearMedian nearMedian(const std::shared_ptr<const Prepared>& prepared, std::uint64_t seed, Recall& recall, std::stop_token stop)
{
    const StepGraph& graph = prepared->graph();
    NearMedian out{prepared, nullptr, {}};
    const int cells = graph.numReplicas * graph.schedule.numStages;
    if (prepared->drawsScores() && cells <= kMostCellsRankByRank && cells <= kMostRanksRankByRank / graph.cellRanks()) {
        const std::vector<std::vector<double>> factors = medianJobFactors(graph, seed);
        StepGraph job = graph;
        job.fixedSpatial = factors[0];
        out.side = behindOneAnother(graph, factors);
        out.prepared = prepare(job, recall, stop);
    }
    if (out.prepared)
        out.job = medianJob(*out.prepared, seed, recall, stop);
    return out.job ? out : NearMedian{};
}

SharedError jobChoiceError(const NearMedian& near, std::uint64_t seed, int steps, Recall& recall, std::stop_token stop)
{
    if (steps < kLeastSteps || (near.side.fixedSpatial.empty() && near.job->others.empty()))
        return {};
    const ContentHash key = Hasher()
                                .add("other jobs")
                                .add(medianJobKey(*near.prepared, seed))
                                .add(near.prepared->sweepHash)
                                .add(otherSteps(*near.prepared, steps))
                                .result();
    const auto make = [&]() -> SharedError {
        Memo memo(kSideMemoBytes);
        Recall side(memo);
        std::shared_ptr<const Prepared> prepared = near.prepared;
        std::shared_ptr<const JobScores> all;
        if (!near.side.fixedSpatial.empty()) {
            prepared = prepare(near.side, side, stop);
            all = prepared ? medianJob(*prepared, seed, side, stop) : nullptr;
            if (!all)
                return {};
        }
        const int replicas = near.prepared->graph().numReplicas;
        const Series series = makeSeries(*prepared, mix64(seed), seed, Run::within, otherSteps(*near.prepared, steps));
        std::vector<std::vector<double>> jobs;
        for (int k = 0; k <= static_cast<int>(std::size(kOtherJobs)); ++k) {
            if (all)
                jobs.push_back(stepsOf(series, slice(*all, k, replicas), k * replicas, side, stop));
            else
                jobs.push_back(stepsOf(series, k == 0 ? *near.job : near.job->others[static_cast<std::size_t>(k - 1)], 0, side, stop));
            if (stop.stop_requested())
                return {};
        }
        return spreadOf(jobs);
    };
    if (const auto known = recall.find<SharedError>(key))
        return *known;
    const SharedError made = make();
    return stop.stop_requested() ? made : *recall.keep<SharedError>("other jobs", key, made, sizeof made);
}

} // namespace prism
