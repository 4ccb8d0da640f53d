// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/validate/tracepage.h"

#include "ui/validate/changecard.h"

#include "core/base/outputfile.h"
#include "core/insight/onestep/sampletrace.h"
#include "core/stats/moments.h"
#include "ui/findings/measuredchange.h"
#include "ui/look/format.h"
#include "ui/pages/card.h"
#include "ui/pages/dropzone.h"
#include "ui/theme/rescale.h"
#include "ui/theme/plaintext.h"
#include "ui/theme/barelayout.h"

#include <QFileInfo>
#include <QFrame>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kMaxPools = 400; // rows of the table; the longest in total come first
enum PoolColumn { signatureColumn, countColumn, meanColumn, cvColumn, familyColumn, ksColumn, kPoolColumns };

double cvOf(const DurationPool& pool)
{
    const double mean = meanOf(pool.seconds);
    return mean > 0 ? std::sqrt(varianceOf(pool.seconds)) / mean : 0;
}

QTableWidget* table(const QString& name, const QStringList& header)
{
    auto* made = new QTableWidget(0, static_cast<int>(header.size()));
    made->setHorizontalHeaderLabels(header);
    made->setAccessibleName(name);
    made->setEditTriggers(QAbstractItemView::NoEditTriggers);
    made->setSelectionBehavior(QAbstractItemView::SelectRows);
    made->setSelectionMode(QAbstractItemView::SingleSelection);
    made->setShowGrid(false);
    made->verticalHeader()->hide();
    return made;
}

/// One step has no error.
QString savedText(const Repair& repair, const format::TimeUnit& unit)
{
    const QString half = repair.seconds.size() > 1 ? u' ' + format::plainInterval(repair.saved.halfWidth * unit.perSecond) : QString();
    return format::number(repair.saved.value * unit.perSecond) + half + u' ' + unit.name;
}

/// A sentence of the core as a line of its own.
QString asLine(const std::string& text)
{
    const QString line = format::sentence(QString::fromStdString(text));
    return line.left(1).toUpper() + line.mid(1);
}

