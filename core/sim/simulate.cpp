// SPDX-License-Identifier: GPL-3.0-or-later
// The fast simulator: replicas of a step from models of their chunks, steps from replicas directly or by order statistics.
#include "core/sim/simulate.h"

#include "core/sim/step/stepdelays.h"
#include "core/sim/step/jobs.h"
#include "core/sim/step/lockstep.h"
#include "core/sim/step/slowestoptimizer.h"
#include "core/sim/step/parts.h"
#include "core/sim/step/steptail.h"
#include "core/sim/step/tail.h"
#include "core/stats/random.h"
#include "core/step/deterministicstep.h"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace prism {

namespace {

constexpr std::uint64_t kMaximumDraws = 0x53;
/// Across jobs, up to this many equal replicas are simulated one by one; beyond, the step is the maximum over a common sample of
/// replicas, so that the cost does not grow with their number.
constexpr int kDirectReplicas = 4;
/// Within a job, the slowest replicas that are simulated one by one.
constexpr std::size_t kSlowestOfJob = 8;
/// Beyond those, the ones that stand apart from the median by more than this many robust standard deviations, up to a bound.
constexpr double kApart = 3.5;
constexpr std::size_t kMostOfJob = 64;
/// Cells of a job up to which its median job is modelled rank by rank.
constexpr int kMostCellsRankByRank = 256;
constexpr int kMostRanksRankByRank = 1 << 16; ///< and its ranks
/// Smallest number of sampled replicas behind a common sample.
constexpr std::size_t kSmallestPool = 2000;
constexpr std::uint64_t kPoolCopies = 1'000'000; ///< copies of the common sample start here
constexpr std::size_t kSubPools = 8;
/// Blocks that are sampled and put together at once: the first few for a first curve, then as many as bound the memory.
constexpr std::size_t kFirstBlocks = 4, kMostBlocks = 128;
/// Memory for intermediate results of a call that brings no memo.
constexpr std::size_t kOwnMemoBytes = std::size_t{32} << 20;

/// Which replicas are simulated one by one, and how many stand behind a common sample.
struct Layout {
    std::vector<ReplicaDraw> single;
    int pooled = 0, pooledKind = 0;
    std::vector<std::vector<float>> members; ///< scores of the pooled replicas; empty = drawn afresh
};

std::size_t copiesOf(const Layout& layout, std::size_t steps)
{
    return layout.pooled > 0 ? std::max<std::size_t>(2, kSmallestPool / std::max<std::size_t>(1, steps)) : 0;
}

/// The parts of a range of blocks: the single replicas, the pooled one without noise, and the copies of the common sample.
std::vector<PartRequest> requestsOf(const Series& series, const Layout& layout)
{
    std::vector<PartRequest> out;
    if (!layout.single.empty())
        out.push_back({"single replicas", layout.single, true, nullptr});
    if (layout.pooled == 0)
        return out;
    const std::vector<float> still = layout.members.empty() ? std::vector<float>(series.stages(), 0.0F) : layout.members[0];
    out.push_back({"still replica", {{layout.pooledKind, 0, LuckSource::fixed, still}}, false, nullptr});
    const bool fresh = layout.members.empty();
    for (std::size_t c = 0; c < copiesOf(layout, series.steps); ++c)
        out.push_back({"common sample",
                       {{layout.pooledKind, kPoolCopies + c, fresh ? LuckSource::tilted : LuckSource::members, {}}},
                       true,
                       fresh ? nullptr : &layout.members});
    return out;
}

/// What the blocks of a series leave behind.
struct Sampled {
    std::vector<double> single;         ///< step end over the replicas simulated one by one
    std::vector<double> location;       ///< step end of a replica without noise in this step's conditions
    std::vector<double> excess, weight; ///< of each pooled replica over its step's location, [copy][step]
};

/// Puts the steps of one block together. One thread.
class BlockEnds final {
public:
    explicit BlockEnds(const Series& series) : m_series(series), m_tail(series.stages()), m_slowest(series.stages()), m_value(2) {}

