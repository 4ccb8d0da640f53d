#include "core/engine/evaluator.h"

#include "core/engine/memo.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace prism {

namespace {

constexpr int kCoarseSamples = 500;
constexpr int kShareSamples = 2000;

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start)
{
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Computes a node unless it is known, and writes down that it did.
template <class T, class Compute>
std::shared_ptr<const T> node(Memo& memo, EvaluationCost& cost, const char* name, ContentHash key, const Compute& compute,
                              const std::function<std::size_t(const T&)>& bytes, const std::function<bool(const T&)>& keep)
{
    ++cost.totalNodes;
    if (auto known = memo.find<T>(key))
        return known;
    auto made = std::make_shared<const T>(compute());
    ++cost.recomputedNodes;
    cost.recomputed.emplace_back(name);
    if (keep(*made))
        memo.keep<T>(key, made, bytes(*made));
    return made;
}

std::size_t graphBytes(const StepGraph& g)
{
    std::size_t bytes = sizeof g + 8 * g.fixedSpatial.size() + sizeof(SlowSpot) * g.slow.size();
    for (const auto& order : g.schedule.order)
        bytes += sizeof(ScheduleItem) * order.size();
    for (const Program& p : g.programs)
        for (const Block& b : p.blocks)
            bytes += sizeof(Op) * b.ops.size();
    return bytes + 256 * g.classes.size();
}

std::size_t sampleBytes(const StepSamples& s)
{
    return sizeof s + 8 * (s.acrossSeconds.size() + s.withinSeconds.size());
}

/// The graph with every cause of spread but one taken away.
enum class Cause { spatial, temporal, regime, data, rare };

StepGraph onlyCause(const StepGraph& graph, Cause cause)
{
    StepGraph out = graph;
    const auto reduce = [](Distribution& d, bool bulk, bool rare) {
        if (!bulk) {
            d.family = Family::deterministic;
            d.cv = 0.0;
            d.pool.reset();
        }
        if (!rare) {
            d.rareProbability = 0.0;
            d.rareMultiplier = 1.0;
        }
    };
    const bool rare = cause == Cause::rare;
    for (KernelClass& c : out.classes)
        reduce(c.temporal, cause == Cause::temporal, rare);
    reduce(out.spatial, cause == Cause::spatial, rare);
    reduce(out.intraRegime, cause == Cause::regime, rare);
    reduce(out.interRegime, cause == Cause::regime, rare);
    reduce(out.data, cause == Cause::data, rare);
    return out;
}

bool isStill(const StepGraph& g)
{
    const auto still = [](const Distribution& d) {
        return (d.family == Family::deterministic || d.cv <= 0.0) && d.rareProbability <= 0.0;
    };
    return std::all_of(g.classes.begin(), g.classes.end(), [&](const KernelClass& c) { return still(c.temporal); }) && still(g.spatial)
           && still(g.intraRegime) && still(g.interRegime) && still(g.data);
}

/// Variance and the half-width of its 95 % interval from ten sub-batches.
struct VarianceEstimate {
    double value = 0.0, halfWidth = 0.0;
};

VarianceEstimate variance(const std::vector<double>& x)
{
    constexpr std::size_t kBatches = 10;
    VarianceEstimate out;
    if (x.size() < 4 * kBatches)
        return out;
    const auto of = [&](std::size_t first, std::size_t last) {
        double mean = 0.0, sum = 0.0;
        for (std::size_t i = first; i < last; ++i)
            mean += x[i];
        mean /= static_cast<double>(last - first);
        for (std::size_t i = first; i < last; ++i)
            sum += (x[i] - mean) * (x[i] - mean);
        return sum / static_cast<double>(last - first - 1);
    };
    out.value = of(0, x.size());
    double mean = 0.0, square = 0.0;
    for (std::size_t b = 0; b < kBatches; ++b) {
        const double v = of(b * x.size() / kBatches, (b + 1) * x.size() / kBatches);
        mean += v / kBatches;
        square += v * v / kBatches;
    }
    // Student's t with nine degrees of freedom at 0.975.
    out.halfWidth = 2.262 * std::sqrt(std::max(0.0, square - mean * mean) / (kBatches - 1));
    return out;
}

} // namespace

