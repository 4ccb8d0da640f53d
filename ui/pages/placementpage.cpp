// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/placementpage.h"

#include "ui/pages/pageanswers.h"

#include "core/insight/level/level.h"
#include "ui/editor/quantityedit.h"
#include "ui/pages/placementfiles.h"
#include "ui/pages/placescard.h"
#include "ui/pages/slownodescard.h"
#include "ui/pages/slownoderow.h"
#include "ui/look/format.h"
#include "ui/theme/rescale.h"
#include "ui/theme/fieldwidth.h"
#include "ui/theme/segmented.h"
#include "ui/theme/plaintext.h"
#include "ui/theme/barelayout.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace prism::ui {

using namespace Qt::StringLiterals;

PlacementPage::PlacementPage(const Theme& theme, QWidget* parent)
    : InsightPage(theme, parent),
      m_factor(new QuantityEdit(theme)),
      m_metric(new SegmentedControl(theme)),
      m_grouping(new SegmentedControl(theme)),
      m_map(new HeatMap(theme)),
      m_best(new PlacesCard(theme)),
      m_nodes(new SlowNodesCard(theme)),
      m_gains(new GainCurve(theme))
{
    makeTools();
    m_map->setObjectName(u"placementMap"_s);
    auto* side = new QWidget;
    auto* column = bareLayout<QVBoxLayout>(side, theme.px(metric::cardGap));
    column->addWidget(m_best);
    column->addWidget(m_nodes, 1);
    column->addWidget(m_gains);
    m_gains->setObjectName(u"placementGains"_s);
    m_gains->hide(); // until a search found moves
    setCards(m_map, side, 0.32);
    setExported({m_map, m_gains});
    connectMap();
    connectNodes();
    alsoAnswers([this] { return m_slow.status(); });
    alsoAnswers([this] { return m_search.status(); });
    m_add->setEnabled(false);
    refresh();
}

void PlacementPage::makeTools()
{
    m_factor->setUnit(tr("% slow"));
    m_factor->setStep(StepKind::one);
    m_factor->setCommitted(u"15"_s);
    keepFieldWidth(*m_factor, theme(), 96);
    m_factor->setObjectName(u"slowFactor"_s);
    m_factor->setAccessibleName(tr("Slowness of the probing node in percent"));
    m_factor->setToolTip(tr("15 % slow: every kernel on the node takes 1.15 times as long"));
    auto* effect = plainLabel(tr("Effect on"), u"secondary"_s);
    m_metric->setChoices({u"p50"_s, u"p95"_s, u"p99"_s});
    m_metric->setCurrent(1);
    m_metric->setAccessibleName(tr("Statistic of the heat map"));
    m_grouping->setChoices({tr("Stage"), nameOf(PlaceGrouping::node), nameOf(PlaceGrouping::rack)});
    m_grouping->setObjectName(u"placementCells"_s);
    m_grouping->setAccessibleName(tr("Cells of the heat map"));
    m_grouping->setToolTip(
        tr("By replica and stage, by node, or by rack. Racks are the cluster's pods: Nodes per pod says how many nodes they have"));
    m_add = new QPushButton(tr("Mark slow"));
    m_add->setObjectName(u"addSlowNode"_s);
    m_add->setToolTip(tr("Mark the node in the chosen cell as slow (also: double click or Enter; drag a dashed cell to move it)"));
    addTools({m_factor});
    addTools({effect, m_metric});
    addTools({m_grouping});
    addTools({m_add, new NodeHandle(theme(), -1)});
    showWhileEditable(*m_add->parentWidget(), theme());
    auto* fit = new QPushButton(tr("Fit scale"));
    fit->setToolTip(tr("Fit the colour scale to the cells shown (F); else it stays"));
    connect(fit, &QPushButton::clicked, m_map, &HeatMap::fitScale);
    addTools({fit});
    makeFinder();
    connect(m_factor, &QuantityEdit::submitted, this, &PlacementPage::typeFactor);
    connect(m_factor, &QuantityEdit::editingDone, this, &PlacementPage::ask);
    connect(m_metric, &SegmentedControl::chosen, this, [this] { refresh(); });
    connect(m_grouping, &SegmentedControl::chosen, this, [this] {
        m_map->setFocusItem(-1); // another cell has its number
        refresh();
    });
    connect(m_add, &QPushButton::clicked, this, [this] { addSlowNode(m_map->focusItem()); });
}

void PlacementPage::makeFinder()
{
    m_find = new QLineEdit;
    m_find->setPlaceholderText(tr("Find a node"));
    m_find->setClearButtonEnabled(true);
    keepFieldWidth(*m_find, theme(), 100);
    m_find->setObjectName(u"findNode"_s);
    m_find->setAccessibleName(tr("Find a node by its name; Return goes to the next one"));
    m_hits = plainLabel({}, u"secondary"_s);
    m_hits->hide();
    addTools({m_find, m_hits});
    connect(m_find, &QLineEdit::textChanged, this, [this] {
        m_shownNode = -1;
        findNodes();
        showNextFound();
    });
    connect(m_find, &QLineEdit::returnPressed, this, &PlacementPage::showNextFound);
}

