#include "core/engine/evaluator.h"

#include "core/base/memo.h"
#include "core/stats/intervals.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace prism {

namespace {

constexpr int kCoarseSamples = 512;
constexpr int kShareSamples = 2000;

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start)
{
    return std::chrono::duration<double>(Clock::now() - start).count();
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
    const auto still = [](const Distribution& d) { return (d.family == Family::deterministic || d.cv <= 0.0) && d.rareProbability <= 0.0; };
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
    out.halfWidth = studentReach(kBatches - 1) * std::sqrt(std::max(0.0, square - mean * mean) / (kBatches - 1));
    return out;
}

SimOptions simOptions(const EvaluateOptions& options, int numSamples, int numWithinSamples)
{
    SimOptions sim;
    sim.seed = options.seed;
    sim.numSamples = numSamples;
    sim.numWithinSamples = numWithinSamples;
    sim.numThreads = options.numThreads;
    sim.stop = options.stop;
    return sim;
}

ContentHash samplesKey(ContentHash graphHash, const SimOptions& options)
{
    return Hasher().add("samples").add(graphHash).add(options.seed).add(options.numSamples).add(options.numWithinSamples).result();
}

} // namespace

struct Evaluator::Impl {
    explicit Impl(std::size_t bytes) : memo(bytes) {}
    Memo memo;

    /// A node over those of the simulator. Stopped runs come back incomplete and are not kept.
    std::shared_ptr<const StepSamples> samples(const char* name, const StepGraph& graph, ContentHash graphHash, SimOptions options,
                                               Recall& recall, std::uint64_t& nodeSamples)
    {
        const ContentHash key = samplesKey(graphHash, options);
        if (auto known = recall.find<StepSamples>(key))
            return known;
        options.memo = &memo;
        StepSamples made = simulate(graph, options);
        nodeSamples += made.nodeSamples;
        recall.add(made.totalNodes, made.recomputed);
        if (!made.complete)
            return std::make_shared<const StepSamples>(std::move(made));
        const std::size_t bytes = sampleBytes(made);
        return recall.keep<StepSamples>(name, key, std::move(made), bytes);
    }

    /// Null when stopped.
    std::shared_ptr<const VarianceShare> shares(const StepGraph& graph, ContentHash graphHash, const EvaluateOptions& options, double total,
                                                Recall& recall, std::uint64_t& nodeSamples)
    {
        const ContentHash key = Hasher().add("variance").add(graphHash).add(options.seed).add(total).result();
        if (auto known = recall.find<VarianceShare>(key))
            return known;
        VarianceShare share;
        double* const value[] = {&share.spatial, &share.temporal, &share.regime, &share.data, &share.rare};
        double* const width[] = {&share.ciSpatial, &share.ciTemporal, &share.ciRegime, &share.ciData, &share.ciRare};
        double sum = 0.0;
        for (int c = 0; c < 5; ++c) {
            const StepGraph only = onlyCause(graph, static_cast<Cause>(c));
            if (isStill(only) || total <= 0.0)
                continue;
            const auto part = samples("cause samples", only, only.hash(), simOptions(options, kShareSamples, -1), recall, nodeSamples);
            if (!part->complete)
                return nullptr;
            const VarianceEstimate v = variance(part->acrossSeconds);
            *value[c] = v.value / total;
            *width[c] = v.halfWidth / total;
            sum += *value[c];
        }
        share.interaction = total > 0.0 ? 1.0 - sum : 0.0;
        return recall.keep<VarianceShare>("variance", key, share, sizeof share);
    }
};

Evaluator::Evaluator(std::size_t cacheBytes) : m_impl(std::make_unique<Impl>(cacheBytes)) {}
Evaluator::~Evaluator() = default;

std::size_t Evaluator::cacheBytes() const
{
    return m_impl->memo.bytes();
}
void Evaluator::clearCache()
{
    m_impl->memo.clear();
}

std::shared_ptr<const StepSamples> Evaluator::samples(const StepGraph& graph, const SimOptions& options)
{
    Recall recall(m_impl->memo);
    std::uint64_t nodeSamples = 0;
    return m_impl->samples("samples", graph, graph.hash(), options, recall, nodeSamples);
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
    Recall recall(m_impl->memo);
    std::uint64_t nodeSamples = 0;
    const auto finish = [&](Stage stage) {
        snapshot->stage = stage;
        snapshot->cost = {static_cast<int>(recall.recomputed().size()), recall.totalNodes(), secondsSince(start), recall.recomputed(),
                          nodeSamples};
        return std::make_shared<const Snapshot>(*snapshot);
    };
    const auto progress = [&](Stage stage) {
        if (options.onProgress)
            options.onProgress(finish(stage));
    };
    const auto costed = recall.node<Result<CostedStep>>(
        "cost", Hasher().add("cost").add(snapshot->hash).result(), [&] { return costStep(scenario); },
        [](const Result<CostedStep>& r) { return r.ok() ? graphBytes(r->graph) : std::size_t{1024}; });
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

    // Steps across jobs first: the curve. The median job follows with the full number of samples.
    const auto take = [&](int samples, const char* name) {
        auto made = m_impl->samples(name, graph, graphHash, simOptions(options, samples, -1), recall, nodeSamples);
        if (!made->complete)
            return false;
        snapshot->samples = std::move(made);
        describe(*snapshot);
        return true;
    };
    const auto takeWithin = [&](int samples) {
        const auto made = m_impl->samples("samples within a job", graph, graphHash, simOptions(options, 0, std::max(1, samples / 4)),
                                          recall, nodeSamples);
        if (!made->complete)
            return false;
        StepSamples both = *snapshot->samples;
        both.withinSeconds = made->withinSeconds;
        snapshot->samples = std::make_shared<const StepSamples>(std::move(both));
        describe(*snapshot);
        return true;
    };
    int wanted = std::max(1, options.numSamples);
    const bool known = m_impl->memo.find<StepSamples>(samplesKey(graphHash, simOptions(options, wanted, -1))) != nullptr;
    if (!known && options.onProgress && wanted > 2 * kCoarseSamples) {
        if (!take(kCoarseSamples, "coarse samples"))
            return finish(Stage::costed);
        progress(Stage::coarse);
    }
    if (!take(wanted, "samples"))
        return finish(snapshot->samples ? Stage::coarse : Stage::costed);
    progress(Stage::refined);
    constexpr int kMostSamples = 1 << 20;
    while (options.precision > 0.0 && snapshot->across.ciP95 > options.precision * snapshot->across.p95 && wanted < kMostSamples) {
        const double ratio = snapshot->across.ciP95 / (options.precision * snapshot->across.p95);
        wanted = static_cast<int>(std::min<double>(kMostSamples, std::ceil(wanted * std::clamp(1.1 * ratio * ratio, 1.5, 8.0))));
        if (!take(wanted, "samples"))
            return finish(Stage::refined);
        progress(Stage::refined);
    }
    snapshot->diagnostics.insert(snapshot->diagnostics.end(), snapshot->samples->warnings.begin(), snapshot->samples->warnings.end());
    if (!takeWithin(wanted))
        return finish(Stage::refined);
    if (options.varianceShares) {
        progress(Stage::refined);
        const auto shares = m_impl->shares(graph, graphHash, options, snapshot->across.std * snapshot->across.std, recall, nodeSamples);
        if (!shares)
            return finish(Stage::refined);
        snapshot->varianceShare = *shares;
    }
    return finish(Stage::complete);
}

} // namespace prism
