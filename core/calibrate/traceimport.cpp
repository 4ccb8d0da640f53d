// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/calibrate/traceimport.h"

#include "core/base/text.h"
#include "core/calibrate/factorpool.h"
#include "core/engine/evaluator.h"
#include "core/measured/importmeasured.h"
#include "core/scenario/scenariolimits.h"
#include "core/stats/distance.h"
#include "core/stats/moments.h"
#include "core/trace/barriers.h"
#include "core/trace/jobpools.h"
#include "core/trace/repairs.h"
#include "core/trace/schedulename.h"
#include "core/trace/startup.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

namespace prism {

namespace {

constexpr double kSharedMicroBatch = 0.5, kMinCv = 1e-4; // from there on a spread is the micro-batch's; below it none
/// Of matching the median: tolerance, error from which on it is reported, samples (p50 +- 0.2 %), rounds, and the least share of the step
/// that the micro-batches may have.
constexpr double kMedianTolerance = 0.003, kMedianError = 0.01, kMinShare = 0.05;
constexpr int kMedianSamples = 4'000, kMaxRounds = 12;

/// A factor from values: the family that may stand for them, else the values.
Distribution factorOf(const std::vector<double>& values)
{
    std::vector<double> positive;
    std::copy_if(values.begin(), values.end(), std::back_inserter(positive), [](double x) { return x > 0; });
    const double mean = meanOf(positive);
    if (positive.size() < 2 || !(std::sqrt(varianceOf(positive)) > kMinCv * mean))
        return {};
    const DurationPool pool = fittedPool("", positive);
    if (pool.standIn() != familyName(Family::empirical))
        return pool.fit->distribution;
    std::sort(positive.begin(), positive.end());
    if (positive.size() > kPoolSize) {
        std::vector<double> quantiles;
        for (std::size_t i = 0; i < kPoolSize; ++i)
            quantiles.push_back(quantileOfSorted(positive, poolProbability(i)));
        positive = std::move(quantiles);
    }
    return empiricalDistribution(std::move(positive));
}

/// Compute and exposed communication of one micro-batch through all stages and chunks, forward and backward, seconds.
struct MicroBatchSeconds {
    double compute = 0, communication = 0;
};

MicroBatchSeconds microBatchSeconds(const StepGraph& graph)
{
    MicroBatchSeconds sum;
    for (const auto& stage : graph.programOf)
        for (std::size_t chunk = 0; chunk < static_cast<std::size_t>(graph.schedule.numChunks); ++chunk)
            for (const int p : stage[chunk]) {
                if (p < 0)
                    continue;
                for (const Block& block : graph.programs[static_cast<std::size_t>(p)].blocks)
                    for (const Op& op : block.ops) {
                        const bool computes = graph.classes[static_cast<std::size_t>(op.kernelClass)].scope == Scope::none;
                        (computes ? sum.compute : sum.communication) += block.repeat * std::max(0.0, op.meanSeconds - op.hiddenSeconds);
                    }
            }
    return sum;
}

/// The first operation of the step that is there.
const StepOp* firstOf(const std::vector<StepOp>& ops)
{
    const auto at = std::find_if(ops.begin(), ops.end(), [](const StepOp& op) { return op.kernelClass >= 0; });
    return at == ops.end() ? nullptr : &*at;
}

/// The step's operation that a type of the trace is.
const StepOp* stepOpOf(const StepGraph& graph, TraceOp type)
{
    switch (type) {
    case TraceOp::forwardSend:
    case TraceOp::backwardSend:
        return firstOf(graph.sendForward);
    case TraceOp::paramsAllGather:
        return firstOf(graph.paramGather);
    case TraceOp::gradsReduceScatter:
        return firstOf(graph.gradSync);
    case TraceOp::embeddingAllReduce:
        return graph.embeddingAllReduce.kernelClass >= 0 ? &graph.embeddingAllReduce : nullptr;
    case TraceOp::optimizerClip:
        return graph.gradNorm.kernelClass >= 0 ? &graph.gradNorm : nullptr;
    case TraceOp::optimizer:
        return firstOf(graph.optimizer);
    default:
        return nullptr;
    }
}

/// A layout of the layers over the chunks of a pipeline where their number does not divide them; else empty.
std::string evenLayout(const ModelConfig& model, int chunks)
{
    if (model.numLayers % chunks == 0 || model.numLayers < chunks)
        return {};
    std::string layout = "E";
    for (int c = 0; c < chunks; ++c)
        layout += fmt::format("{}t*{}", c > 0 ? "|" : "", (c + 1) * model.numLayers / chunks - c * model.numLayers / chunks);
    return layout + std::string(static_cast<std::size_t>(model.mtpNumLayers), 'm') + "L";
}

constexpr std::array kStepOperations = {TraceOp::forwardSend,        TraceOp::paramsAllGather, TraceOp::gradsReduceScatter,
                                        TraceOp::embeddingAllReduce, TraceOp::optimizerClip,   TraceOp::optimizer};

class Importer {
public:
    Importer(const Scenario& base, const RegularJob& job) : m_job(job), m_factors(computeFactors(job)) { m_out.scenario = base; }