void PlacementPage::connectMap()
{
    connect(m_map, &HeatMap::focusItemChanged, this, [this] { statesShown(); });
    connect(m_map, &HeatMap::itemPicked, this, [this](int item) {
        const PlacementMap* map = shownMap();
        if (!map || !context().selection)
            return;
        Picked picked = context().selection->picked();
        picked.node = m_shown.node(item);
        NodePlace place;
        if (grouping() == PlaceGrouping::replicaAndStage)
            place = {map->rowFirstReplica[static_cast<std::size_t>(item / map->columns)], item % map->columns};
        else if (const NodePlaces places = snapshot() ? placesOf(snapshot()->scenario, picked.node) : NodePlaces(); !places.empty())
            place = places.front();
        picked.stage = place.stage;
        picked.replica = place.replica;
        context().selection->set(picked);
    });
    connect(m_map, &HeatMap::itemActivated, this, &PlacementPage::addSlowNode);
    connect(m_map, &HeatMap::itemMoved, this, &PlacementPage::moveNode);
    connect(m_map, &HeatMap::nodeDropped, this, &PlacementPage::placeNode);
}

void PlacementPage::connectNodes()
{
    connect(m_nodes, &SlowNodesCard::factorChosen, this, [this](int node, double factor) {
        if (!context().study)
            return;
        context().study->setSlowNode(context().currentId, node, factor);
        context().study->endMerge();
    });
    connect(m_nodes, &SlowNodesCard::importRequested, this, [this] {
        const QString path =
            QFileDialog::getOpenFileName(this, tr("Import measured node speeds"), {}, tr("Speed tables (*.csv *.tsv *.txt)"));
        if (!path.isEmpty())
            if (const QString problem = importSpeeds(path); !problem.isEmpty())
                m_nodes->showMessage(problem, true);
    });
    connect(m_nodes, &SlowNodesCard::searchRequested, this, [this] {
        m_searching = true;
        ask();
    });
    connect(m_nodes, &SlowNodesCard::hostfileRequested, this, [this] {
        const QString path = QFileDialog::getSaveFileName(this, tr("Export hostfile"), u"hostfile"_s);
        if (path.isEmpty())
            return;
        const QString problem = writeHostfile(path);
        m_nodes->showMessage(problem.isEmpty() ? tr("Wrote %1.").arg(QFileInfo(path).fileName()) : problem, !problem.isEmpty());
    });
    connect(m_nodes, &SlowNodesCard::applyRequested, this, &PlacementPage::applyAdvice);
    connect(m_nodes, &SlowNodesCard::exchangesChosen, m_gains, &GainCurve::setChosen);
    connect(m_gains, &GainCurve::itemPicked, m_nodes, &SlowNodesCard::chooseExchanges);
}

PlaceGrouping PlacementPage::grouping() const
{
    return static_cast<PlaceGrouping>(std::clamp(m_grouping->current(), 0, 2));
}

const PlacementMap* PlacementPage::shownMap() const
{
    const SnapshotPtr known = snapshot();
    return m_levelled.of(m_places, {known}, isAboutShown(m_places),
                         [&](const PlacementMap& drawn, bool about) { return inReplicaOrder(about ? onLevelOf(*known, drawn) : drawn); });
}

void PlacementPage::typeFactor(const QString& text)
{
    QString digits = text;
    bool number = false;
    const double percent = digits.remove(u'%').trimmed().toDouble(&number);
    if (!number || percent < 0 || percent > kMaxSlowPercent)
        return m_factor->setProblem(tr("A slowness of 0 to %1 %; still using %2 %").arg(kMaxSlowPercent).arg(m_percent));
    m_factor->setProblem({});
    m_percent = percent;
    m_factor->setCommitted(text);
    ask();
}

void PlacementPage::contextChanged()
{
    ask();
}

void PlacementPage::ask()
{
    const SlowProbe probe{probeFactor(), 1.0};
    request(m_places, token(u"placement%1"_s.arg(m_percent)), tr("Placement map"),
            [probe](Evaluator& evaluator, const Snapshot& s, const InsightOptions& options) {
                return placementMap(evaluator, s.scenario, probe, options);
            });
    if (const SnapshotPtr s = snapshot(); s && !s->scenario.variability.slow.empty())
        request(m_slow, token(u"slownodes"_s), tr("Slow nodes"),
                [](Evaluator& evaluator, const Snapshot& of, const InsightOptions& options) {
                    return slowNodes(evaluator, of.scenario, of.scenario.variability.slow, options);
                });
    else
        m_slow.forget();
    if (const SnapshotPtr s = snapshot(); m_searching && s && hasOrder(s->scenario))
        request(m_search, token(u"search"_s), tr("Search for the best places"),
                [](Evaluator& evaluator, const Snapshot& of, const InsightOptions& options) {
                    return searchPlacement(evaluator, of.scenario, options);
                });
    else
        m_search.want(token(u"search"_s));
    refresh();
}

