// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/heldout.h"

#include "core/base/diagnostictext.h"
#include "core/base/text.h"
#include "core/stats/distance.h"
#include "core/stats/moments.h"
#include "core/stats/random.h"
#include "core/trace/barriers.h"
#include "core/trace/startup.h"
#include "core/trace/stepmodel.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace prism {

namespace {

constexpr int kFloorSplits = 200, kMinSamples = 100, kMaxSamples = 1'000'000;
constexpr std::uint64_t kSplitDraw = 0x5711, kFloorDraw = 0xf100; // name the draws of this file

/// Places 0 .. n-1 in an order drawn from a stream (Fisher and Yates).
std::vector<std::size_t> shuffled(std::size_t n, std::uint64_t seed, StreamId s)
{
    std::vector<std::size_t> places(n);
    std::iota(places.begin(), places.end(), std::size_t{0});
    for (std::size_t i = n; i > 1; --i)
        std::swap(places[i - 1], places[std::min(i - 1, static_cast<std::size_t>(uniform(seed, s, i) * static_cast<double>(i)))]);
    return places;
}

Diagnostic badTrain(const std::string& train, std::string message)
{
    return errorAt("--train", std::move(message), train, "even, odd, first-half, a fraction in (0, 1), or step numbers such as 17,20");
}

/// Which steps to learn from; [steps].
Result<std::vector<bool>> trainChoice(const std::vector<TraceStep>& steps, const HeldOutOptions& options)
{
    const std::size_t n = steps.size();
    std::vector<bool> chosen(n, false);
    const std::string& train = options.train;
    const auto fraction = doubleFromText(train);
    if (train == "even" || train == "odd") {
        for (std::size_t i = train == "even" ? 0 : 1; i < n; i += 2)
            chosen[i] = true;
    } else if (train == "first-half") {
        std::fill_n(chosen.begin(), (n + 1) / 2, true);
    } else if (fraction && *fraction > 0 && *fraction < 1) {
        const auto count = std::clamp<std::size_t>(static_cast<std::size_t>(std::lround(*fraction * static_cast<double>(n))), 1, n);
        const std::vector<std::size_t> order = shuffled(n, options.seed, stream(kSplitDraw));
        for (std::size_t i = 0; i < count; ++i)
            chosen[order[i]] = true;
    } else {
        std::set<std::int64_t> numbers;
        for (const std::string& part : split(train, ','))
            if (const auto number = integerFromText(trimmed(part)))
                numbers.insert(*number);
            else
                return badTrain(train, "this names no steps");
        for (std::size_t i = 0; i < n; ++i)
            chosen[i] = numbers.contains(steps[i].number);
    }
    const auto count = static_cast<std::size_t>(std::count(chosen.begin(), chosen.end(), true));
    if (count == 0 || count == n)
        return badTrain(train, count == 0 ? "no step is left to learn from" : "no step is left to compare with");
    return chosen;
}

DistributionScore score(std::vector<double> seconds, const std::vector<double>& sortedMeasured)
{
    sortAscending(seconds);
    DistributionScore s{.mean = meanOf(seconds), .p50 = quantileOfSorted(seconds, 0.5), .p95 = quantileOfSorted(seconds, 0.95)};
    s.meanError = s.mean / meanOf(sortedMeasured) - 1;
    s.p50Error = s.p50 / quantileOfSorted(sortedMeasured, 0.5) - 1;
    s.p95Error = s.p95 / quantileOfSorted(sortedMeasured, 0.95) - 1;
    s.ks = ksDistance(seconds, sortedMeasured);
    s.wassersteinSeconds = wassersteinDistance(seconds, sortedMeasured);
    return s;
}

/// Split-half variability: distance between random parts of a series, the first with `part` values; means over the splits.
void addFloors(HeldOut& h, const std::vector<double>& seconds, std::size_t part)
{
    for (std::uint64_t k = 0; k < kFloorSplits; ++k) {
        const std::vector<std::size_t> order = shuffled(seconds.size(), 1, stream(kFloorDraw, k));
        std::vector<double> a, b;
        for (std::size_t i = 0; i < order.size(); ++i)
            (i < part ? a : b).push_back(seconds[order[i]]);
        sortAscending(b);
        const DistributionScore s = score(std::move(a), b);
        h.ksFloor += s.ks / kFloorSplits;
        h.meanFloor += std::abs(s.meanError) / kFloorSplits;
        h.p95Floor += std::abs(s.p95Error) / kFloorSplits;
    }
}

/// The job with the chosen steps and the first replicas alone.
TraceJob trainingJob(const TraceJob& job, const std::vector<bool>& chosen, int replicas)
{
    TraceJob train = job;
    train.replicas = replicas;
    train.replicaNumbers.resize(static_cast<std::size_t>(replicas));
    train.replicasOfJob = std::max(job.replicasOfJob, job.replicas);
    train.steps.clear();
    for (std::size_t i = 0; i < job.steps.size(); ++i)
        if (chosen[i])
            train.steps.push_back(job.steps[i]);
    for (TraceStep& step : train.steps)
        std::erase_if(step.operations, [&](const TraceOperation& o) { return o.replica >= replicas; });
    return train;
}

void reportAssumptions(HeldOut& h, std::size_t steps)
{
    if (h.trainReplicas < h.replicas) {
        h.assumptions.push_back("the " + std::to_string(h.replicas - h.trainReplicas)
                                + " replicas that were not learnt from are like those that were: a slow one among them would not be seen");
        h.assumptions.emplace_back(
            "the lowest tenth of the gathers and reductions over replicas holds no wait for those that were not learnt from");
    }
    if (steps == 1)
        h.assumptions.emplace_back("one step was learnt from: gaps and collectives do not vary from step to step");
}

/// Draws steps and compares them with the held-out ones.
void compare(HeldOut& h, const StepModel& model, const HeldOutOptions& options, const std::vector<double>& measured,
             std::vector<double> measuredPhases)
{
    DrawnStep drawn;
    std::vector<double> phases;
    for (int k = 0; k < options.samples; ++k) {
        model.draw(options.seed, static_cast<std::uint64_t>(k), drawn);
        h.predictedSeconds.push_back(drawn.seconds);
        phases.insert(phases.end(), drawn.phase.begin(), drawn.phase.end());
    }
    h.predicted = score(h.predictedSeconds, measured);
    sortAscending(h.predictedSeconds);
    sortAscending(phases);
    sortAscending(measuredPhases);
    h.replicaPhaseKs = ksDistance(phases, measuredPhases);
}

} // namespace

