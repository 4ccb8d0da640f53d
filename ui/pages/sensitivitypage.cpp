// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/sensitivitypage.h"

#include "core/insight/level/level.h"
#include "core/scenario/parametertable.h"
#include "ui/look/change.h"
#include "ui/look/format.h"
#include "ui/pages/slopes.h"
#include "ui/theme/segmented.h"
#include "ui/theme/plaintext.h"
#include "ui/theme/barelayout.h"

#include <QHBoxLayout>
#include <QJsonObject>
#include <QLabel>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr std::size_t kShownRows = 10, kRowsInPresentation = 5; // in presentation mode all of them fit at once

const Estimate& of(const MetricChange& change, Metric metric)
{
    switch (metric) {
    case Metric::p50:
        return change.p50;
    case Metric::p95:
        return change.p95;
    case Metric::p99:
        return change.p99;
    case Metric::mean:
        return change.mean;
    case Metric::exceedance:
        return change.exceedance;
    }
    return change.p95;
}

/// "p95", "P(step > 9.30 s)".
QString causeName(const SensitivityRow& row)
{
    return row.label.empty() || row.label == row.id ? format::kernelClass(QString::fromStdString(row.id))
                                                    : QString::fromStdString(row.label);
}

QString nameOf(Metric metric, double limitSeconds)
{
    switch (metric) {
    case Metric::p50:
        return u"p50"_s;
    case Metric::p95:
        return u"p95"_s;
    case Metric::p99:
        return u"p99"_s;
    case Metric::mean:
        return QObject::tr("mean");
    case Metric::exceedance:
        return limitSeconds > 0 ? QObject::tr("P(step > %1)").arg(format::seconds(limitSeconds).text()) : QObject::tr("P(step > limit)");
    }
    return {};
}

/// "9.30 s", "5.0 %".
QString valueOf(const SensitivityTable& table, Metric metric)
{
    switch (metric) {
    case Metric::p50:
        return format::seconds(table.base.p50).text();
    case Metric::p95:
        return format::seconds(table.base.p95).text();
    case Metric::p99:
        return format::seconds(table.base.p99).text();
    case Metric::mean:
        return format::seconds(table.base.mean).text();
    case Metric::exceedance:
        return format::percent(table.exceedance.value);
    }
    return {};
}

/// "CV 12.0 %", "rare 0.2 %": the input with its spread times `times`.
QString inputText(const SensitivityRow& row, double times)
{
    if (row.kind == InputKind::slowPlaces)
        return times == 0 ? QObject::tr("all mended") : QObject::tr("up to +%1 %").arg(format::number(row.cv * times * 100, 2));
    if (times == 0)
        return row.cv > 0 ? u"CV 0"_s : u"rare 0"_s;
    if (row.cv > 0)
        return u"CV "_s + format::number(row.cv * times * 100, 2) + u" %"_s;
    return u"rare "_s + format::number(row.rareProbability * times * 100, 2) + u" %"_s;
}

/// The next number of two digits above: "16 ms", "0.4 points".
QString boundText(double largest, bool isShare)
{
    const format::TimeUnit unit = isShare ? format::TimeUnit{100, QObject::tr("points")} : format::timeUnit(largest);
    const double shown = largest * unit.perSecond, digit = shown > 0 ? std::pow(10, std::floor(std::log10(shown)) - 1) : 1;
    return format::number((std::floor(shown / digit) + 1) * digit, 2) + u' ' + unit.name;
}

/// Text on half of the spread, for the scenario; empty where no parameter decides it.
QString triedText(const SensitivityRow& row)
{
    const Parameter* p = findParameter(parameterOf(row));
    if (!p && row.kind != InputKind::slowPlaces)
        return {};
    return QObject::tr("Add a scenario with %1: %2 instead of %3")
        .arg(p ? QString::fromStdString(p->label) : QObject::tr("slow nodes"), inputText(row, 0.5), inputText(row, 1));
}