struct Evaluator::Impl {
    explicit Impl(std::size_t bytes) : memo(bytes) {}
    Memo memo;

    std::shared_ptr<const StepSamples> samples(const StepGraph& graph, ContentHash graphHash, const SimOptions& options, const char* name,
                                               EvaluationCost& cost)
    {
        const ContentHash key = Hasher().add("samples").add(graphHash).add(options.seed).add(options.numSamples)
                                    .add(options.numWithinSamples).result();
        return node<StepSamples>(memo, cost, name, key,
                                 [&] {
                                     StepSamples made = simulate(graph, options);
                                     cost.nodeSamples += made.nodeSamples;
                                     return made;
                                 },
                                 sampleBytes, [](const StepSamples& s) { return s.complete; });
    }

    VarianceShare shares(const StepGraph& graph, ContentHash graphHash, const EvaluateOptions& options, double total, EvaluationCost& cost)
    {
        const ContentHash key = Hasher().add("variance").add(graphHash).add(options.seed).add(total).result();
        const auto made = node<VarianceShare>(
            memo, cost, "variance", key,
            [&] {
                VarianceShare share;
                double* const value[] = {&share.spatial, &share.temporal, &share.regime, &share.data, &share.rare};
                double* const width[] = {&share.ciSpatial, &share.ciTemporal, &share.ciRegime, &share.ciData, &share.ciRare};
                double sum = 0.0;
                for (int c = 0; c < 5; ++c) {
                    const StepGraph only = onlyCause(graph, static_cast<Cause>(c));
                    if (isStill(only) || total <= 0.0 || options.stop.stop_requested())
                        continue;
                    SimOptions sim;
                    sim.seed = options.seed;
                    sim.numSamples = kShareSamples;
                    sim.numWithinSamples = -1;
                    sim.numThreads = options.numThreads;
                    sim.stop = options.stop;
                    const StepSamples part = simulate(only, sim);
                    cost.nodeSamples += part.nodeSamples;
                    const VarianceEstimate v = variance(part.acrossSeconds);
                    *value[c] = v.value / total;
                    *width[c] = v.halfWidth / total;
                    sum += *value[c];
                }
                share.interaction = total > 0.0 ? 1.0 - sum : 0.0;
                return share;
            },
            [](const VarianceShare& s) { return sizeof s; }, [&](const VarianceShare&) { return !options.stop.stop_requested(); });
        return *made;
    }
};

Evaluator::Evaluator(std::size_t cacheBytes) : m_impl(std::make_unique<Impl>(cacheBytes)) {}
Evaluator::~Evaluator() = default;

std::size_t Evaluator::cacheBytes() const { return m_impl->memo.bytes(); }
void Evaluator::clearCache() { m_impl->memo.clear(); }

std::shared_ptr<const StepSamples> Evaluator::samples(const StepGraph& graph, const SimOptions& options)
{
    EvaluationCost cost;
    return m_impl->samples(graph, graph.hash(), options, "samples", cost);
}

namespace {

/// Fills the figures that follow from samples.
void describe(Snapshot& s)
{
    s.sortedAcrossSeconds = s.samples->acrossSeconds;
    s.sortedWithinSeconds = s.samples->withinSeconds;
    std::sort(s.sortedAcrossSeconds.begin(), s.sortedAcrossSeconds.end());
    std::sort(s.sortedWithinSeconds.begin(), s.sortedWithinSeconds.end());
    s.across = summarize(s.samples->acrossSeconds, s.samples.get());
    s.within = summarize(s.samples->withinSeconds);
    const CostedStep& costed = *s.costed;
    const double median = s.across.p50, noiseFree = s.samples->noiseFreeSeconds;
    if (!(median > 0.0) || !(noiseFree > 0.0))
        return;
    s.slowdownP50 = median / noiseFree;
    s.slowdownP95 = s.across.p95 / noiseFree;
    const double gpus = static_cast<double>(std::max<std::int64_t>(1, costed.world.gpus));
    s.tokensPerSecond = costed.tokensPerStep / median;
    s.tflopsPerGpu = costed.modelFlopsPerStep / median / gpus / 1e12;
    if (costed.peakTflopsPerGpu > 0.0) {
        s.mfu = s.tflopsPerGpu / costed.peakTflopsPerGpu;
        s.hfu = costed.hardwareFlopsPerStep / median / gpus / 1e12 / costed.peakTflopsPerGpu;
    }
    if (s.scenario.training.trainTokens > 0.0 && costed.tokensPerStep > 0.0) {
        // A long job runs at the mean of its steps, not at their median.
        const double seconds = s.scenario.training.trainTokens / costed.tokensPerStep * s.across.mean;
        s.daysToTrain = seconds / 86400.0;
        s.costUsd = seconds / 3600.0 * gpus * s.scenario.cluster.gpuHourPriceUsd;
    }
}

} // namespace