    Result<TraceImport> run()
    {
        layout();
        if (const auto costed = costStep(m_out.scenario); !costed)
            return costed.errors();
        level();
        for (const TraceOp type : kStepOperations)
            stepOperation(type);
        spreads();
        slowOnes();
        if (Diagnostics errors = matchMedian(); hasErrors(errors))
            return errors;
        whatIsLeft();
        return std::move(m_out);
    }

private:
    void note(std::string path, std::string text)
    {
        m_out.notes.push_back({Severity::warning, std::move(path), std::move(text), "", "", "", ""});
    }

    void layout()
    {
        Scenario& s = m_out.scenario;
        const TraceJob& job = *m_job.job;
        const RecoveredSchedule schedule = recoveredSchedule(*m_job.steps.front().step, job);
        int microBatches = 0;
        for (const OperationSlot& slot : m_job.slots)
            microBatches += slot.stage == 0 && slot.type == TraceOp::forwardCompute && slot.chunk == 0 ? 1 : 0;
        const int replicas = std::max(job.replicasOfJob, job.replicas);
        s.variability.slow.clear(); // places of the base's cluster
        s.parallelism.pipelineModelParallelSize = job.stages;
        s.parallelism.virtualPipelineModelParallelSize = job.chunks;
        s.parallelism.pipelineModelParallelLayout = evenLayout(s.model, job.stages * job.chunks);
        s.parallelism.numLayersInFirstPipelineStage = s.parallelism.numLayersInLastPipelineStage = 0;
        if (!s.parallelism.pipelineModelParallelLayout.empty())
            s.parallelism.accountForEmbeddingInPipelineSplit = s.parallelism.accountForLossInPipelineSplit = false;
        if (job.stages > 1 && s.parallelism.zeroStage > 1) {
            s.parallelism.zeroStage = 1;
            note("parallelism.zero_stage", "1: with a pipeline, higher stages communicate in every micro-batch");
        }
        if (schedule.name == "custom") {
            s.parallelism.pipelineSchedule = "custom";
            s.parallelism.customSchedule = schedule.order;
        } else if (schedule.name != "none") {
            s.parallelism.pipelineSchedule = schedule.name;
        }
        s.cluster.numGpus = std::int64_t{job.stages} * replicas * s.parallelism.tensorModelParallelSize * s.parallelism.contextParallelSize;
        s.training.globalBatchSize = s.training.microBatchSize * microBatches * replicas;
        const int ranksOfStage = replicas * s.parallelism.tensorModelParallelSize * s.parallelism.contextParallelSize;
        const int expertTensor = std::max(1, s.parallelism.expertTensorParallelSize);
        if (const int expert = std::gcd(s.parallelism.expertModelParallelSize, std::max(1, ranksOfStage / expertTensor));
            expert != s.parallelism.expertModelParallelSize) {
            s.parallelism.expertModelParallelSize = expert;
            note("parallelism.expert_model_parallel_size",
                 fmt::format("{}: the base's does not divide the {} ranks of a stage", expert, ranksOfStage));
        }
        note("parallelism",
             fmt::format("{} replicas x {} stages, {} chunk{}, {} micro-batches, schedule {}, {} GPUs with the base's tensor "
                         "and context parallelism",
                         replicas, job.stages, job.chunks, job.chunks == 1 ? "" : "s", microBatches, schedule.name, s.cluster.numGpus));
        s.parallelism.overlapGradReduce = s.parallelism.overlapGradReduce && isOverlapped(TraceOp::gradsReduceScatter);
        s.parallelism.overlapParamGather = s.parallelism.overlapParamGather && isOverlapped(TraceOp::paramsAllGather);
    }

