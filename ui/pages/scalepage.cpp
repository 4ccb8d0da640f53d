// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/scalepage.h"

#include "ui/pages/pageanswers.h"

#include "core/insight/level/level.h"
#include "ui/look/change.h"
#include "ui/look/format.h"
#include "ui/theme/segmented.h"
#include "ui/theme/plaintext.h"
#include "ui/theme/rescale.h"
#include "ui/theme/barelayout.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QJsonObject>
#include <QLabel>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

QString efficiencyText(const ScalePoint& p)
{
    return p.efficiency > 0 ? format::percent(p.efficiency) : u"–"_s;
}
constexpr int kMinRows = 5; // of the table, header and scroll bar among them
} // namespace

/// Text of one metric of the scale: its name, its unit and the factor from core's unit.
struct ScaleQuantity {
    QString name, unit;
    double perUnit = 1;
};

ScaleQuantity quantityOf(const ScaleCurve& curve, ScaleMetric metric)
{
    double seconds = 0, tokens = 0;
    for (const ScalePoint& p : curve.points)
        if (p.valid) {
            seconds = std::max(seconds, p.step.p99);
            tokens = std::max(tokens, p.tokensPerSecond);
        }
    switch (metric) {
    case ScaleMetric::stepTime: {
        const format::TimeUnit unit = format::timeUnit(seconds);
        return {QObject::tr("Step time"), unit.name, unit.perSecond};
    }
    case ScaleMetric::throughput:
        return tokens >= 1e6   ? ScaleQuantity{QObject::tr("Throughput"), u"M tokens/s"_s, 1e-6}
               : tokens >= 1e3 ? ScaleQuantity{QObject::tr("Throughput"), u"k tokens/s"_s, 1e-3}
                               : ScaleQuantity{QObject::tr("Throughput"), u"tokens/s"_s, 1};
    case ScaleMetric::mfu:
        return {u"MFU"_s, u"%"_s, 100};
    case ScaleMetric::cost:
        return {QObject::tr("Cost of a billion tokens"), u"$"_s, 1};
    }
    return {};
}

QString missingMeasurements(const ScalePoint& p)
{
    QStringList sentences;
    for (const std::string& missing : p.outside)
        sentences << format::sentence(QString::fromStdString(missing));
    return sentences.join(u"; "_s);
}

/// Caveats of a point, to be read before its values are used; `brief` where the footer has the details.
QString noteOf(const ScalePoint& p, bool reduced = false)
{
    QStringList notes{format::sentence(QString::fromStdString(p.problem)),
                      reduced && !p.outside.empty() ? QObject::tr("outside of the calibration") : missingMeasurements(p)};
    notes.removeAll(QString());
    return notes.join(u"; "_s);
}

ScaleSample sampleOf(const ScalePoint& p, ScaleMetric metric, double perUnit)
{
    ScaleSample s;
    s.gpus = static_cast<double>(p.gpus);
    s.valid = p.valid;
    s.possible = p.valid && p.problem.empty();
    s.outside = !p.outside.empty();
    if (!p.problem.empty())
        s.reading << format::sentence(QString::fromStdString(p.problem));
    if (!p.valid)
        return s;
    switch (metric) {
    case ScaleMetric::stepTime:
        s.low = p.step.p5 * perUnit;
        s.middle = p.step.p50 * perUnit;
        s.high = p.step.p95 * perUnit;
        s.top = p.step.p99 * perUnit;
        s.middleHalfWidth = p.step.ciP50 * perUnit;
        s.highHalfWidth = p.step.ciP95 * perUnit;
        break;
    case ScaleMetric::throughput:
        s.middle = p.tokensPerSecond * perUnit;
        break;
    case ScaleMetric::mfu:
        s.middle = p.mfu.value * perUnit;
        s.middleHalfWidth = p.mfu.halfWidth * perUnit;
        break;
    case ScaleMetric::cost:
        s.middle = p.costPerBillionTokensUsd * perUnit;
        break;
    }
    if (s.outside)
        s.reading << missingMeasurements(p);
    s.reading << QObject::tr("DP %1, global batch %2").arg(format::count(p.dataParallel), format::count(p.globalBatch))
              << QObject::tr("MFU %1, efficiency %2").arg(format::percent(p.mfu.value), efficiencyText(p));
    return s;
}

/// Behind the point of the scenario's own number of GPUs; those of the other points where the curve does not have it.
std::size_t ownSteps(const ScaleCurve& curve, const SnapshotPtr& own)
{
    for (const ScalePoint& p : curve.points)
        if (own && p.valid && p.gpus == own->scenario.cluster.numGpus)
            return p.step.samples;
    return static_cast<std::size_t>(curve.samples);
}

