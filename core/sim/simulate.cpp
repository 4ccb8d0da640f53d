// The fast simulator: replicas of a step from shared models of their chunks, steps from replicas by order statistics.
#include "core/sim/simulate.h"

#include "core/sim/draws.h"
#include "core/sim/replicas.h"
#include "core/sim/tail.h"
#include "core/stats/random.h"

#include <boost/math/special_functions/erf.hpp>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace prism {

namespace {

constexpr std::uint64_t kScoreDraws = 0x41, kSyncDraws = 0x43, kMaximumDraws = 0x44;
/// Up to this many replicas every replica of every step is simulated; beyond, the step is the maximum of a common sample.
constexpr int kDirectReplicas = 8;

double normalQuantile(double u) { return -std::numbers::sqrt2 * boost::math::erfc_inv(2.0 * u); }

/// Step-level durations of one step: exposed synchronisations per stage, and the global one.
struct StepDraws {
    std::vector<double> gradSync, paramGather;
    double gradNorm = 0.0;
};

/// Everything that one run shares.
struct Sampling {
    const Prepared& prepared;
    const SimOptions& options;
    std::uint64_t seed;

    [[nodiscard]] std::size_t stages() const { return static_cast<std::size_t>(prepared.plan.numStages); }
    [[nodiscard]] const StepGraph& graph() const { return prepared.graph; }

    [[nodiscard]] double communication(const StepOp& op, std::uint64_t which, std::uint64_t stage, std::uint64_t step,
                                       const std::array<double, 2>& regime, double link, bool noise) const
    {
        if (op.kernelClass < 0)
            return 0.0;
        const std::size_t scope = graph().classes[static_cast<std::size_t>(op.kernelClass)].scope == Scope::interNode ? 1 : 0;
        const double e = noise ? drawFactor(prepared, op.kernelClass, uniform(seed, stream(kSyncDraws, which, stage, 0), step),
                                            uniform(seed, stream(kSyncDraws, which, stage, 1), step))
                               : 1.0;
        return exposedSeconds(op, regime[scope] * (scope == 1 ? link : 1.0) * e);
    }

    [[nodiscard]] StepDraws stepDraws(std::uint64_t step, const std::array<double, 2>& regime, bool noise) const
    {
        StepDraws out;
        for (std::size_t s = 0; s < stages(); ++s) {
            out.gradSync.push_back(communication(graph().gradSync[s], 1, s, step, regime, prepared.stageLinkFactor[s], noise));
            out.paramGather.push_back(communication(graph().paramGather[s], 2, s, step, regime, prepared.stageLinkFactor[s], noise));
        }
        out.gradNorm = communication(graph().gradNorm, 3, 0, step, regime, prepared.linkFactor, noise);
        return out;
    }

