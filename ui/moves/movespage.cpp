// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/moves/movespage.h"

#include "core/insight/level/level.h"
#include "core/scenario/quantity.h"
#include "ui/look/change.h"
#include "ui/look/format.h"
#include "ui/moves/movesmodel.h"
#include "ui/pages/card.h"
#include "ui/theme/rescale.h"
#include "ui/theme/fieldwidth.h"
#include "ui/theme/plaintext.h"
#include "ui/theme/barelayout.h"

#include <QCheckBox>
#include <QFrame>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QJsonObject>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QShortcut>
#include <QTableView>
#include <QVBoxLayout>

#include <cmath>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr double kGoalField = 112;          // pixels at scale 1
constexpr double kReportedRemainder = 1e-6; ///< of the value; a smaller change is rounding
} // namespace

MovesPage::MovesPage(const Theme& theme, QWidget* parent)
    : InsightPage(theme, parent),
      m_goalField(new QLineEdit),
      m_pairs(new QCheckBox(tr("Pairs"))),
      m_hardware(new QCheckBox(tr("Hardware"))),
      m_curves(new StepCurveChart(theme)),
      m_why(new WaterfallChart(theme)),
      m_model(new MovesModel(this)),
      m_card(new QFrame),
      m_table(new QTableView),
      m_title(plainLabel()),
      m_note(plainLabel()),
      m_apply(new QPushButton(tr("Make scenario")))
{
    buildTools();
    auto* main = new QWidget;
    auto* layout = bareLayout<QVBoxLayout>(main, theme.px(metric::cardGap));
    layout->addWidget(m_curves, 5);
    layout->addWidget(m_why, 4);
    m_curves->setObjectName(u"goalCurves"_s);
    m_curves->setFlagMovable(true);
    m_why->setObjectName(u"whyItMoved"_s);
    setCards(main, buildTable(), 0.47);
    setExported({m_curves, m_why});
    connect(m_goalField, &QLineEdit::editingFinished, this, &MovesPage::typeGoal);
    for (QCheckBox* box : {m_pairs, m_hardware})
        connect(box, &QCheckBox::toggled, this, [this] {
            ask();
            refresh();
        });
    connect(m_curves, &StepCurveChart::flagMoved, this, [this](double seconds) {
        m_dragged = seconds;
        refreshCurves();
    });
    connect(m_curves, &StepCurveChart::flagReleased, this, [this] {
        if (m_dragged > 0)
            setGoal(m_dragged);
    });
    connect(m_curves, &StepCurveChart::itemPicked, this, [this](int curve) {
        if (curve > 0)
            m_table->selectRow(m_curves->data().curves[static_cast<std::size_t>(curve)].number.toInt() - 1);
    });
    refresh();
}

void MovesPage::buildTools()
{
    auto* label = plainLabel(tr("Goal: p95 ≤"), u"secondary"_s);
    m_goalField->setPlaceholderText(tr("such as 6.2 s"));
    m_goalField->setAccessibleName(tr("Goal for p95"));
    m_goalField->setAcceptDrops(false); // a file that is dropped here is the window's
    keepFieldWidth(*m_goalField, theme(), kGoalField);
    m_pairs->setToolTip(tr("Also the pairs of the five best changes"));
    m_hardware->setToolTip(tr("Also other GPUs and fabrics of the library"));
    addTools({label, m_goalField});
    addTools({m_pairs, m_hardware});
}

QWidget* MovesPage::buildTable()
{
    QVBoxLayout* layout = makeCard(*m_card, theme());
    m_title->setProperty("type", u"title"_s);
    m_title->setWordWrap(true);
    layout->addWidget(m_title);
    m_table->setModel(m_model);
    m_table->setObjectName(u"moves"_s);
    m_table->setAccessibleName(tr("Single changes; Enter makes a scenario"));
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->verticalHeader()->hide();
    m_table->setShowGrid(false);
    m_table->setMouseTracking(true);
    m_nothing = new EmptyNote(*m_table);
    wrapCells(*m_table, theme()); // long names take other lines
    keepColumnsFitted(*m_table, theme());
    m_table->horizontalHeader()->setSectionResizeMode(MovesModel::moveColumn, QHeaderView::Stretch);
    layout->addWidget(m_table, 1);
    auto* foot = new QHBoxLayout;
    m_note->setProperty("type", u"tick"_s);
    m_note->setProperty("role", u"tertiary"_s);
    m_note->setWordWrap(true);
    foot->addWidget(m_note, 1);
    foot->addWidget(m_apply, 0, Qt::AlignBottom);
    showWhileEditable(*m_apply, theme());
    layout->addLayout(foot);
    const auto make = [this] { apply(m_table->currentIndex().row()); };
    connect(m_apply, &QPushButton::clicked, this, make);
    connect(m_table, &QTableView::doubleClicked, this, make);
    for (const Qt::Key key : {Qt::Key_Return, Qt::Key_Enter}) {
        auto* enter = new QShortcut(QKeySequence(key), m_table);
        enter->setContext(Qt::WidgetShortcut);
        connect(enter, &QShortcut::activated, this, make);
    }
    const auto show = [this](const QModelIndex& at) { m_curves->setHighlighted(at.isValid() ? u"move%1"_s.arg(at.row() + 1) : QString()); };
    connect(m_table, &QTableView::entered, this, show);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this, show](const QModelIndex& now) {
        show(now);
        statesShown();
    });
    return m_card;
}

