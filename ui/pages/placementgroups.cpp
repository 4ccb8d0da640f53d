// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/placementgroups.h"

#include "ui/look/format.h"

#include <algorithm>
#include <set>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kMaxNodesInARow = 64, kRacksInARow = 16; // a wider row has cells too small to point at

/// By node: the cells of the map that its GPUs work in, each once.
std::vector<std::vector<int>> cellsByNode(const PlacementMap& map, const Scenario& scenario)
{
    const std::vector<RankPosition> layout = rankLayout(scenario);
    const auto perNode = static_cast<std::size_t>(std::max(scenario.cluster.gpusPerNode, 1));
    const std::vector<int>& order = scenario.measured.nodeOrder;
    std::vector<std::vector<int>> cells((layout.size() + perNode - 1) / perNode);
    for (std::size_t rank = 0; rank < layout.size(); ++rank) {
        const std::size_t position = rank / perNode;
        const auto node = position < order.size() ? static_cast<std::size_t>(order[position]) : position;
        const int row = rowOf(map, layout[rank].replica), stage = layout[rank].stage;
        if (node >= cells.size() || row < 0 || stage >= map.columns)
            continue;
        const int cell = row * map.columns + stage;
        if (std::find(cells[node].begin(), cells[node].end(), cell) == cells[node].end())
            cells[node].push_back(cell);
    }
    return cells;
}

/// The cell of the map that has the largest ratio; -1 = none of them was evaluated.
int worstOf(const std::vector<int>& cells, const PlacementMap& map, PlaceMetric metric)
{
    int worst = -1;
    for (const int cell : cells) {
        const auto at = static_cast<std::size_t>(cell);
        if (map.cells[at].present
            && (worst < 0 || ratioOf(map.cells[at], metric).value > ratioOf(map.cells[static_cast<std::size_t>(worst)], metric).value))
            worst = cell;
    }
    return worst;
}

void markExtremes(HeatData& data)
{
    for (int i = 0; i < static_cast<int>(data.cells.size()); ++i) {
        const HeatCell& cell = data.cells[static_cast<std::size_t>(i)];
        if (!cell.present)
            continue;
        if (data.best < 0 || cell.ratio < data.cells[static_cast<std::size_t>(data.best)].ratio)
            data.best = i;
        if (data.worst < 0 || cell.ratio > data.cells[static_cast<std::size_t>(data.worst)].ratio)
            data.worst = i;
    }
}

/// Cells that each stand for some nodes, in rows of this many.
class NodeGroups final {
public:
    NodeGroups(const PlacementMap& map, PlaceMetric metric, const Scenario& scenario, const HostNames& hosts)
        : m_map(map),
          m_metric(metric),
          m_hosts(hosts),
          m_cells(cellsByNode(map, scenario)),
          m_detail(map.cells.size())
    {
        for (const SlowEntry& entry : scenario.variability.slow)
            m_slow.insert(entry.node);
    }
    [[nodiscard]] int nodes() const { return static_cast<int>(m_cells.size()); }

    GroupedPlaces arrange(int nodesPerCell, int columns, const QString& what)
    {
        GroupedPlaces places;
        HeatData& data = places.data;
        const int count = (nodes() + nodesPerCell - 1) / nodesPerCell;
        data.columns = std::min(columns, std::max(count, 1));
        data.rows = (count + data.columns - 1) / data.columns;
        data.missingLabel = QObject::tr("not evaluated");
        for (int i = 0; i < data.rows * data.columns; ++i) {
            std::vector<int> members;
            for (int node = i * nodesPerCell; node < std::min((i + 1) * nodesPerCell, nodes()); ++node)
                members.push_back(node);
            add(places, members, i < count ? QObject::tr("%1 %2").arg(what).arg(i) : QString());
        }
        markExtremes(data);
        return places;
    }

private:
    void add(GroupedPlaces& places, const std::vector<int>& members, const QString& name)
    {
        int worst = -1, worstNode = -1;
        double smallest = 0;
        std::vector<int> slow;
        for (const int node : members) {
            const int cell = worstOf(m_cells[static_cast<std::size_t>(node)], m_map, m_metric);
            if (m_slow.contains(node))
                slow.push_back(node);
            if (cell < 0)
                continue;
            const double ratio = valueOf(cell);
            smallest = worst < 0 ? ratio : std::min(smallest, ratio);
            if (worst < 0 || ratio > valueOf(worst)) {
                worst = cell;
                worstNode = node;
            }
        }
        const int index = static_cast<int>(places.nodeOf.size());
        HeatCell cell;
        cell.name = members.size() == 1 ? nodeName(members.front(), m_hosts) : name;
        if (worst >= 0) {
            const PlacementCell& there = m_map.cells[static_cast<std::size_t>(worst)];
            const Estimate& ratio = ratioOf(there, m_metric);
            cell = {true, ratio.value, ratio.halfWidth, {}, cell.name};
            cell.detail = detailOf(worst);
            if (members.size() > 1)
                cell.detail += QObject::tr(", worst of nodes %1 to %2, which reach from %3")
                                   .arg(format::count(members.front()), format::count(members.back()), format::factor(smallest));
        }
        places.data.cells.push_back(std::move(cell));
        places.nodeOf.push_back(worstNode >= 0 ? worstNode : members.empty() ? -1 : members.front());
        places.nodesOf.push_back(members);
        if (!slow.empty()) {
            places.data.marked << index;
            places.slowAt.emplace(index, std::move(slow));
        }
    }
    /// Thousands of nodes share the cells of the map, and their texts.
    const QString& detailOf(int cell)
    {
        QString& detail = m_detail[static_cast<std::size_t>(cell)];
        const PlacementCell& there = m_map.cells[static_cast<std::size_t>(cell)];
        if (detail.isEmpty())
            detail = comparedText(there, m_map.base, m_metric);
        return detail;
    }
    [[nodiscard]] double valueOf(int cell) const { return ratioOf(m_map.cells[static_cast<std::size_t>(cell)], m_metric).value; }

