// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explore/sampler.h"

#include "core/insight/paired.h"
#include "core/job/jobsection.h"

namespace prism {
namespace {

constexpr std::size_t kMaxPasses = 4'000'000;

/// P(job not done by then), as the whole job has it. Nothing when stopped.
std::optional<Estimate> lateness(const SamplerInputs& in, const Scenario& scenario, int samples)
{
    InsightOptions options = in.options;
    options.samples = samples;
    options.progress = {};
    const Result<JobReport> job = jobOf(in.evaluator, scenario, {.deadlineDays = in.query.objective.limit}, options);
    if (!job.ok())
        return std::nullopt;
    return Estimate{1 - job->deadlineProbability.value, job->deadlineProbability.halfWidth};
}

/// P(step > limit) with the error of the mean and how systems differ, as guarantee has it. Nothing when stopped.
std::optional<Estimate> longStep(const SamplerInputs& in, const Scenario& scenario, const CostedStep& costed, const PairedSample& steps,
                                 double meanHalfWidth)
{
    const auto range = in.evaluator.systems(scenario, costed, simOptions(in.options));
    if (!range.ok() || !(*range)->complete)
        return std::nullopt;
    return StepsOverSystems(**range, steps.sorted, meanHalfWidth).exceedance(in.query.objective.limit).probability;
}

} // namespace

std::shared_ptr<const CostedStep> CostedPoints::of(std::int64_t index)
{
    if (const auto known = m_points.find(index); known != m_points.end())
        return known->second;
    Result<CostedStep> costed = costStep(m_maker.at(index));
    if (!costed.ok())
        return nullptr;
    std::size_t passes = 0;
    for (const auto& order : costed->graph.schedule.order)
        passes += order.size();
    m_passes += passes;
    if (m_passes > kMaxPasses) {
        m_points.clear();
        m_passes = passes;
    }
    return m_points[index] = std::make_shared<const CostedStep>(std::move(costed).value());
}

std::optional<SampleRow> sampledRow(const SamplerInputs& in, std::int64_t index, int samples)
{
    using Metric = ExploreObjective::Metric;
    const std::shared_ptr<const CostedStep> costed = in.costed.of(index);
    SampleRow row;
    row.index = index;
    row.samples = samples;
    if (!costed || in.options.stop.stop_requested())
        return std::nullopt;
    row.noiseFreeSeconds = costed->noiseFreeSeconds;
    row.peakGib = costed->memory.peakGib;
    row.capacityGib = costed->memory.capacityGib;
    row.fits = costed->memory.fits && row.peakGib + in.query.constraints.memoryMarginGib <= row.capacityGib;
    if (samples == 0)
        return row;
    const auto run = in.evaluator.samples(costed->graph, pairedSampling(in.options, samples));
    if (!run->complete)
        return std::nullopt;
    const DistributionSummary s = summarize(run->acrossSeconds, run.get());
    row.mean = {s.mean, s.ciMean};
    row.p50 = {s.p50, s.ciP50};
    row.p95 = {s.p95, s.ciP95};
    row.p99 = {s.p99, s.ciP99};
    if (in.query.objective.isProbability()) {
        const Scenario scenario = in.maker.at(index);
        const std::optional<Estimate> probability = in.query.objective.metric == Metric::lateness
                                                        ? lateness(in, scenario, samples)
                                                        : longStep(in, scenario, *costed, PairedSample(run), s.ciMean);
        if (!probability)
            return std::nullopt;
        row.probability = *probability;
    }
    return row;
}

} // namespace prism
