// The flattened order of one replica's pipeline and the deterministic step on it: what both simulators walk.
#pragma once

#include "core/step/stepgraph.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace prism {

/// One chunk execution in an order that respects every dependency.
struct SweepNode {
    std::int32_t stage = 0;
    std::int32_t slot = 0; ///< (stage * V + chunk) * kPhases + phase: which program
    std::uint32_t microbatch = 0;
    std::int32_t input = -1;  ///< arrival slot that must be filled before the start; -1 = none
    std::int32_t output = -1; ///< arrival slot that its end fills; -1 = none
    std::int32_t send = -1;   ///< index into `sends` of the transfer to that slot; -1 = takes no time
};

/// A transfer between two stages along the path.
struct SweepSend {
    StepOp op;
    int from = 0, to = 0; ///< stages
};

/// The pipeline of one replica, flattened once per graph. Immutable; any thread.
struct Sweep {
    int numStages = 1, numSlots = kPhases;
    std::size_t numArrivals = 0;
    bool transferOccupiesSender = false;
    int firstStage = 0, lastStage = 0; ///< stages of the first and the last chunk of the path: embedding and head
    std::vector<SweepNode> nodes;
    std::vector<SweepSend> sends; ///< forward hops, then backward hops; absent ones included
};
[[nodiscard]] Sweep sweepOf(const StepGraph& graph);

/// compute and link factors of slow spots, per cell. A rank's factor is the product over the spots that match it; a cell's link
/// factor is the largest of its ranks'.
[[nodiscard]] double slowComputeFactor(const StepGraph& graph, int replica, int stage, int rank);
[[nodiscard]] double cellLinkFactor(const StepGraph& graph, int replica, int stage);
/// True when a slow spot touches this replica by name or all replicas.
[[nodiscard]] bool anySlow(const StepGraph& graph, int replica);

/// The step with temporal, regime and data factors at 1, as a function of the slowest rank of each cell: with all other factors
/// at 1 a cell's chunk is sum(mu) + (max_r G_r - 1) sum(s mu) + sum(exposed), because every kernel's time rises with G_r and the
/// same rank is last at every synchronisation. Replicas of a lockstep set all run as the slowest of them. Immutable after construction; any
/// thread.
class DeterministicStep final {
public:
    explicit DeterministicStep(const StepGraph& graph);

    /// Seconds of the step when cell (replica, stage) has max_r (G_r times slow factors) = slowest(replica, stage).
    [[nodiscard]] double seconds(const std::function<double(int replica, int stage)>& slowest) const;
    /// The same for a job in which every replica equals one of `replicas` (ascending, each at least once represented).
    [[nodiscard]] double seconds(const std::vector<int>& replicas, const std::function<double(int replica, int stage)>& slowest) const;
    /// Ends of the stages of one replica before the step's tail, in seconds.
    [[nodiscard]] std::vector<double> stageEnds(int replica, const std::function<double(int replica, int stage)>& slowest) const;
    /// max_r of slow factors (times fixedSpatial where the graph has it) of a cell.
    [[nodiscard]] double fixedSlowest(int replica, int stage) const;
    [[nodiscard]] const Sweep& sweep() const { return m_sweep; }

private:
    struct Cost {
        double base = 0.0, perSpatial = 0.0; ///< seconds at G = 1, and seconds per unit of (G - 1)
    };
    [[nodiscard]] Cost programCost(int program, double link) const;
    [[nodiscard]] double exposed(const StepOp& op, double link) const;
    [[nodiscard]] double tail(const std::vector<int>& replicas, std::vector<std::vector<double>>& ends,
                              const std::function<double(int replica, int stage)>& slowest) const;
    [[nodiscard]] double linkOfStage(int stage) const;

    const StepGraph& m_graph;
    Sweep m_sweep;
    int m_lockstep;
    std::vector<Cost> m_slotCost; ///< at link factor 1
};

} // namespace prism
