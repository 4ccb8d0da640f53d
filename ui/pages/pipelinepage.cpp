// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/pipelinepage.h"

#include "ui/look/format.h"
#include "ui/look/wholefile.h"
#include "ui/pages/pageanswers.h"
#include "ui/pages/pipelinetext.h"
#include "ui/pages/twocolumns.h"
#include "ui/plot/stepbreakdown.h"
#include "ui/theme/fieldwidth.h"
#include "ui/theme/segmented.h"
#include "ui/theme/plaintext.h"
#include "ui/theme/barelayout.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QIntValidator>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpressionValidator>
#include <QVBoxLayout>

#include <algorithm>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr int kDraw = 3; // the last choice
constexpr int kMaxDraws = 1'000'000;
} // namespace

PipelinePage::PipelinePage(const Theme& theme, QWidget* parent)
    : InsightPage(theme, parent),
      m_which(new SegmentedControl(theme)),
      m_number(new QLineEdit),
      m_replica(new QLineEdit),
      m_find(new QLineEdit),
      m_hits(plainLabel({}, u"secondary"_s)),
      m_pair(new QPushButton(tr("Beside p50"))),
      m_trace(new QPushButton(tr("Chrome trace"))),
      m_median(new GanttChart(theme)),
      m_gantt(new GanttChart(theme)),
      m_breakdown(new StackedBarChart(theme)),
      m_variance(new StackedBarChart(theme)),
      m_memory(new MemoryChart(theme))
{
    makeTools();
    auto* column = new QWidget;
    auto* layout = bareLayout<QVBoxLayout>(column, theme.px(metric::cardGap));
    m_gantt->setObjectName(u"gantt"_s);
    m_memory->setObjectName(u"stageMemory"_s);
    m_breakdown->setObjectName(u"stepBreakdown"_s);
    m_variance->setObjectName(u"varianceShares"_s);
    m_median->setObjectName(u"medianGantt"_s);
    m_median->setLegendShown(false);
    m_median->hide();
    layout->addWidget(m_median, 3);
    layout->addWidget(m_gantt, 3);
    auto* right = new QWidget;
    auto* rightLayout = bareLayout<QVBoxLayout>(right, theme.px(metric::cardGap));
    rightLayout->addWidget(m_variance);
    rightLayout->addWidget(m_memory, 1);
    m_below = new TwoColumns({m_breakdown, 1}, {right, 1}, theme.px(metric::cardGap));
    layout->addWidget(m_below, 1);
    setCards(column, nullptr, 0);
    setExported({m_median, m_gantt, m_breakdown, m_variance, m_memory});
    connectCharts();
    refresh();
}

void PipelinePage::makeTools()
{
    m_which->setChoices({tr("p50 step"), tr("p95 step"), tr("p99 step"), tr("Draw")});
    m_which->setCurrent(1);
    m_which->setAccessibleName(tr("Which sampled step is shown"));
    m_number->setText(u"0"_s);
    m_number->setFixedWidth(theme().px(72));
    m_number->setValidator(new QIntValidator(0, kMaxDraws, m_number));
    m_number->setAccessibleName(tr("Number of the draw, from 0"));
    m_number->hide();
    m_trace->setToolTip(tr("Write the shown step for Perfetto and chrome://tracing"));
    m_trace->setObjectName(u"exportTrace"_s);
    static const QRegularExpression kReplica(u"\\d{0,6}"_s);
    m_replica->setPlaceholderText(tr("slowest"));
    keepFieldWidth(*m_replica, theme(), 80);
    m_replica->setValidator(new QRegularExpressionValidator(kReplica, m_replica));
    m_replica->setObjectName(u"replica"_s);
    m_replica->setAccessibleName(tr("Number of the replica, from 0; empty is the slowest"));
    m_replica->setToolTip(m_replica->accessibleName());
    m_find->setPlaceholderText(tr("Find a kernel"));
    m_find->setClearButtonEnabled(true);
    keepFieldWidth(*m_find, theme(), 150);
    m_find->setObjectName(u"findKernel"_s);
    m_find->setAccessibleName(tr("Find a kernel; Return goes to the next one"));
    m_hits->hide();
    addTools({m_which, m_number});
    addTools({plainLabel(tr("Replica"), u"secondary"_s), m_replica});
    addTools({m_find, m_hits});
    m_pair->setCheckable(true);
    m_pair->setObjectName(u"besideMedian"_s);
    m_pair->setToolTip(tr("The p50 step above this one, on the same scale, and what makes the difference"));
    addTools({m_pair});
    addEndTool(m_trace);
    connect(m_pair, &QPushButton::toggled, this, &PipelinePage::ask);
    connect(m_replica, &QLineEdit::editingFinished, this, &PipelinePage::ask);
    connect(m_find, &QLineEdit::textChanged, this, &PipelinePage::findKernels);
    connect(m_find, &QLineEdit::returnPressed, m_gantt, &GanttChart::readNextFound);
    connect(m_which, &SegmentedControl::chosen, this, [this](int choice) {
        m_number->setVisible(choice == kDraw);
        ask();
    });
    connect(m_number, &QLineEdit::editingFinished, this, &PipelinePage::ask);
    connect(m_trace, &QPushButton::clicked, this, &PipelinePage::exportTrace);
}

