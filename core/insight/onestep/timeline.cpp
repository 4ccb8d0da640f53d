// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/onestep/timeline.h"

#include "core/base/diagnostictext.h"
#include "core/sim/record/steprecorder.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>
#include <tuple>

namespace prism {

namespace {

constexpr int kDefaultCandidates = 500;
constexpr double kTinySeconds = 1e-12;

Diagnostic outOfRange(std::string path, std::string found, std::string accepted)
{
    Diagnostic d;
    d.path = std::move(path);
    d.message = "There is no such draw.";
    d.found = std::move(found);
    d.accepted = std::move(accepted);
    return d;
}

/// Index of the step that is at a quantile.
std::size_t atQuantile(const std::vector<double>& seconds, double quantile)
{
    std::vector<std::size_t> order(seconds.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&seconds](std::size_t a, std::size_t b) { return seconds[a] < seconds[b]; });
    return order[static_cast<std::size_t>(std::lround(quantile * static_cast<double>(order.size() - 1)))];
}

void setParts(TimelineSpan& span, const Parts& parts)
{
    for (std::size_t c = 0; c < parts.byClass.size(); ++c)
        if (std::abs(parts.byClass[c]) > kTinySeconds)
            span.parts.push_back({static_cast<int>(c), parts.byClass[c]});
    std::stable_sort(span.parts.begin(), span.parts.end(), [](const SpanPart& a, const SpanPart& b) { return a.seconds > b.seconds; });
    if (!span.parts.empty())
        span.kernelClass = span.parts.front().kernelClass;
}

class Builder final {
public:
    Builder(const StepGraph& graph, const StepRecorder& recorder, const StepRecord& step)
        : m_graph(graph),
          m_recorder(recorder),
          m_step(step)
    {
        for (const CriticalPiece& piece : step.critical)
            m_critical.emplace(piece.kind, piece.stage, piece.node);
    }

    Timeline build()
    {
        m_timeline.sample = m_step.number;
        m_timeline.replica = m_step.replica;
        m_timeline.slowestReplica = m_step.slowestReplica;
        m_timeline.replicas = m_graph.numReplicas;
        m_timeline.stages = m_graph.schedule.numStages;
        m_timeline.chunks = m_graph.schedule.numChunks;
        m_timeline.microbatches = m_graph.schedule.numMicrobatches;
        m_timeline.scheduleName = m_graph.schedule.name;
        m_timeline.stepSeconds = m_step.stepSeconds;
        m_timeline.jitterSeconds = m_step.jitterSeconds;
        m_timeline.stallSeconds = m_step.stallSeconds;
        for (const KernelClass& kernelClass : m_graph.classes)
            m_timeline.classNames.push_back(kernelClass.name);
        for (std::size_t i = 0; i < m_recorder.nodes().size(); ++i)
            addNode(static_cast<int>(i));
        for (int s = 0; s < m_timeline.stages; ++s)
            addStageOps(s);
        addBubbles();
        addInFlight();
        std::stable_sort(m_timeline.spans.begin(), m_timeline.spans.end(), [](const TimelineSpan& a, const TimelineSpan& b) {
            return std::tie(a.stage, a.startSeconds) < std::tie(b.stage, b.startSeconds);
        });
        for (const CriticalPiece& piece : m_step.critical)
            m_timeline.criticalSeconds += piece.end - piece.start;
        return std::move(m_timeline);
    }

private:
    [[nodiscard]] bool critical(SpanKind kind, int stage, int node) const { return m_critical.contains({kind, stage, node}); }

    void addPass(int index, const RecordNode& node)
    {
        const auto i = static_cast<std::size_t>(index);
        TimelineSpan span;
        span.stage = node.stage;
        span.kind = spanKindOf(node.phase);
        span.chunk = node.chunk;
        span.microbatch = node.microbatch;
        span.startSeconds = m_step.start[i];
        span.endSeconds = m_step.end[i];
        if (node.pieceFirst >= 0)
            setPiece(span, node);
        span.critical = critical(span.kind, node.stage, index);
        setParts(span, m_recorder.passParts(m_step, index));
        m_timeline.spans.push_back(std::move(span));
    }

    /// The forward of a piece, its backward, and the weight item that may follow.
    void setPiece(TimelineSpan& span, const RecordNode& node) const
    {
        const std::vector<RecordNode>& nodes = m_recorder.nodes();
        const auto first = static_cast<std::size_t>(node.pieceFirst);
        const auto backward = static_cast<std::size_t>(nodes[first].next);
        const RecordNode& other = nodes[node.phase == Phase::forward ? backward : first];
        std::size_t last = backward;
        while (nodes[last].next >= 0 && nodes[static_cast<std::size_t>(nodes[last].next)].pieceFirst == node.pieceFirst)
            last = static_cast<std::size_t>(nodes[last].next);
        span.pairedChunk = other.chunk;
        span.pairedMicrobatch = other.microbatch;
        span.pieceStart = m_step.start[first];
        span.pieceEnd = m_step.end[last];
    }

