// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/explore/explorepage.h"

#include "ui/explore/candidatedelegate.h"
#include "ui/explore/candidatemodel.h"
#include "ui/findings/searchtext.h"
#include "ui/look/change.h"
#include "ui/look/format.h"
#include "ui/model/searchfile.h"
#include "ui/pages/card.h"
#include "ui/theme/rescale.h"
#include "ui/theme/fieldwidth.h"
#include "ui/theme/plaintext.h"
#include "ui/theme/segmented.h"
#include "ui/theme/barelayout.h"

#include <QComboBox>
#include <QFrame>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QShortcut>
#include <QTableView>
#include <QVBoxLayout>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kMetricLetters = 7;    ///< of a name in the choice of metrics that are always seen
constexpr double kRangesField = 216; // pixels at scale 1
constexpr int kReportedReasons = 6;
const QStringList kObjectives{u"mean"_s, u"p50"_s, u"p95"_s, u"p99"_s, u"cost_p95"_s};

/// The search, resumed from the stored records of the same query; its progress is stored as well.
Result<Exploration> keptSearch(Evaluator& evaluator, const Scenario& scenario, const ExploreQuery& query, const InsightOptions& options)
{
    const SearchFile file;
    const std::string head = headLine({scenario, query, options.seed});
    ExploreCheckpoint checkpoint;
    if (Result<ExploreRecords> known = recordsFromText(file.read(head), "search"); known.ok() && known->head == head)
        checkpoint.known = std::move(known).value();
    checkpoint.write = [&](const std::string& text) { file.write(head, text); };
    return explore(evaluator, scenario, query, options, checkpoint);
}

/// A metric that an axis can show.
struct AxisMetric {
    const char* name;
    Estimate (*value)(const ExploreCandidate&);
    bool isTime = false, moreIsBetter = false;
};
const AxisMetric kMetrics[] = {
    {QT_TR_NOOP("p50, s"), [](const ExploreCandidate& c) { return c.p50; }, true},
    {QT_TR_NOOP("p95, s"), [](const ExploreCandidate& c) { return c.p95; }, true},
    {QT_TR_NOOP("Memory, GiB"),
     [](const ExploreCandidate& c) {
         return Estimate{c.peakMemoryGib, 0};
     }},
    {QT_TR_NOOP("$ per billion tokens"),
     [](const ExploreCandidate& c) {
         return Estimate{c.usdPerBillionTokens, 0};
     }},
    {QT_TR_NOOP("Chance to be best, %"),
     [](const ExploreCandidate& c) {
         return Estimate{100 * c.probabilityBest, 0};
     },
     false, true},
};

constexpr int kLastOfStep = 2;    // of the metrics: those that the present scenario has too
constexpr double kMinColumn = 48; // at scale 1

/// What a step of the present scenario takes, as if it had been searched.
ExploreCandidate candidateOf(const Snapshot& now)
{
    ExploreCandidate own;
    own.p50 = {now.across.p50, now.across.ciP50};
    own.p95 = {now.across.p95, now.across.ciP95};
    own.peakMemoryGib = now.costed ? now.costed->memory.peakGib : 0;
    own.tokensPerStep = now.costed ? now.costed->tokensPerStep : 0;
    return own;
}

} // namespace

ExplorePage::ExplorePage(const Theme& theme, QWidget* parent)
    : InsightPage(theme, parent),
      m_ranges(new QLineEdit),
      m_objective(new SegmentedControl(theme)),
      m_start(new QPushButton(tr("Search"))),
      m_compare(new QPushButton(tr("Compare the two"))),
      m_makeScenario(new QPushButton(tr("Make scenario"))),
      m_noteCard(new QFrame),
      m_tableCard(new QFrame),
      m_note(plainLabel()),
      m_count(plainLabel()),
      m_rejected(plainLabel()),
      m_problem(plainLabel()),
      m_model(new CandidateModel(this)),
      m_table(new QTableView),
      m_scatter(new ScatterChart(theme)),
      m_xMetric(new QComboBox),
      m_yMetric(new QComboBox)
{
    buildTools();
    auto* main = new QWidget;
    auto* layout = bareLayout<QVBoxLayout>(main, theme.px(metric::cardGap));
    layout->addWidget(buildNote());
    layout->addWidget(buildTable(), 3);
    layout->addWidget(m_scatter, 2);
    setCards(main, nullptr, 0);
    m_scatter->setObjectName(u"exploreScatter"_s);
    setExported({m_scatter});
    connect(m_start, &QPushButton::clicked, this, &ExplorePage::search);
    connect(m_ranges, &QLineEdit::returnPressed, this, &ExplorePage::search);
    connect(m_ranges, &QLineEdit::textChanged, this, &ExplorePage::contextChanged); // other inputs than those of what is shown
    connect(m_objective, &SegmentedControl::chosen, this, &ExplorePage::contextChanged);
    connect(m_compare, &QPushButton::clicked, this, &ExplorePage::compareBoth);
    connect(m_scatter, &ScatterChart::itemPicked, this, &ExplorePage::highlight);
    for (QComboBox* box : {m_xMetric, m_yMetric})
        connect(box, &QComboBox::activated, this, &ExplorePage::refreshScatter);
    refresh();
}

