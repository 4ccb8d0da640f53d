// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/job/jobpage.h"

#include "core/scenario/parameters.h"
#include "ui/job/factscard.h"
#include "ui/look/dates.h"
#include "ui/look/format.h"
#include "ui/plot/jobwaterfall.h"
#include "ui/theme/rescale.h"
#include "ui/theme/fieldwidth.h"
#include "ui/theme/plaintext.h"
#include "ui/theme/segmented.h"
#include "ui/theme/barelayout.h"

#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include <cmath>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kMaxBars = 40, kMinBars = 11;
constexpr double kDateField = 112; // pixels at scale 1

QWidget* column(const Theme& theme, const QList<std::pair<QWidget*, int>>& parts)
{
    auto* made = new QWidget;
    auto* layout = bareLayout<QVBoxLayout>(made, theme.px(metric::cardGap));
    for (const auto& [part, stretch] : parts)
        layout->addWidget(part, stretch);
    return made;
}

} // namespace

JobPage::JobPage(const Theme& theme, QWidget* parent)
    : InsightPage(theme, parent),
      m_mode(new SegmentedControl(theme)),
      m_start(new QLineEdit),
      m_deadline(new QLineEdit),
      m_ends(new EndDateChart(theme)),
      m_losses(new StackedBarChart(theme)),
      m_intervals(new IntervalChart(theme)),
      m_useBest(new QPushButton),
      m_facts(new FactsCard(theme))
{
    buildTools();
    m_ends->setObjectName(u"endDates"_s);
    m_losses->setObjectName(u"losses"_s);
    m_intervals->setObjectName(u"intervals"_s);
    auto* overlay = new QVBoxLayout(m_intervals); // the button is in the chart's card, over its footer's right end
    overlay->setContentsMargins(0, 0, theme.px(12), theme.px(8));
    overlay->addStretch(1);
    overlay->addWidget(m_useBest, 0, Qt::AlignRight);
    setCards(column(theme, {{m_ends, 5}, {m_losses, 3}}), column(theme, {{m_intervals, 4}, {m_facts, 5}}), 0.36);
    setExported({m_ends, m_losses, m_intervals});
    connect(m_mode, &SegmentedControl::chosen, this, [this] { refreshEnds(); });
    connect(m_start, &QLineEdit::editingFinished, this, [this] {
        if (isCurrent(m_job) && m_start->isModified())
            set({{"job.start_date", m_start->text().trimmed().toStdString()}}, tr("Set the start of the job"));
    });
    connect(m_deadline, &QLineEdit::editingFinished, this, &JobPage::typeDeadline);
    connect(&theme, &Theme::changed, this, &JobPage::refreshIntervals);
    connect(&theme, &Theme::changed, this, &JobPage::refreshEnds); // in presentation mode no text asks to drag
    connect(m_ends, &EndDateChart::deadlineMoved, this, [this](double days) {
        m_dragged = days;
        refreshEnds();
    });
    connect(m_ends, &EndDateChart::deadlineReleased, this, [this] {
        if (m_dragged > 0 && isCurrent(m_job))
            set({{"job.deadline_days", tableNumber(m_dragged).toStdString()}}, tr("Move the deadline"));
        m_dragged = 0;
    });
    connect(m_ends, &EndDateChart::itemPicked, this, [this](int bar) {
        const EndDates& data = m_ends->data();
        if (!isCurrent(m_job))
            return;
        set({{"job.deadline_days", std::to_string(data.bars[static_cast<std::size_t>(bar)].day + data.daysPerBar)}},
            tr("Set the deadline"));
    });
    connect(m_useBest, &QPushButton::clicked, this, [this] { // 0 stands for the best interval, also after other edits
        set({{"job.checkpoint_interval_s", "0"}}, tr("Use the best checkpoint interval"));
    });
    refresh();
}

void JobPage::buildTools()
{
    m_mode->setChoices({tr("By day"), tr("Cumulative")});
    m_mode->setAccessibleName(tr("Runs per bar"));
    const auto named = [this](QLineEdit* field, const QString& name, const QString& hint) {
        auto* label = plainLabel(name, u"secondary"_s);
        label->setBuddy(field);
        field->setAccessibleName(name);
        field->setAcceptDrops(false); // a file that is dropped here is the window's
        field->setPlaceholderText(hint);
        field->setToolTip(hint);
        keepFieldWidth(*field, theme(), kDateField);
        addTools({label, field});
        showWhileEditable(*field->parentWidget(), theme());
    };
    addTools({m_mode});
    named(m_start, tr("Starts"), tr("2026-01-31"));
    named(m_deadline, tr("Deadline"), tr("date or days"));
}

void JobPage::set(const std::vector<std::pair<std::string, std::string>>& settings, const QString& undoText)
{
    StudyModel* study = context().study;
    const ScenarioEntry* entry = study ? study->entry(context().currentId) : nullptr;
    if (!entry)
        return;
    Scenario next = *entry->scenario;
    for (const auto& [path, value] : settings) {
        Result<Scenario> changed = setParameter(next, path, value);
        if (!changed.ok())
            return refreshFields();
        next = std::move(changed).value();
    }
    study->setScenario(entry->id, std::move(next), undoText);
}

