// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/validate/validation.h"

#include "core/base/workers.h"
#include "core/cost/predictor.h"
#include "core/engine/summary.h"
#include "core/sim/simulate.h"
#include "core/stats/moments.h"

#include <algorithm>
#include <atomic>

namespace prism {

StepSpread stepSpread(const PublishedRow& row, const Calibration& calibration, const ValidationOptions& options)
{
    StepSpread spread;
    if (!row.skipped.empty() || row.scheduleOnly)
        return spread;
    const Result<CostedStep> step = costStepWith(row.scenario, calibration);
    if (!step)
        return spread;
    SimOptions sim;
    sim.seed = options.seed;
    sim.numSamples = options.samples;
    sim.numWithinSamples = -1;
    sim.numThreads = 1;
    StepSamples samples = simulate(step->graph, sim);
    if (samples.acrossSeconds.empty() || samples.noiseFreeSeconds <= 0)
        return spread;
    sortAscending(samples.acrossSeconds);
    spread.p50 = quantileOfSorted(samples.acrossSeconds, 0.5) / samples.noiseFreeSeconds;
    spread.p95 = quantileOfSorted(samples.acrossSeconds, 0.95) / samples.noiseFreeSeconds;
    return spread;
}

std::vector<ValidatedRow> validatedRows(const std::vector<PublishedRow>& rows, const Calibration& calibration,
                                        const ValidationOptions& options)
{
    std::vector<ValidatedRow> validated(rows.size());
    std::atomic<std::size_t> next{0};
    const auto work = [&](bool) {
        for (std::size_t i = next++; i < rows.size(); i = next++) {
            const StepSpread spread = stepSpread(rows[i], calibration, options);
            ValidatedRow& v = validated[i] = validatedRow(rows[i], calibration, spread.p50);
            if (v.noiseFreeSeconds > 0) {
                v.predictedP50Seconds = v.predictedSeconds;
                v.predictedP95Seconds = v.noiseFreeSeconds * spread.p95;
            }
        }
    };
    onWorkers(options.threads, rows.size(), work);
    return validated;
}

} // namespace prism
