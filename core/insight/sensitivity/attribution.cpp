// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/sensitivity/attribution.h"

#include "core/base/workers.h"
#include "core/insight/report.h"
#include "core/sim/record/steprecorder.h"

#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <numeric>

namespace prism {

namespace {

constexpr int kDefaultSamples = 1'000;
constexpr std::size_t kRecordedNodes = std::size_t{1} << 18;

/// One step's critical path by class, stage and cause.
struct PathShares {
    double stepSeconds = 0;
    std::vector<double> byClass, byStage, byCause;
};

Parts partsOf(const StepRecorder& recorder, const StepRecord& step, const CriticalPiece& piece)
{
    switch (piece.kind) {
    case SpanKind::send:
        return recorder.transferParts(step, piece.node);
    case SpanKind::embeddingAllReduce:
        return recorder.stageOpParts(step, piece.stage, StageOp::embedding);
    case SpanKind::gradSync:
        return recorder.stageOpParts(step, piece.stage, StageOp::gradSync);
    case SpanKind::gradNorm:
        return recorder.stageOpParts(step, piece.stage, StageOp::gradNorm);
    case SpanKind::optimizer:
        return recorder.stageOpParts(step, piece.stage, StageOp::optimizer);
    case SpanKind::paramGather:
        return recorder.stageOpParts(step, piece.stage, StageOp::paramGather);
    default:
        return recorder.passParts(step, piece.node);
    }
}

/// Jitter and stalls of a step: the last two entries of the classes, the last one of the stages.
void addDelays(const StepRecord& step, PathShares& shares)
{
    shares.byClass.push_back(step.jitterSeconds);
    shares.byClass.push_back(step.stallSeconds);
    shares.byStage.push_back(step.jitterSeconds + step.stallSeconds);
    shares.byCause[static_cast<std::size_t>(Cause::jitter)] += step.jitterSeconds;
    shares.byCause[static_cast<std::size_t>(Cause::stall)] += step.stallSeconds;
    shares.stepSeconds += step.jitterSeconds + step.stallSeconds;
}

PathShares sharesOf(const StepGraph& graph, const StepRecorder& recorder, const StepRecord& step)
{
    PathShares shares;
    shares.stepSeconds = step.stepSeconds;
    shares.byClass.assign(graph.classes.size(), 0.0);
    shares.byStage.assign(static_cast<std::size_t>(graph.schedule.numStages), 0.0);
    shares.byCause.assign(kCauses, 0.0);
    for (const CriticalPiece& piece : step.critical) {
        const Parts parts = partsOf(recorder, step, piece);
        for (std::size_t c = 0; c < parts.byClass.size(); ++c)
            shares.byClass[c] += parts.byClass[c];
        for (std::size_t c = 0; c < kCauses; ++c)
            shares.byCause[c] += parts.byCause[c];
        shares.byStage[static_cast<std::size_t>(piece.stage)] += piece.end - piece.start;
    }
    addDelays(step, shares);
    return shares;
}

/// Mean and share of one component over a set of steps; the share is a ratio of sums with its delta-method interval.
void estimate(const std::vector<const PathShares*>& steps, const std::vector<double> PathShares::*list, std::size_t index,
              Estimate& seconds, Estimate& share)
{
    const auto n = static_cast<double>(steps.size());
    double sum = 0, total = 0;
    for (const PathShares* s : steps) {
        sum += (s->*list)[index];
        total += s->stepSeconds;
    }
    const double ratio = total > 0 ? sum / total : 0;
    double squares = 0, residuals = 0;
    for (const PathShares* s : steps) {
        const double x = (s->*list)[index];
        squares += (x - sum / n) * (x - sum / n);
        residuals += (x - ratio * s->stepSeconds) * (x - ratio * s->stepSeconds);
    }
    const double scale = n > 1 ? normalReach() / std::sqrt(n * (n - 1)) : 0;
    seconds = {sum / n, scale * std::sqrt(squares)};
    share = {ratio, total > 0 ? scale * std::sqrt(residuals) / (total / n) : 0};
}

AttributionRow rowOf(std::string name, const std::vector<const PathShares*>& all, const std::vector<const PathShares*>& slow,
                     const std::vector<double> PathShares::*list, std::size_t index, double excessSeconds)
{
    AttributionRow row;
    row.name = std::move(name);
    estimate(all, list, index, row.secondsAll, row.shareAll);
    estimate(slow, list, index, row.secondsSlow, row.shareSlow);
    if (excessSeconds > 0)
        row.excessShare = {(row.secondsSlow.value - row.secondsAll.value) / excessSeconds,
                           std::hypot(row.secondsSlow.halfWidth, row.secondsAll.halfWidth) / excessSeconds};
    return row;
}

/// Rows of what delays whole steps, where the graph has it.
void addDelayRows(TailAttribution& result, const StepGraph& graph, const std::vector<const PathShares*>& all,
                  const std::vector<const PathShares*>& slow, double excess)
{
    if (graph.delays.jitterSeconds <= 0 && graph.delays.stallsPerGpuHour <= 0)
        return;
    const std::size_t classes = graph.classes.size();
    result.byClass.push_back(rowOf("step jitter", all, slow, &PathShares::byClass, classes, excess));
    result.byClass.push_back(rowOf("stalls", all, slow, &PathShares::byClass, classes + 1, excess));
    result.byStage.push_back(
        rowOf("whole step", all, slow, &PathShares::byStage, static_cast<std::size_t>(graph.schedule.numStages), excess));
}

void sortRows(std::vector<AttributionRow>& rows)
{
    std::erase_if(rows, [](const AttributionRow& r) { return r.secondsAll.value == 0 && r.secondsSlow.value == 0; });
    std::stable_sort(rows.begin(), rows.end(),
                     [](const AttributionRow& a, const AttributionRow& b) { return a.shareSlow.value > b.shareSlow.value; });
}

Result<std::vector<PathShares>> pathsOf(const StepGraph& graph, const StepRecorder& recorder, int samples, const InsightOptions& options)
{
    std::vector<PathShares> steps(static_cast<std::size_t>(samples));
    // Steps that are recorded at once: more are quicker until their records fill the memory.
    const std::size_t together = std::clamp<std::size_t>(kRecordedNodes / recorder.nodes().size(), 1, 32);
    const std::size_t batches = (steps.size() + together - 1) / together;
    std::atomic<std::size_t> next{0}, done{0};
    const auto work = [&](bool reports) {
        for (std::size_t b = next++; b < batches && !options.stop.stop_requested(); b = next++) {
            std::vector<std::size_t> which(std::min(together, steps.size() - b * together));
            std::iota(which.begin(), which.end(), b * together);
            for (const StepRecord& step : recorder.record(which, false))
                steps[static_cast<std::size_t>(step.number)] = sharesOf(graph, recorder, step);
            const std::size_t finished = ++done;
            if (reports && options.progress)
                options.progress(static_cast<double>(finished) / static_cast<double>(batches), "attribution");
        }
    };
    onWorkers(options.threads, batches, work);
    if (done < batches)
        return cancelled();
    return steps;
}

nlohmann::ordered_json rowsJson(const std::vector<AttributionRow>& rows)
{
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const AttributionRow& r : rows)
        list.push_back({{"name", r.name},
                        {"share_all", report::json(r.shareAll)},
                        {"share_slow", report::json(r.shareSlow)},
                        {"seconds_all", report::json(r.secondsAll)},
                        {"seconds_slow", report::json(r.secondsSlow)},
                        {"excess_share", report::json(r.excessShare)}});
    return list;
}

} // namespace