void PipelinePage::connectCharts()
{
    connect(m_gantt, &GanttChart::rangeChanged, this, &PipelinePage::refreshTexts);
    for (GanttChart* chart : {m_gantt, m_median}) // both show the same stretch of time
        connect(chart, &GanttChart::viewChanged, this, [this, chart] {
            GanttChart* other = chart == m_gantt ? m_median : m_gantt;
            if (isPaired() && (other->viewStart() != chart->viewStart() || other->viewEnd() != chart->viewEnd()))
                other->setView(chart->viewStart(), chart->viewEnd());
        });
    connect(m_gantt, &GanttChart::itemPicked, this, [this](int item) {
        const auto& line = m_gantt->timeline();
        if (!line || !context().selection)
            return;
        const TimelineSpan& span = line->spans[static_cast<std::size_t>(item)];
        Picked picked = context().selection->picked();
        picked.stage = span.stage;
        picked.kernelClass = span.kernelClass >= 0 && span.kernelClass < static_cast<int>(line->classNames.size())
                                 ? QString::fromStdString(line->classNames[static_cast<std::size_t>(span.kernelClass)])
                                 : QString();
        context().selection->set(picked);
    });
    for (StackedBarChart* chart : {m_breakdown, m_variance})
        connect(chart, &StackedBarChart::itemPicked, this, [this, chart](int item) {
            const QString cause = chart->data().rows[static_cast<std::size_t>(item % chart->partCount())].id;
            if (cause.isEmpty() || !context().selection)
                return;
            const int bar = item / chart->partCount(); // 0 is the step
            context().selection->set({.kernelClass = cause, .stage = bar > 0 ? chart->bars()[static_cast<std::size_t>(bar - 1)].id : -1});
            Q_EMIT pageRequested(u"sensitivity"_s); // its what-if
        });
    connect(m_memory, &MemoryChart::itemPicked, this, [this](int item) {
        if (context().selection)
            context().selection->setCell(m_memory->memory().stages[static_cast<std::size_t>(item)].stage, -1);
    });
}

int PipelinePage::replica() const
{
    bool number = false;
    const int requested = m_replica->text().toInt(&number);
    const SnapshotPtr s = snapshot();
    return number && s ? std::min(requested, static_cast<int>(s->costed->world.dp) - 1) : -1;
}

void PipelinePage::findKernels()
{
    const Timeline* line = m_step.value();
    const QStringList words = m_find->text().split(u' ', Qt::SkipEmptyParts);
    std::set<int> found;
    for (std::size_t c = 0; line && !words.isEmpty() && c < line->classNames.size(); ++c) {
        const QString raw = QString::fromStdString(line->classNames[c]), name = format::kernelClass(raw) + u' ' + raw;
        if (std::all_of(words.begin(), words.end(), [&name](const QString& word) { return name.contains(word, Qt::CaseInsensitive); }))
            found.insert(static_cast<int>(c));
    }
    m_gantt->setFound(found);
    m_hits->setVisible(!words.isEmpty());
    m_hits->setText(found.empty() ? tr("Nothing found")
                                  : tr("Kernels: %1, places: %2")
                                        .arg(format::count(static_cast<std::int64_t>(found.size())), format::count(m_gantt->foundSpans())));
}

DrawChoice PipelinePage::draw() const
{
    constexpr double quantiles[] = {0.5, 0.95, 0.99};
    const int which = std::clamp(m_which->current(), 0, kDraw);
    if (which == kDraw)
        return {DrawChoice::Kind::sample, 0.5, m_number->text().toInt(), replica()};
    return {DrawChoice::Kind::quantile, quantiles[which], 0, replica()};
}