void PlacementPage::refresh()
{
    refreshPlaces();
    const SnapshotPtr s = snapshot();
    // The rows are the marks of the present scenario, also before its result is there.
    const ScenarioEntry* entry = context().study ? context().study->current() : nullptr;
    m_nodes->setNodes(s, entry ? *entry->scenario : Scenario{}, isAboutShown(m_slow) ? m_slow.value() : nullptr, m_hosts);
    const bool searched = m_searching && s && hasOrder(s->scenario) && isAboutShown(m_search);
    const PlacementResult* found =
        m_levelledSearch.of(m_search, {s}, isAboutShown(m_search),
                            [&](const PlacementResult& drawn, bool about) { return about ? onLevelOf(*s, drawn) : drawn; });
    m_nodes->setAdvice(s, {searched ? found : nullptr, m_search.isComputing(), searched ? m_search.error() : QString()});
    present({m_nodes});
    refreshGains();
    selectionChanged();
    statesShown();
}

void PlacementPage::refreshGains()
{
    m_gains->setPoints(m_nodes->gainPoints());
    m_gains->setChosen(m_nodes->chosenExchanges());
    m_gains->setVisible(m_gains->itemCount() > 0);
    ChartText text;
    text.title = tr("Gain in p95 over the number of moves");
    text.footer << tr("Paired with the present order, intervals 95 %.");
    m_gains->setText(text);
    if (m_gains->itemCount() > 0)
        present({m_gains, [this] { return m_search.status(); }, tr("Searching the best places"), {}});
}

void PlacementPage::groupPlaces(const PlacementMap* map, const HeatData& data)
{
    const SnapshotPtr s = snapshot();
    const QString placed = !map ? QString()
                                : u"%1/%2/%3/%4/%5"_s.arg(m_levelled.version())
                                      .arg(m_metric->current())
                                      .arg(m_grouping->current())
                                      .arg(s ? QString::fromStdString(s->hash.text()) : QString())
                                      .arg(s ? s->scenario.cluster.nodesPerPod : 0);
    if (map && placed == m_placed) // thousands of cells
        return;
    m_placed = placed;
    m_shown = {};
    m_shown.data = data; // of an earlier scenario while there is no result of this one
    if (map && s && s->costed->world.dp > 0)
        m_shown = placesBy(grouping(), *map, static_cast<PlaceMetric>(std::clamp(m_metric->current(), 0, 2)), s->scenario, m_hosts);
}

void PlacementPage::refreshPlaces()
{
    const auto place = static_cast<PlaceMetric>(std::clamp(m_metric->current(), 0, 2));
    const QString metric = nameOf(place);
    const PlacementMap* map = shownMap();
    ChartText text;
    const double percent = map ? (map->probe.computeFactor - 1) * 100 : m_percent;
    text.title = tr("Slowdown of %1 with one node %2 % slow, by its place").arg(metric, format::number(percent, 2));
    HeatData data;
    const SnapshotPtr s = snapshot();
    if (map) {
        data = heatDataOf(*map, place);
        text.subtitle = tr("Step time %1 with the slow node in this cell, relative to without it (%2)")
                            .arg(metric, format::seconds(secondsOf(map->base, place)).text());
        double widest = 0;
        for (const HeatCell& cell : data.cells)
            widest = std::max(widest, cell.present ? cell.halfWidth : 0.0);
        text.footer << format::samplesAndSeed(map->samples, map->seed, tr("steps per cell"))
                           + tr(", common random numbers, interval %1 or less. Scale starts at 1.00×.").arg(format::plainInterval(widest))
                           + levelNote(map->base.samples, map->samples);
        if (grouping() == PlaceGrouping::rack && s)
            text.footer << tr("A rack of %1 nodes has the largest effect of one slow node in it.")
                               .arg(format::count(s->scenario.cluster.nodesPerPod));
    }
    groupPlaces(map, data);
    m_best->setPlaces(map, data, place);
    findNodes(); // another scenario has other nodes
    const int focus = m_map->focusItem();
    m_map->setText(text);
    m_map->setData(m_shown.data);
    shareScale(*m_map, metric);
    m_map->setFocusItem(focus);
    present({m_map, [this] { return m_places.status(); }, tr("Putting the slow node on each place")});
    present({m_best, [this] { return m_places.status(); }});
}

