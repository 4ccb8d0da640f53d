// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/onestep/sampletrace.h"

#include "core/base/index.h"
#include "core/schedule/pieces.h"
#include "core/sim/record/steprecorder.h"
#include "core/step/slowspots.h"
#include "core/trace/tracejob.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>

namespace prism {

namespace {

constexpr int kTracedReplicas = 3, kSlowTraced = 1, kMinTraced = 2, kMaxTraced = 24;
constexpr std::size_t kTracedRows = 200'000;
constexpr double kPlantedFactor = 1.15;
constexpr double kClock = 1e-7; // of the table: what starts with a pass is before or behind it

/// The job with few replicas, one of them slow.
StepGraph fewReplicas(const StepGraph& graph)
{
    StepGraph out = graph;
    const int together = lockstepSize(graph);
    out.numReplicas = std::min(graph.numReplicas, (kTracedReplicas + together - 1) / together * together);
    const std::size_t cells = index(out.numReplicas * out.schedule.numStages * out.cellRanks());
    if (out.fixedSpatial.size() > cells)
        out.fixedSpatial.resize(cells);
    const int replica = std::min(kSlowTraced, out.numReplicas - 1);
    if (out.slow.empty())
        out.slow = {{replica, out.schedule.numStages / 2, -1, kPlantedFactor, 1.0}};
    for (SlowSpot& spot : out.slow)
        spot.replica = spot.replica < 0 ? -1 : replica;
    return out;
}

std::string plantedText(const StepGraph& graph)
{
    const SlowSpot& spot = graph.slow.front();
    const std::string where = fmt::format("{}{}", spot.replica < 0 ? "every replica" : fmt::format("replica {}", spot.replica),
                                          spot.stage < 0 ? "" : fmt::format(" on stage {}", spot.stage));
    return spot.computeFactor > 1.0 ? fmt::format("{} computes {:g} times as long", where, spot.computeFactor)
                                    : fmt::format("links of {} are {:g} times slower", where, spot.linkFactor);
}

class TableWriter final {
public:
    TableWriter(const StepGraph& graph, const StepRecorder& recorder) : m_graph(graph), m_recorder(recorder) {}

    void add(const StepRecord& slowest)
    {
        double gather = 0.0;
        for (const auto& stage : slowest.stageOps)
            gather = std::max(gather, length(stage[kGather]));
        for (int r = 0; r < m_graph.numReplicas; ++r)
            addReplica(m_recorder.withReplica(slowest, r), gather);
        const double seconds = slowest.stepSeconds + slowest.jitterSeconds + slowest.stallSeconds;
        m_out.stepSeconds.push_back(seconds);
        m_clock += seconds;
        ++m_step;
    }
    [[nodiscard]] SampleTrace take() { return std::move(m_out); }

private:
    static constexpr std::size_t kEmbedding = 0, kSync = 1, kNorm = 2, kOptimizer = 3, kGather = 4;
    static double length(const Interval& i) { return i.end - i.start; }

    void row(int replica, int stage, TraceOp type, double start, double end, const RecordNode* node = nullptr)
    {
        m_out.table += fmt::format("{},{},{},{},{:.7f},{:.7f},{},{}\n", replica, stage, m_step, traceOpName(type), m_clock + start,
                                   end - start, node ? node->chunk : 0, node ? node->microbatch : 0);
    }

    /// Parameters that the last step updated are gathered before the first pass: everything of the step lies `gather` later.
    void addReplica(const StepRecord& step, double gather)
    {
        const auto at = [&](double seconds) { return gather + seconds; };
        std::vector<std::vector<std::size_t>> receives(2 * step.stageOps.size()); // by stage and direction, in the order of their use
        for (std::size_t i = 0; i < m_recorder.nodes().size(); ++i) {
            const RecordNode& node = m_recorder.nodes()[i];
            const bool forward = node.phase == Phase::forward;
            row(step.replica, node.stage, forward ? TraceOp::forwardCompute : TraceOp::backwardCompute, at(step.start[i]), at(step.end[i]),
                &node);
            if (node.input < 0 || m_recorder.nodes()[index(node.input)].stage == node.stage)
                continue;
            const auto from = index(node.input);
            row(step.replica, m_recorder.nodes()[from].stage, forward ? TraceOp::forwardSend : TraceOp::backwardSend,
                at(step.end[from] - kClock), at(step.arrives[from]), &m_recorder.nodes()[from]);
            receives[index(2 * node.stage + (forward ? 1 : 0))].push_back(i);
        }
        for (const std::vector<std::size_t>& list : receives)
            addReceives(step, list, gather);
        for (std::size_t s = 0; s < step.stageOps.size(); ++s)
            addOperations(step, static_cast<int>(s), step.stageOps[s], gather);
    }