void setRow(QTableWidget& table, int row, const QStringList& cells)
{
    for (int column = 0; column < cells.size(); ++column) {
        auto* item = new QTableWidgetItem(cells[column]);
        item->setToolTip(cells[column]);
        item->setTextAlignment((column == 0 ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
        table.setItem(row, column, item);
    }
}

} // namespace

QString traceSentence(const TraceFound& found)
{
    const Repairs* repairs = repairsOf(found);
    if (!repairs && !found.job)
        return QObject::tr("%1 pools of durations; collectives and host gaps by rank.")
            .arg(format::count(static_cast<qint64>(found.pools.size())));
    if (!repairs)
        return QObject::tr("%1 steps were read, and they are too unlike to be run again.")
            .arg(format::count(static_cast<qint64>(found.job->job->steps.size())));
    const Repairs& r = *repairs;
    const QString workers =
        format::count(found.profile ? static_cast<qint64>(found.profile->model.ranks.size()) : found.job->job->workers());
    const auto nameOf = [&](const SlowWorker& w) {
        return found.profile ? QObject::tr("rank %1").arg(w.replica)
                             : QObject::tr("replica %1, stage %2")
                                   .arg(found.job->job->replicaNumbers[static_cast<std::size_t>(w.replica)])
                                   .arg(w.stage);
    };
    const QString slow = r.slow.empty() ? QObject::tr("No worker is slower than the median of its peers by 3 %")
                         : r.slow.size() == 1
                             ? QObject::tr("One of %1 workers is slow: %2, %3 of the median")
                                   .arg(workers, nameOf(r.slow.front()), format::factor(r.slow.front().factor))
                             : QObject::tr("%1 of %2 workers are slow").arg(format::count(static_cast<qint64>(r.slow.size())), workers);
    if (r.repairs.empty() || !(r.before.mean > 0))
        return slow + u'.';
    const auto best =
        std::find_if(r.repairs.begin(), r.repairs.end(), [](const Repair& repair) { return repair.saved.value > repair.saved.halfWidth; });
    if (best == r.repairs.end())
        return QObject::tr("%1; no repair saves more than its error.").arg(slow);
    return (best->seconds.size() > 1 ? QObject::tr("%1; the largest significant saving is %2 a step (%3): %4.")
                                     : QObject::tr("%1; the largest saving in the one step is %2 (%3): %4."))
        .arg(slow, savedText(*best, format::timeUnit(best->saved.value)), format::percent(best->saved.value / r.before.mean),
             format::sentence(QString::fromStdString(best->text)).section(u" ("_s, 0, 0));
}

TracePage::TracePage(const Theme& theme, QWidget* parent)
    : InsightPage(theme, parent),
      m_change(new ChangeCard(theme, tr("trace"))),
      m_open(new QPushButton(tr("Open a trace…"))),
      m_make(new QPushButton(tr("Make scenario"))),
      m_filter(new QLineEdit),
      m_sentence(plainLabel()),
      m_recognised(plainLabel()),
      m_workers(new HeatMap(theme)),
      m_histogram(new PoolChart(theme)),
      m_pools(table(tr("Pools of durations"), {tr("Pool"), tr("Values"), tr("Mean"), tr("CV"), tr("Family"), u"KS"_s})),
      m_repairs(table(tr("Slowdowns and what a repair brings"), {tr("What"), u"S"_s, tr("Step p50"), tr("Step p95"), tr("Saves")}))
{
    buildTools();
    m_drop = new DropZone(theme, {tr("Drop a trace here"),
                                  tr("A stage table, a folder of pipeline events, or profiler traces (Kineto), plain or gzip"),
                                  tr("Open a trace…"),
                                  tr("A few steps of three replicas of this scenario, one of them with a slow stage to be found"),
                                  {tr("The trace is read on this computer; nothing is sent anywhere."),
                                   tr("Slow workers and stages are named, with what a repair of each would bring."),
                                   tr("Make scenario takes layout, levels and spreads of the trace, if you want it.")}});
    connect(m_drop, &DropZone::openRequested, this, &TracePage::openRequested);
    connect(m_drop, &DropZone::sampleRequested, this, &TracePage::openSample);
    m_content = new QWidget;
    auto* main = new QWidget;
    auto* places = new QVBoxLayout(main);
    places->setContentsMargins(0, 0, 0, 0);
    places->addWidget(m_drop);
    places->addWidget(m_content);
    auto* layout = bareLayout<QVBoxLayout>(m_content, theme.px(metric::cardGap));
    layout->addWidget(buildNote());
    layout->addWidget(m_workers, 5);
    m_repairsCard = buildRepairs();
    layout->addWidget(m_repairsCard, 4);
    layout->addWidget(m_change, 5);
    setCards(main, buildPools(), 0.46);
    m_noPools = new EmptyNote(*m_pools);
    m_noRepairs = new EmptyNote(*m_repairs);
    fitTables();
    m_workers->setObjectName(u"traceWorkers"_s);
    m_histogram->setObjectName(u"poolHistogram"_s);
    setExported({m_workers, m_histogram});
    connect(m_open, &QPushButton::clicked, this, &TracePage::openRequested);
    showWhileEditable(*m_make, theme);
    connect(m_make, &QPushButton::clicked, this, &TracePage::makeScenario);
    connect(m_pools, &QTableWidget::currentCellChanged, this, [this] { refreshHistogram(); });
    connect(m_filter, &QLineEdit::textChanged, this, [this] {
        refreshPools();
        statesShown();
    });
    refresh();
}

void TracePage::buildTools()
{
    addTools({m_open, m_change->tool()});
    connect(m_change, &ChangeCard::chooseRequested, this, &TracePage::compareRequested);
    connect(m_change, &ChangeCard::endRequested, this, [this] { compareWith({}); });
    m_make->setToolTip(tr("Adds a scenario with the layout, levels, spreads and slow workers of the trace"));
    addTools({m_make});
}

void TracePage::fitTables()
{
    for (QTableWidget* table : {m_pools, m_repairs}) {
        keepColumnsFitted(*table, theme());
        alignHeadings(*table, {0});
        table->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Ignored); // as high as there is room
        table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    }
    m_pools->setTextElideMode(Qt::ElideMiddle); // names of one operation differ at their ends: "backward-compute, stage 12"
    m_pools->setWordWrap(false);                // a wrapped name is cut at its end
    const auto hideFamily = [this] {            // after the resizing, else its neighbour takes its width
        constexpr int kRoomForAll = 560;        // the family of the picked pool is above its histogram, too
        m_pools->setColumnHidden(familyColumn, m_pools->width() < theme().px(kRoomForAll));
    };
    connect(m_pools->horizontalHeader(), &QHeaderView::sectionResized, this, hideFamily, Qt::QueuedConnection);
    wrapCells(*m_repairs, theme());
}