double weightOf(const TornadoRow& row)
{
    return std::max(std::abs(row.removed.change), std::abs(row.doubled.change));
}

QString footerCount(const QString& what, int samples, std::uint64_t seed)
{
    return format::samplesAndSeed(samples, seed, what);
}

} // namespace

TornadoData tornadoOf(const SensitivityTable& table, Metric metric, const TornadoForm& form)
{
    TornadoData data;
    data.metric = nameOf(metric, table.limitSeconds);
    data.isShare = metric == Metric::exceedance;
    data.series = form.series;
    data.baseline = QObject::tr("%1 now %2").arg(data.metric, valueOf(table, metric));
    for (const SensitivityRow& source : table.rows) {
        if (!source.varies)
            continue;
        TornadoRow row;
        row.id = QString::fromStdString(source.id);
        row.label = causeName(source);
        row.removed = {of(source.spreadRemoved, metric).value, of(source.spreadRemoved, metric).halfWidth, inputText(source, 0)};
        row.doubled = {of(source.spreadDoubled, metric).value, of(source.spreadDoubled, metric).halfWidth, inputText(source, 2)};
        row.input = inputText(source, 1);
        row.tried = triedText(source);
        row.nonMonotonic = source.nonMonotonic;
        row.parameter = QString::fromStdString(parameterOf(source));
        row.missing = form.missing;
        data.rows.push_back(row);
    }
    std::stable_sort(data.rows.begin(), data.rows.end(),
                     [](const TornadoRow& a, const TornadoRow& b) { return weightOf(a) > weightOf(b); });
    if (data.rows.empty())
        return data;
    constexpr double kMatters = 1.0 / 30; // of what the largest changes
    const double smallest = kMatters * weightOf(data.rows.front());
    std::size_t kept = 1;
    while (kept < std::min(form.rows, data.rows.size()) && weightOf(data.rows[kept]) >= smallest)
        ++kept;
    const auto picked = std::find_if(data.rows.begin(), data.rows.end(), [&](const TornadoRow& row) { return row.id == form.picked; });
    if (const auto end = data.rows.begin() + static_cast<std::ptrdiff_t>(kept); picked != data.rows.end() && picked >= end) {
        std::rotate(end, picked, picked + 1);
        ++kept;
    }
    if (!form.isWhole && data.rows.size() > kept + 1) {
        TornadoRow others;
        others.isOthers = true;
        others.id = u"others"_s;
        for (std::size_t i = kept; i < data.rows.size(); ++i) {
            others.removed.change += data.rows[i].removed.change;
            others.doubled.change += data.rows[i].doubled.change;
        }
        others.label = QObject::tr("%1 more move %2 by less than %3 each; click to list them")
                           .arg(data.rows.size() - kept)
                           .arg(data.metric, boundText(weightOf(data.rows[kept]), data.isShare));
        data.rows.resize(kept);
        data.rows.push_back(others);
    } else if (form.isWhole && data.rows.size() > kept + 1) {
        TornadoRow others;
        others.isOthers = true;
        others.id = u"others"_s;
        others.label = QObject::tr("Click to list only the %1 that matter").arg(kept);
        data.rows.push_back(others);
    }
    return data;
}

