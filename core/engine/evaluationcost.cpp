// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/evaluationcost.h"

#include "core/base/valuetext.h"
#include "core/base/diagnostictext.h"
#include "core/engine/systemsrange.h"
#include "core/sim/draw/draws.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace prism {
namespace {

constexpr double kBytesPerGib = 1024.0 * 1024 * 1024;

/// Steps that the evaluator asks for: across jobs, within one, the shares of the variance, other systems, the candidates of the median.
double steps(const EvaluationSize& size)
{
    constexpr double kWithinShare = 0.25; // SimOptions::numWithinSamples
    return (1 + kWithinShare) * size.samples + kCoarseSamples + kVarianceCauses * kShareSamples + kMedianCandidates
           + (1 + kSweptSystems) * kSystemSteps;
}

bool exceeds(const EvaluationEstimate& cost, double seconds)
{
    return cost.cpuSeconds > seconds || cost.memoryBytes > kMaxEvaluationBytes;
}

} // namespace

EvaluationSize evaluationSize(const Scenario& s, int samples)
{
    const ParallelismConfig& p = s.parallelism;
    EvaluationSize size;
    size.stages = static_cast<double>(p.pipelineModelParallelSize);
    size.chunks = static_cast<double>(p.virtualPipelineModelParallelSize);
    size.microbatches = static_cast<double>(std::max<std::int64_t>(1, s.numMicrobatches()));
    size.replicas = static_cast<double>(std::max<std::int64_t>(1, s.dataParallelSize()));
    size.ranksOfCell = static_cast<double>(s.cluster.numGpus) / (size.stages * size.replicas);
    size.samples = samples;
    return size;
}

EvaluationSize evaluationSize(const StepGraph& g, int samples)
{
    return {static_cast<double>(g.numReplicas),        static_cast<double>(g.schedule.numStages),
            static_cast<double>(g.schedule.numChunks), static_cast<double>(g.schedule.numMicrobatches),
            static_cast<double>(g.cellRanks()),        static_cast<double>(samples)};
}

EvaluationEstimate estimatedCost(const EvaluationSize& size)
{
    // Fitted to the presets on one core with 256-bit registers: frontier-64k 8.8 s, sample-baseline 2.6 s, megatron-1t-3072-a100 9.3 s (few
    // replicas are all swept with their noise), 262,144 replicas of one GPU 20 s; memory to PP 512 x 2,600 micro-batches.
    constexpr double kSecondsPerPass = 1.8e-9, kSecondsPerNoisyPass = 10e-9, kFewReplicas = 8, kSecondsPerReplica = 25e-9,
                     kSecondsPerGpu = 1e-9;
    constexpr double kBytesPerStep = 160, kBytesPerPass = 400, kBytesPerCell = 700, kBytes = 80e6;
    const double cells = size.replicas * size.stages;
    const double ofReplica = kSecondsPerReplica + (size.replicas < kFewReplicas ? kSecondsPerNoisyPass : kSecondsPerPass) * size.passes()
                             + kSecondsPerGpu * size.stages * size.ranksOfCell;
    return {steps(size) * size.replicas * ofReplica,
            kBytes + kBytesPerStep * size.samples + kBytesPerPass * size.passes() + kBytesPerCell * cells};
}

std::string costText(const EvaluationSize& size)
{
    const EvaluationEstimate cost = estimatedCost(size);
    return fmt::format("{} passes x {} steps: about {} s of CPU and {} GiB", countText(static_cast<std::int64_t>(size.passes())),
                       countText(static_cast<std::int64_t>(size.samples)), amountText(cost.cpuSeconds, 2),
                       amountText(cost.memoryBytes / kBytesPerGib, 2));
}

Diagnostics tooCostly(const EvaluationSize& size, double seconds)
{
    const EvaluationEstimate cost = estimatedCost(size);
    if (!exceeds(cost, seconds))
        return {};
    const bool isMemory = cost.memoryBytes > kMaxEvaluationBytes;
    const char* path = "";
    double smallest = std::numeric_limits<double>::infinity(); // of the cost that remains without the dominant size
    for (const auto& [name, part] : {std::pair{"samples", &EvaluationSize::samples},
                                     {"training.global_batch_size", &EvaluationSize::microbatches},
                                     {"cluster.num_gpus", &EvaluationSize::replicas}}) {
        EvaluationSize without = size;
        without.*part = 1;
        const EvaluationEstimate rest = estimatedCost(without);
        if (const double left = isMemory ? rest.memoryBytes : rest.cpuSeconds; left < smallest) {
            smallest = left;
            path = name;
        }
    }
    if (isMemory)
        return {errorAt(path, "One evaluation takes more memory than it may.", costText(size),
                        "at most 1 GiB: fewer GPUs, micro-batches or samples")};
    return {errorAt(path, "One evaluation takes long.", costText(size),
                    fmt::format("at most {} s, or --allow-long; fewer samples or micro-batches take less", seconds))};
}

} // namespace prism