QWidget* TracePage::buildNote()
{
    auto* card = new QFrame;
    card->setProperty("message", u"note"_s);
    auto* note = new QVBoxLayout(card);
    note->setContentsMargins(theme().px(12), theme().px(8), theme().px(12), theme().px(8));
    m_sentence->setWordWrap(true);
    m_sentence->setProperty("type", u"strong"_s);
    m_recognised->setWordWrap(true);
    m_recognised->setProperty("type", u"tick"_s);
    m_recognised->setProperty("role", u"secondary"_s);
    note->addWidget(m_sentence);
    note->addWidget(m_recognised);
    return card;
}

QWidget* TracePage::buildPools()
{
    auto* column = new QWidget;
    auto* layout = bareLayout<QVBoxLayout>(column, theme().px(metric::cardGap));
    auto* card = new QFrame;
    QVBoxLayout* cardLayout = makeCard(*card, theme());
    auto* head = new QHBoxLayout;
    head->addWidget(cardText(u"title"_s, {}, tr("Pools of durations")), 1);
    m_filter->setPlaceholderText(tr("Find a pool"));
    m_filter->setAccessibleName(tr("Find a pool"));
    m_filter->setAcceptDrops(false); // a file that is dropped here is the window's
    head->addWidget(m_filter);
    cardLayout->addLayout(head);
    m_pools->setObjectName(u"pools"_s);
    cardLayout->addWidget(m_pools, 1);
    layout->addWidget(m_histogram, 4);
    layout->addWidget(card, 5);
    return column;
}

QWidget* TracePage::buildRepairs()
{
    auto* card = new QFrame;
    QVBoxLayout* layout = makeCard(*card, theme());
    layout->addWidget(cardText(u"title"_s, {}, tr("Slowdowns, and what a repair brings")));
    m_repairs->setObjectName(u"repairs"_s);
    layout->addWidget(m_repairs, 1);
    return card;
}

void TracePage::openTrace(const QString& path)
{
    m_path = path;
    m_found.forget();
    compareWith({});
}

void TracePage::compareWith(const QString& path)
{
    m_change->setAfter(path);
    m_change->ask(
        context().insights, contentId(m_path),
        [before = m_path, after = path](const InsightOptions& options) { return recordingChangesOf(before, after, options); },
        [this] { refresh(); });
    ask();
    refresh();
}

void TracePage::openSample()
{
    const SnapshotPtr s = snapshot();
    if (!s)
        return;
    if (!m_sampleFolder)
        m_sampleFolder = std::make_unique<QTemporaryDir>();
    const QString path = m_sampleFolder->filePath(tr("Sample trace, made from the scenario"));
    m_sample.ask(
        context().insights, this, token(u"sampletrace"_s), tr("Making a sample trace"),
        [s, path](const InsightOptions& options) -> Result<std::string> {
            const Result<SampleTrace> made = sampleTrace(s->scenario, options);
            if (!made.ok())
                return made.errors();
            if (Diagnostics problems = writeFile(path.toStdString(), made->table, Flush::no); hasErrors(problems))
                return problems;
            return made->sentence;
        },
        [this, path] {
            if (m_sample.value())
                openTrace(path);
            refresh();
        });
}