SnapshotPtr Evaluator::evaluate(const Scenario& scenario, const EvaluateOptions& options)
{
    const auto start = Clock::now();
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->revision = options.revision;
    snapshot->scenario = scenario;
    snapshot->hash = scenario.hash();
    snapshot->seed = options.seed;
    EvaluationCost& cost = snapshot->cost;
    const auto costed = node<Result<CostedStep>>(
        m_impl->memo, cost, "cost", Hasher().add("cost").add(snapshot->hash).result(), [&] { return costStep(scenario); },
        [](const Result<CostedStep>& r) { return r.ok() ? graphBytes(r->graph) : std::size_t{1024}; },
        [](const Result<CostedStep>&) { return true; });
    const auto finish = [&](Stage stage) {
        snapshot->stage = stage;
        cost.elapsedSeconds = secondsSince(start);
        return std::make_shared<const Snapshot>(*snapshot);
    };
    if (!costed->ok()) {
        snapshot->diagnostics = costed->errors();
        return finish(Stage::costed);
    }
    snapshot->costed = std::shared_ptr<const CostedStep>(costed, &costed->value());
    const StepGraph& graph = snapshot->costed->graph;
    snapshot->diagnostics = snapshot->costed->warnings;
    if (options.stop.stop_requested())
        return finish(Stage::costed);
    const ContentHash graphHash = graph.hash();
    SimOptions sim;
    sim.seed = options.seed;
    sim.numThreads = options.numThreads;
    sim.stop = options.stop;

    const auto take = [&](int samples, const char* name) {
        sim.numSamples = samples;
        // The first curve is the one across jobs; the median job follows with the full number of samples.
        sim.numWithinSamples = samples == kCoarseSamples ? -1 : 0;
        auto made = m_impl->samples(graph, graphHash, sim, name, cost);
        if (!made->complete)
            return false;
        snapshot->samples = std::move(made);
        describe(*snapshot);
        return true;
    };
    int wanted = std::max(1, options.numSamples);
    const ContentHash fullKey = Hasher().add("samples").add(graphHash).add(options.seed).add(wanted).add(0).result();
    const bool known = m_impl->memo.find<StepSamples>(fullKey) != nullptr;
    if (!known && options.onProgress && wanted > 2 * kCoarseSamples) {
        if (!take(kCoarseSamples, "coarse samples"))
            return finish(Stage::costed);
        options.onProgress(finish(Stage::coarse));
    }
    if (!take(wanted, "samples"))
        return finish(snapshot->samples ? Stage::coarse : Stage::costed);
    constexpr int kMostSamples = 1 << 20;
    while (options.precision > 0.0 && snapshot->across.ciP95 > options.precision * snapshot->across.p95 && wanted < kMostSamples) {
        const double ratio = snapshot->across.ciP95 / (options.precision * snapshot->across.p95);
        wanted = static_cast<int>(std::min<double>(kMostSamples, std::ceil(wanted * std::clamp(1.1 * ratio * ratio, 1.5, 8.0))));
        if (options.onProgress)
            options.onProgress(finish(Stage::refined));
        if (!take(wanted, "samples"))
            return finish(Stage::refined);
    }
    snapshot->diagnostics.insert(snapshot->diagnostics.end(), snapshot->samples->warnings.begin(), snapshot->samples->warnings.end());
    if (options.varianceShares) {
        if (options.onProgress)
            options.onProgress(finish(Stage::refined));
        snapshot->varianceShare = m_impl->shares(graph, graphHash, options, snapshot->across.std * snapshot->across.std, cost);
        if (options.stop.stop_requested())
            return finish(Stage::refined);
    }
    return finish(Stage::complete);
}

} // namespace prism
