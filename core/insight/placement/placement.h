// SPDX-License-Identifier: GPL-3.0-or-later
// Cost of a slow node by position, cost of measured speeds, and the best assignment of nodes to positions.
#pragma once

#include "core/insight/sensitivity/sensitivity.h"
#include "core/measured/speedtable.h"

namespace prism {

/// How slow the probing node is: compute times and links multiplied by these (>= 1).
struct SlowProbe {
    double computeFactor = 1.2, linkFactor = 1.0;
};

/// One cell: the probing node put on (replica, stage). Ratios are over the same statistic without any probing node.
struct PlacementCell {
    bool present = false; ///< false: not evaluated (draw it hatched)
    Estimate p95Ratio, p50Ratio, p99Ratio;
    double p95Seconds = 0, p50Seconds = 0, p99Seconds = 0;
    int node = -1; ///< a physical node that is there; -1 = unknown (from a graph)
};

/// Heat map. cells[row * columns + column]; rows are replicas or runs of equal replicas, columns are stages.
struct PlacementMap {
    std::vector<std::string> rowLabels, columnLabels; ///< "any of 512 replicas", "stage 3"
    std::vector<int> rowFirstReplica, rowReplicas;    ///< first replica and number of equal replicas of each row
    std::vector<int> rowOfReplica;                    ///< [replica] -> the row that represents it; -1 = none does
    int rows = 0, columns = 0;
    std::vector<PlacementCell> cells;
    SlowProbe probe;
    int probeRanks = 0;       ///< ranks of the cell that the node covers; 0 = the whole cell
    DistributionSummary base; ///< without the probing node, seconds
    int bestRow = 0, bestColumn = 0, worstRow = 0, worstColumn = 0;
    Estimate worstOverBest;   ///< p95 of the worst place over p95 of the best, minus 1
    bool withinNoise = false; ///< the differences between the places are within the error at this number of samples
    int samples = 0;
    std::uint64_t seed = 1;
    double elapsedSeconds = 0;
    std::vector<std::string> notes;
    [[nodiscard]] const PlacementCell& at(int row, int column) const { return cells[static_cast<std::size_t>(row * columns + column)]; }
};

/// p95 with one slow node at each place (default 500 samples per place). Replicas without marked slow spots are treated as equal
/// and share a row. Errors: the scenario's diagnostics; factors below 1 or above 100; cancelled.
[[nodiscard]] Result<PlacementMap> placementMap(Evaluator& evaluator, const Scenario& scenario, const SlowProbe& probe = {},
                                                const InsightOptions& options = {});
[[nodiscard]] Result<PlacementMap> placementMap(Evaluator& evaluator, const StepGraph& graph, const SlowProbe& probe = {},
                                                const InsightOptions& options = {});

/// Several named slow nodes at once, each at its place: p50/p95 with all of them, and with each one repaired.
struct SlowNodesReport {
    struct Row {
        SlowEntry entry;
        std::string label;     ///< "node 17" or "rank 140"
        MetricChange repaired; ///< change of the step when this one is at full speed; seconds
    };
    DistributionSummary withAll, withoutAny;
    MetricChange total; ///< withAll - withoutAny
    std::vector<Row> rows;
    int samples = 0;
};
[[nodiscard]] Result<SlowNodesReport> slowNodes(Evaluator& evaluator, const Scenario& scenario, const std::vector<SlowEntry>& slow,
                                                const InsightOptions& options = {});

/// A node that changes its position.
struct NodeMove {
    int node = 0; ///< physical
    int fromPosition = 0, toPosition = 0;
    int fromReplica = 0, fromStage = 0, toReplica = 0, toStage = 0; ///< of the positions' first GPU
    double slowness = 1;                                            ///< time factor of its slowest GPU
};

/// Gains of the first exchanges towards the best order, the slowest nodes first. An exchange is two nodes that change places.
struct ExchangeGain {
    NodeMove move;          ///< of this exchange: the node that goes where the best order has it
    int partner = 0;        ///< the node that goes where that one was
    std::vector<int> order; ///< after this exchange and those before it
    double p95Seconds = 0;  ///< predicted from full sampling of that order
    Estimate gain;          ///< 1 - p95 / p95(given), paired
};
inline constexpr std::size_t kMaxExchanges = 5; ///< predicted one by one: moves that a person makes by hand

/// An assignment of physical nodes to positions: nodeAt[position] = node, as MeasuredConfig::nodeOrder.
struct PlacementResult {
    std::vector<int> givenOrder, bestOrder, worstOrder;
    DistributionSummary given, best, worst; ///< predicted from full sampling of each order, seconds
    Estimate gainOverGiven;                 ///< 1 - p95(best) / p95(given), paired
    Estimate gainOverWorst;                 ///< 1 - p95(best) / p95(worst), paired
    bool withinNoise = false;               ///< gainOverGiven's interval covers 0: moving nodes is not worth it
    int objectiveEvaluations = 0;
    bool exhaustive = false;             ///< every distinct assignment was evaluated
    int movedNodes = 0;                  ///< positions whose node changed
    std::vector<NodeMove> moves;         ///< from the given to the best order, the slowest nodes first
    std::vector<ExchangeGain> exchanges; ///< the first ones on that way, at most kMaxExchanges; empty where no move is worth it
    int samples = 0;
    std::uint64_t seed = 1;
    double elapsedSeconds = 0;
    std::vector<std::string> notes; ///< a sentence on the gain, assumptions
};

/// Searches the best order for the scenario's measured speeds (scenario.measured.speeds; a table is put there by
/// withSpeeds()) and for the places that are marked slow (variability.slow; each goes with its node).
/// Errors: neither of them, the scenario's diagnostics, cancelled.
[[nodiscard]] Result<PlacementResult> searchPlacement(Evaluator& evaluator, const Scenario& scenario, const InsightOptions& options = {});

/// How slow a node was measured: time factor of its slowest GPU over that of the median node.
struct NodeSlowness {
    int node = 0;
    double factor = 1;
    bool operator==(const NodeSlowness&) const = default;
};
/// The slowest of the measured nodes, at most `most` of those above the median, descending factors, ties by number. Pure.
[[nodiscard]] std::vector<NodeSlowness> slowestNodes(const Scenario& scenario, std::size_t largest);

/// The scenario with the table's speeds as measured speeds. Errors: nodes the cluster does not have or that are missing.
[[nodiscard]] Result<Scenario> withSpeeds(const Scenario& scenario, const SpeedTable& table);

enum class HostfileFormat { torchrun, slurm, mpi };
/// Rank-ordered hostfile: line i is the host of position i. Host names come from the table; nodes without a name are
/// "node<index>". torchrun: one host per line; slurm: SLURM_HOSTFILE for --distribution=arbitrary, each host once per
/// task; mpi: "host slots=n".
[[nodiscard]] std::string hostfile(const std::vector<int>& order, const std::vector<std::string>& hosts, int gpusPerNode,
                                   HostfileFormat format);

[[nodiscard]] std::string toJson(const PlacementMap& map);
[[nodiscard]] std::string toCsv(const PlacementMap& map, TableText texts = TableText::forSheets);
[[nodiscard]] std::string toJson(const SlowNodesReport& slow);
[[nodiscard]] std::string toCsv(const SlowNodesReport& slow, TableText texts = TableText::forSheets);
[[nodiscard]] std::string toJson(const PlacementResult& result);
[[nodiscard]] std::string toCsv(const PlacementResult& result,
                                TableText texts = TableText::forSheets); ///< position,given_node,best_node,worst_node

} // namespace prism