/// Linear scaling from the first size that fits: with twice the GPUs half the step of a fixed batch, or twice the tokens per second.
QList<QPointF> idealOf(const std::vector<ScaleSample>& samples, ScaleMetric metric)
{
    QList<QPointF> line;
    const auto first = std::find_if(samples.begin(), samples.end(), [](const ScaleSample& s) { return s.possible; });
    for (auto s = first; s != samples.end(); ++s) {
        const double factor = s->gpus / first->gpus;
        if (s->valid)
            line << QPointF(s->gpus, metric == ScaleMetric::throughput ? first->middle * factor : first->middle / factor);
    }
    return line;
}

ScaleData scaleDataOf(const ScaleCurve& curve, ScaleMetric metric, const ShownScenario& scenario)
{
    const ScaleQuantity quantity = quantityOf(curve, metric);
    ScaleData data;
    data.quantity = quantity.name;
    data.unit = quantity.unit;
    data.perUnit = quantity.perUnit;
    data.hasSpread = metric == ScaleMetric::stepTime;
    data.fromZero = metric == ScaleMetric::throughput; // the others vary little against their size
    ScaleSeries series;
    series.name = scenario.name;
    series.series = scenario.colour;
    series.baseline = scenario.isBaseline;
    for (const ScalePoint& p : curve.points)
        series.samples.push_back(sampleOf(p, metric, quantity.perUnit));
    data.logarithmic = metric == ScaleMetric::throughput || (metric == ScaleMetric::stepTime && curve.mode == ScaleMode::strong);
    if (data.logarithmic)
        data.ideal = idealOf(series.samples, metric);
    data.series.push_back(std::move(series));
    if (scenario.snapshot) {
        data.currentGpus = static_cast<double>(scenario.snapshot->scenario.cluster.numGpus);
        data.currentLabel = QObject::tr("now %1").arg(format::count(scenario.snapshot->scenario.cluster.numGpus));
    }
    return data;
}

ScalePage::ScalePage(const Theme& theme, QWidget* parent)
    : InsightPage(theme, parent),
      m_mode(new SegmentedControl(theme)),
      m_metric(new SegmentedControl(theme)),
      m_chart(new ScaleChart(theme)),
      m_card(new QFrame),
      m_points(new QTableWidget),
      m_make(new QPushButton(tr("Make scenario")))
{
    buildTools();
    m_card->setProperty("card", true);
    auto* cardLayout = new QVBoxLayout(m_card);
    cardLayout->setContentsMargins(1, 1, 1, 1);
    m_points->setObjectName(u"scaleTable"_s);
    m_points->setAccessibleName(tr("Figures for each number of GPUs"));
    m_points->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_points->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_points->setSelectionMode(QAbstractItemView::SingleSelection);
    m_points->setShowGrid(false);
    m_points->setWordWrap(false); // a note that is too long ends in dots
    m_points->verticalHeader()->hide();
    const auto size = [this] {
        m_points->verticalHeader()->setDefaultSectionSize(this->theme().px(metric::row));
        m_points->setMinimumHeight(this->theme().px(kMinRows * metric::row));
        fitColumns();
    };
    connect(&theme, &Theme::changed, this, size);
    size();
    m_points->setHorizontalHeaderLabels({});
    cardLayout->addWidget(m_points);

    auto* column = new QWidget;
    auto* layout = bareLayout<QVBoxLayout>(column, theme.px(metric::cardGap));
    m_chart->setObjectName(u"scaleChart"_s);
    layout->addWidget(m_chart, 5);
    layout->addWidget(m_card, 3);
    setCards(column, nullptr, 0);
    setExported({m_chart});
    connect(m_mode, &SegmentedControl::chosen, this, [this] { ask(); });
    connect(m_metric, &SegmentedControl::chosen, this, [this] { refresh(); });
    connect(m_points, &QTableWidget::currentCellChanged, this, [this](int row) {
        m_chart->setFocusItem(row);
        statesShown();
    });
    connect(m_chart, &ScaleChart::itemPicked, this, [this](int item) { m_points->selectRow(item); });
    refresh();
}

void ScalePage::buildTools()
{
    auto* label = plainLabel(tr("Scaling"), u"secondary"_s);
    m_mode->setChoices({tr("Weak"), tr("Strong")});
    m_mode->setAccessibleName(tr("Weak: the batch grows with the GPUs; strong: it stays"));
    m_mode->setToolTip(tr("Weak: the global batch grows with the data-parallel size. Strong: the global batch stays."));
    m_metric->setChoices({tr("Step time"), tr("Throughput"), u"MFU"_s, tr("Cost")});
    m_metric->setAccessibleName(tr("Figure over the number of GPUs"));
    addTools({label, m_mode});
    addTools({m_metric});
    m_make->setObjectName(u"makeScenario"_s);
    m_make->setProperty("kind", u"primary"_s);
    m_make->setToolTip(tr("Adds this scenario with the number of GPUs of the selected row"));
    addEndTool(m_make);
    showWhileEditable(*m_make, theme());
    connect(m_make, &QPushButton::clicked, this, [this] { makeScenario(); });
}

