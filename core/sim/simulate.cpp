// SPDX-License-Identifier: GPL-3.0-or-later
// The fast simulator: replicas of a step from models of their chunks, steps from replicas directly or by order statistics.
#include "core/sim/simulate.h"

#include "core/base/figure.h"
#include "core/sim/step/lockstep.h"
#include "core/sim/step/otherjobs.h"
#include "core/sim/step/seriesends.h"
#include "core/sim/step/stepdelays.h"
#include "core/stats/random.h"
#include "core/step/deterministicstep.h"

#include <tbb/task_arena.h>

#include <algorithm>

namespace prism {

namespace {

/// Memory for intermediate results of a call that brings no memo.
constexpr std::size_t kOwnMemoBytes = std::size_t{32} << 20;

/// Takes over what a series gave; false when it was stopped.
bool take(SeriesEnds series, bool across, StepSamples& report)
{
    if (series.seconds.empty())
        return false;
    (across ? report.acrossShared : report.withinShared) = series.shared;
    if (series.extrapolated)
        report.warnings.push_back(
            {Severity::warning, "samples",
             std::string("The p99 ") + (across ? "" : "within a job ")
                 + "of so many replicas lies beyond the sampled ones: its tail is extrapolated and its interval widened.",
             countText(static_cast<std::int64_t>(series.seconds.size())) + " steps", "more samples", "", ""});
    (across ? report.acrossSeconds : report.withinSeconds) = std::move(series.seconds);
    return true;
}

} // namespace

StepSamples simulate(const StepGraph& graph, const SimOptions& options)
{
    StepSamples out;
    const StepGraph locked = inLockstep(graph);
    Memo own(kOwnMemoBytes);
    Recall recall(options.memo != nullptr ? *options.memo : own);
    tbb::task_arena arena(options.numThreads > 0 ? options.numThreads : tbb::task_arena::automatic);
    out.complete = arena.execute([&] {
        out.noiseFreeSeconds = deterministicStepSeconds(graph);
        const auto prepared = prepare(locked, recall, options.stop);
        if (!prepared)
            return false;
        const int within = options.numWithinSamples == 0 ? options.numSamples / 4 : std::max(0, options.numWithinSamples);
        const bool measured = !locked.fixedSpatial.empty();
        NearMedian near;
        ReplicaLayout layout;
        if (within > 0 || measured) {
            near = nearMedian(prepared, options.seed, recall, options.stop);
            if (!near.job)
                return false;
            layout = jobLayout(*near.prepared, *near.job);
        }
        if (options.numSamples > 0) {
            const Series series = makeSeries(*prepared, options.seed, options.seed, Run::across, options.numSamples);
            if (!take(seriesEnds(series, measured ? layout : acrossLayout(*prepared), recall, options.stop, out.nodeSamples), true, out))
                return false;
            addStepDelays(locked, options.seed, Run::across, out.acrossSeconds);
        }
        if (within <= 0)
            return true;
        const Series series = makeSeries(*near.prepared, mix64(options.seed), options.seed, Run::within, within);
        if (!take(seriesEnds(series, layout, recall, options.stop, out.nodeSamples), false, out))
            return false;
        addStepDelays(locked, options.seed, Run::within, out.withinSeconds);
        out.withinShared = together(out.withinShared, jobChoiceError(near, options.seed, within, recall, options.stop));
        return !options.stop.stop_requested();
    });
    out.totalNodes = recall.totalNodes();
    out.recomputed = recall.recomputed();
    return out;
}

} // namespace prism
