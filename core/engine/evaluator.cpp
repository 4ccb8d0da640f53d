// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/evaluator.h"

#include "core/base/memo.h"
#include "core/base/timeunits.h"
#include "core/cost/domain.h"
#include "core/engine/evaluationcost.h"
#include "core/sim/draw/stepdelays.h"
#include "core/stats/intervals.h"
#include "core/stats/moments.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

namespace prism {

namespace {

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
enum class Cause { spatial, temporal, regime, data, rare, jitter, stall };

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
    reduce(out.computeRegime, cause == Cause::regime, rare);
    reduce(out.routingRegime, cause == Cause::regime, rare);
    reduce(out.data, cause == Cause::data, rare);
    reduce(out.routing, cause == Cause::data, rare);
    if (cause != Cause::jitter)
        out.delays.jitterSeconds = 0.0;
    if (cause != Cause::stall)
        out.delays.stallsPerGpuHour = 0.0;
    return out;
}

bool isNoiseFree(const StepGraph& g)
{
    const auto noiseFree = [](const Distribution& d) {
        return (d.family == Family::deterministic || d.cv <= 0.0) && d.rareProbability <= 0.0;
    };
    return std::all_of(g.classes.begin(), g.classes.end(), [&](const KernelClass& c) { return noiseFree(c.temporal); })
           && noiseFree(g.spatial) && noiseFree(g.intraRegime) && noiseFree(g.interRegime) && noiseFree(g.computeRegime)
           && noiseFree(g.routingRegime) && noiseFree(g.data) && noiseFree(g.routing) && g.delays.jitterSeconds <= 0.0
           && g.delays.stallsPerGpuHour <= 0.0;
}

/// Variance of a part over `total`, that of the whole, and the half-width of its 95 % interval from ten batches. Of the same steps it is
/// that of the ratio: a long step is long in both.
Estimate shareOf(const std::vector<double>& part, const std::vector<double>& whole, double total)
{
    constexpr std::size_t kBatches = 10;
    if (part.size() < 4 * kBatches)
        return {};
    const auto batch = [](const std::vector<double>& x, std::size_t b) {
        const auto at = [&](std::size_t i) { return x.begin() + static_cast<std::ptrdiff_t>(i * x.size() / kBatches); };
        return varianceOf({at(b), at(b + 1)});
    };
    const double share = varianceOf(part) / total;
    std::vector<double> batches;
    for (std::size_t b = 0; b < kBatches; ++b)
        batches.push_back(batch(part, b) - (part.size() == whole.size() ? share * batch(whole, b) : 0.0));
    return {share, studentReach(kBatches - 1) * std::sqrt(varianceOf(batches) / kBatches) / total};
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
    class Run;
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

    /// Of steps `whole`. Null when stopped.
    std::shared_ptr<const VarianceShare> shares(const StepGraph& graph, ContentHash graphHash, const EvaluateOptions& options,
                                                const std::vector<double>& whole, Recall& recall, std::uint64_t& nodeSamples)
    {
        const double total = varianceOf(whole);
        const ContentHash key = Hasher().add("variance").add(graphHash).add(options.seed).add(total).result();
        if (auto known = recall.find<VarianceShare>(key))
            return known;
        VarianceShare share;
        double* const value[] = {&share.spatial, &share.temporal, &share.regime, &share.data, &share.rare, &share.jitter, &share.stall};
        double* const width[] = {&share.ciSpatial, &share.ciTemporal, &share.ciRegime, &share.ciData,
                                 &share.ciRare,    &share.ciJitter,   &share.ciStall};
        double sum = 0.0;
        for (int c = 0; c < kVarianceCauses; ++c) {
            const StepGraph only = onlyCause(graph, static_cast<Cause>(c));
            if (isNoiseFree(only) || total <= 0.0)
                continue;
            StepGraph swept = only; // the same step each time where only delays vary: all are made from one, as many as there are
            swept.delays = {};
            const bool same = isNoiseFree(swept);
            const auto part =
                samples("cause samples", swept, swept.hash(), simOptions(options, same ? 1 : kShareSamples, -1), recall, nodeSamples);
            if (!part->complete)
                return nullptr;
            std::vector<double> seconds = same ? std::vector(whole.size(), part->acrossSeconds.front()) : part->acrossSeconds;
            if (same)
                addStepDelays(only, options.seed, prism::Run::across, seconds);
            const Estimate e = shareOf(seconds, whole, total);
            *value[c] = e.value;
            *width[c] = e.halfWidth;
            sum += e.value;
        }
        share.interaction = total > 0.0 ? 1.0 - sum : 0.0;
        return recall.keep<VarianceShare>("variance", key, share, sizeof share);
    }

    Result<std::shared_ptr<const SystemsRange>> systems(const Scenario& scenario, const CostedStep& costed, const SimOptions& options,
                                                        Recall& recall, std::uint64_t& nodeSamples)
    {
        const ContentHash key = Hasher() // the labels that choose the prior are not in the scenario's hash
                                    .add("systems")
                                    .add(scenario.hash())
                                    .add(scenario.variability.preset)
                                    .add(gpuType(scenario.cluster.gpu))
                                    .add(options.seed)
                                    .result();
        if (auto known = recall.find<SystemsRange>(key))
            return known;
        Result<SystemsRange> made = systemsRange(scenario, costed, options, [&](const StepGraph& graph, const SimOptions& sim) {
            return samples("samples of a system", graph, graph.hash(), sim, recall, nodeSamples);
        });
        if (!made.ok())
            return made.errors();
        if (!made->complete)
            return std::make_shared<const SystemsRange>(std::move(made).value());
        const std::size_t bytes =
            sizeof *made + sizeof(DrawnSystem) * made->systems.size() + sizeof(double) * made->levels.size()
            + sizeof(CauseOverSystems) * made->prior.causes.size() + sizeof(double) * made->stepsOverP50.size()
            + (made->systems.empty() ? 0 : sizeof(double) * made->systems.size() * made->systems[0].stepsOverMean.size());
        return recall.keep<SystemsRange>("systems", key, std::move(made).value(), bytes);
    }
};

Evaluator::Evaluator(std::size_t cacheBytes) : m_impl(std::make_unique<Impl>(cacheBytes)) {}
Evaluator::~Evaluator() = default;

std::size_t Evaluator::cacheBytes() const
{
    return m_impl->memo.bytes();
}
std::shared_ptr<const StepSamples> Evaluator::samples(const StepGraph& graph, const SimOptions& options)
{
    Recall recall(m_impl->memo);
    std::uint64_t nodeSamples = 0;
    return m_impl->samples("samples", graph, graph.hash(), options, recall, nodeSamples);
}

Result<std::shared_ptr<const SystemsRange>> Evaluator::systems(const Scenario& scenario, const CostedStep& costed,
                                                               const SimOptions& options)
{
    Recall recall(m_impl->memo);
    std::uint64_t nodeSamples = 0;
    return m_impl->systems(scenario, costed, options, recall, nodeSamples);
}

namespace {

/// Computes the statistics that follow from samples.
void describe(Snapshot& s)
{
    s.sortedAcrossSeconds = s.samples->acrossSeconds;
    s.sortedWithinSeconds = s.samples->withinSeconds;
    sortAscending(s.sortedAcrossSeconds);
    sortAscending(s.sortedWithinSeconds);
    s.across = summarize(s.samples->acrossSeconds, s.samples.get());
    s.within = summarizeWithin(*s.samples);
    const CostedStep& costed = *s.costed;
    const double median = s.across.p50, noiseFree = s.samples->noiseFreeSeconds;
    if (!(median > 0.0) || !(noiseFree > 0.0))
        return;
    s.slowdownP50 = median / noiseFree;
    s.slowdownP95 = s.across.p95 / noiseFree;
    const auto gpus = static_cast<double>(std::max<std::int64_t>(1, costed.world.gpus));
    s.tokensPerSecond = costed.tokensPerStep / median;
    s.tflopsPerGpu = costed.modelFlopsPerStep / median / gpus / 1e12;
    if (costed.peakTflopsPerGpu > 0.0) {
        s.mfu = s.tflopsPerGpu / costed.peakTflopsPerGpu;
        s.mfuCausal = s.mfu * costed.causalFlopsPerStep / std::max(1.0, costed.modelFlopsPerStep);
        s.hfu = costed.hardwareFlopsPerStep / median / gpus / 1e12 / costed.peakTflopsPerGpu;
    }
    if (s.scenario.training.trainTokens > 0.0 && costed.tokensPerStep > 0.0) {
        // A long job runs at the mean of its steps, not at their median.
        const double seconds = s.scenario.training.trainTokens / costed.tokensPerStep * s.across.mean;
        s.daysToTrain = seconds / kSecondsPerDay;
        s.costUsd = seconds / kSecondsPerHour * gpus * s.scenario.cluster.gpuHourPriceUsd;
    }
}

} // namespace

/// One evaluation on its way from the costed step to the shares of the variance. One thread.
class Evaluator::Impl::Run final {
public:
    Run(Impl& impl, const Scenario& scenario, const EvaluateOptions& options) : m_impl(impl), m_options(options), m_recall(impl.memo)
    {
        m_snapshot.revision = options.revision;
        m_snapshot.scenario = scenario;
        m_snapshot.hash = scenario.hash();
        m_snapshot.seed = options.seed;
    }

