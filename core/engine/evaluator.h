// SPDX-License-Identifier: GPL-3.0-or-later
// Incremental evaluation: a graph of pure functions memoised by content hash; one immutable snapshot per revision.
#pragma once

#include "core/cost/predictor.h"
#include "core/engine/summary.h"
#include "core/engine/systemsrange.h"

#include <functional>
#include <memory>
#include <stop_token>

namespace prism {

/// How far a result has come.
enum class Stage { costed, coarse, refined, complete };

/// What one evaluation recomputed.
struct EvaluationCost {
    int recomputedNodes = 0, totalNodes = 0;
    double elapsedSeconds = 0;
    std::vector<std::string> recomputed; ///< names of the nodes ("cost", "plan", "samples", "summary", ...), in order
    std::uint64_t nodeSamples = 0;
};

/// All results of one scenario at one revision. Immutable; shared between threads.
struct Snapshot {
    std::uint64_t revision = 0;
    Stage stage = Stage::costed;
    Scenario scenario;
    ContentHash hash;
    std::uint64_t seed = 1;
    std::shared_ptr<const CostedStep> costed;
    std::shared_ptr<const StepSamples> samples; ///< null while only costed
    std::vector<double> sortedAcrossSeconds, sortedWithinSeconds;
    DistributionSummary across, within;
    VarianceShare varianceShare;                                    ///< at stage complete
    std::shared_ptr<const SystemsRange> systems;                    ///< at stage complete; null before, and where it was not requested
    double slowdownP50 = 0, slowdownP95 = 0;                        ///< over the noise-free step
    double tokensPerSecond = 0, tflopsPerGpu = 0, mfu = 0, hfu = 0; ///< at the median step; attention's whole square is counted
    double mfuCausal = 0;                                           ///< as mfu, of causal attention the half that its mask leaves
    double daysToTrain = 0, costUsd = 0;                            ///< 0 when train_tokens is 0
    Diagnostics diagnostics;                                        ///< errors (then nothing else is set) and warnings
    EvaluationCost cost;
    [[nodiscard]] bool valid() const { return !hasErrors(diagnostics); }
};
using SnapshotPtr = std::shared_ptr<const Snapshot>;

struct EvaluateOptions {
    std::uint64_t seed = 1;
    int numSamples = 2'000;
    int numThreads = 0;   ///< 0 = all cores
    double precision = 0; ///< > 0: sample until the 95 % half-width of p95 is below this share of p95
    bool varianceShares = true;
    bool systemsRange = true;
    std::uint64_t revision = 0; ///< copied into the snapshot
    std::stop_token stop;
    std::function<void(SnapshotPtr)> onProgress; ///< coarse and refined snapshots, on the calling thread
};

/// Memoised evaluation. All public functions may be called from any thread; a call blocks its own thread only.
class Evaluator final {
public:
    explicit Evaluator(std::size_t cacheBytes = std::size_t{192} << 20);
    ~Evaluator();
    Evaluator(const Evaluator&) = delete;
    Evaluator& operator=(const Evaluator&) = delete;

    // bring it up to date
    /// Evaluates a scenario until `stop` is requested. Invalid scenarios give a snapshot with diagnostics. Never null.
    SnapshotPtr evaluate(const Scenario& scenario, const EvaluateOptions& options);
    /// The same from a graph: memoised samples of any StepGraph (insights evaluate variations of one scenario's graph).
    std::shared_ptr<const StepSamples> samples(const StepGraph& graph, const SimOptions& options);
    /// The range over systems like the scenario's, memoised. `costed` is the scenario's. Errors: systemsRange's.
    Result<std::shared_ptr<const SystemsRange>> systems(const Scenario& scenario, const CostedStep& costed, const SimOptions& options);

    // look at it
    [[nodiscard]] std::size_t cacheBytes() const;

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

} // namespace prism
