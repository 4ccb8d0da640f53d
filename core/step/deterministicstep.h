// The noise-free step of a graph: what the breakdown, the memory in flight, placement and both simulators read.
#pragma once

#include "core/step/slowspots.h"
#include "core/step/sweep.h"

#include <functional>
#include <vector>

namespace prism {

/// The step with temporal, regime and data factors at 1, as a function of the slowest rank of each cell: with all other factors
/// at 1 a cell's chunk is sum(mu) + (max_r G_r - 1) sum(s mu) + sum(exposed), because every kernel's time rises with G_r and the
/// same rank is last at every synchronisation. Immutable after construction; any thread.
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
    std::vector<Cost> m_slotCost; ///< at link factor 1
};

/// The step time with every factor at 1 (slow spots and fixedSpatial as given), in seconds. Microseconds to run.
[[nodiscard]] double deterministicStepSeconds(const StepGraph& graph);

} // namespace prism
