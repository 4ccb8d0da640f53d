// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/step/otherjobs.h"

#include "core/sim/step/seriesends.h"
#include "core/stats/moments.h"
#include "core/stats/random.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace prism {

namespace {

/// Cells of a job up to which its median job is modelled rank by rank.
constexpr int kMostCellsRankByRank = 256;
constexpr int kMostRanksRankByRank = 1 << 16; ///< and its ranks
/// Steps of each of the other jobs, in whole blocks: as many as so many node-samples reach (a few milliseconds a job), within bounds.
constexpr int kMostOtherSteps = static_cast<int>(2 * kLanes);
constexpr std::size_t kOtherNodeSamples = 8'000'000;
/// Replicas that each of those steps sweeps, roughly: the slowest of the job, the common sample's and the still one.
constexpr std::size_t kSweptReplicas = 16;
/// Where they do not reach for a block, this many replicas share one. The shift of a median job is the same at most steps: half a block
/// knows it to a third of its spread.
constexpr std::size_t kSharingBlock = 2;
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

/// How long the series are that the jobs are compared over, and how many replicas share a block in them.
struct Comparison {
    int steps;
    std::size_t sharing;
};

Comparison comparison(const Prepared& prepared, int steps)
{
    const int block = static_cast<int>(kLanes);
    const std::size_t perStep = kSweptReplicas * std::max<std::size_t>(1, prepared.plan->nodeCount());
    const auto affordable = static_cast<int>(std::min<std::size_t>(kMostOtherSteps, kOtherNodeSamples / perStep));
    // Measured replicas are kinds of their own: they share no block.
    if (affordable < block && prepared.graph().fixedSpatial.empty())
        return {std::min(steps, static_cast<int>(kLanes / kSharingBlock)), kSharingBlock};
    return {std::min(steps, std::max(block, affordable)), 1};
}

/// Steps of the jobs in the conditions of the median job's.
Series comparedSteps(const Prepared& prepared, std::uint64_t seed, const Comparison& size)
{
    return besideOneAnother(makeSeries(prepared, mix64(seed), seed, Run::within, size.steps), size.sharing);
}

JobScores slice(const JobScores& all, int job, int replicas)
{
    const auto first = static_cast<std::ptrdiff_t>(job) * replicas, last = first + replicas;
    const auto stages = static_cast<std::ptrdiff_t>(all.scores.size() / all.replicaSeconds.size());
    return {{all.scores.begin() + first * stages, all.scores.begin() + last * stages},
            {all.replicaSeconds.begin() + first, all.replicaSeconds.begin() + last},
            {}};
}

/// Puts replicas of one kind side by side, as many as the series takes.
std::vector<ReplicaDraw> sideBySide(const std::vector<ReplicaDraw>& replicas, const Series& series)
{
    std::vector<ReplicaDraw> out;
    for (const ReplicaDraw& r : replicas) {
        const auto place = std::find_if(out.begin(), out.end(), [&](const ReplicaDraw& o) {
            return o.kind == r.kind && o.scores.size() < series.sideBySide * series.stages();
        });
        if (place == out.end())
            out.push_back(r);
        else
            place->scores.insert(place->scores.end(), r.scores.begin(), r.scores.end());
    }
    return out;
}

/// Steps of one of the jobs, with draws that the others have as well: the slowest replica of one shares those of another's.
std::vector<double> stepsOf(const Series& series, ReplicaLayout job, Recall& recall, std::stop_token stop)
{
    job.single = sideBySide(job.single, series);
    for (std::size_t i = 0; i < job.single.size(); ++i)
        job.single[i].copy = i;
    std::uint64_t nodeSamples = 0;
    return seriesEnds(series, job, recall, stop, nodeSamples).seconds;
}

/// Layouts of the median job and the others, which share its models. `oneSample`: they differ by their slowest replicas and take the median
/// job's members for the rest. Where few replicas can be sampled, what a sample of each job's own were short of would look like a
/// difference between the jobs; in pipelines so long that this is so, noise evens out and the slowest GPUs decide.
std::vector<ReplicaLayout> layoutsOf(const NearMedian& near, bool oneSample)
{
    std::vector<ReplicaLayout> out = {jobLayout(*near.prepared, *near.job, 0, true)};
    for (const JobScores& other : near.job->others) {
        ReplicaLayout layout = jobLayout(*near.prepared, other, 0, true);
        // As many as its own: in another job another number may stand apart.
        if (oneSample && layout.pooled > 0 && out[0].pooled > 0)
            layout.members = out[0].members;
        out.push_back(std::move(layout));
    }
    return out;
}

/// The same where each job has models of its own, the jobs one after another in one graph.
std::vector<ReplicaLayout> layoutsOf(const Prepared& prepared, const JobScores& all, int replicas)
{
    std::vector<ReplicaLayout> out;
    for (int k = 0; k <= static_cast<int>(std::size(kOtherJobs)); ++k)
        out.push_back(jobLayout(prepared, slice(all, k, replicas), k * replicas, true));
    return out;
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
    const Comparison size = comparison(*near.prepared, steps);
    const ContentHash key =
        Hasher().add("other jobs").add(medianJobKey(*near.prepared, seed)).add(near.prepared->sweepHash).add(size.steps).result();
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
        const Series series = comparedSteps(*prepared, seed, size);
        const std::vector<ReplicaLayout> layouts =
            all ? layoutsOf(*prepared, *all, near.prepared->graph().numReplicas) : layoutsOf(near, size.sharing > 1);
        std::vector<std::vector<double>> jobs(layouts.size());
        const auto run = [&](std::size_t k) {
            Recall own(memo);
            jobs[k] = stepsOf(series, layouts[k], own, stop);
        };
        run(0); // what it has in common with the others is there when these begin
        tbb::parallel_for(std::size_t{1}, layouts.size(), run);
        if (stop.stop_requested())
            return {};
        return spreadOf(jobs);
    };
    if (const auto known = recall.find<SharedError>(key))
        return *known;
    const SharedError made = make();
    return stop.stop_requested() ? made : *recall.keep<SharedError>("other jobs", key, made, sizeof made);
}

} // namespace prism