void ExplorePage::buildTools()
{
    m_ranges->setPlaceholderText(tr("TP 4, 8; PP 2 … 16; VPP 1 to 8"));
    m_ranges->setToolTip(
        tr("Parameters with a list or a range of doublings, semicolons between them; empty: every layout that the cluster allows"));
    m_ranges->setAccessibleName(tr("Ranges to search"));
    m_ranges->setAcceptDrops(false); // a file that is dropped here is the window's
    keepFieldWidth(*m_ranges, theme(), kRangesField);
    m_objective->setChoices({tr("Mean"), u"p50"_s, u"p95"_s, u"p99"_s, tr("Cost")});
    m_objective->setCurrent(2);
    m_objective->setAccessibleName(tr("Rank by"));
    m_start->setProperty("kind", u"primary"_s);
    addTools({m_ranges});
    addTools({m_objective, m_start});
    for (const AxisMetric& metric : kMetrics)
        for (QComboBox* box : {m_xMetric, m_yMetric})
            box->addItem(tr(metric.name));
    for (QComboBox* box : {m_xMetric, m_yMetric}) {
        box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        box->setMinimumContentsLength(kMetricLetters);
    }
    m_yMetric->setCurrentIndex(1);
    m_xMetric->setAccessibleName(tr("Figure on the horizontal axis"));
    m_yMetric->setAccessibleName(tr("Figure on the vertical axis"));
    auto* against = plainLabel(tr("over"), u"secondary"_s);
    addTools({m_yMetric, against, m_xMetric});
}

QWidget* ExplorePage::buildNote()
{
    m_noteCard->setProperty("message", u"note"_s);
    auto* line = new QHBoxLayout(m_noteCard);
    line->setContentsMargins(theme().px(12), theme().px(8), theme().px(12), theme().px(8));
    m_note->setWordWrap(true);
    line->addWidget(m_note, 1);
    line->addWidget(m_compare, 0, Qt::AlignVCenter);
    return m_noteCard;
}

QWidget* ExplorePage::buildTable()
{
    QVBoxLayout* layout = makeCard(*m_tableCard, theme());
    auto* head = new QHBoxLayout;
    head->addWidget(cardText(u"title"_s, {}, tr("Layouts")));
    m_count->setProperty("role", u"secondary"_s);
    m_count->setProperty("type", u"small"_s);
    head->addStretch(1);
    head->addWidget(m_count);
    layout->addLayout(head);
    m_problem->setWordWrap(true);
    m_problem->setProperty("role", u"error"_s);
    layout->addWidget(m_problem);
    m_table->setModel(m_model);
    m_table->setObjectName(u"candidates"_s);
    m_table->setAccessibleName(tr("Candidates of the search; Enter makes a scenario"));
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->verticalHeader()->hide();
    m_table->setShowGrid(false);
    m_table->setSortingEnabled(true);
    m_table->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->setColumnHidden(CandidateModel::markColumn, true); // written after the name
    m_table->setItemDelegate(new CandidateDelegate(theme(), m_table));
    m_table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    fitCandidates();
    connect(&theme(), &Theme::changed, this, &ExplorePage::fitCandidates);
    m_nothing = new EmptyNote(*m_table);
    layout->addWidget(m_table, 1);
    auto* foot = new QHBoxLayout;
    m_rejected->setProperty("type", u"tick"_s);
    m_rejected->setProperty("role", u"tertiary"_s);
    m_rejected->setWordWrap(true);
    foot->addWidget(m_rejected, 1);
    foot->addWidget(m_makeScenario, 0, Qt::AlignBottom);
    showWhileEditable(*m_makeScenario, theme());
    layout->addLayout(foot);
    const auto make = [this] { apply(m_model->candidateAt(m_table->currentIndex().row())); };
    connect(m_makeScenario, &QPushButton::clicked, this, make);
    connect(m_table, &QTableView::doubleClicked, this, make);
    for (const Qt::Key key : {Qt::Key_Return, Qt::Key_Enter}) {
        auto* enter = new QShortcut(QKeySequence(key), m_table);
        enter->setContext(Qt::WidgetShortcut);
        connect(enter, &QShortcut::activated, this, make);
    }
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& now) {
        const int candidate = m_model->candidateAt(now.row());
        m_scatter->setHighlighted(candidate >= 0 ? QString::number(candidate) : QString());
        statesShown();
    });
    return m_tableCard;
}

