// The fast simulator: replicas of a step from models of their chunks, steps from replicas directly or by order statistics.
#include "core/sim/simulate.h"

#include "core/sim/draws.h"
#include "core/sim/jobs.h"
#include "core/sim/replicas.h"
#include "core/sim/tail.h"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace prism {

namespace {

constexpr std::uint64_t kScoreDraws = 0x51, kPickDraws = 0x52, kMaximumDraws = 0x53, kMemberDraws = 0x54, kOptimizerMaximumDraws = 0x55;
/// Across jobs, up to this many equal replicas are simulated one by one; beyond, the step is the maximum over a common sample of
/// replicas, so that the cost does not grow with their number.
constexpr int kDirectReplicas = 4;
/// Within a job, the slowest replicas that are simulated one by one.
constexpr int kSlowestOfJob = 8;
/// Smallest number of sampled replicas behind a common sample.
constexpr std::size_t kSmallestPool = 2000;
/// Tail probabilities of a cell's luck down to here are sampled on purpose.
constexpr double kDeepest = 1e-9;
constexpr std::size_t kSubPools = 8;

/// A replica that is simulated on its own in every step.
struct Single {
    int kind = 0;
    std::uint64_t copy = 0;
    std::vector<float> scores; ///< per stage; empty = drawn afresh for every step
};

/// Which replicas are simulated one by one, and how many stand behind a common sample.
struct Layout {
    std::vector<Single> single;
    int pooled = 0, pooledKind = 0;
    std::vector<std::vector<float>> members; ///< scores of the pooled replicas; empty = drawn afresh
};

/// One series of steps.
struct Series {
    const Prepared& prepared;
    const SimOptions& options;
    std::uint64_t seed;
    RegimeSeries regimes;
    const Layout& layout;