Result<HeldOut> heldOutPrediction(const TraceJob& whole, const HeldOutOptions& options)
{
    if (options.samples < kMinSamples || options.samples > kMaxSamples)
        return errorAt("--samples", "not a number of steps to draw", std::to_string(options.samples), "100 to 1000000");
    HeldOut h;
    TraceJob job = whole;
    h.startupSteps = static_cast<int>(startupSteps(job.stepSeconds()));
    if (options.excludeStartup)
        job.steps.erase(job.steps.begin(), job.steps.begin() + h.startupSteps);
    const auto chosen = trainChoice(job.steps, options);
    if (!chosen)
        return chosen.errors();
    h.replicas = job.replicas;
    h.trainReplicas = options.trainReplicas > 0 ? std::min(options.trainReplicas, job.replicas) : job.replicas;
    const TraceJob train = trainingJob(job, *chosen, h.trainReplicas);
    const FoundBarriers barriers = hiddenBarriers(train);
    h.barriers = barriers.texts;
    const auto regular = regularJob(train, barriers.sets);
    if (!regular)
        return regular.errors();
    h.notes = regular->notes;
    const auto model = StepModel::make(*regular, h.replicas);
    if (!model)
        return model.errors();

    std::vector<double> measured, training, phases;
    for (std::size_t i = 0; i < job.steps.size(); ++i) {
        ((*chosen)[i] ? training : measured).push_back(job.steps[i].seconds());
        if (!(*chosen)[i])
            for (const double p : phaseSeconds(job.steps[i], job))
                phases.push_back(p);
    }
    h.trainSteps = static_cast<int>(training.size());
    h.heldOutSteps = static_cast<int>(measured.size());
    addFloors(h, job.stepSeconds(), training.size());
    h.ksCritical = ksCritical(measured.size(), 0, 0.05);
    sortAscending(measured);
    h.measuredMean = meanOf(measured);
    h.measuredP50 = quantileOfSorted(measured, 0.5);
    h.measuredP95 = quantileOfSorted(measured, 0.95);
    h.baseline = score(training, measured);
    h.workerNoiseShare = model->factors().workerNoiseShare;
    h.stepNoiseShare = model->factors().stepNoiseShare;
    h.microBatchCorrelation = model->factors().microBatchCorrelation;
    reportAssumptions(h, training.size());
    compare(h, *model, options, measured, std::move(phases));
    return h;
}

namespace {

void addTo(DistributionScore& sum, const DistributionScore& s, double weight)
{
    sum.meanError += weight * std::abs(s.meanError);
    sum.p50Error += weight * std::abs(s.p50Error);
    sum.p95Error += weight * std::abs(s.p95Error);
    sum.ks += weight * s.ks;
    sum.wassersteinSeconds += weight * s.wassersteinSeconds;
}

} // namespace

Result<RandomParts> randomParts(const TraceJob& job, HeldOutOptions options, int parts)
{
    const auto fraction = doubleFromText(options.train);
    if (!(fraction && *fraction > 0 && *fraction < 1))
        return Diagnostic{Severity::error, "--train", "several random parts need a fraction", options.train, "a number in (0, 1)", "", ""};
    if (parts < 1 || parts > kMaxParts)
        return Diagnostic{Severity::error, "--parts", "not a number of parts", std::to_string(parts), "1 to 1000", "", ""};
    RandomParts out;
    out.parts = parts;
    const double weight = 1.0 / parts;
    for (int k = 0; k < parts; ++k, ++options.seed) {
        const Result<HeldOut> h = heldOutPrediction(job, options);
        if (!h.ok())
            return h.errors();
        addTo(out.predicted, h->predicted, weight);
        addTo(out.baseline, h->baseline, weight);
        out.ksFloor += weight * h->ksFloor;
        out.meanFloor += weight * h->meanFloor;
        out.p95Floor += weight * h->p95Floor;
        out.replicaPhaseKs += weight * h->replicaPhaseKs;
        out.trainSteps = h->trainSteps;
        out.heldOutSteps = h->heldOutSteps;
    }
    return out;
}

} // namespace prism