void TracePage::ask()
{
    const SnapshotPtr s = snapshot();
    if (m_path.isEmpty() || !s || m_found.value() || !m_found.error().isEmpty())
        return; // one reading for one trace: another scenario does not change what was recorded
    m_found.ask(
        context().insights, this, ResultToken{{}, s->seed, u"trace/"_s + contentId(m_path)}, tr("Reading the trace"),
        [path = m_path, base = s->scenario](const InsightOptions& options) { return traceFound(path, base, options); },
        [this] { refresh(); });
}

void TracePage::contextChanged()
{
    ask();
    refresh();
}

void TracePage::makeScenario()
{
    const TraceFound* found = m_found.value();
    if (!found || !found->imported || !context().study)
        return;
    Scenario made = *found->imported;
    made.name = context().study->freeName(tr("%1, from its trace").arg(found->name)).toStdString();
    made.note = found->notes.mid(0, 3).join(u' ').toStdString();
    context().study->addScenario(std::move(made), tr("Import %1").arg(found->name), context().currentId);
}

void TracePage::refreshWorkers()
{
    const TraceFound* found = m_found.value();
    HeatData data;
    ChartText text;
    text.title = tr("Workers, persistent time over the median of their peers");
    std::vector<double> factors;
    std::size_t steps = 0;
    if (found && found->profile) {
        const ProfileModel& model = found->profile->model;
        factors = rankFactors(model);
        steps = model.steps.size();
        data.rows = 1;
        data.columnTitle = tr("Rank");
        data.rowLabels << QString();
        for (const int rank : model.ranks)
            data.columnLabels << QString::number(rank);
        text.footer << tr("Faster kernels or collectives: prism-cli trace predict %1 --repair faster:WORDS=FACTOR").arg(found->name);
    } else if (found && found->job) {
        const TraceJob& job = *found->job->job;
        factors = found->job->workerFactors;
        steps = job.steps.size();
        data.rows = job.replicas;
        data.rowTitle = tr("Replica");
        data.columnTitle = tr("Stage");
        for (const int replica : job.replicaNumbers)
            data.rowLabels << QString::number(replica);
        for (int c = 0; c < job.stages; ++c)
            data.columnLabels << QString::number(c);
    }
    data.columns = static_cast<int>(data.columnLabels.size());
    for (std::size_t w = 0; w < factors.size(); ++w) {
        data.cells.push_back({true, std::max(1.0, factors[w]), 0, tr("%1 of the median").arg(format::factor(factors[w]))});
        if (factors[w] >= kSlowWorker)
            data.marked << static_cast<int>(w);
    }
    data.markedLabel = tr("slow");
    if (factors.empty())
        data = {};
    else
        text.footer << (found->profile ? tr("Steps: %1. Slow: %2 and more.") : tr("Steps: %1, without sampling noise. Slow: %2 and more."))
                           .arg(format::count(static_cast<qint64>(steps)), format::factor(kSlowWorker));
    m_workers->setData(data);
    m_workers->setText(text);
}

