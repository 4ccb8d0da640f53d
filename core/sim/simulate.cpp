// SPDX-License-Identifier: GPL-3.0-or-later
// The fast simulator: tables of passes, then swept steps of fresh jobs and of the jobs around the median one.
#include "core/sim/simulate.h"

#include "core/sim/draw/stepdelays.h"
#include "core/sim/sweep/stepsweeper.h"
#include "core/step/deterministicstep.h"

#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>

namespace prism {

namespace {

/// Memory for tables of a call that brings no memo.
constexpr std::size_t kOwnMemoBytes = std::size_t{32} << 20;
/// Kernel draws that the tables are made from: as many for each step, so that their error stays a small part of the steps'.
constexpr double kKernelDrawsPerStep = 2000.0, kMinResidualDraws = 0.5e6, kMaxResidualDraws = 1e8;

/// Sampled steps of one run; empty when stopped.
std::vector<double> sweepRun(const SweepModel& model, SweptSeries series, int count, const SimOptions& options, StepSamples& out)
{
    const RegimeTable table(model, regimeSeries(model.graph, options.seed, series.run, 0, static_cast<std::size_t>(count)));
    const Run run = series.run;
    StepSweeper sweeper(model, table, std::move(series), options.stop);
    std::vector<double> seconds = sweeper.seconds(static_cast<std::size_t>(count));
    addStepDelays(model.graph, options.seed, run, seconds);
    out.nodeSamples += sweeper.nodeSamples();
    return seconds;
}

/// The jobs around the median one as a node: they are chosen without regimes and delays. Null when stopped.
std::shared_ptr<const MedianJobs> medianJobsOf(const SweepModel& model, double draws, const SimOptions& options, Recall& recall)
{
    StepGraph noiseFree = model.graph;
    noiseFree.intraRegime = noiseFree.interRegime = noiseFree.computeRegime = noiseFree.routingRegime = {};
    noiseFree.regimeLag1 = noiseFree.computeRegimeLag1 = noiseFree.routingRegimeLag1 = 0.0;
    noiseFree.delays = {};
    const ContentHash key = Hasher().add("median jobs").add(noiseFree.hash()).add(options.seed).add(draws).result();
    if (auto known = recall.find<MedianJobs>(key))
        return known;
    MedianJobs jobs = medianJobs(model, options.seed, options.stop);
    return options.stop.stop_requested() ? nullptr : recall.keep<MedianJobs>("median jobs", key, std::move(jobs), sizeof jobs + 128);
}

} // namespace

double kernelDraws(int steps)
{
    return std::clamp(kKernelDrawsPerStep * steps, kMinResidualDraws, kMaxResidualDraws);
}

StepSamples simulate(const StepGraph& graph, const SimOptions& options)
{
    StepSamples out;
    Memo own(kOwnMemoBytes);
    Recall recall(options.memo != nullptr ? *options.memo : own);
    tbb::task_arena arena(options.numThreads > 0 ? options.numThreads : tbb::task_arena::automatic);
    out.complete = arena.execute([&] {
        out.noiseFreeSeconds = deterministicStepSeconds(graph);
        const int across = std::max(0, options.numSamples),
                  within = options.numWithinSamples == 0 ? across / 4 : std::max(0, options.numWithinSamples);
        const double draws = kernelDraws(std::max(across, within));
        const auto model = sweepModel(graph, options.seed, draws, recall, options.stop);
        if (!model)
            return false;
        const double tables = tableError(*model, options.seed, options.stop);
        const SharedError::Part shared{tables, 0.0};
        out.acrossShared = {shared, shared, shared, shared};
        if (across > 0)
            out.acrossSeconds = sweepRun(*model, {options.seed, Run::across, {}}, across, options, out);
        if (options.stop.stop_requested())
            return false;
        if (within <= 0)
            return true;
        const auto jobs = medianJobsOf(*model, draws, options, recall);
        if (!jobs)
            return false;
        const SharedError::Part choice{std::hypot(jobs->stdErr, tables), 0.0};
        out.withinShared = {choice, choice, choice, choice};
        out.withinSeconds = sweepRun(*model, {options.seed, Run::within, jobs->jobs}, within, options, out);
        return !options.stop.stop_requested();
    });
    out.totalNodes = recall.totalNodes();
    out.recomputed = recall.recomputed();
    return out;
}

} // namespace prism