PairedData pairedOf(const TailAttribution& attribution, AttributionBy by, int series, const SensitivityTable* labels)
{
    PairedData data;
    data.series = series;
    data.quantity = by == AttributionBy::cause ? QObject::tr("Share of the step time, %") : QObject::tr("Share of the critical path, %");
    data.slowLabel = QObject::tr("Slowest %1 %").arg(attribution.slowFraction * 100);
    const auto& rows = by == AttributionBy::kernelClass ? attribution.byClass
                       : by == AttributionBy::stage     ? attribution.byStage
                                                        : attribution.byCause;
    for (const AttributionRow& source : rows) {
        PairedRow row;
        row.id = QString::fromStdString(source.name);
        row.label = by == AttributionBy::kernelClass ? format::kernelClass(row.id) : QString(row.id).replace(u'_', u' ');
        if (labels && by == AttributionBy::kernelClass)
            for (const SensitivityRow& named : labels->rows)
                if (named.id == source.name && !named.label.empty() && named.label != named.id)
                    row.label = QString::fromStdString(named.label);
        if (by != AttributionBy::kernelClass && !row.label.isEmpty())
            row.label[0] = row.label[0].toUpper();
        row.all = source.shareAll.value;
        row.allHalfWidth = source.shareAll.halfWidth;
        row.slow = source.shareSlow.value;
        row.slowHalfWidth = source.shareSlow.halfWidth;
        data.rows.push_back(row);
    }
    constexpr std::size_t kMin = 3;
    const auto rank = [](const PairedRow& r) { return std::tuple(r.isClear(), std::abs(r.isClear() ? r.difference() : r.all)); };
    std::stable_sort(data.rows.begin(), data.rows.end(), [&](const PairedRow& a, const PairedRow& b) { return rank(a) > rank(b); });
    const auto clear = static_cast<std::size_t>(std::ranges::count_if(data.rows, &PairedRow::isClear));
    const std::size_t kept = std::clamp(clear, kMin, kShownRows);
    if (data.rows.size() > kept + 1) {
        PairedRow others;
        others.label = QObject::tr("%1 others").arg(data.rows.size() - kept);
        for (std::size_t i = kept; i < data.rows.size(); ++i) {
            others.all += data.rows[i].all;
            others.slow += data.rows[i].slow;
        }
        data.rows.resize(kept);
        data.rows.push_back(others);
    }
    std::stable_sort(data.rows.begin(), data.rows.end(), [](const PairedRow& a, const PairedRow& b) {
        return a.id.isEmpty() != b.id.isEmpty() ? b.id.isEmpty() : a.difference() > b.difference();
    });
    return data;
}

SensitivityPage::SensitivityPage(const Theme& theme, QWidget* parent)
    : InsightPage(theme, parent),
      m_metric(new SegmentedControl(theme)),
      m_by(new SegmentedControl(theme)),
      m_left(new QStackedWidget),
      m_tornado(new TornadoChart(theme)),
      m_slopes(new SlopeChart(theme)),
      m_bars(new PairedBarChart(theme, this))
{
    auto* label = plainLabel(tr("Effect on"), u"secondary"_s);
    m_metric->setChoices({u"p50"_s, u"p95"_s, u"p99"_s, tr("mean"), nameOf(Metric::exceedance, 0), tr("Ranks")});
    m_metric->setCurrent(1);
    m_metric->setAccessibleName(tr("Statistic of the tornado"));
    auto* byLabel = plainLabel(tr("Slow steps by"), u"secondary"_s);
    m_by->setChoices({tr("Class"), tr("Stage"), tr("Cause")});
    m_by->setAccessibleName(tr("Rows of the tail attribution"));
    addTools({label}); // the control alone is as wide as a small window has room for
    addTools({m_metric});
    addTools({byLabel, m_by});
    m_tornado->setObjectName(u"tornado"_s);
    m_bars->setObjectName(u"tailAttribution"_s);
    m_slopes->setObjectName(u"ranks"_s);
    m_left->addWidget(m_tornado);
    m_left->addWidget(m_slopes);
    auto* column = new QWidget;
    auto* layout = bareLayout<QVBoxLayout>(column, theme.px(metric::cardGap));
    layout->addWidget(m_left, 3);
    layout->addWidget(m_bars, 2);
    setCards(column, nullptr, 0);
    showChosen();
    connect(m_metric, &SegmentedControl::chosen, this, [this] {
        showChosen();
        refreshTornado();
        refreshSlopes();
    });
    connect(m_by, &SegmentedControl::chosen, this, [this] { refreshBars(); });
    connectCharts();
    connect(&theme, &Theme::changed, this, &SensitivityPage::refresh); // another number of rows
    refresh();
}