void TracePage::refreshPools()
{
    const TraceFound* found = m_found.value();
    const QSignalBlocker quiet(m_pools);
    m_pools->setRowCount(0);
    for (std::size_t i = 0; found && i < found->pools.size() && m_pools->rowCount() < kMaxPools; ++i) {
        const DurationPool& pool = found->pools[i];
        const QString name = QString::fromStdString(pool.signature);
        if (!name.contains(m_filter->text(), Qt::CaseInsensitive))
            continue;
        const int row = m_pools->rowCount();
        m_pools->insertRow(row);
        setRow(*m_pools, row,
               {name, format::count(static_cast<qint64>(pool.seconds.size())), format::seconds(meanOf(pool.seconds)).text(),
                format::percent(cvOf(pool)), QString::fromStdString(pool.standIn()),
                pool.fit ? format::number(pool.fit->ksDistance, 2) : u"–"_s});
        m_pools->item(row, signatureColumn)->setData(Qt::UserRole, static_cast<int>(i));
        if (!pool.warning.empty())
            m_pools->item(row, familyColumn)->setToolTip(QString::fromStdString(pool.warning));
    }
    m_pools->resizeColumnsToContents();
    m_pools->horizontalHeader()->setSectionResizeMode(signatureColumn, QHeaderView::Stretch);
    if (m_pools->rowCount() > 0)
        m_pools->selectRow(0);
    refreshHistogram();
}

void TracePage::pickPool(int pool)
{
    for (int row = 0; row < m_pools->rowCount(); ++row)
        if (m_pools->item(row, signatureColumn)->data(Qt::UserRole).toInt() == pool)
            m_pools->selectRow(row);
}

void TracePage::refreshHistogram()
{
    const TraceFound* found = m_found.value();
    const QTableWidgetItem* item = m_pools->item(m_pools->currentRow(), signatureColumn);
    PoolData data;
    ChartText text;
    text.title = tr("Durations of the picked pool");
    data.series = scenario() ? scenario()->colour : 0;
    if (found && item) {
        const DurationPool& pool = found->pools[static_cast<std::size_t>(item->data(Qt::UserRole).toInt())];
        data.histogram = poolHistogram(pool);
        text.subtitle = QString::fromStdString(pool.signature);
        text.footer << tr("n = %1").arg(format::count(static_cast<qint64>(pool.seconds.size())));
        if (pool.fit) {
            data.family = tr("%1, CV %2")
                              .arg(QString::fromStdString(std::string(familyName(pool.fit->distribution.family))),
                                   format::percent(pool.fit->distribution.cv));
            text.footer.back() +=
                tr("; KS distance %1, p = %2").arg(format::number(pool.fit->ksDistance, 2), format::number(pool.fit->ksPValue, 2));
        }
        if (!pool.warning.empty())
            text.footer << asLine(pool.warning);
    }
    m_histogram->setData(data);
    m_histogram->setText(text);
}

void TracePage::refreshRepairs()
{
    const TraceFound* found = m_found.value();
    m_repairs->setRowCount(0);
    if (!found)
        return;
    const auto add = [this](const QStringList& cells) {
        m_repairs->insertRow(m_repairs->rowCount());
        setRow(*m_repairs, m_repairs->rowCount() - 1, cells);
    };
    if (const auto& p = found->profile)
        add({p->model.ranks.size() == 1 ? tr("Forecast, 1 rank") : tr("Forecast, %1 ranks").arg(format::count(std::ssize(p->model.ranks))),
             {},
             format::seconds(p->forecast.p50).text(),
             format::seconds(p->forecast.p95).text(),
             {}});
    if (const Repairs* r = repairsOf(*found)) {
        add({tr("As measured"), {}, format::seconds(r->before.p50).text(), format::seconds(r->before.p95).text(), {}});
        for (const Repair& repair : r->repairs)
            add({asLine(repair.text),
                 {},
                 format::seconds(repair.after.p50).text(),
                 format::seconds(repair.after.p95).text(),
                 savedText(repair, format::timeUnit(r->repairs.front().saved.value))});
    }
    if (found->job && found->job->slowdowns) {
        const auto& w = found->job->slowdowns;
        add({tr("All operations of a type equally long: slowdown S"), format::number(w->slowdown, 4), {}, {}, {}});
        for (const auto& [type, slowdown] : w->byType)
            add({tr("S of %1").arg(QString::fromStdString(type)), format::number(slowdown, 4), {}, {}, {}});
        for (std::size_t stage = 0; stage < w->byStage.size(); ++stage)
            add({tr("S of stage %1").arg(stage), format::number(w->byStage[stage], 4), {}, {}, {}});
    }
    m_repairs->resizeColumnsToContents();
    m_repairs->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
}