ResultToken ExplorePage::requested() const
{
    return token(u"explore/%1/%2"_s.arg(m_ranges->text().simplified(), kObjectives.value(m_objective->current())));
}

void ExplorePage::search()
{
    const SnapshotPtr s = snapshot();
    if (!s || !context().evaluator)
        return;
    const Result<SearchSpace> space = searchSpaceOf(m_ranges->text(), s->scenario);
    m_problem->setVisible(!space.ok());
    restyle(m_ranges, "state", space.ok() ? QString() : u"error"_s);
    if (!space.ok()) {
        const Diagnostic invalid = space.errors().front();
        m_problem->setText(QString::fromStdString(invalid.message + (invalid.accepted.empty() ? "" : " Accepted: " + invalid.accepted)));
        return;
    }
    ExploreQuery query;
    query.space = *space;
    query.objective = *exploreObjective(kObjectives.value(m_objective->current()).toStdString());
    if (m_search.status().cancelled)
        m_search.stop(); // requested again: it resumes from the stored records
    m_round = context().insights ? context().insights->round() : 0;
    request(m_search, requested(), tr("Search"), [query](Evaluator& evaluator, const Snapshot& of, const InsightOptions& options) {
        return keptSearch(evaluator, of.scenario, query, options);
    });
    refresh();
}

void ExplorePage::setAxis(const Parameter& parameter, const QStringList& values)
{
    m_ranges->setText(withAxis(m_ranges->text(), parameter, values));
}

void ExplorePage::contextChanged()
{
    m_search.want(requested());
    if (m_search.status().cancelled && context().insights && context().insights->round() != m_round)
        return search(); // the user pressed Compute in the bar below
    refresh();
}

void ExplorePage::apply(int candidate)
{
    const Exploration* found = m_search.value();
    const ScenarioEntry* entry = context().study ? context().study->entry(context().currentId) : nullptr;
    if (!found || !entry || !isCurrent(m_search) || candidate < 0 || candidate >= static_cast<int>(found->candidates.size()))
        return;
    Result<Scenario> scenario = candidateScenario(*entry->scenario, found->candidates[static_cast<std::size_t>(candidate)]);
    if (!scenario.ok())
        return;
    scenario->name = context().study->freeName(QString::fromStdString(scenario->name)).toStdString();
    const QString undo = tr("Take %1").arg(QString::fromStdString(scenario->name));
    context().study->addScenario(std::move(scenario).value(), undo, entry->id);
}

void ExplorePage::compareBoth()
{
    if (const Exploration* found = m_search.value()) {
        const int byMean = static_cast<int>(found->bestByMean);
        const int from = context().currentId;
        apply(byMean);
        context().study->setCurrent(from);
        apply(0);
    }
}

void ExplorePage::fitCandidates()
{
    QHeaderView& header = *m_table->horizontalHeader();
    m_table->verticalHeader()->setDefaultSectionSize(theme().px(metric::row));
    m_table->resizeColumnsToContents();
    header.setMinimumSectionSize(theme().px(kMinColumn)); // numbers leave their room to the names
    header.setSectionResizeMode(CandidateModel::nameColumn, QHeaderView::Stretch);
}

void ExplorePage::highlight(int point)
{
    const int row = m_model->rowOf(point);
    if (row >= 0)
        m_table->selectRow(row);
}

