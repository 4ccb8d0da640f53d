#include "ui/pages/placementpage.h"

#include "core/insight/speedtable.h"
#include "ui/editor/quantityedit.h"
#include "ui/pages/slownoderow.h"
#include "ui/theme/format.h"
#include "ui/theme/segmented.h"

#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QJsonObject>
#include <QLabel>
#include <QPushButton>
#include <QSaveFile>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 kMostSpeedBytes = 64 << 20;
constexpr int kMostRows = 50;

QLabel* labelled(const char* type, const char* role = nullptr)
{
    auto* label = new QLabel;
    label->setProperty("type", QString::fromLatin1(type));
    if (role)
        label->setProperty("role", QString::fromLatin1(role));
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

QFrame* cardWith(QVBoxLayout*& layout, const Theme& theme)
{
    auto* card = new QFrame;
    card->setProperty("card", true);
    layout = new QVBoxLayout(card);
    const int pad = theme.px(metric::cardPadding);
    layout->setContentsMargins(pad, theme.px(12), pad, theme.px(12));
    layout->setSpacing(theme.px(4));
    return card;
}

} // namespace

PlacementPage::PlacementPage(const Theme& theme, QWidget* parent)
    : InsightPage(theme, parent), m_factor(new QuantityEdit(theme)), m_figure(new SegmentedControl(theme)), m_map(new HeatMap(theme))
{
    auto* slow = new QLabel(tr("Slow node"));
    slow->setProperty("role", u"secondary"_s);
    m_factor->setUnit(u"%"_s);
    m_factor->setStep(StepKind::one);
    m_factor->setCommitted(u"15"_s);
    m_factor->setFixedWidth(theme.px(84));
    m_factor->setObjectName(u"slowFactor"_s);
    m_factor->setAccessibleName(tr("Slowness of the probing node in percent"));
    m_factor->setToolTip(tr("15 % slow: every kernel on the node takes 1.15 times as long"));
    auto* effect = new QLabel(tr("Effect on"));
    effect->setProperty("role", u"secondary"_s);
    m_figure->setChoices({u"p50"_s, u"p95"_s, u"p99"_s});
    m_figure->setCurrent(1);
    m_figure->setAccessibleName(tr("Figure of the heat map"));
    m_add = new QPushButton(tr("Mark slow here"));
    m_add->setObjectName(u"addSlowNode"_s);
    m_add->setToolTip(tr("Mark the node in the chosen cell as slow (also: double click or Enter; drag a dashed cell to move it)"));
    toolLayout()->addWidget(slow);
    toolLayout()->addWidget(m_factor);
    toolLayout()->addSpacing(theme.px(8));
    toolLayout()->addWidget(effect);
    toolLayout()->addWidget(m_figure);
    toolLayout()->addSpacing(theme.px(8));
    toolLayout()->addWidget(m_add);
    toolLayout()->addWidget(new NodeHandle(theme, -1));
    toolLayout()->addStretch();
    m_map->setObjectName(u"placementMap"_s);

    auto* side = new QWidget;
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(theme.px(metric::cardGap));
    QVBoxLayout* layout = nullptr;
    QFrame* places = cardWith(layout, theme);
    m_headline = labelled("title");
    layout->addWidget(m_headline);
    auto* pair = new QHBoxLayout;
    pair->setSpacing(theme.px(12));
    const auto half = [&](const QString& name, QLabel*& value, QLabel*& note) {
        auto* box = new QVBoxLayout;
        box->setSpacing(theme.px(2));
        auto* head = labelled("tick", "secondary");
        head->setText(name);
        value = labelled("headline");
        value->setWordWrap(false);
        note = labelled("tick", "secondary");
        box->addWidget(head);
        box->addWidget(value);
        box->addWidget(note);
        pair->addLayout(box, 1);
    };
    half(tr("Best"), m_best, m_bestNote);
    half(tr("Worst"), m_worst, m_worstNote);
    layout->addLayout(pair);
    m_noise = labelled("tick", "tertiary");
    layout->addWidget(m_noise);
    column->addWidget(places);

    QFrame* nodes = cardWith(layout, theme);
    auto* head = labelled("title");
    head->setText(tr("Slow nodes"));
    layout->addWidget(head);
    m_nodesNote = labelled("small", "secondary");
    layout->addWidget(m_nodesNote);
    auto* scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* list = new QFrame;
    list->setProperty("surface", u"panel"_s);
    auto* listLayout = new QVBoxLayout(list);
    listLayout->setContentsMargins(0, 0, 0, 0);
    listLayout->setSpacing(0);
    m_rows = new QVBoxLayout;
    m_rows->setSpacing(0);
    listLayout->addLayout(m_rows);
    listLayout->addStretch();
    scroll->setWidget(list);
    layout->addWidget(scroll, 1);
    m_advice = labelled("strong");
    m_adviceNote = labelled("tick", "tertiary");
    m_message = labelled("small", "secondary");
    layout->addWidget(m_advice);
    layout->addWidget(m_adviceNote);
    layout->addWidget(m_message);
    m_import = new QPushButton(tr("Import speeds…"));
    m_find = new QPushButton(tr("Find best places"));
    m_hostfile = new QPushButton(tr("Export hostfile"));
    m_apply = new QPushButton(tr("Apply as scenario"));
    m_hostfile->setProperty("kind", u"primary"_s);
    m_import->setObjectName(u"importSpeeds"_s);
    m_find->setObjectName(u"findPlaces"_s);
    m_hostfile->setObjectName(u"exportHostfile"_s);
    m_apply->setObjectName(u"applyAdvice"_s);
    auto* first = new QHBoxLayout;
    first->addWidget(m_import);
    first->addWidget(m_find);
    auto* second = new QHBoxLayout;
    second->addWidget(m_hostfile);
    second->addWidget(m_apply);
    layout->addSpacing(theme.px(8));
    layout->addLayout(first);
    layout->addLayout(second);
    column->addWidget(nodes, 1);
    setCards(m_map, side, 0.32);
    setExported({m_map});

    connect(m_factor, &QuantityEdit::submitted, this, &PlacementPage::typeFactor);
    connect(m_factor, &QuantityEdit::editingDone, this, &PlacementPage::ask);
    connect(m_figure, &SegmentedControl::chosen, this, [this] { refresh(); });
    connect(m_add, &QPushButton::clicked, this, [this] { addSlowNode(m_map->focusItem()); });
    connect(m_map, &HeatMap::focusItemChanged, this, [this](int item) { m_add->setEnabled(item >= 0); });
    connect(m_map, &HeatMap::itemPicked, this, [this](int item) {
        const PlacementMap* map = shownMap();
        if (!map || !context().selection)
            return;
        Picked picked = context().selection->picked();
        picked.stage = item % map->columns;
        picked.replica = map->rowFirstReplica[static_cast<std::size_t>(item / map->columns)];
        picked.node = nodeAt(item);
        context().selection->set(picked);
    });
    connect(m_map, &HeatMap::itemActivated, this, &PlacementPage::addSlowNode);
    connect(m_map, &HeatMap::itemMoved, this, &PlacementPage::moveNode);
    connect(m_map, &HeatMap::nodeDropped, this, &PlacementPage::placeNode);
    connect(m_import, &QPushButton::clicked, this, [this] {
        const QString path = QFileDialog::getOpenFileName(this, tr("Import measured node speeds"), {}, tr("Speed tables (*.csv *.tsv *.txt)"));
        if (!path.isEmpty())
            if (const QString problem = importSpeeds(path); !problem.isEmpty())
                say(problem, true);
    });
    connect(m_find, &QPushButton::clicked, this, [this] {
        m_searching = true;
        ask();
    });
    connect(m_hostfile, &QPushButton::clicked, this, [this] {
        const QString path = QFileDialog::getSaveFileName(this, tr("Export hostfile"), u"hostfile"_s);
        if (path.isEmpty())
            return;
        const QString problem = writeHostfile(path);
        say(problem.isEmpty() ? tr("Wrote %1.").arg(QFileInfo(path).fileName()) : problem, !problem.isEmpty());
    });
    connect(m_apply, &QPushButton::clicked, this, &PlacementPage::applyAdvice);
    m_add->setEnabled(false);
    refresh();
}