void SensitivityPage::connectCharts()
{
    connect(m_slopes, &SlopeChart::itemPicked, this, [this](int item) {
        const SlopeRow row = m_slopes->data().rows[static_cast<std::size_t>(item)];
        pick(row.id);
        if (!row.parameter.isEmpty())
            Q_EMIT parameterRequested(row.parameter);
    });
    connect(m_tornado, &TornadoChart::itemPicked, this, [this](int item) {
        const TornadoRow& row = m_tornado->data().rows[static_cast<std::size_t>(item)];
        if (row.isOthers) {
            m_isWhole = !m_isWhole;
            return refreshTornado();
        }
        const QString parameter = row.parameter; // picking may renew the rows
        pick(row.id);
        if (!parameter.isEmpty())
            Q_EMIT parameterRequested(parameter);
    });
    connect(m_tornado, &TornadoChart::halfRequested, this, &SensitivityPage::tryHalf);
    connect(m_bars, &PairedBarChart::itemPicked, this, [this](int item) {
        const QString id = m_bars->data().rows[static_cast<std::size_t>(item)].id;
        if (m_by->current() == 0)
            pick(id);
        else if (m_by->current() == 1 && id.startsWith(u"stage "_s) && context().selection)
            context().selection->setCell(id.mid(6).toInt(), -1);
    });
}

void SensitivityPage::statesShown()
{
    m_tornado->setButtonsEnabled(isCurrent(m_table));
}

void SensitivityPage::tryHalf(int item)
{
    const TornadoRow& shown = m_tornado->data().rows[static_cast<std::size_t>(item)];
    const SensitivityTable* table = m_table.value();
    const ScenarioEntry* entry = context().study ? context().study->entry(context().currentId) : nullptr;
    if (!table || !entry || !isCurrent(m_table))
        return;
    const auto row = std::find_if(table->rows.begin(), table->rows.end(),
                                  [&](const SensitivityRow& r) { return QString::fromStdString(r.id) == shown.id; });
    Result<Scenario> halved = row != table->rows.end() ? withHalvedSpread(*entry->scenario, *row) : Result<Scenario>(Diagnostics{});
    if (!halved.ok())
        return;
    const QString undo = tr("Try half of %1").arg(shown.label);
    halved->name = context().study->freeName(tr("%1, half of %2").arg(QString::fromStdString(halved->name), shown.label)).toStdString();
    halved->note.clear();
    context().study->addScenario(std::move(halved).value(), undo, entry->id);
}

bool SensitivityPage::showsSlopes() const
{
    return m_metric->current() > static_cast<int>(Metric::exceedance);
}

void SensitivityPage::showChosen()
{
    m_left->setCurrentIndex(showsSlopes() ? 1 : 0);
    setExported({showsSlopes() ? static_cast<PlotBase*>(m_slopes) : m_tornado, m_bars});
}

void SensitivityPage::refreshSlopes()
{
    const SensitivityTable* table = this->table();
    ChartText text;
    text.title = tr("What moves p50, p95 and p99");
    text.subtitle =
        tr("Rank of each cause by the larger change when its spread is removed or doubled; rising lines matter more in the tail");
    SlopeData data;
    if (table) {
        data = slopesOf(*table, scenario() ? scenario()->colour : 0);
        text.footer << footerCount(tr("steps each"), table->samples, table->seed) + tr(", common random numbers. Figures at p99.");
        text.hint = tr("Click a cause to go to its parameter.");
    }
    m_slopes->setText(text);
    m_slopes->setData(data);
    present({m_slopes, [this] { return m_table.status(); }, tr("Computing the effect of each cause"),
             data.rows.empty() ? tr("Nothing varies in this scenario: give a cause a spread in Variability.") : QString()});
}

void SensitivityPage::pick(const QString& id)
{
    if (Selection* selection = context().selection)
        selection->setKernelClass(selection->picked().kernelClass == id ? QString() : id);
}