void MovesPage::setGoal(double seconds)
{
    m_dragged = 0;
    m_goal = std::isfinite(seconds) && seconds > 0 ? seconds : 0;
    m_goalField->setText(m_goal > 0 ? format::seconds(m_goal).text() : QString());
    ask();
    refresh();
}

void MovesPage::typeGoal()
{
    const QString text = m_goalField->text().trimmed();
    if (!m_goalField->isModified())
        return;
    const Result<double> seconds = quantityFromText(text.toStdString(), "s", false);
    const bool good = text.isEmpty() || (seconds.ok() && *seconds > 0);
    m_goalField->setProperty("state", good ? QString() : u"error"_s);
    m_goalField->setToolTip(good ? QString() : tr("A time such as 6.2 s or 900 ms; empty = no goal"));
    restyle(m_goalField);
    if (good)
        setGoal(text.isEmpty() ? 0 : *seconds);
}

void MovesPage::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape && m_goal > 0)
        return setGoal(0);
    InsightPage::keyPressEvent(event);
}

void MovesPage::ask()
{
    const GoalQuery query = this->query();
    request(m_moves, token(u"moves/%1/%2/%3"_s.arg(query.p95Seconds).arg(query.pairs).arg(query.hardware)), tr("Next moves"),
            [query](Evaluator& evaluator, const Snapshot& s, const InsightOptions& options) {
                return goalMoves(evaluator, s.scenario, query, options);
            });
    const ShownScenario* base = context().baseline();
    if (!base || base == scenario())
        return;
    ResultToken why = token(u"why/%1"_s.arg(QString::fromStdString(base->hash.text())));
    why.baseline = base->name;
    if (base->snapshot && !base->stale && base->snapshot->valid())
        request(m_comparison, why, tr("Why it moved"),
                [from = base->snapshot](Evaluator& evaluator, const Snapshot& s, const InsightOptions& options) {
                    return compare(evaluator, from->scenario, s.scenario, options);
                });
    else
        m_comparison.want(why);
}

GoalQuery MovesPage::query() const
{
    return {m_goal, m_pairs->isChecked(), m_hardware->isChecked()};
}

const GoalMoves* MovesPage::found() const
{
    const SnapshotPtr known = snapshot();
    return m_levelledMoves.of(m_moves, {known}, isAboutShown(m_moves),
                              [&](const GoalMoves& drawn, bool about) { return about ? onLevelOf(*known, drawn, query()) : drawn; });
}

const Comparison* MovesPage::comparison() const
{
    const ShownScenario* base = context().baseline();
    const SnapshotPtr from = base ? base->snapshot : nullptr, known = snapshot();
    const bool about = from && from->valid() && isAboutShown(m_comparison)
                       && m_comparison.shown().inputs.endsWith(QString::fromStdString(from->hash.text()));
    return m_levelledComparison.of(m_comparison, {from, known}, about, [&](const Comparison& drawn, bool held) {
        return held ? prism::onLevelOf(*from, *known, drawn) : drawn;
    });
}

void MovesPage::contextChanged()
{
    ask();
    refresh();
}

void MovesPage::apply(int row)
{
    const Move* move = m_model->moveAt(row);
    const ScenarioEntry* entry = context().study ? context().study->entry(context().currentId) : nullptr;
    if (!move || !entry || !isCurrent(m_moves))
        return;
    Result<Scenario> next = namedMove(*entry->scenario, *move);
    if (!next.ok())
        return;
    next->name = context().study->freeName(QString::fromStdString(next->name).left(120)).toStdString();
    context().study->addScenario(std::move(next).value(), moveText(*move), context().currentId);
}