void ScalePage::ask()
{
    const ScaleMode mode = m_mode->current() == 1 ? ScaleMode::strong : ScaleMode::weak;
    request(m_curve, token(mode == ScaleMode::weak ? u"weak"_s : u"strong"_s), tr("Scaling"),
            [mode](Evaluator& evaluator, const Snapshot& s, const InsightOptions& options) {
                return scaleCurve(evaluator, s.scenario, mode, defaultScale(s.scenario), options);
            });
    refresh();
}

const ScaleCurve* ScalePage::curve() const
{
    const SnapshotPtr known = snapshot();
    return m_levelled.of(m_curve, {known}, isAboutShown(m_curve),
                         [&](const ScaleCurve& drawn, bool about) { return about ? onLevelOf(*known, drawn) : drawn; });
}

void ScalePage::refresh()
{
    const ScaleCurve* curve = this->curve();
    const auto metric = static_cast<ScaleMetric>(std::max(m_metric->current(), 0));
    ChartText text;
    text.title = tr("%1 over the number of GPUs").arg(m_metric->label(m_metric->current()));
    const bool strong = curve ? curve->mode == ScaleMode::strong : m_mode->current() == 1;
    text.subtitle = strong ? tr("Strong scaling: the global batch stays, each replica does less")
                           : tr("Weak scaling: the global batch grows with the data-parallel size");
    if (curve) {
        const ScaleData data = scaleDataOf(*curve, metric, scenario() ? *scenario() : ShownScenario{});
        // The number of GPUs that is read stays the same one in another scenario.
        const std::vector<ScaleSample>* before = m_chart->data().series.empty() ? nullptr : &m_chart->data().series.front().samples;
        const auto focus = static_cast<std::size_t>(std::max(m_chart->focusItem(), 0));
        const double gpus = before && m_chart->focusItem() >= 0 && focus < before->size() ? (*before)[focus].gpus : 0;
        m_chart->setData(data);
        const std::vector<ScaleSample>& now = data.series.front().samples;
        const auto same = std::find_if(now.begin(), now.end(), [gpus](const ScaleSample& s) { return s.gpus == gpus; });
        m_chart->setFocusItem(gpus > 0 && same != now.end() ? static_cast<int>(same - now.begin()) : -1);
        shareScale(*m_chart, data.quantity + text.subtitle); // weak and strong are two curves
        text.footer << format::samplesAndSeed(curve->samples, curve->seed, tr("steps per point"))
                           + tr(", common random numbers. Whiskers: 95 %.") + levelNote(ownSteps(*curve, snapshot()), curve->samples);
        for (const ScalePoint& p : curve->points)
            if (!p.outside.empty()) { // those after it miss the same
                text.footer << tr("Hatched from %1 GPUs on: %2.").arg(format::count(p.gpus), missingMeasurements(p));
                break;
            }
    }
    m_chart->setText(text);
    present({m_chart, [this] { return m_curve.status(); }, tr("Sampling each number of GPUs"),
             curve && curve->points.empty() ? tr("No number of GPUs fits this scenario.") : QString()});
    present({m_card, [this] { return m_curve.status(); }});
    const int reported = curve ? m_levelled.version() : 0;
    if (m_filledWith != reported)
        fillTable(curve);
    m_filledWith = reported;
    statesShown();
}

const ScalePoint* ScalePage::selectedPoint() const
{
    const ScaleCurve* curve = this->curve();
    const auto row = static_cast<std::size_t>(std::max(m_points->currentRow(), 0));
    if (!curve || m_points->currentRow() < 0 || row >= curve->points.size() || !isCurrent(m_curve))
        return nullptr;
    const ScalePoint& point = curve->points[row];
    const SnapshotPtr s = snapshot();
    return point.valid && s && point.gpus != s->scenario.cluster.numGpus ? &point : nullptr;
}

void ScalePage::statesShown()
{
    const ScalePoint* point = selectedPoint();
    m_make->setEnabled(point);
    m_make->setText(point ? tr("Make scenario of %1 GPUs").arg(format::count(point->gpus)) : tr("Make scenario"));
}

void ScalePage::makeScenario()
{
    const ScalePoint* point = selectedPoint();
    const ScenarioEntry* entry = context().study ? context().study->entry(context().currentId) : nullptr;
    if (!point || !entry)
        return;
    const QString size = tr("%1 GPUs").arg(format::count(point->gpus));
    Scenario next = atScale(*entry->scenario, this->curve()->mode, point->gpus);
    next.name = context().study->freeName(u"%1, %2"_s.arg(QString::fromStdString(next.name).left(100), size)).toStdString();
    context().study->addScenario(std::move(next), tr("Scenario of %1").arg(size), context().currentId);
}

