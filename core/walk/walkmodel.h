// SPDX-License-Identifier: GPL-3.0-or-later
// What a walk prepares once per graph, and the draws and durations of one replica of one step.
#pragma once

#include "core/walk/chunkmodel.h"
#include "core/sim/draw/nodeshare.h"
#include "core/walk/walkfactors.h"

#include <memory>

namespace prism {

/// Factors that all of one step share.
struct StepRegimes {
    double intra = 1, inter = 1, compute = 1;
};

/// One replica of one draw.
struct WalkedReplica {
    int index = 0;
    std::vector<double> drawn, speed;     ///< G of [stage][rank], without and with slow spots
    std::vector<double> link;             ///< per stage
    std::vector<double> data;             ///< per micro-batch
    std::vector<Moments> moments;         ///< compute of [stage][program]
    std::vector<double> start, end, free; ///< per node
    std::vector<double> done;             ///< per stage, after the embedding all-reduce
    Interval embedding;
    [[nodiscard]] double latest() const;
};

/// When a replica of a draw ends if kernels and collectives take their means: speeds, data, regimes and slow spots as drawn.
struct ExpectedEnd {
    double seconds = 0;
    int replica = 0;
};

/// How walked ends follow from expected ones: end = (mean of the step) + slope * expected + a residual, from a pilot.
struct EndFit {
    double slope = 1, sigma = 0;
};

/// Immutable after construction; every function may be called from any thread.
class WalkModel final {
public:
    WalkModel(std::shared_ptr<const StepGraph> given, std::uint64_t givenSeed);

    const std::shared_ptr<const StepGraph> graph;
    const std::uint64_t seed;
    std::vector<WalkNode> nodes;
    std::vector<int> lastOfStage;
    std::vector<ProgramModel> programs;
    std::vector<double> stageLink; ///< slowest link of any replica, per stage
    double jobLink = 1;
    EndFit fit;

    [[nodiscard]] std::size_t ranks() const { return static_cast<std::size_t>(graph->cellRanks()); }
    [[nodiscard]] int stages() const { return graph->schedule.numStages; }
    /// Stages that hold the embedding and the head.
    [[nodiscard]] std::size_t firstStage() const { return static_cast<std::size_t>(graph->schedule.path.front()[0]); }
    [[nodiscard]] std::size_t lastStage() const { return static_cast<std::size_t>(graph->schedule.path.back()[0]); }
    /// Null where the graph has none.
    [[nodiscard]] const StepOp* stageOp(int stage, StageOp op) const;
    [[nodiscard]] double linkOf(int replica, int stage) const;

    // draws
    [[nodiscard]] StepRegimes regimes(int sample) const;
    [[nodiscard]] double dataOf(int sample, int replica, int microbatch) const;
    /// All replicas by falling expected end, and per stage the slowest rank of them all.
    [[nodiscard]] std::vector<ExpectedEnd> expectedEnds(int sample, const StepRegimes& regimes, std::vector<SlowestRank>& slowest) const;
    /// Speeds, links and data only.
    [[nodiscard]] WalkedReplica drawnReplica(int sample, int index) const;
    /// Walked from its first forward to the end of its last backward (and the embedding all-reduce).
    [[nodiscard]] WalkedReplica walkedReplica(int sample, const StepRegimes& regimes, int index) const;

    // durations
    [[nodiscard]] Transfer collective(const StepRegimes& regimes, const WalkedReplica& replica, int sample, int node,
                                      std::size_t which) const;
    [[nodiscard]] Transfer hopTransfer(const StepRegimes& regimes, const WalkedReplica& replica, int sample, int hop, bool forward,
                                       int microbatch) const;
    [[nodiscard]] Transfer embeddingTransfer(const StepRegimes& regimes, const WalkedReplica& replica, int sample) const;
    /// Gradient synchronisation, norm and parameter gather: of all replicas together.
    [[nodiscard]] Transfer stageTransfer(const StepRegimes& regimes, int sample, int stage, StageOp which) const;
    /// The same with every fresh factor at its mean: compute with the cell's slowest rank, collectives of a chunk, a transfer.
    [[nodiscard]] double expectedCompute(std::size_t program, double slowest) const;
    [[nodiscard]] double expectedCollectives(std::size_t program, const StepRegimes& regimes, double link) const;
    [[nodiscard]] double expectedHop(const StepRegimes& regimes, const WalkedReplica& replica, int hop, bool forward) const;
    /// Extra seconds of rare events in the compute of a chunk, stretched by `factor` (data, regime); adds them to `parts` where given.
    [[nodiscard]] double rareComputeSeconds(int sample, int replica, int node, Parts* parts, double factor) const;
    /// Optimizer on the slowest of all ranks of a stage, taken apart.
    [[nodiscard]] Parts optimizerParts(int sample, int stage, const SlowestRank& slowest) const;

private:
    void prepareNodes();
    void prepareSpeedStreams();
    void fitEnds();
    void drawSpeeds(int sample, int replica, double* drawn, double* speed) const;
    [[nodiscard]] double regimeOf(int kernelClass, const StepRegimes& regimes) const;
    [[nodiscard]] double hopLink(const WalkedReplica& replica, const StepOp& op, int hop) const;
    [[nodiscard]] double computeSeconds(const WalkedReplica& replica, int sample, int node) const;
    [[nodiscard]] double nodeSeconds(const StepRegimes& regimes, const WalkedReplica& replica, int sample, int node) const;
    [[nodiscard]] Transfer drawnTransfer(const StepRegimes& regimes, const StepOp& op, double link, std::uint64_t purpose,
                                         std::uint64_t rarePurpose, std::uint64_t name, std::uint64_t index) const;

    std::vector<FactorTable> m_classFactor;
    SpatialFactors m_spatial;
    FactorSampler m_data, m_intra, m_inter, m_computeRegime;
    std::vector<StreamId> m_speedStream; ///< [replica][stage][rank]; empty when speeds are not drawn
    NormalTable m_normal;
    std::vector<StreamId> m_nodeStream, m_collectiveStream; ///< per node; collectives add their position
};

} // namespace prism
