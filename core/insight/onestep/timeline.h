// SPDX-License-Identifier: GPL-3.0-or-later
// One sampled step as stages x intervals: operations, the critical path and bubbles over time.
#pragma once

#include "core/insight/insight.h"
#include "core/sim/record/spankind.h"

namespace prism {

/// Time that one kernel class took inside a span, on the slowest rank of the cell.
struct SpanPart {
    int kernelClass = 0; ///< index into Timeline::classNames
    double seconds = 0;
};

/// One interval of one stage. Compute, step operations and bubbles of a stage do not overlap; sends do (their own lane)
/// unless the transfer occupies the sender.
struct TimelineSpan {
    int stage = 0;
    SpanKind kind = SpanKind::forward;
    int chunk = -1, microbatch = -1; ///< -1 where it has none
    int kernelClass = -1;            ///< the class that took most of it; -1 for bubbles
    double startSeconds = 0, endSeconds = 0;
    bool critical = false;  ///< on the critical path of this draw
    int toStage = -1;       ///< sends: the receiving stage
    double usedSeconds = 0; ///< sends: when the receiver starts on what arrived
    int pairedChunk = -1;   ///< F&B: the pass of the other direction that runs in one piece with this one; -1 = it runs alone
    int pairedMicrobatch = -1;
    double pieceStart = 0, pieceEnd = 0; ///< F&B: of the whole piece, in which its passes share the time of the stage
    std::vector<SpanPart> parts;         ///< falling seconds; empty for bubbles
};

/// Activations of micro-batches held by a stage from the start of the forward to the end of the backward.
struct InFlightPoint {
    double seconds = 0;
    int microbatches = 0;     ///< chunks in flight from this time on
    double activationGib = 0; ///< per GPU; 0 when the graph does not come from a scenario
};

/// A shape that is computed once and never changed; share it as shared_ptr<const Timeline>.
struct Timeline {
    std::string draw;       ///< "p50 step", "p95 step", "sample 17"
    int sample = 0;         ///< index of the draw
    int replica = 0;        ///< that is shown
    int slowestReplica = 0; ///< that the critical path of this draw runs through
    int replicas = 1, stages = 1, chunks = 1, microbatches = 1;
    std::string scheduleName;
    double stepSeconds = 0;                     ///< end of what is drawn: without jitter and stalls of the whole step
    double jitterSeconds = 0, stallSeconds = 0; ///< which come on top of it
    [[nodiscard]] double delaySeconds() const { return jitterSeconds + stallSeconds; }
    [[nodiscard]] double totalSeconds() const { return stepSeconds + delaySeconds(); } ///< the step that predict states
    std::vector<std::string> classNames;
    std::vector<TimelineSpan> spans;                  ///< by stage, then start
    std::vector<std::vector<InFlightPoint>> inFlight; ///< per stage, ascending time
    std::vector<double> bubbleFraction;               ///< per stage: idle share of the step
    double criticalSeconds = 0;                       ///< sum over critical spans
    int candidates = 0;                               ///< draws among which the quantile was searched for
    std::vector<std::string> notes;
};

/// Which draw to show.
struct DrawChoice {
    enum class Kind { quantile, sample } kind = Kind::quantile;
    double quantile = 0.5; ///< in (0, 1)
    int sample = 0;        ///< 0 to 999,999
    int replica = -1;      ///< the replica to show; -1 = the slowest, that the critical path runs through
};

/// Errors: the scenario's diagnostics, quantile, sample or replica out of range, cancelled. Default 500 candidate draws.
[[nodiscard]] Result<Timeline> timeline(Evaluator& evaluator, const Scenario& scenario, const DrawChoice& draw = {},
                                        const InsightOptions& options = {});
[[nodiscard]] Result<Timeline> timeline(const StepGraph& graph, const DrawChoice& draw = {}, const InsightOptions& options = {});

/// Chrome trace JSON (Trace Event Format: "X" complete events in microseconds, "M" metadata, "s"/"f" flows for sends, "C"
/// counters for activations); opens in Perfetto and chrome://tracing.
[[nodiscard]] std::string toChromeTrace(const Timeline& timeline);
[[nodiscard]] std::string toJson(const Timeline& timeline);
[[nodiscard]] std::string toCsv(const Timeline& timeline, TableText texts = TableText::forSheets);

} // namespace prism
