// SPDX-License-Identifier: GPL-3.0-or-later
// Step graphs, the way from a scenario to one, calibrations and published rows.
#include "core/calibrate/published.h"
#include "core/cost/calibration.h"
#include "core/cost/predictor.h"
#include "core/engine/summary.h"
#include "core/sim/simulate.h"
#include "fuzz/structure.h"
#include "fuzz/target.h"
#include "fuzz/writtenseeds.h"

#include <cmath>

namespace prism::fuzz {
namespace {

constexpr double kMaxItems = 20'000; ///< of a schedule, and kernels of a rank: what one run may cost

bool isSmall(const StepGraph& g)
{
    const Schedule& s = g.schedule;
    std::size_t ops = 0;
    for (const Program& p : g.programs)
        for (const Block& b : p.blocks)
            ops += b.ops.size() * static_cast<std::size_t>(std::min(b.repeat, 1 << 20));
    return 1.0 * s.numStages * s.numChunks * s.numMicrobatches < kMaxItems && static_cast<double>(ops) < kMaxItems && g.numReplicas <= 64
           && g.cellRanks() <= 64;
}

void sampledWell(const StepGraph& graph)
{
    SimOptions options;
    options.numSamples = 64;
    options.numThreads = 1;
    const StepSamples samples = simulate(graph, options);
    if (hasErrors(samples.warnings))
        return;
    const DistributionSummary s = summarize(samples.acrossSeconds, &samples);
    holds(s.p5 <= s.p50 && s.p50 <= s.p95 && s.p95 <= s.p99, "percentiles are ordered");
    for (const double x : {s.mean, s.std, s.p5, s.p99, s.ciMean, s.ciP99, samples.noiseFreeSeconds})
        holds(std::isfinite(x) && x >= 0, "values are finite");
}

void graph(std::string_view bytes)
{
    const Result<StepGraph> read = stepGraphFromJson(bytes);
    if (!read)
        return;
    const std::string written = toJson(*read);
    const Result<StepGraph> again = stepGraphFromJson(written);
    holds(again.ok() && again->hash() == read->hash(), "a graph reads back to the same");
    holds(toJson(*again) == written, "and is written the same");
    if (isSmall(*read))
        sampledWell(*read);
}

void predicted(std::string_view bytes)
{
    const Result<Scenario> scenario = scenarioFromJson(bytes);
    if (!scenario || scenario->cluster.numGpus > 4096 || scenario->numMicrobatches() > 256)
        return;
    const Result<CostedStep> step = costStep(*scenario);
    if (!step)
        return;
    const Result<StepGraph> read = stepGraphFromJson(toJson(step->graph));
    holds(read.ok(), "what predict makes, simulate accepts");
    if (isSmall(step->graph))
        sampledWell(step->graph);
}

void calibrations(std::string_view bytes)
{
    const Result<Calibration> read = calibrationFromJson(bytes);
    if (read)
        holds(calibrationFromJson(calibrationJson(*read)).ok(), "a calibration reads back");
}

void published(std::string_view bytes)
{
    const auto rows = readPublished(bytes);
    if (!rows)
        return;
    for (const PublishedRow& row : *rows)
        if (row.skipped.empty() && !row.scheduleOnly)
            holds(!toJson(row.scenario).empty(), "a row that is not excluded is a scenario");
}

constexpr Target kTargets[] = {{"graph", graph, 1 << 16, writtenGraphs, mutateJson},
                               {"predict", predicted, 1 << 16, writtenScenarios, mutateJson},
                               {"calibration", calibrations, 1 << 16, writtenCalibrations, mutateJson},
                               {"published", published, 1 << 16, nullptr, mutateJson}};

} // namespace

std::span<const Target> graphTargets()
{
    return kTargets;
}

} // namespace prism::fuzz