    [[nodiscard]] std::size_t steps() const { return regimes.intra.size(); }
    [[nodiscard]] std::size_t stages() const { return static_cast<std::size_t>(prepared.plan.numStages); }
    [[nodiscard]] std::size_t copies() const
    {
        return layout.pooled > 0 ? std::max<std::size_t>(2, kSmallestPool / std::max<std::size_t>(1, steps())) : 0;
    }
};

Rows regimeRows(const Series& series, std::size_t block)
{
    Rows out(2);
    for (std::size_t l = 0; l < kLanes; ++l) {
        const std::size_t i = std::min(block * kLanes + l, series.steps() - 1);
        out.row(0)[l] = static_cast<float>(series.regimes.intra[i]);
        out.row(1)[l] = static_cast<float>(series.regimes.inter[i]);
    }
    return out;
}

bool drawsScores(const Prepared& prepared)
{
    return prepared.graph.fixedSpatial.empty() && prepared.graph.spatial.cv > 0.0;
}

void fixedRows(const std::vector<float>& scores, Rows& out)
{
    for (std::size_t s = 0; s < scores.size(); ++s)
        std::fill_n(out.row(s), kLanes, scores[s]);
}

/// Fresh lucks of the cells of one replica per step.
void freshScores(const Series& series, std::uint64_t copy, std::size_t block, Rows& out)
{
    if (!drawsScores(series.prepared)) {
        out.fill(0.0F);
        return;
    }
    for (std::size_t s = 0; s < series.stages(); ++s) {
        const StreamId id = stream(kScoreDraws, copy, s);
        for (std::size_t l = 0; l < kLanes; ++l)
            out.row(s)[l] = static_cast<float>(scoreOfTail(uniform(series.seed, id, block * kLanes + l)));
    }
}

/// Fresh lucks for the common sample, half of them with one cell drawn on purpose from the slow tail: log-uniform tail
/// probability. Weights = plain density / drawn density (defensive mixture importance sampling, Hesterberg 1995).
void tiltedScores(const Series& series, std::uint64_t copy, std::size_t block, Rows& out, float* weights)
{
    std::fill_n(weights, kLanes, 1.0F);
    freshScores(series, copy, block, out);
    if (!drawsScores(series.prepared))
        return;
    const double range = -std::log(kDeepest);
    const StreamId which = stream(kPickDraws, copy), depth = stream(kPickDraws, copy, 1);
    double density[kLanes] = {};
    std::size_t picked[kLanes];
    double deep[kLanes];
    for (std::size_t l = 0; l < kLanes; ++l) {
        const double pick = uniform(series.seed, which, block * kLanes + l) * 2.0 * static_cast<double>(series.stages());
        picked[l] = static_cast<std::size_t>(pick);
        deep[l] = std::exp(-range * uniform(series.seed, depth, block * kLanes + l));
    }
    for (std::size_t s = 0; s < series.stages(); ++s) {
        const StreamId id = stream(kScoreDraws, copy, s);
        for (std::size_t l = 0; l < kLanes; ++l) {
            double tail = uniform(series.seed, id, block * kLanes + l);
            if (picked[l] == s) {
                tail = deep[l];
                out.row(s)[l] = static_cast<float>(scoreOfTail(tail));
            }
            density[l] += tail >= kDeepest ? 1.0 / (tail * range) : 0.0;
        }
    }
    for (std::size_t l = 0; l < kLanes; ++l)
        weights[l] = static_cast<float>(1.0 / (0.5 + 0.5 * density[l] / static_cast<double>(series.stages())));
}

void memberScores(const Series& series, std::uint64_t copy, std::size_t block, Rows& out)
{
    const StreamId id = stream(kMemberDraws, copy);
    for (std::size_t l = 0; l < kLanes; ++l) {
        const double u = uniform(series.seed, id, block * kLanes + l);
        const auto& member = series.layout.members[static_cast<std::size_t>(u * static_cast<double>(series.layout.members.size()))];
        for (std::size_t s = 0; s < member.size(); ++s)
            out.row(s)[l] = member[s];
    }
}

/// Tail probability of one replica at which the largest of `count` has probability `upper` of being beyond.
double tailOfMaximum(double upper, int count)
{
    return -std::expm1(std::log1p(-upper) / count);
}

/// Quantiles, at (i + 1/2) / kMaximumCells, of the slowest optimizer of a stage over the pooled replicas. It is drawn apart from the
/// replicas' ends: everyone waits for the gradient synchronisation in between.
constexpr std::size_t kMaximumCells = 512;

std::vector<float> slowestOptimizer(const Series& series, std::size_t stage)
{
    const Prepared& prepared = series.prepared;
    const ReplicaKind& kind = prepared.replicas[static_cast<std::size_t>(series.layout.pooledKind)];
    const int index = prepared.cells[static_cast<std::size_t>(kind.cellOfStage[stage])].programs.back();
    if (index < 0)
        return {0.0F};
    const ChunkModel& model = prepared.models[static_cast<std::size_t>(index)];
    std::vector<std::pair<double, double>> scores; // node, weight
    if (!series.layout.members.empty()) {
        const std::size_t stride = 1 + series.layout.members.size() / 128;
        for (std::size_t i = 0; i < series.layout.members.size(); i += stride)
            scores.emplace_back((static_cast<double>(series.layout.members[i][stage]) + kScoreLimit) / (2.0 * kScoreLimit) * (kScoreNodes - 1), 1.0);
    } else if (drawsScores(prepared)) {
        for (int j = 1; j < kScoreNodes; j += 2) {
            const double z = (j / (kScoreNodes - 1.0) * 2.0 - 1.0) * kScoreLimit;
            scores.emplace_back(j, std::exp(-0.5 * z * z));
        }
    } else {
        scores.emplace_back(0.5 * (kScoreNodes - 1), 1.0);
    }
    std::vector<double> values, weights;
    for (const auto& [node, weight] : scores) {
        const double mean = model.computeMean[static_cast<std::size_t>(node)], sigma = std::sqrt(model.computeVariance[static_cast<std::size_t>(node)]);
        // Octaves of the tail probability, four draws each above the median and one below.
        for (int side = 0; side < 2; ++side)
            for (int k = 1; k <= 15; ++k)
                for (int j = 0, n = side == 1 ? 4 : 1; j < n; ++j) {
                    const double tail = std::ldexp(1.0 + (j + 0.5) / n, -(k + 1));
                    const auto draw = static_cast<std::uint16_t>((side == 1 ? 1.0 - tail : tail) * 65536.0);
                    values.push_back(mean + (model.isRandom ? sigma * static_cast<double>(model.shape.at(draw)) : 0.0));
                    weights.push_back(weight * std::ldexp(1.0 / n, -(k + 1)));
                }
    }
    const TailSample sample(std::move(values), std::move(weights));
    std::vector<float> out;
    for (std::size_t i = 0; i < kMaximumCells; ++i)
        out.push_back(static_cast<float>(sample.upperQuantile(tailOfMaximum(1.0 - (static_cast<double>(i) + 0.5) / kMaximumCells, series.layout.pooled))));
    return out;
}

void optimizerRows(const Series& series, const std::vector<std::vector<float>>& tables, std::size_t block, Rows& out)
{
    for (std::size_t s = 0; s < tables.size(); ++s) {
        const StreamId id = stream(kOptimizerMaximumDraws, s);
        for (std::size_t l = 0; l < kLanes; ++l)
            out.row(s)[l] = tables[s][static_cast<std::size_t>(uniform(series.seed, id, block * kLanes + l) * static_cast<double>(tables[s].size()))];
    }
}

/// What the blocks of a series leave behind.
struct Sampled {
    std::vector<double> single;           ///< step end over the replicas simulated one by one
    std::vector<double> location;         ///< step end of a replica without noise in this step's conditions
    std::vector<double> excess, weight;   ///< of each pooled replica over its step's location, [copy][step]
    std::vector<std::vector<float>> optimizers; ///< per stage: quantiles of the slowest pooled optimizer
};

void sampleBlock(const Series& series, std::size_t block, Sampled& out)
{
    const std::size_t stages = series.stages(), steps = series.steps(), first = block * kLanes;
    const std::size_t lanes = std::min(kLanes, steps - first);
    const Rows regime = regimeRows(series, block);
    ReplicaSweep sweep(series.prepared);
    sweep.beginBlock(block, regime);
    StepRows step(stages);
    step.draw(series.prepared, roundKeys(series.seed, ~std::uint64_t{0}), block, regime, true);
    Rows scores(stages), ends(stages), optimizer(stages), latest(stages), slowest(stages), value(2);
    if (series.layout.pooled > 0)
        optimizerRows(series, out.optimizers, block, slowest);
    for (const Single& single : series.layout.single) {
        if (series.options.stop.stop_requested())
            return;
        if (single.scores.empty())
            freshScores(series, single.copy, block, scores);
        else
            fixedRows(single.scores, scores);
        sweep.run(series.prepared.replicas[static_cast<std::size_t>(single.kind)], series.seed, single.copy, scores, true, ends, optimizer);
        for (std::size_t i = 0; i < stages * kLanes; ++i) {
            latest.row(0)[i] = std::max(latest.row(0)[i], ends.row(0)[i]);
            slowest.row(0)[i] = std::max(slowest.row(0)[i], optimizer.row(0)[i]);
        }
    }
    if (!series.layout.single.empty()) {
        step.end(series.prepared, latest, slowest, value.row(0));
        std::copy_n(value.row(0), lanes, out.single.begin() + static_cast<std::ptrdiff_t>(first));
    }
    if (series.layout.pooled == 0)
        return;
    const ReplicaKind& kind = series.prepared.replicas[static_cast<std::size_t>(series.layout.pooledKind)];
    if (series.layout.members.empty())
        scores.fill(0.0F);
    else
        fixedRows(series.layout.members[0], scores);
    sweep.run(kind, series.seed, 0, scores, false, ends, optimizer);
    step.end(series.prepared, ends, slowest, value.row(0));
    std::copy_n(value.row(0), lanes, out.location.begin() + static_cast<std::ptrdiff_t>(first));
    float weights[kLanes];
    for (std::size_t c = 0; c < series.copies(); ++c) {
        if (series.options.stop.stop_requested())
            return;
        const std::uint64_t copy = 1'000'000 + c;
        std::fill_n(weights, kLanes, 1.0F);
        if (series.layout.members.empty())
            tiltedScores(series, copy, block, scores, weights);
        else
            memberScores(series, copy, block, scores);
        sweep.run(kind, series.seed, copy, scores, true, ends, optimizer);
        step.end(series.prepared, ends, slowest, value.row(1));
        for (std::size_t l = 0; l < lanes; ++l) {
            out.excess[c * steps + first + l] = static_cast<double>(value.row(1)[l]) - static_cast<double>(value.row(0)[l]);
            out.weight[c * steps + first + l] = weights[l];
        }
    }
}

/// Standard errors that all steps share because they take their maxima from one sample of replicas: from sub-samples.
void sharedErrors(const Sampled& sampled, int pooled, StepSamples& report)
{
    constexpr double kUpper[] = {0.5, 0.05, 0.01};
    double first[4] = {}, second[4] = {};
    for (std::size_t k = 0; k < kSubPools; ++k) {
        std::vector<double> excess, weight;
        for (std::size_t i = k; i < sampled.excess.size(); i += kSubPools) {
            excess.push_back(sampled.excess[i]);
            weight.push_back(sampled.weight[i]);
        }
        const TailSample sub(std::move(excess), std::move(weight));
        double value[4] = {};
        for (std::size_t q = 0; q < 3; ++q)
            value[q] = sub.upperQuantile(tailOfMaximum(kUpper[q], pooled));
        for (int q = 0; q < 16; ++q)
            value[3] += sub.upperQuantile(tailOfMaximum((q + 0.5) / 16.0, pooled)) / 16.0;
        for (std::size_t q = 0; q < 4; ++q) {
            first[q] += value[q] / kSubPools;
            second[q] += value[q] * value[q] / kSubPools;
        }
    }
    // The whole sample is kSubPools times as large as each part.
    const auto error = [&](std::size_t q) { return std::sqrt(std::max(0.0, second[q] - first[q] * first[q]) / (kSubPools - 1)); };
    report.sharedStdErrP50 = error(0);
    report.sharedStdErrP95 = error(1);
    report.sharedStdErrP99 = error(2);
    report.sharedStdErrMean = error(3);
}

std::vector<double> sampleSeries(const Series& series, StepSamples& report, bool across)
{
    const std::size_t steps = series.steps(), blocks = (steps + kLanes - 1) / kLanes, copies = series.copies();
    Sampled sampled;
    sampled.single.assign(steps, 0.0);
    sampled.location.assign(copies > 0 ? steps : 0, 0.0);
    sampled.excess.assign(steps * copies, 0.0);
    sampled.weight.assign(steps * copies, 1.0);
    for (std::size_t s = 0; copies > 0 && s < series.stages(); ++s)
        sampled.optimizers.push_back(slowestOptimizer(series, s));
    tbb::parallel_for(std::size_t{0}, blocks, [&](std::size_t block) {
        if (!series.options.stop.stop_requested())
            sampleBlock(series, block, sampled);
    });
    if (series.options.stop.stop_requested()) {
        report.complete = false;
        return {};
    }
    report.nodeSamples += series.prepared.plan.nodeCount() * steps * (series.layout.single.size() + copies);
    if (copies == 0)
        return sampled.single;
    const TailSample pool(sampled.excess, sampled.weight);
    std::vector<double> result(steps);
    for (std::size_t i = 0; i < steps; ++i) {
        const double upper = 1.0 - uniform(series.seed, stream(kMaximumDraws), i);
        result[i] = std::max(sampled.single[i], sampled.location[i] + pool.upperQuantile(tailOfMaximum(upper, series.layout.pooled)));
    }
    if (across) {
        sharedErrors(sampled, series.layout.pooled, report);
        if (tailOfMaximum(0.01, series.layout.pooled) < pool.supportedTail())
            report.warnings.push_back({Severity::warning, "samples",
                                       "The p99 of so many replicas lies beyond the sampled ones: its tail is extrapolated and its interval widened.",
                                       std::to_string(series.layout.pooled) + " replicas", "more samples", "", ""});
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
    for (int d = 0; d < prepared.graph.numReplicas; ++d)
        if (const int k = prepared.kindOfReplica[static_cast<std::size_t>(d)]; out.pooled == 0 || k != out.pooledKind)
            out.single.push_back({k, static_cast<std::uint64_t>(d), {}});
    return out;
}

/// Within a job: every replica has its own lucks. The slowest, and all of the rarer kinds, one by one.
Layout jobLayout(const Prepared& prepared, const JobScores& job)
{
    const auto stages = static_cast<std::size_t>(prepared.plan.numStages);
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
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return job.replicaSeconds[a] > job.replicaSeconds[b]; });
    for (std::size_t i = 0; i < order.size(); ++i) {
        const std::size_t d = order[i];
        const int kind = prepared.kindOfReplica[d];
        if (i < kSlowestOfJob || kind != common)
            out.single.push_back({kind, d, scores(d)});
        else
            out.members.push_back(scores(d));
    }
    out.pooled = static_cast<int>(out.members.size());
    out.pooledKind = common;
    return out;
}

} // namespace