void PipelinePage::contextChanged()
{
    ask();
}

void PipelinePage::ask()
{
    const DrawChoice choice = draw();
    const auto sampled = [](const DrawChoice& drawn) {
        return [drawn](Evaluator& evaluator, const Snapshot& s, const InsightOptions& options) {
            return timeline(evaluator, s.scenario, drawn, options);
        };
    };
    const QString what = (choice.kind == DrawChoice::Kind::sample ? u"draw%1"_s.arg(choice.sample) : u"q%1"_s.arg(choice.quantile))
                         + u"/replica%1"_s.arg(choice.replica);
    request(m_step, token(what), tr("One sampled step"), sampled(choice));
    if (isPaired())
        request(m_medianStep, token(u"q0.5/replica%1"_s.arg(choice.replica)), tr("The median step"),
                sampled({DrawChoice::Kind::quantile, 0.5, 0, choice.replica}));
    else
        m_medianStep.stop();
    request(m_shares, token(u"shares"_s), tr("Shares of the variance"),
            [](Evaluator& evaluator, const Snapshot& s, const InsightOptions& options) -> Result<VarianceShare> {
                EvaluateOptions shares = evaluateOptions(options, static_cast<int>(s.across.samples));
                shares.varianceShares = true;
                const SnapshotPtr all = evaluator.evaluate(s.scenario, shares);
                return all->stage == Stage::complete ? Result<VarianceShare>(all->varianceShare) : Result<VarianceShare>(cancelled());
            });
    refresh();
}

bool PipelinePage::isPaired() const
{
    return m_pair->isChecked();
}

void PipelinePage::refreshPair()
{
    const Timeline *line = m_step.value(), *median = isPaired() ? m_medianStep.value() : nullptr;
    m_median->setVisible(isPaired());
    m_below->setVisible(!isPaired());
    if (median && !(m_shownMedian == m_medianStep.shown())) {
        m_median->setTimeline(m_medianStep.shared());
        m_shownMedian = m_medianStep.shown();
    }
    ChartText text;
    text.title = tr("One sampled p50 step");
    m_gantt->setMark({});
    if (median && line) {
        text = stepText(*median, {DrawChoice::Kind::quantile, 0.5, 0, median->replica}, {});
        text.footer.clear();
        const Reach both{0, std::max(median->stepSeconds, line->stepSeconds)};
        for (GanttChart* chart : {m_gantt, m_median})
            chart->setReach(both);
        m_gantt->setMark(StepMark{median->stepSeconds, tr("p50 %1").arg(format::seconds(median->stepSeconds).text())});
    }
    m_median->setText(text);
    if (isPaired())
        present({m_median, [this] { return m_medianStep.status(); }, tr("Looking for the median step"), {}});
}

void PipelinePage::refresh()
{
    const Timeline* line = m_step.value();
    if (line && !(m_shown == m_step.shown())) {
        m_gantt->setTimeline(m_step.shared());
        m_shown = m_step.shown();
        findKernels();
    }
    if (line)
        shareScale(*m_gantt, QString());
    refreshPair();
    refreshTexts();
    refreshBreakdown();

    ChartText memory;
    memory.title = tr("Peak memory per stage, GiB");
    if (const SnapshotPtr s = snapshot()) {
        m_memory->setMemory(s->costed->memory);
        shareScale(*m_memory, QString());
    }
    m_memory->setText(memory);
    const bool known = snapshot() && !snapshot()->costed->memory.stages.empty();
    present({m_memory, {}, tr("Computing the memory of each stage"), known ? QString() : tr("The memory of this scenario is not known.")});
    statesShown();
}

