// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/otherreplicas.h"

#include "core/base/diagnostictext.h"
#include "core/stats/moments.h"
#include "core/trace/barriers.h"
#include "core/trace/jobpools.h"
#include "core/trace/startup.h"

#include <algorithm>

namespace prism {

namespace {

constexpr int kMaxReplicas = 4096, kMinDraws = 100, kMaxDraws = 1'000'000;
constexpr std::size_t kMaxOperations = 20'000'000; // of one drawn step; bounds its memory

Diagnostics problems(const OtherReplicasOptions& options)
{
    Diagnostics errors;
    for (const int n : options.replicas)
        if (n < 1 || n > kMaxReplicas)
            errors.push_back({Severity::error, "--replicas", "not a number of replicas to draw", std::to_string(n), "1 to 4096", "", ""});
    if (options.replicas.empty())
        errors.push_back({Severity::error, "--replicas", "no number of replicas is given", "", "one or more", "", ""});
    if (options.samples < kMinDraws || options.samples > kMaxDraws)
        errors.push_back(
            {Severity::error, "--samples", "not a number of steps to draw", std::to_string(options.samples), "100 to 1000000", "", ""});
    return errors;
}

Result<OtherReplicas> drawnSteps(const RegularJob& job, int replicas, const OtherReplicasOptions& options)
{
    if (static_cast<std::size_t>(replicas) * job.slots.size() > kMaxOperations)
        return errorAt("--replicas", "a step of this many replicas has too many operations", std::to_string(replicas),
                       "at most " + std::to_string(kMaxOperations / std::max<std::size_t>(1, job.slots.size())));
    const auto model = StepModel::make(job, replicas);
    if (!model)
        return model.errors();
    std::vector<double> seconds, phases;
    DrawnStep drawn;
    for (int k = 0; k < options.samples; ++k) {
        model->draw(options.seed, static_cast<std::uint64_t>(k), drawn);
        seconds.push_back(drawn.seconds);
        phases.push_back(medianOf(drawn.phase));
    }
    OtherReplicas other{.replicas = replicas};
    other.meanHalfWidth = halfWidthOfMean(seconds);
    other.step = stepTimes(std::move(seconds));
    other.phaseP50 = medianOf(std::move(phases));
    return other;
}

} // namespace

Result<ReplicaScaling> replicaScaling(const TraceJob& whole, const OtherReplicasOptions& options)
{
    if (Diagnostics errors = problems(options); !errors.empty())
        return errors;
    TraceJob job = whole;
    if (options.excludeStartup)
        job.steps.erase(job.steps.begin(), job.steps.begin() + static_cast<std::ptrdiff_t>(startupSteps(job.stepSeconds())));
    const FoundBarriers barriers = hiddenBarriers(job);
    const auto regular = regularJob(job, barriers.sets);
    if (!regular)
        return regular.errors();
    ReplicaScaling scaling{.measuredReplicas = job.replicas, .notes = regular->notes};
    scaling.measured = stepTimes(job.stepSeconds());
    const auto slow = static_cast<int>(slowWorkers(*regular, computeFactors(*regular)).size());
    int largest = 0;
    for (const int n : options.replicas) {
        auto drawn = drawnSteps(*regular, n, options);
        if (!drawn)
            return drawn.errors();
        scaling.drawn.push_back(*drawn);
        largest = std::max(largest, n);
    }
    scaling.assumptions = {"the global batch grows with the replicas: each keeps its micro-batches",
                           "gathers and reductions over the replicas scale with a ring's share (n - 1) / n on the same links",
                           "collectives and gaps of a step come together from one measured step"};
    if (largest > job.replicas)
        scaling.assumptions.push_back("further replicas are like the " + std::to_string(job.replicas)
                                      + " measured ones, one of which is drawn for each in every step");
    if (const std::string unseen = unseenText(job.workers(), slow, largest * job.stages); !unseen.empty())
        scaling.assumptions.push_back(unseen);
    if (job.steps.size() < 20)
        scaling.assumptions.push_back("with " + std::to_string(job.steps.size())
                                      + " measured steps p95 rests on a few of them, p99 on none");
    return scaling;
}

} // namespace prism