Result<TailAttribution> attribution(const StepGraph& graph, const InsightOptions& options, double slowFraction)
{
    const auto begin = std::chrono::steady_clock::now();
    if (Diagnostics problems = check(graph); hasErrors(problems))
        return problems;
    const int samples = options.samples > 0 ? options.samples : kDefaultSamples;
    const auto recorder = StepRecorder::make(graph, {options.seed, 0, samples, options.threads, options.stop});
    if (!recorder)
        return cancelled();
    const Result<std::vector<PathShares>> paths = pathsOf(graph, *recorder, samples, options);
    if (!paths.ok())
        return paths.errors();
    TailAttribution result;
    result.samples = samples;
    result.seed = options.seed;
    result.slowFraction = slowFraction;
    std::vector<const PathShares*> all, slow;
    for (const PathShares& step : paths.value())
        all.push_back(&step);
    std::stable_sort(all.begin(), all.end(), [](const PathShares* a, const PathShares* b) { return a->stepSeconds < b->stepSeconds; });
    const auto slowCount = std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(slowFraction * samples)));
    slow.assign(all.end() - static_cast<std::ptrdiff_t>(slowCount), all.end());
    result.slowSamples = static_cast<int>(slow.size());
    result.slowThresholdSeconds = slow.front()->stepSeconds;
    const auto mean = [](const std::vector<const PathShares*>& steps) {
        return std::accumulate(steps.begin(), steps.end(), 0.0, [](double sum, const PathShares* s) { return sum + s->stepSeconds; })
               / static_cast<double>(steps.size());
    };
    result.meanSeconds = mean(all);
    result.slowMeanSeconds = mean(slow);
    const double excess = result.slowMeanSeconds - result.meanSeconds;
    for (std::size_t c = 0; c < graph.classes.size(); ++c)
        result.byClass.push_back(rowOf(graph.classes[c].name, all, slow, &PathShares::byClass, c, excess));
    for (int s = 0; s < graph.schedule.numStages; ++s)
        result.byStage.push_back(rowOf("stage " + std::to_string(s), all, slow, &PathShares::byStage, static_cast<std::size_t>(s), excess));
    addDelayRows(result, graph, all, slow, excess);
    for (int c = 0; c < kCauses; ++c)
        result.byCause.push_back(
            rowOf(std::string(causeName(static_cast<Cause>(c))), all, slow, &PathShares::byCause, static_cast<std::size_t>(c), excess));
    sortRows(result.byClass);
    sortRows(result.byCause);
    result.notes.emplace_back(
        "The critical path is followed backward from the end of the step along the predecessor that arrived last; its "
        "pieces leave no gap.");
    result.elapsedSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return result;
}