    const PlacementMap& m_map;
    PlaceMetric m_metric;
    const HostNames& m_hosts;
    std::vector<std::vector<int>> m_cells; ///< by node
    std::vector<QString> m_detail;         ///< by cell of the map
    std::set<int> m_slow;
};

QStringList numbersFrom(int first, int count, int step)
{
    QStringList labels;
    for (int i = 0; i < count; ++i)
        labels << format::count(first + i * step);
    return labels;
}

GroupedPlaces byReplicaAndStage(const PlacementMap& map, PlaceMetric metric, const Scenario& scenario)
{
    GroupedPlaces places;
    places.data = heatDataOf(map, metric);
    const std::vector<std::vector<int>> cells = cellsByNode(map, scenario);
    for (int cell = 0; cell < static_cast<int>(map.cells.size()); ++cell)
        places.nodeOf.push_back(map.cells[static_cast<std::size_t>(cell)].node);
    for (const SlowEntry& entry : scenario.variability.slow)
        if (entry.node >= 0 && entry.node < static_cast<int>(cells.size()))
            for (const int cell : cells[static_cast<std::size_t>(entry.node)])
                places.slowAt[cell].push_back(entry.node);
    for (const auto& [cell, nodes] : places.slowAt)
        places.data.marked << cell;
    return places;
}

} // namespace

QString nameOf(PlaceGrouping grouping)
{
    return grouping == PlaceGrouping::node   ? QObject::tr("Node")
           : grouping == PlaceGrouping::rack ? QObject::tr("Rack")
                                             : QObject::tr("Stage");
}

QString nodeName(int node, const HostNames& hosts)
{
    const auto at = static_cast<std::size_t>(std::max(node, 0));
    const QString host = at < hosts.size() ? QString::fromStdString(hosts[at]) : QString::number(node);
    bool isNumber = false; // a table may count its nodes instead of naming them
    host.toInt(&isNumber);
    return isNumber ? QObject::tr("node %1").arg(host) : host;
}

int GroupedPlaces::cellOfNode(int node) const
{
    for (std::size_t cell = 0; cell < nodesOf.size(); ++cell)
        if (std::find(nodesOf[cell].begin(), nodesOf[cell].end(), node) != nodesOf[cell].end())
            return static_cast<int>(cell);
    return -1;
}

GroupedPlaces placesBy(PlaceGrouping grouping, const PlacementMap& map, PlaceMetric metric, const Scenario& scenario,
                       const HostNames& hosts)
{
    if (grouping == PlaceGrouping::replicaAndStage)
        return byReplicaAndStage(map, metric, scenario);
    const int perRack = std::max(scenario.cluster.nodesPerPod, 1);
    NodeGroups groups(map, metric, scenario, hosts);
    const bool byNode = grouping == PlaceGrouping::node;
    GroupedPlaces places = byNode ? groups.arrange(1, std::min(perRack, kMaxNodesInARow), nameOf(grouping))
                                  : groups.arrange(perRack, kRacksInARow, nameOf(grouping));
    HeatData& data = places.data;
    const bool rowsAreRacks = byNode && perRack <= kMaxNodesInARow;
    data.columnTitle = rowsAreRacks ? QObject::tr("Node of the rack") : nameOf(grouping);
    data.rowTitle = rowsAreRacks ? QObject::tr("Rack") : QObject::tr("From");
    data.columnLabels = numbersFrom(0, data.columns, 1);
    data.rowLabels = numbersFrom(0, data.rows, rowsAreRacks ? 1 : data.columns);
    return places;
}

} // namespace prism::ui
