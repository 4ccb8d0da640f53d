// SPDX-License-Identifier: GPL-3.0-or-later
// The measure for speed: one pipeline, swept by the product's kernel and by a plain loop with the standard library.
#pragma once

#include "core/step/stepgraph.h"

#include <cstddef>
#include <memory>

namespace prism {

class SweepModel;

/// A 1F1B job of one replica with one GPU per stage; every forward, backward and transfer is lognormal.
[[nodiscard]] StepGraph sweepBenchmarkGraph(int numStages, int numMicrobatches);

/// Result of one timed sweep.
struct SweepBenchmarkRun {
    double meanSeconds = 0.0; ///< of the sampled end of the pipeline: the two ways must agree
    std::size_t nodeSamples = 0;
};
/// A plain single-threaded Monte Carlo: std::mt19937_64, std::lognormal_distribution, one sample after the other.
[[nodiscard]] SweepBenchmarkRun plainSweep(const StepGraph& graph, int numSamples);
/// The product's sweep of the same pipeline on one thread. Tables are made once.
class KernelSweep final {
public:
    explicit KernelSweep(const StepGraph& graph);
    [[nodiscard]] SweepBenchmarkRun run(int numSamples) const;

private:
    std::shared_ptr<const SweepModel> m_model;
};

} // namespace prism