void MovesPage::refreshCurves()
{
    const GoalMoves* found = this->found();
    StepCurves data;
    ChartText text;
    text.title = tr("Step time with one move");
    const int series = scenario() ? scenario()->colour : 0;
    if (found) {
        data.noiseFreeSeconds = found->noiseFreeSeconds;
        data.markedShare = 0.95;
        data.curves.push_back({u"now"_s, scenario() ? scenario()->name : tr("now"), series, true, false, false, {}, found->now});
        for (std::size_t i = 0; i < found->curves.size(); ++i)
            if (const QString number = QString::number(i + 1); !found->curves[i].empty())
                data.curves.push_back(
                    {u"move"_s + number, moveText(found->moves.moves[i]), series, false, false, true, number, found->curves[i]});
        const double goal = m_dragged > 0 ? m_dragged : m_goal, p95 = found->moves.p95;
        data.flag =
            StepFlag{goal > 0 ? goal : p95,
                     goal > 0 ? tr("Goal: p95 ≤ %1").arg(format::seconds(goal).text()) : tr("p95 %1").arg(format::seconds(p95).text()),
                     goal > 0 ? tr("%1 from now").arg(format::secondsDelta(goal - p95)) : QString(),
                     0.95,
                     true,
                     goal > 0 ? QString() : tr("drag it to a goal")};
        text.footer << tr("%1 steps each, seed %2, common random numbers.").arg(format::count(found->moves.samples)).arg(found->moves.seed)
                           + levelNote(found->nowSeconds.size(), found->moves.samples);
        text.hint = tr("Type a goal, drag the flag, or press Shift with an arrow; Esc drops it.");
    }
    m_curves->setData(data);
    m_curves->setText(text);
    present({m_curves, [this] { return m_moves.status(); }, tr("Trying single changes"), {}});
}

WaterfallData whyItMoved(const Comparison& c, int series)
{
    WaterfallData data;
    data.series = series;
    data.judged = true;
    double a = 0, b = 0;
    for (const ComparedMetric& f : c.metrics)
        if (f.name == "p95") {
            a = f.a;
            b = f.b;
        }
    const format::TimeUnit unit = format::timeUnit(std::max(a, b));
    data.perUnit = unit.perSecond;
    data.axisTitle = unit.name;
    data.metricTitle = QObject::tr("p95");
    const auto whole = [&](const std::string& name, double value, WaterfallRow::Kind kind) {
        WaterfallRow row;
        row.id = kind == WaterfallRow::Kind::first ? u"baseline"_s : u"scenario"_s;
        row.label = QString::fromStdString(name);
        row.detail = kind == WaterfallRow::Kind::first ? QObject::tr("baseline") : QString();
        row.value = value;
        row.kind = kind;
        row.metric = format::seconds(value).text();
        return row;
    };
    data.rows.push_back(whole(c.nameA, a, WaterfallRow::Kind::first));
    for (const WaterfallItem& item : c.waterfall) {
        WaterfallRow row;
        row.id = QString::fromStdString(item.parameter);
        row.label = QString::fromStdString(item.label);
        row.detail = item.from.empty() && item.to.empty()
                         ? QString()
                         : QString::fromStdString(item.from + " → " + item.to + (item.unit.empty() ? "" : " " + item.unit));
        row.value = item.deltaP95.value;
        row.kind = item.parameter == "remainder" ? WaterfallRow::Kind::remainder : WaterfallRow::Kind::step;
        row.metric = format::secondsDelta(item.deltaP95.value);
        row.interval = item.deltaP95.halfWidth > 0 ? format::intervalNextTo(item.deltaP95.value, item.deltaP95.halfWidth) : QString();
        row.clear = item.deltaP95.significant();
        if (row.kind != WaterfallRow::Kind::remainder || std::abs(row.value) > kReportedRemainder * std::max(a, b))
            data.rows.push_back(row);
    }
    data.rows.push_back(whole(c.nameB, b, WaterfallRow::Kind::total));
    return data;
}