const PlacementMap* PlacementPage::shownMap() const
{
    const PlacementMap* map = m_places.value();
    if (map && m_orderedQuestion != m_places.shownQuestion()) {
        m_ordered = inReplicaOrder(*map);
        m_orderedQuestion = m_places.shownQuestion();
    }
    return map ? &m_ordered : nullptr;
}

void PlacementPage::say(const QString& text, bool isError)
{
    m_message->setText(text);
    m_message->setProperty("role", isError ? u"error"_s : u"secondary"_s);
    restyle(m_message);
}

void PlacementPage::typeFactor(const QString& text)
{
    QString digits = text;
    bool number = false;
    const double percent = digits.remove(u'%').trimmed().toDouble(&number);
    if (!number || percent < 0 || percent > kMostSlowPercent)
        return m_factor->setProblem(tr("A slowness of 0 to %1 %; still using %2 %").arg(kMostSlowPercent).arg(m_percent));
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
    if (const SnapshotPtr s = snapshot(); s && context().evaluator && !scenario()->stale) {
        const auto evaluator = context().evaluator;
        const SlowProbe probe{probeFactor(), 1.0};
        m_places.ask(context().insights, this, question(u"placement%1"_s.arg(m_percent)), tr("Placement map"), s->seed,
                     [evaluator, s, probe](const InsightOptions& options) { return placementMap(*evaluator, s->scenario, probe, options); }, [this] { refresh(); });
        const std::vector<SlowEntry>& slow = s->scenario.variability.slow;
        if (!slow.empty())
            m_slow.ask(context().insights, this, question(u"slownodes"_s), tr("Slow nodes"), s->seed,
                       [evaluator, s](const InsightOptions& options) { return slowNodes(*evaluator, s->scenario, s->scenario.variability.slow, options); }, [this] { refresh(); });
        else
            m_slow.forget();
        if (m_searching && !s->scenario.measured.speeds.empty())
            m_search.ask(context().insights, this, question(u"search"_s), tr("Search for the best places"), s->seed,
                         [evaluator, s](const InsightOptions& options) { return searchPlacement(*evaluator, s->scenario, options); }, [this] { refresh(); });
    }
    refresh();
}