    /// The first node that runs on the stage from this one on: what a piece waits for is used when all of it has arrived.
    [[nodiscard]] std::size_t runningFrom(std::size_t node) const
    {
        const std::vector<RecordNode>& nodes = m_recorder.nodes();
        std::size_t at = node;
        while (!nodes[at].runs && nodes[at].next >= 0)
            at = static_cast<std::size_t>(nodes[at].next);
        return at;
    }

    void addNode(int index)
    {
        const auto i = static_cast<std::size_t>(index);
        const RecordNode& node = m_recorder.nodes()[i];
        if (node.runs)
            addPass(index, node);
        if (node.input < 0)
            return;
        const auto from = static_cast<std::size_t>(node.input);
        if (m_step.arrives[from] - m_step.end[from] <= kTinySeconds)
            return;
        const RecordNode& source = m_recorder.nodes()[from];
        TimelineSpan send;
        send.stage = source.stage;
        send.toStage = node.stage;
        send.kind = SpanKind::send;
        send.chunk = source.chunk;
        send.microbatch = node.microbatch;
        send.startSeconds = m_step.end[from];
        send.endSeconds = m_step.arrives[from];
        send.usedSeconds = m_step.start[runningFrom(i)];
        send.critical = critical(SpanKind::send, source.stage, node.input);
        setParts(send, m_recorder.transferParts(m_step, node.input));
        m_timeline.spans.push_back(std::move(send));
    }

    void addStageOps(int stage)
    {
        static constexpr SpanKind kinds[kStageOps] = {SpanKind::embeddingAllReduce, SpanKind::gradSync, SpanKind::gradNorm,
                                                      SpanKind::optimizer, SpanKind::paramGather};
        for (int op = 0; op < kStageOps; ++op) {
            const Interval& interval = m_step.stageOps[static_cast<std::size_t>(stage)][static_cast<std::size_t>(op)];
            if (interval.end - interval.start <= kTinySeconds)
                continue;
            TimelineSpan span;
            span.stage = stage;
            span.kind = kinds[op];
            span.startSeconds = interval.start;
            span.endSeconds = interval.end;
            span.critical = critical(span.kind, stage, -1);
            setParts(span, m_recorder.stageOpParts(m_step, stage, static_cast<StageOp>(op)));
            m_timeline.spans.push_back(std::move(span));
        }
    }

    /// Gaps between what occupies a stage, from 0 to the end of the step.
    void addBubbles()
    {
        std::vector<std::vector<std::pair<double, double>>> busy(static_cast<std::size_t>(m_timeline.stages));
        for (const TimelineSpan& span : m_timeline.spans)
            if (span.kind != SpanKind::send || m_graph.transferOccupiesSender)
                busy[static_cast<std::size_t>(span.stage)].emplace_back(span.startSeconds, span.endSeconds);
        for (int s = 0; s < m_timeline.stages; ++s) {
            auto& intervals = busy[static_cast<std::size_t>(s)];
            std::sort(intervals.begin(), intervals.end());
            intervals.emplace_back(m_step.stepSeconds, m_step.stepSeconds);
            double at = 0, idle = 0;
            for (const auto& [start, end] : intervals) {
                if (start - at > kTinySeconds) {
                    TimelineSpan bubble;
                    bubble.stage = s;
                    bubble.kind = SpanKind::bubble;
                    bubble.startSeconds = at;
                    bubble.endSeconds = start;
                    m_timeline.spans.push_back(bubble);
                    idle += start - at;
                }
                at = std::max(at, end);
            }
            m_timeline.bubbleFraction.push_back(m_step.stepSeconds > 0 ? idle / m_step.stepSeconds : 0);
        }
    }