    /// Whether operations of a type are overlapped with computations of their worker; true where there are none.
    [[nodiscard]] bool isOverlapped(TraceOp type) const
    {
        return std::none_of(m_job.slots.begin(), m_job.slots.end(), [&](const OperationSlot& slot) { return slot.type == type; })
               || std::any_of(m_job.overlapped.begin(), m_job.overlapped.end(),
                              [&](const auto& slot) { return std::get<1>(slot) == type; });
    }

    void level()
    {
        double measured = 0;
        std::map<std::pair<int, int>, double> count; // computations of a (stage, chunk) in one direction
        for (const OperationSlot& slot : m_job.slots)
            count[{slot.stage, slot.chunk}] += slot.type == TraceOp::forwardCompute ? 1 : 0;
        // Of a worker that is not slow: the slow ones are named separately.
        const std::array<double, 2> median = {medianOf(m_factors.byDirection[0]), medianOf(m_factors.byDirection[1])};
        for (std::size_t l = 0; l < m_job.slots.size(); ++l)
            if (const OperationSlot& slot = m_job.slots[l]; isCompute(slot.type))
                measured += m_factors.mean[l] * median[isForward(slot.type) ? 0 : 1] / std::max(1.0, count[{slot.stage, slot.chunk}]);
        Scenario& s = m_out.scenario;
        const MicroBatchSeconds predicted = microBatchSeconds(costStep(s)->graph);
        const double factor = measured / (predicted.compute + predicted.communication);
        scaleMicroBatch(factor);
        note("measured.compute_level",
             fmt::format(
                 "a micro-batch takes {:.4g} s through all stages, predicted {:.4g} s: compute level and collectives of its layers x "
                 "{:.4g} (a trace does not separate them)",
                 measured, predicted.compute + predicted.communication, factor));
    }

    /// Multiplies the compute level and the means of the collectives within the layers and of those that the trace does not have.
    void scaleMicroBatch(double factor)
    {
        Scenario& s = m_out.scenario;
        const StepGraph graph = costStep(s)->graph;
        std::map<std::string, double> means;
        const auto add = [&](const Op& op) {
            const KernelClass& k = graph.classes[static_cast<std::size_t>(op.kernelClass)];
            if (k.scope != Scope::none && op.meanSeconds > 0)
                means.emplace(k.name, op.meanSeconds);
        };
        for (const Program& program : graph.programs)
            for (const Block& block : program.blocks)
                std::for_each(block.ops.begin(), block.ops.end(), add);
        for (const TraceOp type : kStepOperations)
            if (const StepOp* op = stepOpOf(graph, type); op != nullptr && values(type).empty())
                add({.kernelClass = op->kernelClass, .meanSeconds = op->meanSeconds});
        const double before = s.measured.computeLevel;
        s.measured.computeLevel = std::clamp(before * factor, kMinComputeLevel, kMaxComputeLevel);
        for (MeasuredKernel& k : s.measured.kernels)
            if (means.erase(k.kernelClass) > 0)
                k.meanSeconds *= factor;
            else if (m_computeFromTrace.contains(k.kernelClass)) // stays as measured
                k.meanSeconds *= before / s.measured.computeLevel;
        for (const auto& [name, mean] : means)
            s.measured.kernels.push_back({name, mean * factor});
    }