StepSamples simulate(const StepGraph& graph, const SimOptions& options)
{
    StepSamples out;
    tbb::task_arena arena(options.numThreads > 0 ? options.numThreads : tbb::task_arena::automatic);
    arena.execute([&] {
        out.noiseFreeSeconds = deterministicStepSeconds(graph);
        const auto prepared = prepare(graph, options.stop);
        if (!prepared) {
            out.complete = false;
            return;
        }
        const int within = options.numWithinSamples == 0 ? options.numSamples / 4 : std::max(0, options.numWithinSamples);
        const bool measured = !graph.fixedSpatial.empty();
        JobScores job;
        if (within > 0 || measured)
            job = medianJob(*prepared, options.seed, options.stop);
        if (options.stop.stop_requested()) {
            out.complete = false;
            return;
        }
        Layout ofJob;
        if (within > 0 || measured)
            ofJob = jobLayout(*prepared, job);
        if (options.numSamples > 0) {
            const Layout layout = measured ? ofJob : acrossLayout(*prepared);
            out.acrossSeconds = sampleSeries({*prepared, options, options.seed, regimeSeries(graph, options.seed, Run::across, options.numSamples), layout},
                                             out, true);
        }
        if (within > 0 && out.complete)
            out.withinSeconds = sampleSeries({*prepared, options, mix64(options.seed), regimeSeries(graph, options.seed, Run::within, within), ofJob}, out, false);
    });
    return out;
}

} // namespace prism