void PlacementPage::refresh()
{
    refreshPlaces();
    refreshNodes();
    refreshAdvice();
    selectionChanged();
}

QString PlacementPage::placeText(int replica, int stage) const
{
    return tr("stage %1, replica %2").arg(stage).arg(replica);
}

void PlacementPage::refreshPlaces()
{
    const auto place = static_cast<PlaceFigure>(std::clamp(m_figure->current(), 0, 2));
    const QString figure = nameOf(place);
    const PlacementMap* map = shownMap();
    ChartText text;
    const double percent = map ? (map->probe.computeFactor - 1) * 100 : m_percent;
    text.title = tr("Slowdown of %1 with one node %2 % slow, by its place").arg(figure, format::number(percent, 2));
    HeatData data;
    if (map) {
        data = heatDataOf(*map, place);
        const double base = secondsOf(map->base, place);
        text.subtitle = tr("Step time %1 with the slow node in this cell, relative to without it (%2)").arg(figure, format::seconds(base).text());
        double widest = 0;
        for (const HeatCell& cell : data.cells)
            widest = std::max(widest, cell.present ? cell.halfWidth : 0.0);
        text.footer << format::receipt(map->samples, map->seed, tr("steps per cell")) + tr(", common random numbers, interval %1 or less. Scale starts at 1.00×.").arg(format::plainInterval(widest));
        if (const SnapshotPtr s = snapshot(); s && s->costed && s->costed->world.dp > 0)
            for (std::size_t i = 0; i < std::min<std::size_t>(s->scenario.variability.slow.size(), kMostRows); ++i)
                for (const auto& [replica, stage] : placesOf(s->scenario, s->scenario.variability.slow[i].node))
                    for (int row = 0; row < map->rows; ++row) {
                        const int first = map->rowFirstReplica[static_cast<std::size_t>(row)];
                        if (replica >= first && replica < first + map->rowReplicas[static_cast<std::size_t>(row)] && stage < map->columns)
                            data.marked << row * map->columns + stage;
                    }
        const auto describe = [&](int cell, QLabel* value, QLabel* note) {
            const bool known = cell >= 0;
            const PlacementCell& at = map->cells[static_cast<std::size_t>(std::max(cell, 0))];
            value->setText(known ? format::factor(ratioOf(at, place).value) : u"–"_s);
            note->setText(known ? tr("Stage %1, replica %2\n%3 %4\n%5").arg(QString::number(cell % map->columns), data.rowLabels.value(cell / map->columns), figure,
                                       format::seconds(secondsOf(at, place)).text(), format::deltaSeconds(secondsOf(at, place), base)) : QString());
        };
        describe(data.best, m_best, m_bestNote);
        describe(data.worst, m_worst, m_worstNote);
        const auto seconds = [&](int cell) { return cell < 0 ? 0.0 : secondsOf(map->cells[static_cast<std::size_t>(cell)], place); };
        m_headline->setText(map->withinNoise ? tr("The places cannot be told apart")
                                             : tr("The place decides %1 of %2").arg(format::secondsDelta(seconds(data.worst) - seconds(data.best)).mid(1), figure));
        m_noise->setText(map->notes.empty() ? QString() : QString::fromStdString(map->notes.front()));
    } else {
        m_headline->setText(tr("Where a slow node hurts"));
        for (QLabel* label : {m_best, m_worst})
            label->setText(u"–"_s);
        m_bestNote->clear();
        m_worstNote->clear();
        m_noise->clear();
    }
    const int focus = m_map->focusItem();
    m_map->setText(text);
    m_map->setData(data);
    shareScale(*m_map, figure);
    m_map->setFocusItem(focus);
    m_add->setEnabled(m_map->focusItem() >= 0);
    m_map->setMessage(map ? QString() : !m_places.error().isEmpty() ? m_places.error() : tr("Putting the slow node on each place …"));
    m_map->setStale(staleNote(m_places.isComputing(), map != nullptr));
}