    void take(const Layout& layout, const SlowestOptimizer& optimizer, const std::vector<ReplicaPartPtr>& parts, std::size_t at,
              std::size_t block, Sampled& out)
    {
        const Prepared& prepared = m_series.prepared;
        const std::size_t stages = m_series.stages(), steps = m_series.steps, first = block * kLanes,
                          lanes = std::min(kLanes, steps - first);
        const Rows regime = m_series.regimeRows(block);
        m_tail.draw(prepared, roundKeys(m_series.seed, ~std::uint64_t{0}), block, regime, true);
        m_slowest.fill(0.0F);
        if (layout.pooled > 0)
            drawOptimizer(optimizer, block, regime);
        std::size_t part = 0;
        if (!layout.single.empty()) {
            const ReplicaPart& p = *parts[part++];
            for (std::size_t i = 0; i < stages * kLanes; ++i)
                m_slowest.row(0)[i] = std::max(m_slowest.row(0)[i], p.optimizer.row(at * stages)[i]);
            m_tail.end(prepared, p.ends.row(at * stages), m_slowest.row(0), m_value.row(0));
            std::copy_n(m_value.row(0), lanes, out.single.begin() + static_cast<std::ptrdiff_t>(first));
        }
        if (layout.pooled == 0)
            return;
        m_tail.end(prepared, parts[part++]->ends.row(at * stages), m_slowest.row(0), m_value.row(0));
        std::copy_n(m_value.row(0), lanes, out.location.begin() + static_cast<std::ptrdiff_t>(first));
        for (std::size_t c = 0; part < parts.size(); ++part, ++c) {
            m_tail.end(prepared, parts[part]->ends.row(at * stages), m_slowest.row(0), m_value.row(1));
            for (std::size_t l = 0; l < lanes; ++l) {
                out.excess[c * steps + first + l] = static_cast<double>(m_value.row(1)[l]) - static_cast<double>(m_value.row(0)[l]);
                out.weight[c * steps + first + l] = static_cast<double>(parts[part]->weights.row(at)[l]);
            }
        }
    }

private:
    void drawOptimizer(const SlowestOptimizer& optimizer, std::size_t block, const Rows& regime)
    {
        optimizer.draw(m_series.seed, block, m_slowest);
        for (std::size_t s = 0; s < m_series.stages(); ++s)
            for (std::size_t l = 0; l < kLanes; ++l)
                m_slowest.row(s)[l] *= regime.row(kComputeRegimeRow)[l];
    }