void MovesPage::refreshWhy()
{
    const ShownScenario *base = context().baseline(), *now = scenario();
    const bool compared = base && now && base != now;
    m_why->setVisible(compared);
    const Comparison* c = comparison();
    ChartText text;
    text.title = tr("Why p95 moved");
    if (compared && c) {
        const ResultToken& shown = m_comparison.shown(); // two scenarios of equal content have one result, and each its own name
        text.subtitle = tr("From %1 to %2, edit by edit").arg(shown.baseline, shown.name);
        const QString orders = c->waterfallOrders < 2 ? QString()
                               : c->waterfallExact    ? tr(", mean over all %1 orders of the edits (Shapley)").arg(c->waterfallOrders)
                                                      : tr(", mean over %1 drawn orders of the edits (Shapley)").arg(c->waterfallOrders);
        text.footer << format::samplesAndSeed(c->samples, c->seed, tr("steps each")) + orders + tr(". Bars add up to the change.");
        WaterfallData data = whyItMoved(*c, now->colour);
        data.rows.front().label = shown.baseline;
        data.rows.back().label = shown.name;
        m_why->setData(data);
    }
    m_why->setText(text);
    present({m_why,
             [this, compared] { return compared ? m_comparison.status() : InsightStatus{.hasAnswer = true, .isCurrent = true}; },
             tr("Trying the edits in every order"),
             {}});
}

void MovesPage::refresh()
{
    const GoalMoves* found = this->found();
    m_title->setText(m_goal > 0 ? tr("What would reach p95 ≤ %1").arg(format::seconds(m_goal).text()) : tr("What would help most"));
    const std::pair<int, double> listed(m_levelledMoves.version(), m_goal);
    if (found && listed != m_listed) { // laying out the rows takes longer than a frame
        m_listed = listed;
        const int row = m_table->currentIndex().row();
        m_model->setMoves(found->moves, m_goal);
        m_table->setColumnHidden(MovesModel::goalColumn, m_goal <= 0);
        m_table->resizeColumnsToContents();
        m_table->horizontalHeader()->setSectionResizeMode(MovesModel::moveColumn, QHeaderView::Stretch);
        if (row >= 0 && row < m_model->rowCount())
            m_table->selectRow(row);
        const Moves& m = found->moves;
        m_note->setText(tr("%1 changes tried: %2 help beyond their interval, %3 are invalid, %4 do not fit. Gains are paired, with "
                           "95\u00A0% intervals.")
                            .arg(m.tried)
                            .arg(m_model->rowCount())
                            .arg(m.invalid)
                            .arg(m.tooLarge));
    }
    refreshCurves();
    refreshWhy();
    present({m_card, [this] { return m_moves.status(); }});
    statesShown();
}

void MovesPage::statesShown()
{
    m_apply->setEnabled(m_model->moveAt(m_table->currentIndex().row()) && isCurrent(m_moves));
    m_nothing->showMessage(found() ? tr("No single change lowers p95 by more than its sampling error.") : m_curves->message());
}

QStringList MovesPage::paperNotes() const
{
    QStringList named;
    for (const StepCurve& curve : m_curves->data().curves)
        if (curve.ghost) // its number is in the table next to it, which is not on paper
            named << tr("%1 %2 (%3)")
                         .arg(curve.number, curve.name, m_model->index(curve.number.toInt() - 1, MovesModel::gainColumn).data().toString());
    return named.isEmpty() ? QStringList() : QStringList{tr("Moves, with the change of p95: %1.").arg(named.join(u"; "_s))};
}

TableData MovesPage::asTable() const
{
    return m_model->table();
}

QJsonObject MovesPage::saveState() const
{
    return {{u"goal_s"_s, m_goal}, {u"pairs"_s, m_pairs->isChecked()}, {u"hardware"_s, m_hardware->isChecked()}};
}

void MovesPage::restoreState(const QJsonObject& state)
{
    m_pairs->setChecked(state[u"pairs"_s].toBool());
    m_hardware->setChecked(state[u"hardware"_s].toBool());
    setGoal(state[u"goal_s"_s].toDouble());
}

QString MovesPage::answer() const
{
    const GoalMoves* found = this->found();
    if (!found)
        return {};
    const std::vector<Move>& moves = found->moves.moves;
    if (moves.empty() || !moves.front().improves)
        return tr("None of %1 single changes lowers p95 by more than its sampling error.").arg(found->moves.tried);
    const Move& best = moves.front();
    return tr("%1 lowers p95 most: %2 to %3.")
        .arg(moveText(best), format::timeChange({-best.p95Gain.value, best.p95Gain.halfWidth}),
             format::seconds(found->moves.p95 - best.p95Gain.value).text());
}

} // namespace prism::ui