void PlacementPage::refreshNodes()
{
    while (QLayoutItem* item = m_rows->takeAt(0)) {
        if (item->widget())
            item->widget()->deleteLater();
        delete item;
    }
    const SnapshotPtr s = snapshot();
    if (!s)
        return m_nodesNote->setText(tr("No result yet."));
    const Scenario& scenario = s->scenario;
    const auto& slow = scenario.variability.slow;
    const SlowNodesReport* report = m_slow.value();
    if (slow.empty())
        m_nodesNote->setText(tr("None marked. Choose a cell and press Enter, double click it, or import measured speeds."));
    else if (report && report->rows.size() == slow.size())
        m_nodesNote->setText(tr("Together %1 of p95; right: change when one is mended, n = %2").arg(format::secondsDelta(report->total.p95.value), format::count(report->samples)));
    else
        m_nodesNote->setText(tr("%1 of %2 nodes").arg(slow.size()).arg(format::count(s->costed->world.nodes)));
    for (std::size_t i = 0; i < std::min<std::size_t>(slow.size(), kMostRows); ++i) {
        const SlowEntry& entry = slow[i];
        QString gain, interval;
        if (report && report->rows.size() == slow.size() && report->rows[i].entry == entry) {
            gain = format::secondsDelta(report->rows[i].mended.p95.value);
            interval = format::interval(report->rows[i].mended.p95.halfWidth);
        }
        if (entry.node < 0)
            continue;
        const NodePlaces places = placesOf(scenario, entry.node);
        QString place = places.empty() ? tr("not in this cluster") : placeText(places.front().first, places.front().second);
        if (places.size() > 1)
            place += tr(" and %1 more").arg(places.size() - 1);
        auto* row = new SlowNodeRow(theme(), {entry.node, entry.computeFactor, place, gain, interval});
        connect(row, &SlowNodeRow::factorChosen, this, [this](int node, double factor) {
            if (!context().study)
                return;
            context().study->setSlowNode(context().currentId, node, factor);
            context().study->endMerge();
        });
        m_rows->addWidget(row);
    }
}