Result<TailAttribution> attribution(Evaluator& /*evaluator*/, const Scenario& scenario, const InsightOptions& options)
{
    const Result<CostedStep> costed = costStep(scenario);
    if (!costed.ok())
        return costed.errors();
    return attribution(costed->graph, options);
}

std::string toJson(const TailAttribution& a)
{
    return report::dump({{"mean_s", a.meanSeconds},
                         {"slow_mean_s", a.slowMeanSeconds},
                         {"slow_threshold_s", a.slowThresholdSeconds},
                         {"slow_fraction", a.slowFraction},
                         {"samples", a.samples},
                         {"slow_samples", a.slowSamples},
                         {"seed", a.seed},
                         {"elapsed_s", a.elapsedSeconds},
                         {"by_class", rowsJson(a.byClass)},
                         {"by_stage", rowsJson(a.byStage)},
                         {"by_cause", rowsJson(a.byCause)},
                         {"notes", a.notes}});
}

std::string toCsv(const TailAttribution& a, TableText texts)
{
    std::string text =
        "kind,name,share_all,share_all_ci95,share_slow,share_slow_ci95,seconds_all,seconds_slow,excess_share,excess_share_ci95\n";
    const auto add = [&text, texts](const char* kind, const std::vector<AttributionRow>& rows) {
        using report::number;
        for (const AttributionRow& r : rows)
            text += report::row({kind, report::field(r.name, texts), number(r.shareAll.value), number(r.shareAll.halfWidth),
                                 number(r.shareSlow.value), number(r.shareSlow.halfWidth), number(r.secondsAll.value),
                                 number(r.secondsSlow.value), number(r.excessShare.value), number(r.excessShare.halfWidth)});
    };
    add("class", a.byClass);
    add("stage", a.byStage);
    add("cause", a.byCause);
    return text;
}

} // namespace prism