void SensitivityPage::contextChanged()
{
    const double limit = limitSeconds();
    request(m_table, token(u"sensitivity%1"_s.arg(limit, 0, 'g', 12)), tr("Sensitivity"),
            [limit](Evaluator& evaluator, const Snapshot& s, InsightOptions options) {
                options.limitSeconds = limit;
                return sensitivity(evaluator, s.scenario, options);
            });
    request(
        m_tail, token(u"attribution"_s), tr("Tail attribution"),
        [](Evaluator& evaluator, const Snapshot& s, const InsightOptions& options) { return attribution(evaluator, s.scenario, options); });
    refresh();
}

double SensitivityPage::limitSeconds() const
{
    if (context().limitSeconds > 0)
        return context().limitSeconds;
    const ShownScenario* read = context().baseline() ? context().baseline() : scenario();
    return read && read->snapshot ? read->snapshot->across.p95 : 0;
}

void SensitivityPage::refresh()
{
    m_metric->setLabel(static_cast<int>(Metric::exceedance), nameOf(Metric::exceedance, limitSeconds()));
    refreshSlopes();
    refreshBars();
    selectionChanged();
}

const SensitivityTable* SensitivityPage::table() const
{
    const SnapshotPtr known = snapshot();
    return m_levelled.of(m_table, {known}, isAboutShown(m_table),
                         [&](const SensitivityTable& drawn, bool about) { return about ? onLevelOf(*known, drawn) : drawn; });
}

void SensitivityPage::refreshTornado()
{
    const auto metric = showsSlopes() ? Metric::p95 : static_cast<Metric>(std::max(m_metric->current(), 0));
    const SensitivityTable* table = this->table();
    ChartText text;
    const QString name = nameOf(metric, table ? table->limitSeconds : limitSeconds());
    text.title = tr("What moves %1").arg(name);
    text.subtitle = tr("Change of %1 when the spread of one cause is removed or doubled").arg(name);
    QString missing;
    if (const SnapshotPtr s = snapshot(); s && !s->costed->withinCalibration)
        missing = s->costed->warnings.empty() ? tr("no measurement covers this input")
                                              : QString::fromStdString(s->costed->warnings.front().message);
    TornadoData data;
    if (table) {
        data = tornadoOf(*table, metric,
                         {scenario() ? scenario()->colour : 0, missing, theme().presentation() ? kRowsInPresentation : kShownRows,
                          m_isWhole, context().selection ? context().selection->picked().kernelClass : QString()});
        const bool starred = std::any_of(data.rows.begin(), data.rows.end(), [](const TornadoRow& r) { return r.nonMonotonic; });
        if (starred)
            text.footer << tr("* Not monotonic: removing and doubling the spread move %1 the same way, or against expectation.").arg(name);
        if (!missing.isEmpty())
            text.footer << tr("Hatched: outside the calibrated range. %1").arg(missing);
        if (!theme().presentation()) // then there is no field to go to
            text.hint = tr("Click a bar to go to its parameter.");
        text.footer << footerCount(tr("steps each"), table->samples, table->seed)
                           + tr(", one cause at a time, common random numbers. Whiskers: 95 %.")
                           + levelNote(table->base.samples, table->samples);
    }
    m_tornado->setText(text);
    m_tornado->setData(data);
    shareScale(*m_tornado, data.metric);
    statesShown();
    present({m_tornado, [this] { return m_table.status(); }, tr("Computing the effect of each cause"),
             data.rows.empty() ? tr("Nothing varies in this scenario: give a cause a spread in Variability.") : QString()});
}