void PlacementPage::refreshAdvice()
{
    const SnapshotPtr s = snapshot();
    const bool measured = s && !s->scenario.measured.speeds.empty();
    const PlacementResult* result = measured && m_searching ? m_search.value() : nullptr;
    m_find->setEnabled(measured && !m_search.isComputing());
    m_apply->setEnabled(result && !result->withinNoise && result->movedNodes > 0);
    m_hostfile->setEnabled(s != nullptr);
    if (result) {
        const double gain = result->given.p95 * result->gainOverGiven.value;
        m_advice->setText(result->withinNoise ? tr("Moving nodes is not worth it")
                                              : tr("All moves together %1 (%2)").arg(format::secondsDelta(-gain), format::interval(result->given.p95 * result->gainOverGiven.halfWidth)));
        QStringList moves;
        int shown = 0;
        for (std::size_t position = 0; position < result->bestOrder.size() && shown < 3; ++position)
            if (position < result->givenOrder.size() && result->bestOrder[position] != result->givenOrder[position]) {
                Scenario advised = s->scenario;
                advised.measured.nodeOrder = result->bestOrder;
                const NodePlaces places = placesOf(advised, result->bestOrder[position]);
                if (!places.empty()) {
                    moves << tr("node %1 to %2").arg(result->bestOrder[position]).arg(placeText(places.front().first, places.front().second));
                    ++shown;
                }
            }
        m_adviceNote->setText(tr("p95 %1 to %2. %3 of %4 positions change: %5%6. n = %7, seed %8")
                                  .arg(format::seconds(result->given.p95).text(), format::seconds(result->best.p95).text(), format::count(result->movedNodes),
                                       format::count(static_cast<std::int64_t>(result->bestOrder.size())), moves.join(u"; "_s), result->movedNodes > shown ? u" …"_s : QString(),
                                       format::count(result->samples), QString::number(result->seed)));
    } else {
        m_advice->setText(measured && m_searching && !m_search.error().isEmpty() ? m_search.error() : QString());
        m_adviceNote->setText(measured ? (m_search.isComputing() ? tr("Searching …") : tr("Measured speeds of %1 entries are in use.").arg(format::count(static_cast<std::int64_t>(s->scenario.measured.speeds.size()))))
                                       : tr("Import measured speeds to be advised on positions."));
    }
    m_advice->setVisible(!m_advice->text().isEmpty());
}

int PlacementPage::nodeAt(int cell) const
{
    const PlacementMap* map = shownMap();
    const SnapshotPtr s = snapshot();
    if (!map || !s || cell < 0 || cell >= static_cast<int>(map->cells.size()))
        return -1;
    if (const int node = map->cells[static_cast<std::size_t>(cell)].node; node >= 0)
        return node;
    const int stage = cell % map->columns, replica = map->rowFirstReplica[static_cast<std::size_t>(cell / map->columns)];
    const std::vector<RankPosition> layout = rankLayout(s->scenario);
    for (std::size_t rank = 0; rank < layout.size(); ++rank)
        if (layout[rank].replica == replica && layout[rank].stage == stage) {
            const auto position = rank / static_cast<std::size_t>(std::max(s->scenario.cluster.gpusPerNode, 1));
            const auto& order = s->scenario.measured.nodeOrder;
            return position < order.size() ? order[position] : static_cast<int>(position);
        }
    return -1;
}

std::vector<int> PlacementPage::slowNodesAt(int cell) const
{
    std::vector<int> nodes;
    const PlacementMap* map = shownMap();
    const SnapshotPtr s = snapshot();
    if (!map || !s || cell < 0)
        return nodes;
    const int row = cell / map->columns, stage = cell % map->columns, first = map->rowFirstReplica[static_cast<std::size_t>(row)];
    for (const SlowEntry& entry : s->scenario.variability.slow)
        for (const auto& [replica, at] : placesOf(s->scenario, entry.node))
            if (at == stage && replica >= first && replica < first + map->rowReplicas[static_cast<std::size_t>(row)]) {
                nodes.push_back(entry.node);
                break;
            }
    return nodes;
}

void PlacementPage::addSlowNode(int cell)
{
    const int node = nodeAt(cell);
    if (node < 0 || !context().study || probeFactor() <= 1)
        return;
    context().study->setSlowNode(context().currentId, node, probeFactor());
    context().study->endMerge();
    say(tr("Node %1 is marked %2 % slow. Undo takes it back.").arg(node).arg(m_percent), false);
}

void PlacementPage::moveNode(int fromCell, int toCell)
{
    if (const std::vector<int> nodes = slowNodesAt(fromCell); !nodes.empty())
        placeNode(nodes.front(), toCell);
}

void PlacementPage::placeNode(int node, int cell)
{
    if (node < 0)
        return addSlowNode(cell);
    const int to = nodeAt(cell);
    if (to < 0 || to == node || !context().study)
        return;
    context().study->moveSlowNode(context().currentId, node, to);
    context().study->endMerge();
    say(tr("The slow node moved to the place of node %1.").arg(to), false);
}