    const Series& m_series;
    StepTail m_tail;
    Rows m_slowest, m_value;
};

/// False when stopped.
bool sampleBlocks(const Series& series, const Layout& layout, const SlowestOptimizer& optimizer, Recall& recall, std::stop_token stop,
                  std::uint64_t& nodeSamples, Sampled& out)
{
    const std::size_t copies = copiesOf(layout, series.steps);
    out.single.assign(series.steps, 0.0);
    out.location.assign(copies > 0 ? series.steps : 0, 0.0);
    out.excess.assign(series.steps * copies, 0.0);
    out.weight.assign(series.steps * copies, 1.0);
    const std::vector<PartRequest> requests = requestsOf(series, layout);
    tbb::enumerable_thread_specific<BlockEnds> workers([&] { return BlockEnds(series); });
    for (std::size_t first = 0; first < series.blocks();) {
        const std::size_t count = std::min(series.blocks() - first, first == 0 ? kFirstBlocks : kMostBlocks);
        const std::vector<ReplicaPartPtr> parts = replicaParts(series, requests, first, count, recall, stop, nodeSamples);
        if (stop.stop_requested())
            return false;
        tbb::parallel_for(std::size_t{0}, count,
                          [&](std::size_t at) { workers.local().take(layout, optimizer, parts, at, first + at, out); });
        first += count;
    }
    return true;
}

/// Standard errors that all steps share because they take their maxima from one sample of replicas: from sub-samples.
void sharedErrors(const Sampled& sampled, int pooled, StepSamples& report)
{
    constexpr double kUpper[] = {0.5, 0.05, 0.01};
    double first[4] = {}, second[4] = {};
    double value[kSubPools][4] = {};
    tbb::parallel_for(std::size_t{0}, kSubPools, [&](std::size_t k) {
        std::vector<double> excess, weight;
        for (std::size_t i = k; i < sampled.excess.size(); i += kSubPools) {
            excess.push_back(sampled.excess[i]);
            weight.push_back(sampled.weight[i]);
        }
        const TailSample sub(std::move(excess), std::move(weight));
        for (std::size_t q = 0; q < 3; ++q)
            value[k][q] = sub.upperQuantile(tailOfMaximum(kUpper[q], pooled));
        for (int q = 0; q < 16; ++q)
            value[k][3] += sub.upperQuantile(tailOfMaximum((q + 0.5) / 16.0, pooled)) / 16.0;
    });
    for (std::size_t k = 0; k < kSubPools; ++k)
        for (std::size_t q = 0; q < 4; ++q) {
            first[q] += value[k][q] / kSubPools;
            second[q] += value[k][q] * value[k][q] / kSubPools;
        }
    // The whole sample is kSubPools times as large as each part.
    const auto error = [&](std::size_t q) { return std::sqrt(std::max(0.0, second[q] - first[q] * first[q]) / (kSubPools - 1)); };
    report.sharedStdErrP50 = error(0);
    report.sharedStdErrP95 = error(1);
    report.sharedStdErrP99 = error(2);
    report.sharedStdErrMean = error(3);
}

std::vector<double> sampleSeries(const Series& series, const Layout& layout, Recall& recall, std::stop_token stop, StepSamples& report,
                                 bool across)
{
    Sampled sampled;
    SlowestOptimizer optimizer;
    if (layout.pooled > 0)
        optimizer = SlowestOptimizer(series.prepared, layout.pooledKind, layout.pooled, layout.members);
    if (!sampleBlocks(series, layout, optimizer, recall, stop, report.nodeSamples, sampled)) {
        report.complete = false;
        return {};
    }
    if (layout.pooled == 0)
        return sampled.single;
    const TailSample pool(sampled.excess, sampled.weight);
    std::vector<double> result(series.steps);
    tbb::parallel_for(std::size_t{0}, series.blocks(), [&](std::size_t block) {
        for (std::size_t i = block * kLanes; i < std::min(series.steps, (block + 1) * kLanes) && !stop.stop_requested(); ++i) {
            const double upper = 1.0 - uniform(series.seed, stream(kMaximumDraws), i);
            result[i] = std::max(sampled.single[i], sampled.location[i] + pool.upperQuantile(tailOfMaximum(upper, layout.pooled)));
        }
    });
    if (stop.stop_requested()) {
        report.complete = false;
        return {};
    }
    if (across) {
        sharedErrors(sampled, layout.pooled, report);
        if (tailOfMaximum(0.01, layout.pooled) < pool.supportedTail())
            report.warnings.push_back(
                {Severity::warning, "samples",
                 "The p99 of so many replicas lies beyond the sampled ones: its tail is extrapolated and its interval widened.",
                 std::to_string(layout.pooled) + " replicas", "more samples", "", ""});
    }
    return result;
}

/// Across jobs: every replica with fresh lucks.
Layout acrossLayout(const Prepared& prepared)
{
    Layout out;
    for (std::size_t k = 0; k < prepared.replicas.size(); ++k) {
        const ReplicaKind& kind = prepared.replicas[k];
        if (kind.count > kDirectReplicas && out.pooled < kind.count) {
            out.pooled = kind.count;
            out.pooledKind = static_cast<int>(k);
        }
    }
    for (int d = 0; d < prepared.graph().numReplicas; ++d)
        if (const int k = prepared.kindOfReplica[static_cast<std::size_t>(d)]; out.pooled == 0 || k != out.pooledKind)
            out.single.push_back({k, static_cast<std::uint64_t>(d), LuckSource::fresh, {}});
    return out;
}

/// How many of a job's replicas, given by falling seconds, are simulated one by one. What is left has one mode, which the fitted tail
/// of their common sample needs: a few slow nodes among many would bend it.
std::size_t slowestOneByOne(const std::vector<double>& falling)
{
    const std::size_t n = falling.size();
    if (n <= kSlowestOfJob)
        return n;
    const double median = falling[n / 2];
    std::vector<double> away;
    for (const double x : falling)
        away.push_back(std::abs(x - median));
    std::nth_element(away.begin(), away.begin() + static_cast<std::ptrdiff_t>(n / 2), away.end());
    constexpr double kNormalOverMad = 1.4826; // standard deviation of a normal variable over its median absolute deviation
    const double beyond = median + kApart * kNormalOverMad * away[n / 2];
    std::size_t count = kSlowestOfJob;
    while (count < std::min(n, kMostOfJob) && falling[count] > beyond)
        ++count;
    return count;
}

/// Within a job: every replica has its own lucks. The slowest, and all of the rarer kinds, one by one.
Layout jobLayout(const Prepared& prepared, const JobScores& job)
{
    const auto stages = static_cast<std::size_t>(prepared.plan->numStages);
    const auto scores = [&](std::size_t d) {
        return std::vector<float>(job.scores.begin() + static_cast<std::ptrdiff_t>(d * stages),
                                  job.scores.begin() + static_cast<std::ptrdiff_t>((d + 1) * stages));
    };
    Layout out;
    int common = 0;
    for (std::size_t k = 0; k < prepared.replicas.size(); ++k)
        if (prepared.replicas[k].count > prepared.replicas[static_cast<std::size_t>(common)].count)
            common = static_cast<int>(k);
    std::vector<std::size_t> order(job.replicaSeconds.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return job.replicaSeconds[a] > job.replicaSeconds[b]; });
    std::vector<double> falling;
    for (const std::size_t d : order)
        falling.push_back(job.replicaSeconds[d]);
    const std::size_t oneByOne = slowestOneByOne(falling);
    for (std::size_t i = 0; i < order.size(); ++i) {
        const std::size_t d = order[i];
        const int kind = prepared.kindOfReplica[d];
        if (i < oneByOne || kind != common)
            out.single.push_back({kind, d, LuckSource::fixed, scores(d)});
        else
            out.members.push_back(scores(d));
    }
    out.pooled = static_cast<int>(out.members.size());
    out.pooledKind = common;
    return out;
}