void SensitivityPage::refreshBars()
{
    const auto by = static_cast<AttributionBy>(std::max(m_by->current(), 0));
    const TailAttribution* tail = m_tail.value();
    ChartText text;
    text.title = tr("What made the slow steps slow");
    text.subtitle = by == AttributionBy::cause ? tr("Share of the step time, %") : tr("Share of the critical path, %");
    PairedData data;
    if (tail) {
        data = pairedOf(*tail, by, scenario() ? scenario()->colour : 0, m_table.value());
        text.footer << tr("%1 slowest of %2 steps, above %3, seed %4.")
                           .arg(format::count(tail->slowSamples), format::count(tail->samples),
                                format::seconds(tail->slowThresholdSeconds).text(), QString::number(tail->seed));
        double widest = 0;
        for (const PairedRow& row : data.rows)
            widest = std::max(widest, std::hypot(row.allHalfWidth, row.slowHalfWidth));
        text.footer << tr("Shares add up to 100 %. Interval %1 points or less.").arg(format::plainInterval(widest * 100));
    }
    m_bars->setText(text);
    m_bars->setData(data);
    present({m_bars, [this] { return m_tail.status(); }, tr("Walking the critical paths"), {}});
}

void SensitivityPage::selectionChanged()
{
    refreshTornado(); // what was picked has a row
    const Picked picked = context().selection ? context().selection->picked() : Picked{};
    m_tornado->setHighlighted(picked.kernelClass);
    m_slopes->setHighlighted(picked.kernelClass);
    m_bars->setHighlighted(m_by->current() == 1 ? (picked.stage >= 0 ? u"stage %1"_s.arg(picked.stage) : QString()) : picked.kernelClass);
}

TableData SensitivityPage::asTable() const
{
    if (showsSlopes())
        return m_slopes->asTable();
    TableData table = m_tornado->asTable();
    table.header.prepend(u"chart"_s);
    for (QStringList& row : table.rows)
        row.prepend(u"tornado"_s);
    const TableData tail = m_bars->asTable();
    for (const QStringList& row : tail.rows) {
        // id, label, all, +-, slow, +-, difference into the tornado's columns: named in the input columns.
        table.rows << QStringList{
            u"tail attribution [share]"_s, row[0],   row[1], u"all steps"_s, row[2], row[3], u"slowest steps"_s, row[4], row[5],
            u"difference "_s + row[6],     QString()};
    }
    return table;
}

QList<std::pair<QString, QString>> SensitivityPage::printedNames() const
{
    QList<std::pair<QString, QString>> names;
    for (const TornadoRow& row : m_tornado->data().rows)
        if (!row.parameter.isEmpty())
            names << std::pair{row.label, row.parameter};
    return names;
}

QJsonObject SensitivityPage::saveState() const
{
    return {{u"figure"_s, m_metric->current()}, {u"by"_s, m_by->current()}};
}

void SensitivityPage::restoreState(const QJsonObject& state)
{
    m_metric->setCurrent(state[u"figure"_s].toInt(1));
    showChosen();
    m_by->setCurrent(state[u"by"_s].toInt(0));
    refresh();
}

QString SensitivityPage::answer() const
{
    const SensitivityTable* table = m_table.value();
    if (!table)
        return {};
    std::vector<const SensitivityRow*> causes;
    for (const SensitivityRow& row : table->rows)
        if (row.varies && row.spreadRemoved.p95.significant() && row.spreadRemoved.p95.value < 0)
            causes.push_back(&row);
    std::stable_sort(causes.begin(), causes.end(),
                     [](const auto* a, const auto* b) { return a->spreadRemoved.p95.value < b->spreadRemoved.p95.value; });
    const auto effect = [&causes](std::size_t i) {
        const Estimate& change = causes[i]->spreadRemoved.p95;
        return tr("%1 lowers p95 by %2").arg(causeName(*causes[i]), format::timeChange({-change.value, change.halfWidth}).mid(1));
    };
    if (causes.empty())
        return tr("No cause changes p95 by more than its sampling error.");
    return causes.size() == 1 ? tr("Removing the spread of %1.").arg(effect(0))
                              : tr("Removing the spread of %1, that of %2.").arg(effect(0), effect(1));
}

} // namespace prism::ui