    /// End of the step from the latest ends and optimizer times of each stage.
    [[nodiscard]] double stepEnd(const StepDraws& draws, const double* ends, const double* optimizer) const
    {
        double ready = 0.0, last = 0.0;
        if (graph().gradNorm.kernelClass >= 0)
            for (std::size_t s = 0; s < stages(); ++s)
                ready = std::max(ready, ends[s] + draws.gradSync[s]);
        for (std::size_t s = 0; s < stages(); ++s) {
            const double start = graph().gradNorm.kernelClass >= 0 ? ready + draws.gradNorm : ends[s] + draws.gradSync[s];
            last = std::max(last, start + optimizer[s] + draws.paramGather[s]);
        }
        return last;
    }
};

/// Regime factors of both scopes, per step.
std::vector<std::array<double, 2>> regimesOf(const StepGraph& graph, std::uint64_t seed, Run run, std::size_t steps)
{
    const RegimeSeries series = regimeSeries(graph, seed, run, static_cast<int>(steps));
    std::vector<std::array<double, 2>> out(steps);
    for (std::size_t i = 0; i < steps; ++i)
        out[i] = {series.intra[i], series.inter[i]};
    return out;
}

SharedDraws sharedDraws(const std::vector<std::array<double, 2>>& regimes, std::size_t block)
{
    SharedDraws out{};
    for (std::size_t l = 0; l < kLanes; ++l)
        for (std::size_t scope = 0; scope < 2; ++scope)
            out.regime[scope][l] = static_cast<float>(regimes[std::min(block * kLanes + l, regimes.size() - 1)][scope]);
    return out;
}

/// Lucks of the cells of one replica copy for a block.
void drawScores(const Sampling& run, std::uint64_t copy, std::uint64_t block, std::vector<float>& scores)
{
    for (std::size_t s = 0; s < run.stages(); ++s)
        for (std::size_t l = 0; l < kLanes; ++l)
            scores[s * kLanes + l] = static_cast<float>(
                run.graph().spatial.cv > 0.0 ? normalQuantile(uniform(run.seed, stream(kScoreDraws, copy, s), block * kLanes + l)) : 0.0);
}

/// Which replicas are simulated one by one (kind and name of the draws), and how many stand behind the common sample.
struct ReplicaPlan {
    std::vector<std::pair<std::size_t, std::uint64_t>> single;
    int pooled = 0;
};

ReplicaPlan replicaPlan(const Prepared& prepared)
{
    ReplicaPlan out;
    std::uint64_t next = 0;
    for (std::size_t k = 0; k < prepared.replicas.size(); ++k) {
        const ReplicaKind& kind = prepared.replicas[k];
        if (k == 0 && kind.count > kDirectReplicas) {
            out.pooled = kind.count;
            next = 2;
            continue;
        }
        for (int i = 0; i < kind.count; ++i)
            out.single.emplace_back(k, next++);
    }
    return out;
}

/// Samples of steps whose cells' lucks are given by `scoresOf(copy, block, out)`.
template <class Scores>
std::vector<double> sampleSteps(const Sampling& run, const std::vector<std::array<double, 2>>& regimes, std::uint64_t seedOffset,
                                const ReplicaPlan& plan, const Scores& scoresOf, StepSamples& report)
{
    const std::size_t steps = regimes.size(), blocks = (steps + kLanes - 1) / kLanes, stages = run.stages();
    const std::uint64_t copies = plan.pooled > 0 ? 2 : 0;
    const std::uint64_t seed = run.seed + seedOffset;
    std::vector<double> location(steps, 0.0), excess(steps * copies, 0.0), others(steps, 0.0), result(steps, 0.0);
    Sampling local{run.prepared, run.options, seed};
    tbb::parallel_for(std::size_t{0}, blocks, [&](std::size_t block) {
        if (run.options.stop.stop_requested())
            return;
        ReplicaSweep sweep(run.prepared);
        std::vector<float> scores(stages * kLanes), ends(stages * kLanes), optimizer(stages * kLanes);
        const SharedDraws shared = sharedDraws(regimes, block);
        std::vector<StepDraws> draws;
        for (std::size_t l = 0; l < kLanes; ++l)
            draws.push_back(local.stepDraws(block * kLanes + l, regimes[std::min(block * kLanes + l, steps - 1)], true));
        const auto value = [&](std::size_t l, const std::vector<double>& e, const std::vector<double>& o) {
            return local.stepEnd(draws[l], e.data(), o.data());
        };
        std::vector<std::vector<double>> latest(kLanes, std::vector<double>(stages, 0.0)), slowest = latest;
        std::vector<double> e(stages), o(stages);
        for (const auto& [kind, copy] : plan.single) {
            scoresOf(copy, block, scores);
            sweep.run(run.prepared.replicas[kind], seed, copy, block, shared, scores.data(), true, ends.data());
            sweep.optimizer(run.prepared.replicas[kind], seed, copy, block, scores.data(), true, optimizer.data());
            for (std::size_t l = 0; l < kLanes; ++l)
                for (std::size_t s = 0; s < stages; ++s) {
                    latest[l][s] = std::max(latest[l][s], static_cast<double>(ends[s * kLanes + l]));
                    slowest[l][s] = std::max(slowest[l][s], static_cast<double>(optimizer[s * kLanes + l]));
                }
        }
        for (std::size_t l = 0; l < kLanes && block * kLanes + l < steps; ++l)
            others[block * kLanes + l] = plan.single.empty() ? 0.0 : value(l, latest[l], slowest[l]);
        for (std::uint64_t copy = 0; copy <= copies && copies > 0; ++copy) {
            const bool noise = copy < copies;
            if (noise)
                scoresOf(copy, block, scores);
            else
                std::fill(scores.begin(), scores.end(), 0.0F);
            sweep.run(run.prepared.replicas[0], seed, copy, block, shared, scores.data(), noise, ends.data());
            sweep.optimizer(run.prepared.replicas[0], seed, copy, block, scores.data(), noise, optimizer.data());
            for (std::size_t l = 0; l < kLanes && block * kLanes + l < steps; ++l) {
                for (std::size_t s = 0; s < stages; ++s) {
                    e[s] = ends[s * kLanes + l];
                    o[s] = optimizer[s * kLanes + l];
                }
                (noise ? excess[copy * steps + block * kLanes + l] : location[block * kLanes + l]) = value(l, e, o);
            }
        }
    });
    report.nodeSamples += run.prepared.plan.nodeCount() * steps * (plan.single.size() + copies);
    if (run.options.stop.stop_requested()) {
        report.complete = false;
        return {};
    }
    if (plan.pooled == 0)
        return others;
    for (std::uint64_t copy = 0; copy < copies; ++copy)
        for (std::size_t i = 0; i < steps; ++i)
            excess[copy * steps + i] -= location[i];
    const TailSample pool(excess, {});
    for (std::size_t i = 0; i < steps; ++i) {
        const double tail = -std::expm1(std::log(uniform(seed, stream(kMaximumDraws), i)) / plan.pooled);
        result[i] = std::max(others[i], location[i] + pool.upperQuantile(tail));
    }
    return result;
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
        const Sampling run{*prepared, options, options.seed};
        const ReplicaPlan plan = replicaPlan(*prepared);
        const auto steps = static_cast<std::size_t>(std::max(0, options.numSamples));
        if (steps > 0)
            out.acrossSeconds = sampleSteps(run, regimesOf(graph, options.seed, Run::across, steps), 0, plan,
                                            [&](std::uint64_t copy, std::uint64_t block, std::vector<float>& scores) {
                                                drawScores(run, copy, block, scores);
                                            },
                                            out);
        if (!out.complete)
            return;
        // One median job: lucks fixed. The job whose noise-free step is the median of kMedianJobs.
        const auto within = static_cast<std::size_t>(options.numWithinSamples == 0 ? options.numSamples / 4 : std::max(0, options.numWithinSamples));
        if (within > 0)
            out.withinSeconds = sampleSteps(run, regimesOf(graph, options.seed, Run::within, within), 0x77, plan,
                                            [&](std::uint64_t copy, std::uint64_t, std::vector<float>& scores) {
                                                for (std::size_t s = 0; s < run.stages(); ++s) {
                                                    const double u = uniform(run.seed, stream(kScoreDraws, copy, s, 1), 0);
                                                    std::fill_n(scores.begin() + static_cast<std::ptrdiff_t>(s * kLanes), kLanes,
                                                                static_cast<float>(run.graph().spatial.cv > 0.0 ? normalQuantile(u) : 0.0));
                                                }
                                            },
                                            out);
    });
    return out;
}

} // namespace prism