/// Models for the series within a job. A job of few cells is modelled rank by rank, as if its factors had been measured: how its
/// cells lie around their averages would be seen in its median. Null when stopped.
std::shared_ptr<const Prepared> preparedJob(const std::shared_ptr<const Prepared>& prepared, std::uint64_t seed, Recall& recall,
                                            std::stop_token stop)
{
    const StepGraph& graph = prepared->graph();
    const int cells = graph.numReplicas * graph.schedule.numStages;
    if (!prepared->drawsScores() || cells > kMostCellsRankByRank || cells > kMostRanksRankByRank / graph.cellRanks())
        return prepared;
    StepGraph job = graph;
    job.fixedSpatial = medianJobFactors(graph, seed);
    return prepare(job, recall, stop);
}

} // namespace

StepSamples simulate(const StepGraph& whole, const SimOptions& options)
{
    StepSamples out;
    const StepGraph graph = inLockstep(whole);
    Memo own(kOwnMemoBytes);
    Recall recall(options.memo != nullptr ? *options.memo : own);
    tbb::task_arena arena(options.numThreads > 0 ? options.numThreads : tbb::task_arena::automatic);
    out.complete = arena.execute([&] {
        out.noiseFreeSeconds = deterministicStepSeconds(whole);
        const auto prepared = prepare(graph, recall, options.stop);
        if (!prepared)
            return false;
        const int within = options.numWithinSamples == 0 ? options.numSamples / 4 : std::max(0, options.numWithinSamples);
        const bool measured = !graph.fixedSpatial.empty();
        std::shared_ptr<const Prepared> ofJob = prepared;
        Layout layout;
        if (within > 0 || measured) {
            ofJob = preparedJob(prepared, options.seed, recall, options.stop);
            const auto job = ofJob ? medianJob(*ofJob, options.seed, recall, options.stop) : nullptr;
            if (!job)
                return false;
            layout = jobLayout(*ofJob, *job);
        }
        if (options.numSamples > 0) {
            const Series series = makeSeries(*prepared, options.seed, options.seed, Run::across, options.numSamples);
            out.acrossSeconds = sampleSeries(series, measured ? layout : acrossLayout(*prepared), recall, options.stop, out, true);
            addStepDelays(graph, options.seed, Run::across, out.acrossSeconds);
        }
        if (within > 0 && out.complete) {
            const Series series = makeSeries(*ofJob, mix64(options.seed), options.seed, Run::within, within);
            out.withinSeconds = sampleSeries(series, layout, recall, options.stop, out, false);
            addStepDelays(graph, options.seed, Run::within, out.withinSeconds);
        }
        return out.complete;
    });
    out.totalNodes = recall.totalNodes();
    out.recomputed = recall.recomputed();
    return out;
}

} // namespace prism