void PipelinePage::refreshBreakdown()
{
    ChartText text, variance;
    text.title = tr("Where the noise-free step goes");
    variance.title = tr("What makes the step time vary");
    variance.subtitle = tr("Share of the variance across jobs, each cause alone");
    WaterfallData causes;
    if (const SnapshotPtr s = snapshot(); s && s->samples) {
        StepParts parts = stepBreakdown(*s->costed, s->samples->noiseFreeSeconds);
        m_breakdown->setData(parts.step, std::move(parts.stages));
        text.title = tr("Where the noise-free %1 go").arg(format::seconds(s->samples->noiseFreeSeconds).text());
        text.subtitle = tr("Busiest stage, then every stage; the thin line overlaps with compute");
        text.hint = variance.hint = tr("Click a part to change its spread on Sensitivity.");
        variance.footer << format::samplesAndSeed(static_cast<std::int64_t>(s->across.samples), s->seed, tr("steps")) + u'.';
    }
    if (const VarianceShare* shares = m_shares.value())
        m_variance->setData(causes = varianceShares(*shares));
    m_breakdown->setText(text);
    m_variance->setText(variance);
    present({m_breakdown, {}, tr("Computing where the step goes"), {}});
    present({m_variance, [this] { return m_shares.status(); }, tr("Computing the shares of the variance"),
             causes.rows.empty() ? tr("Nothing varies in this scenario: give a cause a spread in Variability.") : QString()});
}

void PipelinePage::statesShown()
{
    m_trace->setEnabled(isCurrent(m_step));
}

void PipelinePage::refreshTexts()
{
    const Timeline* line = m_step.value();
    ChartText text;
    text.title = tr("One sampled step");
    if (line) {
        const SnapshotPtr s = snapshot();
        text = stepText(*line, draw(), s ? std::optional<std::uint64_t>(s->seed) : std::nullopt);
        if (const Timeline* median = isPaired() ? m_medianStep.value() : nullptr)
            text.footer << changeText(*median, *line);
        if (const QString range = m_gantt->rangeText(); !range.isEmpty())
            text.footer << range;
        text.hint = tr("Wheel or + − zooms, drag pans, 0 shows all; Shift and drag adds up a stretch.");
    }
    m_gantt->setText(text);
    present({m_gantt, [this] { return m_step.status(); }, tr("Looking for the step"), {}});
}

void PipelinePage::selectionChanged()
{
    const Picked picked = context().selection ? context().selection->picked() : Picked{};
    m_gantt->setBrushed(picked.stage, picked.kernelClass);
    m_median->setBrushed(picked.stage, picked.kernelClass);
    m_memory->setBrushed(picked.stage);
}

QString PipelinePage::answer() const
{
    const SnapshotPtr s = snapshot();
    return s ? breakdownAnswer(*s->costed) : QString();
}

TableData PipelinePage::asTable() const
{
    TableData table = m_gantt->asTable();
    const TableData memory = m_memory->asTable();
    if (memory.rows.isEmpty())
        return table;
    // One table for both charts: the memory of a stage is in separate columns after the spans.
    const qsizetype spans = table.header.size();
    table.header << memory.header.mid(1);
    for (QStringList& row : table.rows)
        row << QStringList(memory.header.size() - 1);
    for (const QStringList& stage : memory.rows) {
        QStringList row(spans);
        row[0] = stage.front();
        row[1] = u"peak memory"_s;
        table.rows << row + stage.mid(1);
    }
    return table;
}

QString PipelinePage::writeTrace(const QString& path) const
{
    if (!m_step.value())
        return tr("There is no step to write yet.");
    return writeWholeFile(path, toChromeTrace(*m_step.value()));
}

void PipelinePage::exportTrace()
{
    const QString path = QFileDialog::getSaveFileName(this, tr("Export Chrome trace"), u"step.trace.json"_s, tr("Chrome trace (*.json)"));
    if (path.isEmpty())
        return;
    const QString problem = writeTrace(path);
    ChartText text = m_gantt->chartText();
    text.footer.prepend(problem.isEmpty() ? tr("Wrote %1.").arg(QFileInfo(path).fileName()) : problem);
    m_gantt->setText(text);
}

QJsonObject PipelinePage::saveState() const
{
    return {{u"which"_s, m_which->current()},
            {u"draw"_s, m_number->text().toInt()},
            {u"replica"_s, m_replica->text()},
            {u"besideMedian"_s, isPaired()}};
}

void PipelinePage::restoreState(const QJsonObject& state)
{
    m_which->setCurrent(state[u"which"_s].toInt(1));
    m_number->setText(QString::number(state[u"draw"_s].toInt(0)));
    m_number->setVisible(m_which->current() == kDraw);
    m_pair->setChecked(state[u"besideMedian"_s].toBool());
    const int replica = state[u"replica"_s].toString().toInt(); // of a file: only a number gets in
    m_replica->setText(state[u"replica"_s].toString().isEmpty() ? QString() : QString::number(std::max(replica, 0)));
}

} // namespace prism::ui