    /// What gaps, uneven stages and the base's own operations leave of the measured median goes into the micro-batch, by the secant method.
    Diagnostics matchMedian()
    {
        std::vector<double> seconds;
        for (const RegularStep& step : m_job.steps)
            seconds.push_back(step.stepSeconds);
        seconds.erase(seconds.begin(), seconds.begin() + static_cast<std::ptrdiff_t>(startupSteps(seconds)));
        const double requested = medianOf(std::move(seconds));
        Evaluator evaluator;
        double total = 1, share = 1, before = 0, factor = 1, error = 0;
        for (int round = 0; round < kMaxRounds; ++round) {
            EvaluateOptions evaluate{.numSamples = kMedianSamples};
            evaluate.varianceShares = evaluate.systemsRange = false;
            const SnapshotPtr snapshot = evaluator.evaluate(m_out.scenario, evaluate);
            if (!snapshot->valid())
                return snapshot->diagnostics;
            const double median = snapshot->across.p50;
            if (round > 0 && factor != 1)
                share = std::clamp((median / before - 1) / (factor - 1), kMinShare, 1.5);
            error = median / requested - 1;
            if (std::abs(error) < kMedianTolerance)
                break;
            before = median;
            factor = std::clamp(1 + (requested / median - 1) / share, 0.25, 4.0);
            total *= factor;
            scaleMicroBatch(factor);
        }
        note("measured.compute_level",
             fmt::format(
                 "micro-batch x {:.4g} for a median step of {:.4g} s: gaps and what stages differ in are in it, and operations that the "
                 "trace does not have follow it{}",
                 total, requested, std::abs(error) > kMedianError ? fmt::format("; the median stays {:+.1f} % off", 100 * error) : ""));
        return {};
    }

    /// Transfer times (or durations) of a type, over all stages, replicas and steps; sends also of the other direction.
    [[nodiscard]] std::vector<double> values(TraceOp type) const
    {
        std::vector<double> all;
        for (std::size_t j = 0; j < m_job.size(); ++j) {
            const TraceOp own = m_job.slots[j % m_job.slots.size()].type;
            if (own == type || (isSend(type) && isSend(own)))
                for (const RegularStep& step : m_job.steps)
                    all.push_back(std::max(0.0, step.seconds[j]));
        }
        return all;
    }

    void stepOperation(TraceOp type)
    {
        const std::vector<double> all = values(type);
        const double mean = meanOf(all);
        if (all.empty() || !(mean > 0))
            return;
        Scenario& s = m_out.scenario;
        const StepGraph graph = costStep(s)->graph;
        const StepOp* op = stepOpOf(graph, type);
        if (op == nullptr) {
            note("measured.kernels",
                 fmt::format("{}: {:.3g} s in the trace, but the scenario has no such operation", traceOpName(type), mean));
            return;
        }
        const std::string name = graph.classes[static_cast<std::size_t>(op->kernelClass)].name;
        if (graph.classes[static_cast<std::size_t>(op->kernelClass)].scope == Scope::none)
            m_computeFromTrace.insert(name);
        std::erase_if(s.measured.kernels, [&](const MeasuredKernel& k) { return k.kernelClass == name; });
        s.measured.kernels.push_back({name, mean});
        // A class may stand for a part of the operation (a bucket, a share): its mean follows from what it makes of the whole.
        const StepGraph set = costStep(s)->graph;
        if (const StepOp* after = stepOpOf(set, type); after != nullptr && after->meanSeconds > 0)
            s.measured.kernels.back().meanSeconds = mean * mean / after->meanSeconds;
        if (const Distribution spread = factorOf(all); !spread.isDeterministic())
            s.variability.classOverrides[name] = spread;
        note("measured.kernels", fmt::format("{} = {}: {:.3g} s without waiting, {} values", name, traceOpName(type), mean, all.size()));
    }