void TracePage::statesShown()
{
    const TraceFound* found = m_found.value();
    const QString state = m_workers->message();
    m_noPools->showMessage(!found                 ? state
                           : found->pools.empty() ? tr("These traces hold no durations.")
                                                  : tr("No pool has these words in its name."));
    m_noRepairs->showMessage(state.isEmpty() ? tr("The steps are too unlike to be run again.") : state);
}

void TracePage::refresh()
{
    const TraceFound* found = m_found.value();
    const ResultToken& shown = m_found.shown();
    m_make->setEnabled(found && found->imported);
    m_sentence->setText(m_found.error().isEmpty() ? QString() : format::sentence(m_found.error())); // what was found is the page's answer
    m_sentence->setVisible(!m_sentence->text().isEmpty());
    const bool isSample = m_sample.value() && m_sampleFolder && m_path.startsWith(m_sampleFolder->path());
    m_recognised->setText((found ? recognisedText(*found) : QString())
                          + (found && isSample ? u' ' + QString::fromStdString(*m_sample.value()) : QString()));
    m_drop->setProblem(m_sample.error());
    m_drop->sample().setEnabled(snapshot() != nullptr);
    const bool waits = m_path.isEmpty();
    m_drop->setVisible(waits);
    m_content->setVisible(!waits);
    showSide(!waits && !m_change->isOn());
    for (QPushButton* tool : {m_open, m_make})
        tool->parentWidget()->setVisible(!waits);
    m_recognised->setToolTip(found ? found->notes.join(u'\n') : QString());
    if (!found || !(shown == m_shown)) {
        m_shown = found ? shown : ResultToken();
        refreshWorkers();
        refreshPools();
        refreshRepairs();
    }
    const auto status = [this] {
        InsightStatus now = m_found.status();
        if (m_path.isEmpty())
            now.hasAnswer = now.isCurrent = true; // nothing was requested
        return now;
    };
    const bool nothing = m_path.isEmpty();
    present({m_workers, status, tr("Reading the trace"),
             nothing                                ? tr("No trace is open.")
             : found && m_workers->itemCount() == 0 ? tr("These traces do not say which worker did what.")
                                                    : QString()});
    present({m_histogram, status, tr("Reading the trace"), nothing || m_histogram->itemCount() == 0 ? tr("Pick a pool.") : QString()});
    present({m_drop, status});
    present({m_change, [this] { return m_change->status(); }});
    m_repairsCard->setVisible(!m_change->isOn());
    m_change->refresh(QFileInfo(m_path).fileName());
    statesShown();
}

TableData TracePage::asTable() const
{
    if (m_change->report())
        return m_change->asTable();
    TableData table;
    table.header = {u"pool"_s, u"values"_s, u"mean [s]"_s, u"cv"_s, u"family"_s, u"KS distance"_s, u"KS p"_s, u"remark"_s};
    if (const TraceFound* found = m_found.value())
        for (const DurationPool& pool : found->pools)
            table.rows << QStringList{QString::fromStdString(pool.signature),
                                      QString::number(pool.seconds.size()),
                                      tableNumber(meanOf(pool.seconds)),
                                      tableNumber(cvOf(pool)),
                                      QString::fromStdString(pool.standIn()),
                                      pool.fit ? tableNumber(pool.fit->ksDistance) : QString(),
                                      pool.fit ? tableNumber(pool.fit->ksPValue) : QString(),
                                      QString::fromStdString(pool.warning)};
    return table;
}

QString TracePage::answer() const
{
    if (m_change->report())
        return changeSentence(*m_change->report());
    return found() ? traceSentence(*found()) : m_path.isEmpty() ? tr("Which worker is slow? Drop a trace to see.") : QString();
}

} // namespace prism::ui
