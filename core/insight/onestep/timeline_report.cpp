// SPDX-License-Identifier: GPL-3.0-or-later
// A timeline as Chrome trace, JSON and CSV.
#include "core/insight/report.h"
#include "core/insight/onestep/timeline.h"

#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>

#include <algorithm>

namespace prism {

namespace {

using Json = nlohmann::ordered_json;

/// Tracks of a stage's thread group: what occupies the stage, then its transfers, on parallel tracks where they overlap.
constexpr int kWorkTrack = 0, kFirstSendTrack = 1;

/// The track of every span, by index. Slices of one track may not overlap in the trace event format.
std::vector<int> tracksOf(const Timeline& timeline)
{
    std::vector<int> tracks(timeline.spans.size(), kWorkTrack);
    std::vector<std::size_t> sends;
    for (std::size_t i = 0; i < timeline.spans.size(); ++i)
        if (timeline.spans[i].kind == SpanKind::send)
            sends.push_back(i);
    std::stable_sort(sends.begin(), sends.end(),
                     [&](std::size_t a, std::size_t b) { return timeline.spans[a].startSeconds < timeline.spans[b].startSeconds; });
    std::vector<std::vector<double>> freeAt(static_cast<std::size_t>(timeline.stages)); // per stage and send track
    for (const std::size_t i : sends) {
        const TimelineSpan& span = timeline.spans[i];
        std::vector<double>& tracksOfStage = freeAt[static_cast<std::size_t>(span.stage)];
        const auto track = std::find_if(tracksOfStage.begin(), tracksOfStage.end(), [&](double end) { return end <= span.startSeconds; });
        tracks[i] = kFirstSendTrack + static_cast<int>(track - tracksOfStage.begin());
        if (track == tracksOfStage.end())
            tracksOfStage.push_back(span.endSeconds);
        else
            *track = span.endSeconds;
    }
    return tracks;
}

std::string spanTitle(const TimelineSpan& span, const Timeline& timeline)
{
    const std::string chunk = timeline.chunks > 1 && span.chunk >= 0 ? fmt::format(".{}", span.chunk) : "";
    switch (span.kind) {
    case SpanKind::forward:
        return fmt::format("F{}{}", span.microbatch, chunk);
    case SpanKind::backward:
        return fmt::format("B{}{}", span.microbatch, chunk);
    case SpanKind::weight:
        return fmt::format("W{}{}", span.microbatch, chunk);
    case SpanKind::send:
        return fmt::format("send {} to stage {}", span.microbatch, span.toStage);
    default:
        return std::string(spanKindName(span.kind));
    }
}

/// The pass that runs in one piece with a pass.
Json pairedJson(const TimelineSpan& span)
{
    return {{"kind", spanKindName(span.kind == SpanKind::forward ? SpanKind::backward : SpanKind::forward)},
            {"chunk", span.pairedChunk},
            {"micro_batch", span.pairedMicrobatch}};
}

/// F&B as a slice around its passes, which share its time.
Json pieceEvent(const TimelineSpan& forward, int track, const Timeline& timeline)
{
    TimelineSpan backward;
    backward.kind = SpanKind::backward;
    backward.chunk = forward.pairedChunk;
    backward.microbatch = forward.pairedMicrobatch;
    return {{"ph", "X"},
            {"name", spanTitle(forward, timeline) + " & " + spanTitle(backward, timeline)},
            {"cat", "piece"},
            {"pid", forward.stage},
            {"tid", track},
            {"ts", forward.pieceStart * 1e6},
            {"dur", (forward.pieceEnd - forward.pieceStart) * 1e6},
            {"args", {{"forward", forward.microbatch}, {"backward", forward.pairedMicrobatch}}}};
}

Json partsJson(const TimelineSpan& span, const Timeline& timeline, double scale)
{
    Json parts = Json::object();
    for (const SpanPart& part : span.parts)
        parts[timeline.classNames[static_cast<std::size_t>(part.kernelClass)]] = part.seconds * scale;
    return parts;
}

Json metadata(const char* what, int process, int thread, const std::string& name)
{
    return {{"ph", "M"}, {"name", what}, {"pid", process}, {"tid", thread}, {"args", {{"name", name}}}};
}

Json flow(const char* phase, int id, int stage, int track, double seconds)
{
    Json event{{"ph", phase}, {"name", "transfer"}, {"cat", "transfer"}, {"id", id}, {"pid", stage}, {"tid", track}, {"ts", seconds * 1e6}};
    if (*phase == 'f')
        event["bp"] = "e";
    return event;
}

void addSpan(Json& events, const TimelineSpan& span, int track, const Timeline& timeline, int& nextFlow)
{
    Json args{{"critical", span.critical}};
    if (span.microbatch >= 0)
        args["micro_batch"] = span.microbatch;
    if (span.chunk >= 0)
        args["chunk"] = span.chunk;
    if (!span.parts.empty())
        args["us_by_class"] = partsJson(span, timeline, 1e6);
    if (span.pairedMicrobatch >= 0)
        args["beside"] = pairedJson(span);
    if (span.pairedMicrobatch >= 0 && span.kind == SpanKind::forward)
        events.push_back(pieceEvent(span, track, timeline));
    events.push_back({{"ph", "X"},
                      {"name", spanTitle(span, timeline)},
                      {"cat", std::string(spanKindName(span.kind)) + (span.critical ? ",critical" : "")},
                      {"pid", span.stage},
                      {"tid", track},
                      {"ts", span.startSeconds * 1e6},
                      {"dur", (span.endSeconds - span.startSeconds) * 1e6},
                      {"args", std::move(args)}});
    if (span.kind == SpanKind::send && span.toStage >= 0) {
        events.push_back(flow("s", nextFlow, span.stage, track, span.startSeconds));
        events.push_back(flow("f", nextFlow, span.toStage, kWorkTrack, span.usedSeconds));
        ++nextFlow;
    }
}

} // namespace

std::string toChromeTrace(const Timeline& timeline)
{
    Json events = Json::array();
    const std::vector<int> tracks = tracksOf(timeline);
    std::vector<int> lastTrack(static_cast<std::size_t>(timeline.stages), kFirstSendTrack);
    for (std::size_t i = 0; i < tracks.size(); ++i) {
        int& last = lastTrack[static_cast<std::size_t>(timeline.spans[i].stage)];
        last = std::max(last, tracks[i]);
    }
    for (int s = 0; s < timeline.stages; ++s) {
        events.push_back(metadata("process_name", s, 0, fmt::format("stage {}", s)));
        events.push_back({{"ph", "M"}, {"name", "process_sort_index"}, {"pid", s}, {"tid", 0}, {"args", {{"sort_index", s}}}});
        events.push_back(metadata("thread_name", s, kWorkTrack, "compute and step operations"));
        for (int track = kFirstSendTrack; track <= lastTrack[static_cast<std::size_t>(s)]; ++track)
            events.push_back(
                metadata("thread_name", s, track, track == kFirstSendTrack ? "transfers" : fmt::format("transfers {}", track)));
    }
    int nextFlow = 1;
    for (std::size_t i = 0; i < timeline.spans.size(); ++i)
        if (timeline.spans[i].kind != SpanKind::bubble)
            addSpan(events, timeline.spans[i], tracks[i], timeline, nextFlow);
    for (std::size_t s = 0; s < timeline.inFlight.size(); ++s)
        for (const InFlightPoint& point : timeline.inFlight[s])
            events.push_back({{"ph", "C"},
                              {"name", "micro-batches in flight"},
                              {"pid", s},
                              {"tid", 0},
                              {"ts", point.seconds * 1e6},
                              {"args", {{"chunks", point.microbatches}}}});
    Json trace{{"traceEvents", std::move(events)},
               {"displayTimeUnit", "ms"},
               {"otherData",
                {{"draw", timeline.draw},
                 {"step_seconds", timeline.stepSeconds},
                 {"schedule", timeline.scheduleName},
                 {"replica", timeline.replica},
                 {"engine_version", PRISM_VERSION}}}};
    return trace.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string toJson(const Timeline& timeline)
{
    Json spans = Json::array();
    for (const TimelineSpan& span : timeline.spans) {
        spans.push_back({{"stage", span.stage},
                         {"kind", spanKindName(span.kind)},
                         {"chunk", span.chunk},
                         {"micro_batch", span.microbatch},
                         {"class", span.kernelClass < 0 ? "" : timeline.classNames[static_cast<std::size_t>(span.kernelClass)]},
                         {"start_s", span.startSeconds},
                         {"end_s", span.endSeconds},
                         {"critical", span.critical},
                         {"seconds_by_class", partsJson(span, timeline, 1.0)}});
        if (span.pairedMicrobatch >= 0)
            spans.back()["beside"] = pairedJson(span);
    }
    Json memory = Json::array();
    for (const auto& stage : timeline.inFlight) {
        Json points = Json::array();
        for (const InFlightPoint& p : stage)
            points.push_back({p.seconds, p.microbatches, p.activationGib});
        memory.push_back(std::move(points));
    }
    return report::dump({{"draw", timeline.draw},
                         {"sample", timeline.sample},
                         {"replica", timeline.replica},
                         {"slowest_replica", timeline.slowestReplica},
                         {"replicas", timeline.replicas},
                         {"stages", timeline.stages},
                         {"chunks", timeline.chunks},
                         {"micro_batches", timeline.microbatches},
                         {"schedule", timeline.scheduleName},
                         {"step_s", timeline.stepSeconds},
                         {"jitter_s", timeline.jitterSeconds},
                         {"stall_s", timeline.stallSeconds},
                         {"critical_s", timeline.criticalSeconds},
                         {"bubble_fraction", timeline.bubbleFraction},
                         {"candidates", timeline.candidates},
                         {"in_flight", std::move(memory)},
                         {"spans", std::move(spans)},
                         {"notes", timeline.notes}});
}

std::string toCsv(const Timeline& timeline, TableText texts)
{
    std::string text = "stage,kind,chunk,micro_batch,class,start_s,end_s,critical\n";
    for (const TimelineSpan& span : timeline.spans)
        text += report::row(
            {std::to_string(span.stage), std::string(spanKindName(span.kind)), std::to_string(span.chunk), std::to_string(span.microbatch),
             report::field(span.kernelClass < 0 ? "" : timeline.classNames[static_cast<std::size_t>(span.kernelClass)], texts),
             report::number(span.startSeconds), report::number(span.endSeconds), span.critical ? "1" : "0"});
    return text;
}

} // namespace prism