void ExplorePage::refresh()
{
    const Exploration* found = m_search.value();
    const ShownScenario* s = scenario();
    m_start->setText(m_search.status().cancelled ? tr("Continue") : tr("Search"));
    m_problem->setVisible(m_problem->isVisible() && m_ranges->property("state") == u"error"_s);
    if (found && (!m_shown || found != m_shown.get())) {
        m_shown = std::make_shared<const Exploration>(*found);
        int present = -1;
        for (std::size_t i = 0; i < found->candidates.size() && s && s->snapshot; ++i)
            if (present < 0 && isCandidate(s->snapshot->scenario, found->candidates[i]))
                present = static_cast<int>(i);
        const ExploreCandidate now = s && s->snapshot ? candidateOf(*s->snapshot) : ExploreCandidate();
        m_model->setExploration(m_shown, present, now.p95, now.tokensPerStep);
        fitCandidates();
        m_table->selectRow(0);
    }
    m_count->setText(found ? tr("%1 of %2 fit, %3 sampled")
                                 .arg(format::count(found->fitting), format::count(found->points),
                                      format::count(static_cast<qint64>(found->candidates.size())))
                           : QString());
    refreshNote();
    refreshRejected();
    refreshScatter();
    statesShown();
}

void ExplorePage::statesShown()
{
    const InsightStatus now = m_search.status();
    const bool requested = now.runs || now.waits || now.cancelled || !now.error.isEmpty();
    const bool current = isCurrent(m_search);
    m_start->setEnabled(snapshot() != nullptr && stateOf(scenario()) == PageState::current);
    m_compare->setEnabled(current);
    m_makeScenario->setEnabled(current && m_model->candidateAt(m_table->currentIndex().row()) >= 0);
    const bool invalid = stateOf(scenario()) == PageState::invalid;
    m_nothing->showMessage(requested ? m_scatter->message()
                           : invalid ? textOf(PageState::invalid, false, {}).message
                                     : tr("Press Search: it lists the layouts that fit, the best first."));
}

void ExplorePage::refreshNote()
{
    const Exploration* found = m_search.value();
    const bool differ = found && found->bestByMean != 0;
    m_compare->setVisible(differ && theme().isEditable());
    m_noteCard->setVisible(!found || differ); // else the answer and the first row show it
    if (!differ) {
        m_note->setText(
            tr("Search tries every layout of the ranges without noise, samples the promising ones until their order is known, and "
               "says what choosing by the mean would cost."));
        return;
    }
    const ExploreCandidate& best = found->candidates.front();
    const ExploreCandidate& mean = found->candidates[found->bestByMean];
    const double price = best.score.value > 0 ? found->priceOfMean.value / best.score.value : 0;
    const bool clear = found->priceOfMean.significant();
    m_note->setText(clear ? tr("Mean-best and best differ: choosing %1 for its mean costs %2 against %3.")
                                .arg(candidateName(mean), format::percentDelta(price), candidateName(best))
                          : tr("Mean-best and best differ (%1, %2), by less than is known.").arg(candidateName(mean), candidateName(best)));
}

void ExplorePage::refreshRejected()
{
    QStringList parts;
    const Exploration* found = m_search.value();
    if (found) {
        int reported = 0;
        std::int64_t rest = 0;
        for (const ExploreRejection& r : found->rejected)
            if (++reported <= kReportedReasons)
                parts << u"%1 %2"_s.arg(format::count(r.count), QString::fromStdString(r.reason).section(u": "_s, -1));
            else
                rest += r.count;
        if (rest > 0)
            parts << tr("%1 for other reasons").arg(format::count(rest));
    }
    m_rejected->setText(parts.isEmpty() ? QString() : format::sentence(tr("Left out: %1").arg(parts.join(u"; "_s))));
    QStringList examples;
    if (found)
        for (const ExploreRejection& r : found->rejected)
            examples << u"%1 %2 (%3)"_s.arg(format::count(r.count), QString::fromStdString(r.reason), QString::fromStdString(r.example));
    m_rejected->setToolTip(examples.join(u'\n'));
}