void ScalePage::fillTable(const ScaleCurve* curve)
{
    const QStringList header{
        tr("GPUs"), tr("p50"), tr("p95"), tr("p99"), tr("Tokens/s"), tr("MFU"), tr("Efficiency"), tr("$ per billion tokens"), tr("Note")};
    m_points->setColumnCount(static_cast<int>(header.size()));
    m_points->setHorizontalHeaderLabels(header);
    m_points->setRowCount(curve ? static_cast<int>(curve->points.size()) : 0);
    if (!curve)
        return;
    for (int row = 0; row < m_points->rowCount(); ++row) {
        const ScalePoint& p = curve->points[static_cast<std::size_t>(row)];
        QStringList cells{format::count(p.gpus)};
        if (p.valid)
            cells << u"%1  %2"_s.arg(format::seconds(p.step.p50).text(), format::intervalNextTo(p.step.p50, p.step.ciP50))
                  << u"%1  %2"_s.arg(format::seconds(p.step.p95).text(), format::intervalNextTo(p.step.p95, p.step.ciP95))
                  << u"%1  %2"_s.arg(format::seconds(p.step.p99).text(), format::intervalNextTo(p.step.p99, p.step.ciP99))
                  << format::si(p.tokensPerSecond).text() << format::percent(p.mfu.value) << efficiencyText(p)
                  << format::number(p.costPerBillionTokensUsd) << noteOf(p, true);
        else
            cells << QStringList(7, u"–"_s) << noteOf(p, true);
        for (int column = 0; column < cells.size(); ++column) {
            auto* item = new QTableWidgetItem(cells[column]);
            item->setTextAlignment((column == cells.size() - 1 ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
            item->setToolTip(column + 1 == cells.size() ? noteOf(p) : cells[column]);
            m_points->setItem(row, column, item);
        }
    }
    for (int column = 0; column + 1 < header.size(); ++column)
        m_points->horizontalHeaderItem(column)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    fitColumns();
    m_points->horizontalHeaderItem(static_cast<int>(header.size()) - 1)->setTextAlignment(Qt::AlignLeft | Qt::AlignVCenter);
}

void ScalePage::fitColumns()
{
    // Once after filling: a header that follows its contents measures every row for every cell.
    m_points->horizontalHeader()->setStretchLastSection(false);
    m_points->resizeColumnsToContents();
    m_points->horizontalHeader()->setStretchLastSection(true); // the note takes the rest
}

QString ScalePage::answer() const
{
    const ScaleCurve* curve = this->curve();
    const SnapshotPtr s = snapshot();
    return curve && s ? scaleAnswer(*curve, s->scenario.cluster.numGpus) : QString();
}

TableData ScalePage::asTable() const
{
    TableData table;
    table.header = {u"GPUs"_s,
                    u"data parallel"_s,
                    u"global batch [sequences]"_s,
                    u"p5 [s]"_s,
                    u"p50 [s]"_s,
                    u"p50 half-width 95 % [s]"_s,
                    u"p95 [s]"_s,
                    u"p95 half-width 95 % [s]"_s,
                    u"p99 [s]"_s,
                    u"p99 half-width 95 % [s]"_s,
                    u"tokens per second"_s,
                    u"MFU"_s,
                    u"efficiency"_s,
                    u"cost [USD per billion tokens]"_s,
                    u"problem"_s,
                    u"outside_calibration"_s};
    const ScaleCurve* curve = this->curve();
    if (!curve)
        return table;
    for (const ScalePoint& p : curve->points) {
        QStringList row{QString::number(p.gpus), QString::number(p.dataParallel), QString::number(p.globalBatch)};
        for (const double value : {p.step.p5, p.step.p50, p.step.ciP50, p.step.p95, p.step.ciP95, p.step.p99, p.step.ciP99,
                                   p.tokensPerSecond, p.mfu.value, p.efficiency, p.costPerBillionTokensUsd})
            row << (p.valid ? tableNumber(value) : QString());
        table.rows << (row << QString::fromStdString(p.problem) << missingMeasurements(p));
    }
    return table;
}

QJsonObject ScalePage::saveState() const
{
    return {{u"mode"_s, m_mode->current()}, {u"figure"_s, m_metric->current()}};
}

void ScalePage::restoreState(const QJsonObject& state)
{
    m_mode->setCurrent(state[u"mode"_s].toInt(0));
    m_metric->setCurrent(state[u"figure"_s].toInt(0));
}

} // namespace prism::ui