void JobPage::typeDeadline()
{
    const JobReport* job = m_job.value();
    if (!job || !isCurrent(m_job) || !m_deadline->isModified())
        return;
    if (m_deadline->text().trimmed().isEmpty())
        set({{"job.deadline_days", "0"}}, tr("Remove the deadline"));
    else if (const std::optional<double> days = format::deadlineDays(m_deadline->text(), job->config.startDate))
        set({{"job.deadline_days", tableNumber(*days).toStdString()}}, tr("Set the deadline"));
    else {
        restyle(m_deadline, "state", u"error"_s);
        m_deadline->setToolTip(job->config.startDate.empty() ? tr("A number of days; dates need a start")
                                                             : tr("A date such as 14 March 2026, or days"));
    }
}

void JobPage::contextChanged()
{
    if (isEndless())
        m_job.forget();
    else
        request(m_job, token(u"job/%1"_s.arg(snapshot() ? snapshot()->across.samples : 0)), tr("The whole job"),
                [](Evaluator& evaluator, const Snapshot& s, InsightOptions options) {
                    options.samples = static_cast<int>(s.across.samples); // the steps that are already there
                    return jobOf(evaluator, s.scenario, JobQuery{}, options);
                });
    refresh();
}

bool JobPage::isEndless() const
{
    const SnapshotPtr s = snapshot();
    return s && s->valid() && !(s->daysToTrain > 0);
}

JobPage::Presented JobPage::presented(PlotBase& chart, const QString& nothing) const
{
    const QString endless = theme().isEditable()
                                ? tr("No number of tokens to train is set. Enter it at the left, under Training, to see days and cost.")
                                : tr("No number of tokens to train is set.");
    return {&chart, [this] { return isEndless() ? InsightStatus{.hasAnswer = true, .isCurrent = true} : m_job.status(); },
            tr("Sampling whole runs"), isEndless() ? endless : nothing};
}

double JobPage::deadlineDays() const
{
    const JobReport* job = m_job.value();
    return m_dragged > 0 ? m_dragged : job ? job->deadlineDays : 0;
}

void JobPage::refreshEnds()
{
    ChartText text;
    text.title = tr("When it will be done");
    EndDates data;
    data.cumulative = m_mode->current() == 1;
    if (const JobReport* job = m_job.value()) {
        const std::string& start = job->config.startDate;
        text.subtitle = start.empty()
                            ? tr("Half of all runs are done within %1 days, nine of ten between %2 and %3")
                                  .arg(format::number(job->p50Days.value), format::number(job->p5Days), format::number(job->p95Days.value))
                            : tr("Half of all runs end by %1, nine of ten between %2 and %3")
                                  .arg(format::dayOfRun(start, job->p50Days.value), format::dayOfRun(start, job->p5Days),
                                       format::dayOfRun(start, job->p95Days.value));
        text.footer << format::samplesAndSeed(job->runs, job->seed, tr("sampled runs"))
                           + (theme().isEditable() ? tr(". Drag the flag, press Shift with an arrow, or pick a bar.") : u"."_s);
        data.bars = dayShares(*job, kMaxBars, kMinBars);
        data.daysPerBar = daysPerBar(*job, kMaxBars);
        data.series = scenario() ? scenario()->colour : 0;
        data.start = start;
        // Without a deadline the flag is at the day by which half of the runs are done, to be dragged.
        data.deadlineDays = deadlineDays() > 0 ? deadlineDays() : std::ceil(job->p50Days.value);
        const Estimate done = doneWithin(*job, data.deadlineDays);
        data.flag = tr("P(done %1) = %2").arg(format::byDeadline(start, data.deadlineDays), format::percent(done.value));
        data.flagNote = tr("%1 points").arg(format::plainInterval(100 * done.halfWidth));
        if (deadlineDays() <= 0)
            data.flagNote += tr("; no deadline is set");
    }
    m_ends->setData(data);
    m_ends->setText(text);
    present(presented(*m_ends));
}

void JobPage::refreshFields()
{
    const JobReport* job = m_job.value();
    for (QLineEdit* field : {m_start, m_deadline}) {
        field->setEnabled(job != nullptr);
        restyle(field, "state", QString());
    }
    if (!job || m_start->hasFocus() || m_deadline->hasFocus())
        return;
    m_start->setText(QString::fromStdString(job->config.startDate));
    m_deadline->setText(job->deadlineDays <= 0 ? QString()
                        : job->config.startDate.empty()
                            ? tr("%1 days").arg(format::number(job->deadlineDays))
                            : format::dateAfter(job->config.startDate, job->deadlineDays - 1).toString(Qt::ISODate));
}