    /// Heaviness of each (step, replica, micro-batch): mean of its residuals over stages and directions.
    [[nodiscard]] std::vector<double> microBatchFactors() const
    {
        std::vector<double> factors;
        for (std::size_t t = 0; t < m_job.steps.size(); ++t)
            for (std::size_t r = 0; r < static_cast<std::size_t>(m_job.job->replicas); ++r) {
                std::map<std::pair<int, int>, std::pair<double, double>> sums; // (chunk, micro-batch): sum, count
                for (std::size_t l = 0; l < m_job.slots.size(); ++l)
                    if (const OperationSlot& slot = m_job.slots[l]; isCompute(slot.type)) {
                        auto& [sum, n] = sums[{slot.chunk, slot.microBatch}];
                        sum += m_factors.residual[t][r * m_job.slots.size() + l];
                        n += 1;
                    }
                for (const auto& [place, s] : sums)
                    factors.push_back(s.first / s.second);
            }
        return factors;
    }

    void spreads()
    {
        VariabilityConfig& v = m_out.scenario.variability;
        if (m_factors.microBatchCorrelation >= kSharedMicroBatch) {
            const std::vector<double> factors = microBatchFactors();
            v.data = factorOf(factors);
            note("variability.data", fmt::format("{} micro-batches, cv {:.3g}, the same on all stages (correlation {:.3f}): {}",
                                                 factors.size(), v.data.cv, m_factors.microBatchCorrelation, familyName(v.data.family)));
        } else {
            note("variability.data",
                 fmt::format("micro-batches are not equally heavy on all stages (correlation {:.2f}): the spread of single "
                             "kernels stays that of the base",
                             m_factors.microBatchCorrelation));
        }
        const double cv = std::sqrt(varianceOf(m_factors.step));
        v.computeRegime = {};
        v.computeRegimeLag1 = 0;
        if (cv > kMinCv) {
            v.computeRegime.family = Family::lognormal;
            v.computeRegime.cv = cv;
            v.computeRegimeLag1 = std::clamp(lag1Correlation(m_factors.step), 0.0, kMaxFittedLag1);
        }
        note("variability.compute_regime",
             fmt::format("{} steps, cv {:.3g} beyond what their micro-batches explain", m_factors.step.size(), cv));
    }

    void slowOnes()
    {
        Scenario& s = m_out.scenario;
        const std::vector<SlowWorker> slow = slowWorkers(m_job, m_factors);
        const std::vector<RankPosition> places = slow.empty() ? std::vector<RankPosition>() : rankLayout(s);
        s.variability.slow.clear();
        for (const SlowWorker& w : slow) {
            const int replica = m_job.job->replicaNumbers[static_cast<std::size_t>(w.replica)];
            const auto at = std::find_if(places.begin(), places.end(), [&](const RankPosition& p) {
                return p.replica == replica && p.stage == w.stage && p.rankInCell == 0;
            });
            if (at != places.end())
                s.variability.slow.push_back({.rank = static_cast<int>(at - places.begin()), .computeFactor = w.factor});
            note("variability.slow",
                 fmt::format("replica {}, stage {} takes {:.3f} times as long as its stage's median", replica, w.stage, w.factor));
        }
        const TraceJob& job = *m_job.job;
        if (const std::string unseen =
                unseenText(job.workers(), static_cast<int>(slow.size()), std::max(job.replicasOfJob, job.replicas) * job.stages);
            !unseen.empty())
            note("variability.slow", unseen);
    }