    /// Held from the start of the forward to the end of the backward, or of the weight pass where it is split off.
    void addInFlight()
    {
        const Phase last = m_graph.schedule.splitsWeight ? Phase::weight : Phase::backward;
        std::vector<std::vector<std::pair<double, int>>> events(static_cast<std::size_t>(m_timeline.stages));
        for (std::size_t i = 0; i < m_recorder.nodes().size(); ++i) {
            const RecordNode& node = m_recorder.nodes()[i];
            auto& list = events[static_cast<std::size_t>(node.stage)];
            if (node.phase == Phase::forward && node.runs)
                list.emplace_back(m_step.start[i], 1);
            if (node.phase == last && node.runs)
                list.emplace_back(m_step.end[i], -1);
        }
        for (auto& list : events) {
            std::sort(list.begin(), list.end());
            std::vector<InFlightPoint> points{{0, 0, 0}};
            for (const auto& [seconds, change] : list) {
                const int now = points.back().microbatches + change;
                if (points.back().seconds == seconds)
                    points.back().microbatches = now;
                else
                    points.push_back({seconds, now, 0});
            }
            m_timeline.inFlight.push_back(std::move(points));
        }
    }

    const StepGraph& m_graph;
    const StepRecorder& m_recorder;
    const StepRecord& m_step;
    Timeline m_timeline;
    std::set<std::tuple<SpanKind, int, int>> m_critical;
};

std::string duration(double seconds)
{
    return seconds < 1.0 ? fmt::format("{:.1f} ms", 1e3 * seconds) : fmt::format("{:.2f} s", seconds);
}

std::string drawName(const DrawChoice& draw)
{
    return draw.kind == DrawChoice::Kind::sample ? fmt::format("sample {}", draw.sample) : fmt::format("p{:g} step", 100 * draw.quantile);
}

} // namespace

Result<Timeline> timeline(const StepGraph& graph, const DrawChoice& draw, const InsightOptions& options)
{
    if (Diagnostics problems = check(graph); hasErrors(problems))
        return problems;
    const bool byQuantile = draw.kind == DrawChoice::Kind::quantile;
    if (byQuantile && !(draw.quantile > 0 && draw.quantile < 1))
        return outOfRange("quantile", fmt::format("{}", draw.quantile), "a number between 0 and 1");
    if (!byQuantile && (draw.sample < 0 || draw.sample > kLastRecordedStep))
        return outOfRange("sample", std::to_string(draw.sample), "0 to 999,999");
    if (draw.replica < -1 || draw.replica >= graph.numReplicas)
        return errorAt("replica", "There is no such replica.", std::to_string(draw.replica), fmt::format("0 to {}", graph.numReplicas - 1));
    const int candidates = !byQuantile ? 1 : options.samples > 0 ? options.samples : kDefaultCandidates;
    const auto recorder =
        StepRecorder::make(graph, {options.seed, byQuantile ? 0 : draw.sample, candidates, options.threads, options.stop});
    if (!recorder)
        return cancelled();
    const std::size_t at = byQuantile ? atQuantile(recorder->seconds(), draw.quantile) : 0;
    StepRecord step = recorder->record(std::array{at}, true).front();
    if (draw.replica >= 0)
        step = recorder->withReplica(std::move(step), draw.replica);
    Timeline result = Builder(graph, *recorder, step).build();
    result.draw = drawName(draw);
    result.candidates = candidates;
    result.notes.push_back(result.replica == result.slowestReplica
                               ? "The replica that the critical path runs through is shown; the others wait for it in the gradient "
                                 "synchronisation."
                               : fmt::format("Replica {} is shown; it waits for replica {}, through which the critical path runs.",
                                             result.replica, result.slowestReplica));
    if (byQuantile)
        result.notes.push_back(fmt::format("Step {} of {} sampled ones is at this quantile.", result.sample, candidates));
    if (result.stallSeconds > 0.0)
        result.notes.push_back(fmt::format("A stall makes this step {} longer; it is not drawn.", duration(result.stallSeconds)));
    if (result.jitterSeconds != 0.0)
        result.notes.push_back(fmt::format("Step jitter makes this step {} {}; it is not drawn.", duration(std::abs(result.jitterSeconds)),
                                           result.jitterSeconds > 0.0 ? "longer" : "shorter"));
    return result;
}

Result<Timeline> timeline(Evaluator& /*evaluator*/, const Scenario& scenario, const DrawChoice& draw, const InsightOptions& options)
{
    const Result<CostedStep> costed = costStep(scenario);
    if (!costed.ok())
        return costed.errors();
    Result<Timeline> result = timeline(costed->graph, draw, options);
    if (!result.ok())
        return result;
    const std::vector<int> largest = activationsInFlight(costed->graph.schedule);
    for (const StageMemory& memory : costed->memory.stages) {
        const auto s = static_cast<std::size_t>(memory.stage);
        if (s >= result->inFlight.size() || s >= largest.size() || largest[s] <= 0)
            continue;
        for (InFlightPoint& point : result.value().inFlight[s])
            point.activationGib = memory.activationsGib * point.microbatches / largest[s];
    }
    return result;
}

} // namespace prism
