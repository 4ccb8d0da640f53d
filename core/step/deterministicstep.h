// SPDX-License-Identifier: GPL-3.0-or-later
// The noise-free step of a graph: input of the breakdown, the placement search and both simulators.
#pragma once

#include "core/step/slowspots.h"
#include "core/step/sweep.h"

#include <array>
#include <functional>
#include <vector>

namespace prism {

/// max_r (G_r times slow factors) of a cell.
using SlowestOfCell = std::function<double(int replica, int stage)>;

/// When every node of one replica's sweep ran, in seconds from the start of the step; by node.
struct NodeTimes {
    std::vector<double> start, end; ///< of the chunk execution
    std::vector<double> free;       ///< when its stage can continue: after a transfer that occupies the sender
    std::vector<double> arrives;    ///< when its output is there
};

/// When each (replica, stage) was done with each part of a step's tail, in seconds from its start; [replica][stage], replicas as given.
struct TailTimes {
    using Ends = std::vector<std::vector<double>>;
    Ends pipeline, embedding, gradSync, gradNorm, optimizer, paramGather;
};

/// Seconds by Category.
inline constexpr std::size_t kCategories = static_cast<std::size_t>(Category::other) + 1;
using CategorySeconds = std::array<double, kCategories>;

/// The step with temporal, regime and data factors at 1, as a function of the slowest rank of each cell: with all other factors
/// at 1 a cell's chunk is sum(mu) + (max_r G_r - 1) sum(s mu) + sum(exposed), because every kernel's time rises with G_r and the
/// same rank is last at every synchronisation. Replicas of a lockstep set all run as the slowest of them. Immutable after construction; any
/// thread; `graph` must outlive it.
class DeterministicStep final {
public:
    explicit DeterministicStep(const StepGraph& graph);

    /// Seconds of the step when cell (replica, stage) has max_r (G_r times slow factors) = slowest(replica, stage).
    [[nodiscard]] double seconds(const SlowestOfCell& slowest) const;
    /// The same for a job in which every replica equals one of `replicas` (ascending, each at least once represented). Fills `times`.
    [[nodiscard]] double seconds(const std::vector<int>& replicas, const SlowestOfCell& slowest, TailTimes* times = nullptr) const;
    /// The same from the ends of the replicas' stages before the step's tail, [replica][stage].
    [[nodiscard]] double secondsAfter(TailTimes::Ends ends, const std::vector<int>& replicas, const SlowestOfCell& slowest,
                                      TailTimes* times = nullptr) const;
    /// With slow spots and fixedSpatial as given: the noise-free step of the graph.
    [[nodiscard]] double fixedSeconds() const;
    /// Ends of the stages of one replica before the step's tail, in seconds. Fills `times`.
    [[nodiscard]] std::vector<double> stageEnds(int replica, const SlowestOfCell& slowest, NodeTimes* times = nullptr) const;
    /// Seconds of the program in a slot of the sweep in a cell by part; sums to its duration.
    [[nodiscard]] CategorySeconds slotSeconds(int slot, double slowest, double link) const;
    /// max_r of slow factors (times fixedSpatial where the graph has it) of a cell.
    [[nodiscard]] double fixedSlowest(int replica, int stage) const;
    /// Replicas of which every other one is a copy while slow spots and measured speeds alone make ranks differ; ascending.
    [[nodiscard]] std::vector<int> distinctReplicas() const;
    [[nodiscard]] const Sweep& sweep() const { return m_sweep; }

private:
    struct Cost {
        double base = 0.0, perSpatial = 0.0; ///< seconds at G = 1, and seconds per unit of (G - 1)
    };
    [[nodiscard]] Cost programCost(int program, double link) const;
    [[nodiscard]] std::vector<double> slotDurations(int replica, const SlowestOfCell& slowest, const std::vector<double>& link) const;
    [[nodiscard]] double exposed(const StepOp& op, double link) const;
    [[nodiscard]] int firstOfSet(int replica) const { return replica / m_lockstep * m_lockstep; }
    void joinEmbedding(const std::vector<int>& replicas, TailTimes::Ends& ends) const;
    void synchronise(const std::vector<StepOp>& ops, TailTimes::Ends& ends) const;
    void normalise(TailTimes::Ends& ends) const;
    void optimise(const std::vector<int>& replicas, const SlowestOfCell& slowest, TailTimes::Ends& ends) const;
    [[nodiscard]] double linkOfStage(int stage) const;

    const StepGraph& m_graph;
    Sweep m_sweep;
    int m_lockstep;               ///< replicas that run together
    std::vector<Cost> m_slotCost; ///< at link factor 1
};

/// DeterministicStep::fixedSeconds of a graph, where nothing else is needed.
[[nodiscard]] double deterministicStepSeconds(const StepGraph& graph);

} // namespace prism