    /// Receives of a direction are ready in sequence, next to the passes; each starts before its message is sent, and in the order
    /// of use.
    void addReceives(const StepRecord& step, const std::vector<std::size_t>& nodes, double gather)
    {
        std::vector<double> start(nodes.size());
        double ready = 0.0;
        const auto sender = [&](std::size_t k) { return index(m_recorder.nodes()[nodes[k]].input); };
        for (std::size_t k = 0; k < nodes.size(); ++k) {
            start[k] = std::min(ready, step.end[sender(k)]);
            ready = std::max(ready, step.arrives[sender(k)] + 10 * kClock); // behind the start of the pass that waited for it
        }
        for (std::size_t k = nodes.size(); k-- > 1;)
            start[k - 1] = std::min(start[k - 1], start[k] - kClock);
        for (std::size_t k = 0; k < nodes.size(); ++k) {
            const RecordNode& node = m_recorder.nodes()[nodes[k]];
            row(step.replica, node.stage, node.phase == Phase::forward ? TraceOp::forwardRecv : TraceOp::backwardRecv, gather + start[k],
                gather + step.arrives[sender(k)], &node);
        }
    }

    void addOperations(const StepRecord& step, int stage, const std::array<Interval, kStageOps>& ops, double gather)
    {
        const double own = ops[kEmbedding].end; // of this replica; the reduction ends for all together
        if (length(ops[kEmbedding]) > 0.0)
            row(step.replica, stage, TraceOp::embeddingAllReduce, gather + ops[kEmbedding].start, gather + own);
        if (length(ops[kSync]) > 0.0)
            row(step.replica, stage, TraceOp::gradsReduceScatter, gather + own, gather + ops[kSync].end);
        if (length(ops[kNorm]) > 0.0)
            row(step.replica, stage, TraceOp::optimizerClip, gather + std::max(own, ops[kSync].end), gather + ops[kNorm].end);
        if (length(ops[kOptimizer]) > 0.0)
            row(step.replica, stage, TraceOp::optimizer, gather + ops[kOptimizer].start, gather + ops[kOptimizer].end);
        if (length(ops[kGather]) > 0.0)
            row(step.replica, stage, TraceOp::paramsAllGather, gather - length(ops[kGather]), gather);
    }

    const StepGraph& m_graph;
    const StepRecorder& m_recorder;
    SampleTrace m_out{"dp_rank,stage,step,optype,start_ts,duration,mc,mb_id\n", {}, {}};
    double m_clock = 0.0;
    int m_step = 0;
};

} // namespace

Result<SampleTrace> sampleTrace(const StepGraph& graph, const InsightOptions& options)
{
    if (Diagnostics problems = check(graph); hasErrors(problems))
        return problems;
    const bool joined = pairsPasses(graph.schedule) || graph.schedule.splitsWeight;
    if (joined)
        return Diagnostic{.path = "parallelism.pipeline_schedule",
                          .message = "a stage table has no place for joined passes or separate weight gradients",
                          .found = graph.schedule.name,
                          .accepted = "1f1b, gpipe or interleaved"};
    const StepGraph few = fewReplicas(graph);
    RecordOptions record{.seed = options.seed + 1, .steps = kMaxTraced, .threads = options.threads, .stop = options.stop};
    const auto recorder = StepRecorder::make(few, record);
    if (!recorder)
        return cancelled();
    const std::size_t rows = 3 * recorder->nodes().size() * index(few.numReplicas);
    const auto steps = std::clamp<std::size_t>(kTracedRows / rows, kMinTraced, kMaxTraced);
    TableWriter writer(few, *recorder);
    for (std::size_t i = 0; i < steps; ++i) {
        if (options.stop.stop_requested())
            return cancelled();
        writer.add(recorder->record(std::array{i}, false).front());
        if (options.progress)
            options.progress(static_cast<double>(i + 1) / static_cast<double>(steps), "sample trace");
    }
    SampleTrace out = writer.take();
    out.sentence = fmt::format("{} replicas, {} steps, made from the scenario; planted: {}.", few.numReplicas, steps, plantedText(few));
    return out;
}

Result<SampleTrace> sampleTrace(const Scenario& scenario, const InsightOptions& options)
{
    const Result<CostedStep> costed = costStep(scenario);
    return costed.ok() ? sampleTrace(costed->graph, options) : costed.errors();
}

} // namespace prism