QString PlacementPage::importSpeeds(const QString& path)
{
    const SnapshotPtr s = snapshot();
    if (!s || !context().study)
        return tr("There is no scenario to put the speeds in.");
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return tr("%1 cannot be read: %2").arg(QFileInfo(path).fileName(), file.errorString());
    if (file.size() > kMostSpeedBytes)
        return tr("%1 is larger than %2 MiB.").arg(QFileInfo(path).fileName()).arg(kMostSpeedBytes >> 20);
    const QByteArray content = file.readAll();
    const auto said = [](const Diagnostics& errors) {
        QStringList lines;
        for (std::size_t i = 0; i < std::min<std::size_t>(errors.size(), 3); ++i)
            lines << QString::fromStdString(errors[i].path.empty() ? errors[i].message : errors[i].path + ": " + errors[i].message);
        return lines.join(u'\n') + (errors.size() > 3 ? QObject::tr("\nand %1 more").arg(errors.size() - 3) : QString());
    };
    const Result<SpeedTable> table = readSpeedTable({content.constData(), static_cast<std::size_t>(content.size())}, QFileInfo(path).fileName().toStdString());
    if (!table)
        return said(table.errors());
    Result<Scenario> with = withSpeeds(s->scenario, *table);
    if (!with)
        return said(with.errors());
    m_hosts = table->hosts;
    context().study->setScenario(context().currentId, std::move(with.value()), tr("Import speeds of %1 nodes").arg(table->hosts.size()));
    m_searching = true;
    QStringList understood;
    for (const Diagnostic& note : table->notes)
        understood << QString::fromStdString(note.message);
    say(tr("%1 rows of %2 nodes. %3").arg(format::count(static_cast<std::int64_t>(table->rows.size())), format::count(static_cast<std::int64_t>(table->hosts.size())), understood.join(u' ')), false);
    return {};
}

QString PlacementPage::writeHostfile(const QString& path) const
{
    const SnapshotPtr s = snapshot();
    if (!s)
        return tr("There is no scenario yet.");
    std::vector<int> order = s->scenario.measured.nodeOrder;
    const PlacementResult* result = m_searching && m_search.shownQuestion() == question(u"search"_s) ? m_search.value() : nullptr;
    if (result)
        order = result->bestOrder;
    for (int node = static_cast<int>(order.size()); order.size() < static_cast<std::size_t>(s->costed->world.nodes) && node < s->costed->world.nodes; ++node)
        order.push_back(node);
    const std::string text = hostfile(order, m_hosts, s->scenario.cluster.gpusPerNode, HostfileFormat::mpi);
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(text.data(), static_cast<qint64>(text.size())) != static_cast<qint64>(text.size()) || !file.commit())
        return tr("The hostfile could not be written: %1").arg(file.errorString());
    return {};
}

void PlacementPage::applyAdvice()
{
    const SnapshotPtr s = snapshot();
    const PlacementResult* result = m_search.value();
    if (!s || !result || !context().study)
        return;
    Scenario advised = s->scenario;
    advised.measured.nodeOrder = result->bestOrder;
    advised.name = context().study->freeName(scenario()->name + tr(", placed")).toStdString();
    context().study->addScenario(std::move(advised), tr("Apply advised positions"));
}

void PlacementPage::selectionChanged()
{
    const Picked picked = context().selection ? context().selection->picked() : Picked{};
    int row = -1;
    if (const PlacementMap* map = shownMap(); map && picked.replica >= 0)
        for (int i = 0; i < map->rows; ++i)
            if (picked.replica >= map->rowFirstReplica[static_cast<std::size_t>(i)] && picked.replica < map->rowFirstReplica[static_cast<std::size_t>(i)] + map->rowReplicas[static_cast<std::size_t>(i)])
                row = i;
    m_map->setBrushed(row, picked.stage);
}

QJsonObject PlacementPage::saveState() const
{
    return {{u"figure"_s, m_figure->current()}, {u"percent"_s, m_percent}};
}

void PlacementPage::restoreState(const QJsonObject& state)
{
    m_figure->setCurrent(state[u"figure"_s].toInt(1));
    const double percent = state[u"percent"_s].toDouble(15);
    if (percent >= 0 && percent <= kMostSlowPercent) {
        m_percent = percent;
        m_factor->setCommitted(QString::number(percent, 'g', 4));
    }
}

} // namespace prism::ui
