// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/record/steprecorder.h"

#include "core/base/index.h"
#include "core/step/passes.h"

#include <tbb/task_arena.h>

#include <algorithm>

namespace prism {

namespace {

constexpr std::size_t kTableMemoBytes = std::size_t{32} << 20;

Parts partsOf(const StepGraph& graph, int kernelClass, const CauseSeconds& seconds)
{
    Parts out(graph.classes.size());
    for (std::size_t c = 0; c < seconds.size(); ++c)
        if (seconds[c] != 0.0)
            out.add(kernelClass, static_cast<Cause>(c), seconds[c]);
    return out;
}

} // namespace

std::unique_ptr<StepRecorder> StepRecorder::make(const StepGraph& graph, const RecordOptions& options)
{
    tbb::task_arena arena(options.threads > 0 ? options.threads : tbb::task_arena::automatic);
    std::unique_ptr<StepRecorder> out;
    arena.execute([&] {
        Memo memo(kTableMemoBytes);
        Recall recall(memo);
        auto model = sweepModel(graph, options.seed, kernelDraws(SimOptions().numSamples), recall, options.stop);
        if (!model)
            return;
        RegimeTable regimes(*model, regimeSeries(graph, options.seed, Run::across, index(options.first), index(options.steps)));
        out.reset(new StepRecorder(options, std::move(model), std::move(regimes)));
        out->m_slowest = StepSweeper(*out->m_model, out->m_regimes, out->m_series, options.stop).slowestUnits(index(options.steps));
        for (std::size_t i = 0; i < out->m_slowest.size(); ++i) {
            const double seconds = out->m_finish.tail(out->m_slowest[i].maxima, out->m_regimes.step(i), out->m_series.stepSeed(i)).seconds;
            const std::uint64_t number = index(options.first) + i;
            out->m_seconds.push_back(seconds + out->m_delays.jitter(number, seconds) + out->m_delays.stalls(number, seconds));
        }
        if (options.stop.stop_requested())
            out.reset();
    });
    return out;
}

StepRecorder::StepRecorder(const RecordOptions& options, std::shared_ptr<const SweepModel> model, RegimeTable regimes)
    : m_model(std::move(model)),
      m_graph(m_model->graph),
      m_regimes(std::move(regimes)),
      m_series{options.seed, Run::across, {}, index(options.first)},
      m_finish(*m_model),
      m_delays(m_graph, options.seed, Run::across),
      m_sends(sendsOf(m_graph)),
      m_embedding{m_graph.embeddingAllReduce, m_graph.schedule.path.front()[0], m_graph.schedule.path.back()[0]},
      m_sweeps([this] { return BlockSweep(*m_model, m_regimes); })
{
    std::vector<int> lastOfStage(index(m_graph.schedule.numStages), -1), writer(index(m_model->plan->numSlots), -1);
    for (const PlanNode& planned : m_model->plan->nodes) {
        const auto at = static_cast<int>(m_nodes.size());
        int& last = lastOfStage[index(planned.stage)];
        RecordNode node{planned.stage, planned.chunk, static_cast<int>(planned.microbatch), planned.phase, planned.slot >= 0};
        node.previous = last;
        if (last >= 0)
            m_nodes[index(last)].next = at;
        if (node.runs && planned.paired)
            node.pieceFirst = node.phase == Phase::forward ? at : m_nodes[index(last)].pieceFirst;
        if (planned.input >= 0)
            node.input = writer[index(planned.input)];
        if (planned.output >= 0)
            writer[index(planned.output)] = at;
        last = at;
        m_nodes.push_back(node);
    }
    m_causes.resize(m_model->passes.size());
    for (std::size_t p = 0; p < m_model->programs.size(); ++p)
        for (std::size_t k = 0; k < m_model->job.kinds.size(); ++k)
            if (const int pass = m_model->passOf[p][k]; pass >= 0)
                m_causes[index(pass)] = PassCauses(*m_model, static_cast<int>(p), static_cast<int>(k));
}

const PassCauses& StepRecorder::causesOf(int unit, int stage, int program) const
{
    return m_causes[index(m_model->passOf[index(program)][index(patternOf(unit).kind[index(stage)])])];
}

CauseSeconds StepRecorder::sendCauses(const StepRecord& step, const SweepSend& send, const PassRecord& record) const
{
    const UnitPattern& pattern = patternOf(step.replica / m_model->job.members);
    const auto linkAt = [&](int stage) { return m_model->job.kinds[index(pattern.kind[index(stage)])].slowestLink(); };
    return communicationCauses(m_graph, send.op, static_cast<double>(std::max(linkAt(send.from), linkAt(send.to))), regimesOf(step),
                               static_cast<double>(record.seconds), static_cast<double>(record.rareSeconds));
}

CauseSeconds StepRecorder::transferCauses(const StepRecord& step, int node) const
{
    const int hop = m_model->plan->nodes[index(node)].send;
    return hop < 0 ? CauseSeconds{} : sendCauses(step, m_sends[index(hop)], step.unit.transfers[index(node)]);
}

double StepRecorder::optimizerSeconds(const StepRecord& step, int stage) const
{
    const int unit = step.optimizerUnit[index(stage)], program = m_model->optimizerOfStage[index(stage)];
    if (program < 0)
        return 0.0;
    const auto known = step.ofOptimizers.find(unit);
    return known == step.ofOptimizers.end() ? step.tail.of(index(stage), StageOp::optimizer).seconds
                                            : sumOf(causesOf(unit, stage, program).seconds(known->second[index(stage)], regimesOf(step)));
}

/// Times of the unit in `step.unit`, in double precision from its passes and transfers.
void StepRecorder::setTimes(StepRecord& step, int unit) const
{
    step.replica = unit * m_model->job.members;
    const std::size_t nodes = m_nodes.size();
    step.start.assign(nodes, 0.0);
    step.end.assign(nodes, 0.0);
    step.arrives.assign(nodes, 0.0);
    std::vector<double> free(index(m_graph.schedule.numStages), 0.0);
    for (std::size_t i = 0; i < nodes; ++i) {
        const PlanNode& planned = m_model->plan->nodes[i];
        const RecordNode& node = m_nodes[i];
        double& clock = free[index(node.stage)];
        step.start[i] = node.input < 0 ? clock : std::max(clock, step.arrives[index(node.input)]);
        const double took =
            planned.slot < 0
                ? 0.0
                : sumOf(causesOf(unit, node.stage, programInSlot(m_graph, planned.slot)).seconds(step.unit.passes[i], regimesOf(step)));
        step.end[i] = step.start[i] + took;
        step.arrives[i] = step.end[i] + sumOf(transferCauses(step, static_cast<int>(i)));
        clock = m_graph.transferOccupiesSender && planned.send >= 0 ? step.arrives[i] : step.end[i];
    }
    step.stageOps.assign(free.size(), {});
    for (std::size_t s = 0; s < free.size(); ++s)
        step.stageOps[s][0] = {free[s], free[s]};
    if (m_embedding.op.kernelClass < 0)
        return;
    const std::size_t first = index(m_embedding.from), last = index(m_embedding.to);
    const double start = std::max(free[first], free[last]);
    const double end = start + sumOf(sendCauses(step, m_embedding, step.unit.embedding));
    step.stageOps[first][0] = step.stageOps[last][0] = {start, end};
}

void StepRecorder::finishStep(StepRecord& step, const SlowestUnits& slowest, std::size_t at) const
{
    const int last = step.tail.last, normStage = step.tail.normStage; // they stay: stages that end together differ by rounding only
    StageMaxima maxima = slowest.maxima;
    const int unit = step.replica / m_model->job.members;
    for (std::size_t s = 0; s < maxima.end.size(); ++s) {
        if (slowest.last[s] == unit)
            maxima.end[s] = step.stageOps[s][0].end;
        maxima.optimizer[s] = optimizerSeconds(step, static_cast<int>(s));
        maxima.endWithOptimizer[s] = maxima.end[s] + maxima.optimizer[s];
    }
    step.tail = m_finish.tail(maxima, m_regimes.step(at), m_series.stepSeed(at));
    step.tail.last = last;
    step.tail.normStage = normStage;
    for (std::size_t s = 0; s < maxima.end.size(); ++s)
        for (std::size_t op = 1; op < kStageOps; ++op) {
            const StepTail::Operation& o = step.tail.stages[s][op];
            step.stageOps[s][op] = {o.start, o.start + o.seconds};
        }
    const auto& ofLast = step.stageOps[index(last)];
    step.stepSeconds = std::max(ofLast[4].end, ofLast[3].end);
    step.jitterSeconds = m_delays.jitter(index(step.number), step.stepSeconds);
    step.stallSeconds = m_delays.stalls(index(step.number), step.stepSeconds);
}

/// From the end of the step to its start, along what arrived last.
void StepRecorder::setCritical(StepRecord& step, int pathStage) const
{
    const auto push = [&](int stage, SpanKind kind, StageOp op) {
        const Interval& i = step.stageOps[index(stage)][static_cast<std::size_t>(op)];
        if (i.end > i.start)
            step.critical.push_back({kind, stage, -1, i.start, i.end});
    };
    push(step.tail.last, SpanKind::paramGather, StageOp::paramGather);
    push(step.tail.last, SpanKind::optimizer, StageOp::optimizer);
    push(step.tail.last, SpanKind::gradNorm, StageOp::gradNorm);
    push(pathStage, SpanKind::gradSync, StageOp::gradSync);
    push(pathStage, SpanKind::embeddingAllReduce, StageOp::embedding);
    followUnit(step, pathStage);
    std::reverse(step.critical.begin(), step.critical.end());
}

void StepRecorder::followUnit(StepRecord& step, int stage) const
{
    const auto push = [&](SpanKind kind, int node, double start, double end) {
        if (end > start)
            step.critical.push_back({kind, m_nodes[index(node)].stage, node, start, end});
    };
    const auto lastOf = [&](int s) {
        int i = static_cast<int>(m_nodes.size()) - 1;
        while (i >= 0 && m_nodes[index(i)].stage != s)
            --i;
        return i;
    };
    const auto freeAt = [&](int node) {
        const bool sends = m_graph.transferOccupiesSender && m_model->plan->nodes[index(node)].send >= 0;
        return sends ? step.arrives[index(node)] : step.end[index(node)];
    };
    int node = lastOf(stage);
    if (m_embedding.op.kernelClass >= 0 && (stage == m_embedding.from || stage == m_embedding.to)) {
        const int a = lastOf(m_embedding.from), b = lastOf(m_embedding.to);
        node = freeAt(a) >= freeAt(b) ? a : b;
    }
    bool sends = true; // a transfer behind the node's end that keeps its stage lies on the path
    while (node >= 0) {
        const RecordNode& n = m_nodes[index(node)];
        if (sends)
            push(SpanKind::send, node, step.end[index(node)], freeAt(node));
        push(spanKindOf(n.phase), node, step.start[index(node)], step.end[index(node)]);
        sends = n.input < 0 || (n.previous >= 0 && freeAt(n.previous) >= step.arrives[index(n.input)]);
        if (!sends)
            push(SpanKind::send, n.input, step.end[index(n.input)], step.arrives[index(n.input)]);
        node = sends ? n.previous : n.input;
    }
}

std::vector<UnitRecord> StepRecorder::recordUnits(const std::vector<Requested>& requested) const
{
    std::vector<UnitRecord> out(requested.size());
    BlockSweep& sweep = m_sweeps.local();
    for (std::size_t pattern = 0; pattern < m_model->job.patterns.size(); ++pattern) {
        std::vector<std::size_t> places;
        std::vector<SweptLane> lanes;
        for (std::size_t i = 0; i < requested.size(); ++i)
            if (index(m_model->job.patternOf[index(requested[i].unit)]) == pattern) {
                places.push_back(i);
                lanes.push_back(m_series.lane(requested[i].step, requested[i].unit));
            }
        std::vector<UnitRecord> records = sweep.record(static_cast<int>(pattern), lanes);
        for (std::size_t i = 0; i < places.size(); ++i)
            out[places[i]] = std::move(records[i]);
    }
    return out;
}

std::vector<StepRecord> StepRecorder::record(std::span<const std::size_t> which, bool allStages) const
{
    std::vector<StepRecord> out(which.size());
    std::vector<Requested> requested;
    std::vector<std::size_t> firstRequested;
    for (std::size_t i = 0; i < which.size(); ++i) {
        const SlowestUnits& slowest = m_slowest[which[i]];
        StepRecord& step = out[i];
        step.number = static_cast<int>(m_series.first + which[i]);
        step.optimizerUnit = slowest.optimizer;
        step.tail = m_finish.tail(slowest.maxima, m_regimes.step(which[i]), m_series.stepSeed(which[i]));
        firstRequested.push_back(requested.size());
        requested.push_back({which[i], slowest.last[index(pathStage(step.tail))]});
        for (std::size_t s = 0; s < slowest.optimizer.size(); ++s)
            if (m_model->optimizerOfStage[s] >= 0 && (allStages || static_cast<int>(s) == step.tail.last)
                && step.ofOptimizers.try_emplace(slowest.optimizer[s]).second)
                requested.push_back({which[i], slowest.optimizer[s]});
    }
    std::vector<UnitRecord> records = recordUnits(requested);
    for (std::size_t i = 0; i < which.size(); ++i) {
        StepRecord& step = out[i];
        const std::size_t from = firstRequested[i], to = i + 1 < which.size() ? firstRequested[i + 1] : requested.size();
        step.unit = std::move(records[from]);
        for (std::size_t w = from + 1; w < to; ++w)
            step.ofOptimizers[requested[w].unit] = std::move(records[w].optimizer);
        setTimes(step, requested[from].unit);
        step.slowestReplica = step.replica;
        finishStep(step, m_slowest[which[i]], which[i]);
        setCritical(step, pathStage(step.tail));
    }
    return out;
}

StepRecord StepRecorder::withReplica(StepRecord step, int replica) const
{
    const int unit = replica / m_model->job.members;
    if (unit != step.replica / m_model->job.members) {
        step.unit = std::move(recordUnits({{index(step.number) - m_series.first, unit}}).front());
        const auto operations = step.stageOps;
        setTimes(step, unit);
        for (std::size_t s = 0; s < operations.size(); ++s)
            for (std::size_t op = 1; op < kStageOps; ++op)
                step.stageOps[s][op] = operations[s][op];
        std::erase_if(step.critical, [](const CriticalPiece& p) { return p.node >= 0 || p.kind == SpanKind::embeddingAllReduce; });
    }
    step.replica = replica;
    return step;
}

Parts StepRecorder::passParts(const StepRecord& step, int node) const
{
    Parts parts(m_graph.classes.size());
    if (const PlanNode& planned = m_model->plan->nodes[index(node)]; planned.slot >= 0)
        causesOf(step.replica / m_model->job.members, planned.stage, programInSlot(m_graph, planned.slot))
            .addTo(parts, step.unit.passes[index(node)], regimesOf(step));
    return parts;
}

Parts StepRecorder::transferParts(const StepRecord& step, int node) const
{
    const int hop = m_model->plan->nodes[index(node)].send;
    return partsOf(m_graph, hop < 0 ? -1 : m_sends[index(hop)].op.kernelClass, transferCauses(step, node));
}

Parts StepRecorder::stageOpParts(const StepRecord& step, int stage, StageOp op) const
{
    const std::size_t s = index(stage);
    const auto ofTail = [&](const StepOp& kernel, float link) {
        const StepTail::Operation& o = step.tail.of(s, op);
        return partsOf(m_graph, kernel.kernelClass,
                       communicationCauses(m_graph, kernel, static_cast<double>(link), regimesOf(step), o.seconds, o.rareSeconds));
    };
    switch (op) {
    case StageOp::embedding:
        return partsOf(m_graph, m_embedding.op.kernelClass, sendCauses(step, m_embedding, step.unit.embedding));
    case StageOp::gradSync:
        return ofTail(m_graph.gradSync[s], m_model->job.stageLink[s]);
    case StageOp::gradNorm:
        return ofTail(m_graph.gradNorm, m_model->job.link);
    case StageOp::paramGather:
        return ofTail(m_graph.paramGather[s], m_model->job.stageLink[s]);
    case StageOp::optimizer:
        break;
    }
    Parts parts(m_graph.classes.size());
    if (const auto known = step.ofOptimizers.find(step.optimizerUnit[s]); known != step.ofOptimizers.end())
        if (const int program = m_model->optimizerOfStage[s]; program >= 0)
            causesOf(known->first, stage, program).addTo(parts, known->second[s], regimesOf(step));
    return parts;
}

} // namespace prism