    void whatIsLeft()
    {
        std::vector<double> seconds;
        for (const RegularStep& step : m_job.steps)
            seconds.push_back(step.stepSeconds);
        std::vector<double> loads(static_cast<std::size_t>(m_job.job->stages), 0.0);
        for (std::size_t l = 0; l < m_job.slots.size(); ++l)
            loads[static_cast<std::size_t>(m_job.slots[l].stage)] += m_factors.mean[l];
        const auto [smallest, largest] = std::minmax_element(loads.begin(), loads.end());
        const auto workers = static_cast<std::size_t>(m_job.job->workers());
        double gaps = 0;
        for (const RegularStep& step : m_job.steps)
            for (const double gap : step.gaps)
                gaps += std::max(0.0, gap);
        note("",
             fmt::format(
                 "noise-free step {:.4g} s, median of {} measured steps {:.4g} s; not carried over: gaps between operations ({:.3g} s of a "
                 "worker's step on average) and stages that take {:.2f} to {:.2f} times the mean. The median holds them, what-ifs on them "
                 "do not (trace predict and trace replicas do)",
                 costStep(m_out.scenario)->noiseFreeSeconds, seconds.size(), medianOf(seconds),
                 gaps / static_cast<double>(m_job.steps.size() * workers), *smallest / meanOf(loads), *largest / meanOf(loads)));
    }

    const RegularJob& m_job;
    ComputeFactors m_factors;
    TraceImport m_out;
    std::set<std::string> m_computeFromTrace; ///< classes
};

/// The operation of a measured row that a collective's name in a profiler trace is; empty = none.
std::string rowOperation(const std::string& name)
{
    const std::string low = lowered(name);
    const auto has = [&](const char* part) { return low.find(part) != std::string::npos; };
    if (has("reduce_scatter") || has("reducescatter"))
        return "reduce_scatter";
    if (has("allreduce") || has("all_reduce"))
        return "all_reduce";
    if (has("allgather") || has("all_gather"))
        return "all_gather";
    if (has("all_to_all") || has("alltoall"))
        return "all_to_all";
    return low == "send" || low == "recv" ? "p2p" : "";
}

} // namespace

Result<TraceImport> scenarioOfTrace(const Scenario& base, const TraceJob& job)
{
    const auto regular = regularJob(job, hiddenBarriers(job).sets);
    if (!regular)
        return regular.errors();
    return Importer(base, *regular).run();
}

TraceImport scenarioOfTrace(const Scenario& base, const KinetoReport& report)
{
    TraceImport out{base, {}};
    std::vector<MeasuredRow> rows;
    int unused = 0, withWaiting = 0;
    for (const CollectiveGroup& g : report.groups) {
        MeasuredRow row{.op = rowOperation(g.operation), .ranks = g.groupSize, .bytes = g.bytes, .seconds = g.transferSeconds};
        if (row.op == "p2p")
            row.ranks = 2;
        if (row.op.empty() || row.ranks < 2 || row.bytes <= 0 || !(row.seconds > 0)) {
            ++unused;
            continue;
        }
        withWaiting += g.split.starts_with("none") ? 1 : 0;
        rows.push_back(std::move(row));
    }
    const std::size_t found = rows.size();
    const int replaced = addMeasuredRows(out.scenario, std::move(rows));
    const auto note = [&](std::string text) { out.notes.push_back({Severity::warning, "measured.rows", std::move(text), "", "", "", ""}); };
    note(fmt::format(
        "{} of {} groups of collectives became measured rows, {} in place of others; {} have no known operation, size or number of "
        "ranks",
        found, report.groups.size(), replaced, unused));
    if (withWaiting > 0)
        note(fmt::format("{} rows hold waits for ranks without a trace: a trace of every rank of the group separates the transfer",
                         withWaiting));
    note(
        "kernels of computations carry no matrix sizes in a trace: their pools are not part of the scenario (export them with trace export "
        "--as pools)");
    return out;
}

} // namespace prism