void JobPage::refreshIntervals()
{
    const JobReport* job = m_job.value();
    ChartText text;
    text.title = tr("Checkpoint interval");
    text.subtitle = tr("Days lost to writing and to work done twice");
    IntervalData data;
    data.series = scenario() ? scenario()->colour : 0;
    bool better = false;
    if (job) {
        data.cost = intervalCost(*job);
        const double gain = data.cost.used.lostDays - data.cost.best.lostDays;
        better = gain >= 0.005 && job->config.checkpointIntervalS > 0;
        text.footer << (data.cost.curve.empty() ? tr("Nothing fails.")
                        : better                ? tr("The best one ends %1 days sooner").arg(format::number(gain, 2))
                        : job->config.checkpointIntervalS > 0
                            ? tr("As good as the best one")
                            : tr("In use: the best one, %1").arg(format::span(data.cost.best.intervalSeconds)));
        m_useBest->setText(tr("Use %1").arg(format::span(data.cost.best.intervalSeconds)));
    }
    m_useBest->setVisible(better && theme().isEditable());
    m_intervals->setData(data);
    m_intervals->setText(text);
    present(presented(*m_intervals, tr("Nothing fails: no checkpoint is needed.")));
}

void JobPage::refresh()
{
    refreshEnds();
    refreshFields();
    refreshIntervals();
    const JobReport* job = m_job.value();
    const SnapshotPtr s = snapshot();
    ChartText text;
    text.title = tr("Where the days go");
    WaterfallData data;
    if (job && s && s->samples) {
        data = jobWaterfall(*job, s->samples->noiseFreeSeconds, scenario()->colour);
        text.title = tr("Where the %1 days go").arg(data.rows.back().metric);
        text.subtitle = tr("%1 of the time trains. The headline's %2 stop after step noise.")
                            .arg(format::percent(job->effectiveRatio.value), format::days(s->daysToTrain).text());
        text.footer << format::samplesAndSeed(job->runs, job->seed, tr("sampled runs"))
                           + tr(". Nine of ten runs take %1 days.").arg(data.rows.back().interval);
        m_facts->setFacts(jobFacts(*job));
        m_facts->setAssumptions(jobAssumptions(s->scenario, {job->config, job->presetAssumed, job->preset}));
    }
    m_losses->setVisible(!isEndless()); // the first card alone gives the reason
    m_facts->setVisible(job != nullptr);
    showSide(!isEndless());
    present({m_facts, [this] { return m_job.status(); }});
    m_losses->setData(data);
    m_losses->setText(text);
    present(presented(*m_losses));
    statesShown();
}

void JobPage::statesShown()
{
    m_useBest->setEnabled(isCurrent(m_job));
}

TableData JobPage::asTable() const
{
    TableData table;
    table.header = {u"figure"_s, u"value"_s, u"half-width 95 %"_s, u"unit"_s, u"source"_s};
    const JobReport* job = m_job.value();
    if (!job)
        return table;
    const auto row = [&](const QString& name, const Estimate& e, const QString& unit) {
        table.rows << QStringList{name, tableNumber(e.value), e.halfWidth > 0 ? tableNumber(e.halfWidth) : QString(), unit, QString()};
    };
    row(u"p5"_s, {job->p5Days, 0}, u"days"_s);
    row(u"p50"_s, job->p50Days, u"days"_s);
    row(u"p95"_s, job->p95Days, u"days"_s);
    if (deadlineDays() > 0)
        row(u"P(done within %1 days)"_s.arg(deadlineDays()), doneWithin(*job, deadlineDays()), u"1"_s);
    for (const WaterfallRow& loss : m_losses->data().rows)
        row(loss.label, {loss.value, 0}, u"days"_s);
    row(u"cost"_s, {job->costUsdMean, 0}, u"USD"_s);
    if (const SnapshotPtr s = snapshot())
        for (const JobAssumption& a : jobAssumptions(s->scenario, {job->config, job->presetAssumed, job->preset}))
            table.rows << QStringList{QString::fromStdString(a.path), QString::fromStdString(a.value), QString(), QString(),
                                      QString::fromStdString(a.source)};
    return table;
}

QJsonObject JobPage::saveState() const
{
    return {{u"mode"_s, m_mode->current()}};
}

void JobPage::restoreState(const QJsonObject& state)
{
    m_mode->setCurrent(state[u"mode"_s].toInt(0));
}

QString JobPage::answer() const
{
    const JobReport* job = m_job.value();
    if (!job)
        return {};
    const std::string& start = job->config.startDate;
    const double deadline = deadlineDays() > 0 ? deadlineDays() : std::ceil(job->p95Days.value);
    const QString half = start.empty() ? tr("within %1 days").arg(format::number(job->p50Days.value))
                                       : tr("by %1").arg(format::dayOfRun(start, job->p50Days.value));
    return tr("Half of the runs end %1; %2 of them end %3, for %4 on average.")
        .arg(half, format::percent(doneWithin(*job, deadline).value), format::byDeadline(start, deadline),
             format::dollars(job->costUsdMean).text());
}

} // namespace prism::ui