    /// Stops after the current stage when `stop` is requested.
    SnapshotPtr snapshot() { return finished(cost() && !m_options.stop.stop_requested() ? sample() : Stage::costed); }

private:
    SnapshotPtr finished(Stage stage);
    void progress(Stage stage);
    [[nodiscard]] const StepGraph& graph() const { return m_snapshot.costed->graph; }
    // Each takes one step; false when it was stopped, or the scenario has errors.
    bool cost();
    bool take(int samples, const char* name);
    bool takePrecise(int& samples);
    bool takeWithin(int samples);
    bool takeShares();
    bool takeSystems();
    /// All steps after the costed one; the stage that was reached.
    Stage sample();

    Impl& m_impl;
    const EvaluateOptions& m_options;
    Clock::time_point m_start = Clock::now();
    Snapshot m_snapshot;
    Recall m_recall;
    ContentHash m_graphHash;
    std::uint64_t m_nodeSamples = 0;
};

SnapshotPtr Evaluator::Impl::Run::finished(Stage stage)
{
    m_snapshot.stage = stage;
    m_snapshot.cost = {static_cast<int>(m_recall.recomputed().size()), m_recall.totalNodes(), secondsSince(m_start), m_recall.recomputed(),
                       m_nodeSamples};
    spdlog::debug("evaluated {}: {} of {} parts computed in {:.3f} s, p95 {:.6g} s", m_snapshot.hash.text(),
                  m_snapshot.cost.recomputedNodes, m_snapshot.cost.totalNodes, m_snapshot.cost.elapsedSeconds, m_snapshot.across.p95);
    return std::make_shared<const Snapshot>(m_snapshot);
}

void Evaluator::Impl::Run::progress(Stage stage)
{
    if (m_options.onProgress)
        m_options.onProgress(finished(stage));
}

bool Evaluator::Impl::Run::cost()
{
    const EvaluationSize size = evaluationSize(m_snapshot.scenario, m_options.numSamples);
    if (const Diagnostics costly = tooCostly(size, std::numeric_limits<double>::infinity()); !costly.empty()) {
        const Diagnostics found = check(m_snapshot.scenario);
        m_snapshot.diagnostics = hasErrors(found) ? found : costly;
        return false;
    }
    const auto costed = m_recall.node<Result<CostedStep>>(
        "cost", Hasher().add("cost").add(m_snapshot.hash).result(), [&] { return costStep(m_snapshot.scenario); },
        [](const Result<CostedStep>& r) { return r.ok() ? graphBytes(r->graph) : std::size_t{1024}; });
    if (!costed->ok()) {
        m_snapshot.diagnostics = costed->errors();
        return false;
    }
    m_snapshot.costed = std::shared_ptr<const CostedStep>(costed, &costed->value());
    m_snapshot.diagnostics = m_snapshot.costed->warnings;
    return true;
}

bool Evaluator::Impl::Run::take(int samples, const char* name)
{
    auto made = m_impl.samples(name, graph(), m_graphHash, simOptions(m_options, samples, -1), m_recall, m_nodeSamples);
    if (!made->complete)
        return false;
    m_snapshot.samples = std::move(made);
    describe(m_snapshot);
    return true;
}

/// More samples until p95 is known to the requested precision; `samples` is what that took.
bool Evaluator::Impl::Run::takePrecise(int& samples)
{
    constexpr int kMaxSamples = 1 << 20;
    const DistributionSummary& step = m_snapshot.across;
    while (m_options.precision > 0.0 && step.ciP95 > m_options.precision * step.p95 && samples < kMaxSamples) {
        const double ratio = step.ciP95 / (m_options.precision * step.p95);
        samples = static_cast<int>(std::min<double>(kMaxSamples, std::ceil(samples * std::clamp(1.1 * ratio * ratio, 1.5, 8.0))));
        if (!take(samples, "samples"))
            return false;
        progress(Stage::refined);
    }
    return true;
}

bool Evaluator::Impl::Run::takeWithin(int samples)
{
    const auto made = m_impl.samples("samples within a job", graph(), m_graphHash, simOptions(m_options, 0, std::max(1, samples / 4)),
                                     m_recall, m_nodeSamples);
    if (!made->complete)
        return false;
    StepSamples both = *m_snapshot.samples;
    both.withinSeconds = made->withinSeconds;
    both.withinShared = made->withinShared;
    m_snapshot.samples = std::make_shared<const StepSamples>(std::move(both));
    describe(m_snapshot);
    return true;
}

bool Evaluator::Impl::Run::takeShares()
{
    const auto shares = m_impl.shares(graph(), m_graphHash, m_options, m_snapshot.samples->acrossSeconds, m_recall, m_nodeSamples);
    if (!shares)
        return false;
    m_snapshot.varianceShare = *shares;
    return true;
}

bool Evaluator::Impl::Run::takeSystems()
{
    const auto range = m_impl.systems(m_snapshot.scenario, *m_snapshot.costed, simOptions(m_options, 0, 0), m_recall, m_nodeSamples);
    if (!range.ok()) {
        m_snapshot.diagnostics.insert(m_snapshot.diagnostics.end(), range.errors().begin(), range.errors().end());
        return true;
    }
    if (!(*range)->complete)
        return false;
    m_snapshot.systems = *range;
    return true;
}

Stage Evaluator::Impl::Run::sample()
{
    m_graphHash = graph().hash();
    // Steps across jobs first: the curve. The median job follows with the full number of samples.
    int requested = std::max(1, m_options.numSamples);
    const bool known = m_impl.memo.find<StepSamples>(samplesKey(m_graphHash, simOptions(m_options, requested, -1))) != nullptr;
    if (!known && m_options.onProgress && requested > 2 * kCoarseSamples) {
        if (!take(kCoarseSamples, "coarse samples"))
            return Stage::costed;
        progress(Stage::coarse);
    }
    if (!take(requested, "samples"))
        return m_snapshot.samples ? Stage::coarse : Stage::costed;
    progress(Stage::refined);
    if (!takePrecise(requested))
        return Stage::refined;
    if (!takeWithin(requested))
        return Stage::refined;
    if (m_options.varianceShares || m_options.systemsRange)
        progress(Stage::refined);
    const bool taken = (!m_options.varianceShares || takeShares()) && (!m_options.systemsRange || takeSystems());
    return taken ? Stage::complete : Stage::refined;
}

SnapshotPtr Evaluator::evaluate(const Scenario& scenario, const EvaluateOptions& options)
{
    return Impl::Run(*m_impl, scenario, options).snapshot();
}

} // namespace prism