QString PlacementPage::answer() const
{
    const PlacementMap* map = shownMap();
    return map ? placementAnswer(*map, static_cast<PlaceMetric>(std::clamp(m_metric->current(), 0, 2))) : QString();
}

void PlacementPage::statesShown()
{
    m_add->setEnabled(m_map->focusItem() >= 0 && isCurrent(m_places));
    m_nodes->setActing(stateOf(scenario()) == PageState::current);
}

void PlacementPage::addSlowNode(int cell)
{
    const int node = m_shown.node(cell);
    if (node < 0 || !context().study || probeFactor() <= 1 || !isCurrent(m_places))
        return;
    context().study->setSlowNode(context().currentId, node, probeFactor());
    context().study->endMerge();
    m_nodes->showMessage(tr("%1 is marked %2 % slow. Undo takes it back.").arg(nodeName(node, m_hosts)).arg(m_percent), false);
}

void PlacementPage::moveNode(int fromCell, int toCell)
{
    if (const auto there = m_shown.slowAt.find(fromCell); there != m_shown.slowAt.end() && !there->second.empty())
        placeNode(there->second.front(), toCell);
}

void PlacementPage::placeNode(int node, int cell)
{
    if (node < 0)
        return addSlowNode(cell);
    const int to = m_shown.node(cell);
    if (to < 0 || to == node || !context().study || !isCurrent(m_places))
        return;
    context().study->moveSlowNode(context().currentId, node, to);
    context().study->endMerge();
    m_nodes->showMessage(tr("The slow node moved to the place of %1.").arg(nodeName(to, m_hosts)), false);
}

QString PlacementPage::importSpeeds(const QString& path)
{
    const SnapshotPtr s = snapshot();
    if (!s || !context().study)
        return tr("There is no scenario to put the speeds in.");
    SpeedImport read = readSpeeds(path, s->scenario);
    if (!read.problem.isEmpty())
        return read.problem;
    m_hosts = std::move(read.hosts);
    m_placed.clear(); // cells have other names
    context().study->setScenario(context().currentId, std::move(read.scenario),
                                 tr("Import speeds of %1 nodes").arg(format::count(m_hosts.size())));
    m_searching = true;
    m_nodes->showMessage(read.recognised, false);
    return {};
}

QString PlacementPage::writeHostfile(const QString& path) const
{
    const SnapshotPtr s = snapshot();
    if (!s)
        return tr("There is no scenario yet.");
    std::vector<int> order = s->scenario.measured.nodeOrder;
    if (m_searching && isCurrent(m_search))
        order = m_nodes->chosenOrder();
    for (int node = static_cast<int>(order.size());
         order.size() < static_cast<std::size_t>(s->costed->world.nodes) && node < s->costed->world.nodes; ++node)
        order.push_back(node);
    return writeNodes(path, order, m_hosts, s->scenario.cluster.gpusPerNode);
}

void PlacementPage::applyAdvice()
{
    const SnapshotPtr s = snapshot();
    const std::vector<int> order = m_nodes->chosenOrder();
    if (!s || order.empty() || !context().study || !isCurrent(m_search))
        return;
    Scenario advised = s->scenario;
    advised.measured.nodeOrder = order;
    advised.name = context().study->freeName(scenario()->name + tr(", placed")).toStdString();
    context().study->addScenario(std::move(advised), tr("Apply advised positions"), context().currentId);
}

void PlacementPage::selectionChanged()
{
    const Picked picked = context().selection ? context().selection->picked() : Picked{};
    const PlacementMap* map = shownMap();
    if (grouping() == PlaceGrouping::replicaAndStage)
        return m_map->setBrushed(map && picked.replica >= 0 ? rowOf(*map, picked.replica) : -1, picked.stage);
    const int cell = picked.node >= 0 ? m_shown.cellOfNode(picked.node) : -1, columns = std::max(m_shown.data.columns, 1);
    m_map->setBrushed(cell < 0 ? -1 : cell / columns, cell < 0 ? -1 : cell % columns);
}

QJsonObject PlacementPage::saveState() const
{
    QJsonObject state{{u"figure"_s, m_metric->current()}, {u"percent"_s, m_percent}, {u"cells"_s, m_grouping->current()}};
    if (m_map->itemCount() > 0)
        state[u"scale"_s] = m_map->scaleEnd();
    return state;
}

void PlacementPage::restoreState(const QJsonObject& state)
{
    m_metric->setCurrent(state[u"figure"_s].toInt(1));
    m_grouping->setCurrent(state[u"cells"_s].toInt(0));
    m_map->setScaleEnd(state[u"scale"_s].toDouble());
    const double percent = state[u"percent"_s].toDouble(15);
    if (percent >= 0 && percent <= kMaxSlowPercent) {
        m_percent = percent;
        m_factor->setCommitted(QString::number(percent, 'g', 4));
    }
}

} // namespace prism::ui
