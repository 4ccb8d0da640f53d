// SPDX-License-Identifier: GPL-3.0-or-later
// Placement results as JSON and CSV.
#include "core/insight/placement/placement.h"
#include "core/insight/report.h"

#include <nlohmann/json.hpp>

namespace prism {

namespace {
using Json = nlohmann::ordered_json;
}

std::string toJson(const PlacementMap& map)
{
    Json cells = Json::array();
    for (int row = 0; row < map.rows; ++row)
        for (int column = 0; column < map.columns; ++column) {
            const PlacementCell& c = map.at(row, column);
            cells.push_back({{"row", row},
                             {"stage", column},
                             {"node", c.node},
                             {"p95_ratio", report::json(c.p95Ratio)},
                             {"p50_ratio", report::json(c.p50Ratio)},
                             {"p99_ratio", report::json(c.p99Ratio)},
                             {"p95_s", c.p95Seconds},
                             {"p50_s", c.p50Seconds},
                             {"p99_s", c.p99Seconds}});
        }
    return report::dump({{"compute_factor", map.probe.computeFactor},
                         {"link_factor", map.probe.linkFactor},
                         {"base_step_time_s", report::json(map.base)},
                         {"rows", map.rowLabels},
                         {"columns", map.columnLabels},
                         {"row_first_replica", map.rowFirstReplica},
                         {"row_replicas", map.rowReplicas},
                         {"cells", std::move(cells)},
                         {"best", {{"row", map.bestRow}, {"stage", map.bestColumn}}},
                         {"worst", {{"row", map.worstRow}, {"stage", map.worstColumn}}},
                         {"worst_over_best", report::json(map.worstOverBest)},
                         {"within_noise", map.withinNoise},
                         {"samples", map.samples},
                         {"seed", map.seed},
                         {"elapsed_s", map.elapsedSeconds},
                         {"notes", map.notes}});
}

std::string toCsv(const PlacementMap& map, TableText texts)
{
    using report::number;
    std::string text = "row,stage,node,p95_ratio,p95_ratio_ci95,p50_ratio,p50_ratio_ci95,p99_ratio,p99_ratio_ci95,p95_s,p50_s,p99_s\n";
    for (int row = 0; row < map.rows; ++row)
        for (int column = 0; column < map.columns; ++column) {
            const PlacementCell& c = map.at(row, column);
            text += report::row({report::field(map.rowLabels[static_cast<std::size_t>(row)], texts), std::to_string(column),
                                 std::to_string(c.node), number(c.p95Ratio.value), number(c.p95Ratio.halfWidth), number(c.p50Ratio.value),
                                 number(c.p50Ratio.halfWidth), number(c.p99Ratio.value), number(c.p99Ratio.halfWidth), number(c.p95Seconds),
                                 number(c.p50Seconds), number(c.p99Seconds)});
        }
    return text;
}

std::string toJson(const SlowNodesReport& slow)
{
    Json rows = Json::array();
    for (const SlowNodesReport::Row& r : slow.rows)
        rows.push_back({{"place", r.label},
                        {"compute_factor", r.entry.computeFactor},
                        {"link_factor", r.entry.linkFactor},
                        {"change_when_mended_s", report::json(r.repaired)}});
    return report::dump({{"with_all_s", report::json(slow.withAll)},
                         {"without_any_s", report::json(slow.withoutAny)},
                         {"change_s", report::json(slow.total)},
                         {"samples", slow.samples},
                         {"places", std::move(rows)}});
}

std::string toCsv(const SlowNodesReport& slow, TableText texts)
{
    using report::number;
    std::string text = "place,compute_factor,link_factor,mended_dp50_s,mended_dp50_ci95_s,mended_dp95_s,mended_dp95_ci95_s\n";
    for (const SlowNodesReport::Row& r : slow.rows)
        text += report::row({report::field(r.label, texts), number(r.entry.computeFactor), number(r.entry.linkFactor),
                             number(r.repaired.p50.value), number(r.repaired.p50.halfWidth), number(r.repaired.p95.value),
                             number(r.repaired.p95.halfWidth)});
    return text;
}

std::string toJson(const PlacementResult& r)
{
    Json moves = Json::array();
    for (const NodeMove& m : r.moves)
        moves.push_back({{"node", m.node},
                         {"slowness", m.slowness},
                         {"from_position", m.fromPosition},
                         {"to_position", m.toPosition},
                         {"from_replica", m.fromReplica},
                         {"from_stage", m.fromStage},
                         {"to_replica", m.toReplica},
                         {"to_stage", m.toStage}});
    Json exchanges = Json::array();
    for (const ExchangeGain& e : r.exchanges)
        exchanges.push_back({{"node", e.move.node},
                             {"partner", e.partner},
                             {"to_replica", e.move.toReplica},
                             {"to_stage", e.move.toStage},
                             {"p95_s", e.p95Seconds},
                             {"gain_over_given", report::json(e.gain)}});
    return report::dump({{"given_s", report::json(r.given)},
                         {"best_s", report::json(r.best)},
                         {"worst_s", report::json(r.worst)},
                         {"gain_over_given", report::json(r.gainOverGiven)},
                         {"gain_over_worst", report::json(r.gainOverWorst)},
                         {"within_noise", r.withinNoise},
                         {"moved_nodes", r.movedNodes},
                         {"moves", std::move(moves)},
                         {"exchanges", std::move(exchanges)},
                         {"objective_evaluations", r.objectiveEvaluations},
                         {"exhaustive", r.exhaustive},
                         {"samples", r.samples},
                         {"seed", r.seed},
                         {"elapsed_s", r.elapsedSeconds},
                         {"best_order", r.bestOrder},
                         {"given_order", r.givenOrder},
                         {"worst_order", r.worstOrder},
                         {"notes", r.notes}});
}

std::string toCsv(const PlacementResult& r, TableText /*texts*/)
{
    std::string text = "position,given_node,best_node,worst_node\n";
    for (std::size_t p = 0; p < r.bestOrder.size(); ++p)
        text += report::row(
            {std::to_string(p), std::to_string(r.givenOrder[p]), std::to_string(r.bestOrder[p]), std::to_string(r.worstOrder[p])});
    return text;
}

} // namespace prism