void ExplorePage::refreshScatter()
{
    const Exploration* found = m_search.value();
    const AxisMetric &x = kMetrics[std::max(m_xMetric->currentIndex(), 0)], &y = kMetrics[std::max(m_yMetric->currentIndex(), 0)];
    ScatterData data;
    const auto titleOf = [this](const AxisMetric& metric) {
        return metric.isTime && m_model->isPerToken() ? tr("%1 per million tokens").arg(tr(metric.name)) : tr(metric.name);
    };
    const auto shown = [this](const AxisMetric& metric, const ExploreCandidate& c) {
        return metric.isTime ? m_model->timeOf(metric.value(c), c.tokensPerStep) : metric.value(c);
    };
    data.xTitle = titleOf(x);
    data.yTitle = titleOf(y);
    data.moreIsBetterX = x.moreIsBetter;
    data.moreIsBetterY = y.moreIsBetter;
    data.series = scenario() ? scenario()->colour : 0;
    ChartText text;
    text.title = tr("%1 over %2").arg(data.yTitle.section(u',', 0, 0), data.xTitle.section(u',', 0, 0));
    if (found) {
        for (std::size_t i = 0; i < found->candidates.size(); ++i) {
            const ExploreCandidate& c = found->candidates[i];
            const QString mark = m_model->markOf(static_cast<int>(i)), equal = equalText(c);
            QStringList notes{tr("n = %1").arg(format::count(c.samples))};
            if (!equal.isEmpty())
                notes << equal;
            const Estimate atX = shown(x, c), atY = shown(y, c);
            data.points.push_back({QString::number(i), candidateName(c), atX.value, atY.value, atX.halfWidth, atY.halfWidth, c.pareto, mark,
                                   mark.contains(tr("now")), notes});
        }
        const SnapshotPtr now = snapshot();
        const bool isListed = std::ranges::any_of(data.points, &ScatterPoint::outlined);
        if (const int metrics = std::max(m_xMetric->currentIndex(), m_yMetric->currentIndex());
            now && !isListed && metrics <= kLastOfStep) {
            const ExploreCandidate own = candidateOf(*now);
            const Estimate atX = shown(x, own), atY = shown(y, own);
            data.points.push_back(
                {u"now"_s, tr("present scenario"), atX.value, atY.value, atX.halfWidth, atY.halfWidth, false, tr("now"), true, {}});
        }
        text.footer << tr("seed %1, common random numbers, up to 4,096 steps each; searched in %2 s.")
                           .arg(found->seed)
                           .arg(format::number(found->elapsedSeconds, 2));
        if (m_model->isPerToken())
            text.footer << tr("Batches differ: times are per million tokens.");
        if (found->cut)
            text.footer << tr("The most that may be sampled was reached before the order was known.");
    }
    m_scatter->setData(data);
    m_scatter->setText(text);
    const auto status = [this] {
        InsightStatus now = m_search.status();
        if (!now.hasAnswer && !now.waits && !now.runs && !now.cancelled && now.error.isEmpty())
            now.hasAnswer = now.isCurrent = true; // nothing was requested
        return now;
    };
    present({m_scatter, status, tr("Searching"), data.points.empty() ? tr("Press Search.") : QString()});
    present({m_tableCard, status});
    if (found) // before, it holds a hint
        present({m_noteCard, status});
}

TableData ExplorePage::asTable() const
{
    return m_model->table();
}

QJsonObject ExplorePage::saveState() const
{
    return {{u"ranges"_s, m_ranges->text()},
            {u"objective"_s, m_objective->current()},
            {u"x"_s, m_xMetric->currentIndex()},
            {u"y"_s, m_yMetric->currentIndex()}};
}

void ExplorePage::restoreState(const QJsonObject& state)
{
    m_ranges->setText(state[u"ranges"_s].toString().left(2000));
    m_objective->setCurrent(std::clamp(state[u"objective"_s].toInt(2), 0, 4));
    m_xMetric->setCurrentIndex(std::clamp(state[u"x"_s].toInt(0), 0, 4));
    m_yMetric->setCurrentIndex(std::clamp(state[u"y"_s].toInt(1), 0, 4));
}

QString ExplorePage::answer() const
{
    const Exploration* found = m_search.value();
    const SnapshotPtr now = snapshot();
    if (!found || !now || !(now->across.p95 > 0))
        return {};
    const bool isPresentBest = m_model->present() == 0;
    if (isPresentBest && found->candidates.size() == 1)
        return found->fitting > 1 ? tr("Keep the present layout: no other one of these ranges was worth sampling.")
                                  : tr("Keep the present layout: no other one of these ranges fits.");
    const ExploreCandidate& best = found->candidates[isPresentBest ? 1 : 0];
    const Estimate change = m_model->change(best);
    const QString p95 = format::seconds(m_model->timeOf(best.p95, best.tokensPerStep).value).text();
    const bool byP95 = found->query.objective.metric == ExploreObjective::Metric::p95;
    const bool isBetter = !isPresentBest && (!byP95 || (change.significant() && change.value < 0));
    return (isBetter ? tr("Take %1: p95 %2, %3 against now, and %4 of memory.")
                     : tr("Keep the present layout: the best other one, %1, has p95 %2, %3 against now, and %4 of memory."))
        .arg(candidateName(best), m_model->isPerToken() ? tr("%1 per million tokens").arg(p95) : p95, format::percentChange(change),
             format::gib(best.peakMemoryGib).text());
}

} // namespace prism::ui
