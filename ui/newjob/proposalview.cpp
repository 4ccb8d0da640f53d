// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/newjob/proposalview.h"

#include "core/insight/curve.h"
#include "core/scenario/parameters.h"
#include "ui/look/format.h"
#include "ui/pages/card.h"
#include "ui/plot/memorychart.h"
#include "ui/plot/stepcurves.h"
#include "ui/theme/barelayout.h"
#include "ui/theme/plaintext.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QTableWidget>
#include <QVBoxLayout>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

enum Column { layoutColumn, p50Column, p95Column, memoryColumn, againstColumn, kColumns };
constexpr int kCurvePoints = 200;
constexpr double kNoDifference = 0.0005; // of the step; below it two numbers look the same

QString shortNameOf(const std::string& id)
{
    const Parameter* p = findParameter(id);
    return p ? QString::fromStdString(p->shortName.empty() ? p->label : p->shortName) : QString::fromStdString(id);
}

} // namespace

QString layoutName(const Scenario& s)
{
    const ParallelismConfig& p = s.parallelism;
    QStringList parts{u"TP%1"_s.arg(p.tensorModelParallelSize), u"PP%1"_s.arg(p.pipelineModelParallelSize),
                      u"DP%1"_s.arg(s.dataParallelSize())};
    for (const auto& [name, size] :
         {std::pair{u"VPP"_s, p.virtualPipelineModelParallelSize}, {u"CP"_s, p.contextParallelSize}, {u"EP"_s, p.expertModelParallelSize}})
        if (size > 1)
            parts << name + QString::number(size);
    return parts.join(u' ');
}

QString reasonText(const LayoutReason& r)
{
    const QString other = u"%1 %2"_s.arg(shortNameOf(r.id), QString::fromStdString(r.other));
    if (r.other.empty())
        return QObject::tr("the only one that is valid with the rest");
    if (r.overGib > 0)
        return QObject::tr("%1 does not fit, %2 over").arg(other, format::gib(r.overGib).text());
    if (std::abs(r.slower) < kNoDifference)
        return QObject::tr("%1 would take the same time").arg(other);
    return r.slower > 0 ? QObject::tr("%1 with the rest as it is takes %2 longer").arg(other, format::percent(r.slower))
                        : QObject::tr("%1 would be %2 faster with too little memory left").arg(other, format::percent(-r.slower));
}

ProposalView::ProposalView(const Theme& theme, QWidget* parent)
    : QWidget(parent),
      m_theme(theme),
      m_state(plainLabel({}, u"secondary"_s, u"small"_s)),
      m_checked(plainLabel({}, u"tertiary"_s, u"tick"_s)),
      m_name(plainLabel({}, {}, u"value"_s)),
      m_peak(plainLabel({}, {}, u"strong"_s)),
      m_reasonBox(new QWidget),
      m_reasons(new QGridLayout(m_reasonBox)),
      m_table(new QTableWidget(0, kColumns)),
      m_memory(new MemoryChart(theme)),
      m_curve(new StepCurveChart(theme))
{
    auto* layout = bareLayout<QVBoxLayout>(this, theme.px(6));
    auto* first = new QHBoxLayout;
    m_state->setWordWrap(true);
    first->addWidget(m_state, 1);
    first->addWidget(m_checked);
    auto* second = new QHBoxLayout;
    second->addWidget(m_name, 1);
    second->addWidget(m_peak);
    layout->addLayout(first);
    layout->addLayout(second);
    m_reasons->setContentsMargins(0, 0, 0, 0);
    m_reasons->setColumnStretch(1, 1);
    layout->addWidget(m_reasonBox);
    m_memory->setText({tr("Memory per stage, GiB"), {}, {}, {}, {}});
    layout->addWidget(m_memory, 3);
    m_table->setHorizontalHeaderLabels({tr("Layout"), u"p50"_s, u"p95"_s, tr("GiB"), tr("Against the proposal")});
    m_table->setObjectName(u"proposals"_s);
    m_table->setAccessibleName(tr("Proposed layout and alternatives"));
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->verticalHeader()->hide();
    m_table->setShowGrid(false);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setSectionResizeMode(againstColumn, QHeaderView::Stretch);
    m_table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    m_table->setFixedHeight(theme.px(28 * 6 + 4));
    layout->addWidget(m_table);
    m_curve->setText({tr("Step time"), {}, {}, {}, {}});
    layout->addWidget(m_curve, 4);
    layout->addStretch(); // while there is no proposal
    showRows();
    connect(m_table, &QTableWidget::currentCellChanged, this, [this](int row, int, int before, int) {
        if (row < 0 || row == before)
            return;
        showChosen();
        Q_EMIT chosenChanged(row);
    });
}

void ProposalView::setMessage(const QString& text, bool isError)
{
    m_state->setText(text);
    restyle(m_state, "role", isError ? u"error"_s : u"secondary"_s);
    m_checked->clear();
    if (!isError)
        return; // the last proposal stays while the next is computed
    m_rows.clear();
    m_sampled.clear();
    m_table->setRowCount(0);
    m_name->clear();
    m_peak->clear();
    m_reasonBox->hide();
    clearCharts();
    showRows();
    setStale(false);
}

void ProposalView::showRows()
{
    for (QWidget* part : std::initializer_list<QWidget*>{m_memory, m_table, m_curve})
        part->setVisible(!m_rows.empty());
}

void ProposalView::setStale(bool stale)
{
    for (QWidget* part : std::initializer_list<QWidget*>{m_name, m_peak, m_reasonBox, m_table})
        dim(*part, stale);
    m_table->setEnabled(!stale);
    for (PlotBase* chart : std::initializer_list<PlotBase*>{m_memory, m_curve})
        chart->setStale(stale && chart->itemCount() > 0 ? tr("of the answers before") : QString());
}

void ProposalView::clearCharts()
{
    m_memory->setMemory({});
    m_curve->setData({});
    m_curve->setText({tr("Step time"), {}, {}, {}, {}});
    for (PlotBase* chart : std::initializer_list<PlotBase*>{m_memory, m_curve})
        chart->setMessage({});
}

void ProposalView::setProposal(const LayoutProposal& p, const std::vector<LayoutOption>& rows, bool firstAlternativeIsOwn)
{
    m_rows = rows;
    m_sampled.assign(rows.size(), nullptr);
    m_ownSecond = firstAlternativeIsOwn;
    setMessage(p.repaired ? tr("Nearest layout that fits; no usual one is valid")
                          : tr("Proposed layout, %1 of %2 free")
                                .arg(format::number(p.best.capacityGib - p.best.peakGib), format::gib(p.best.capacityGib).text()),
               false);
    m_checked->setText(
        tr("%1 checked in %2, %3 fit")
            .arg(format::count(p.points), format::seconds(p.elapsedSeconds).text(), format::count(p.repaired ? 1 : p.fitting)));
    setStale(false);
    fillReasons(p);
    const QSignalBlocker quiet(m_table);
    m_table->setRowCount(static_cast<int>(rows.size()));
    for (int row = 0; row < m_table->rowCount(); ++row)
        fillRow(row, m_ownSecond && row == 1);
    m_table->selectRow(0);
    showRows();
    showChosen();
}

void ProposalView::fillReasons(const LayoutProposal& p)
{
    while (QLayoutItem* item = m_reasons->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    int line = 0;
    for (const LayoutReason& r : p.reasons) {
        auto* name = plainLabel(u"%1 %2"_s.arg(shortNameOf(r.id), QString::fromStdString(r.value)), {}, u"small"_s);
        auto* why = plainLabel(reasonText(r), u"secondary"_s, u"small"_s);
        m_reasons->addWidget(name, line, 0);
        m_reasons->addWidget(why, line++, 1);
    }
    m_reasonBox->setVisible(line > 0);
}

QString ProposalView::against(int row, bool own) const
{
    const LayoutOption& option = m_rows[static_cast<std::size_t>(row)];
    if (row == 0)
        return tr("Proposed");
    QStringList parts;
    if (own)
        parts << tr("as in the script");
    if (!option.fits()) {
        parts << tr("does not fit, %1 over").arg(format::gib(option.peakGib - option.capacityGib).text());
        return parts.join(u", "_s);
    }
    const SnapshotPtr &base = m_sampled.front(), &other = m_sampled[static_cast<std::size_t>(row)];
    if (base && other)
        parts << tr("%1 p95").arg(format::percentDelta(other->across.p95 / base->across.p95 - 1));
    else if (option.noiseFreeSeconds > 0)
        parts << tr("%1 without noise").arg(format::percentDelta(option.noiseFreeSeconds / m_rows.front().noiseFreeSeconds - 1));
    parts << tr("%1 free").arg(format::gib(option.capacityGib - option.peakGib).text());
    return parts.join(u", "_s);
}

void ProposalView::fillRow(int row, bool own)
{
    const LayoutOption& option = m_rows[static_cast<std::size_t>(row)];
    const SnapshotPtr& s = m_sampled[static_cast<std::size_t>(row)];
    const QString texts[kColumns] = {layoutName(option.scenario), s ? format::seconds(s->across.p50).text() : u"–"_s,
                                     s ? format::seconds(s->across.p95).text() : u"–"_s, format::number(option.peakGib), against(row, own)};
    for (int column = 0; column < kColumns; ++column) {
        auto* item = new QTableWidgetItem(texts[column]);
        if (!option.fits())
            item->setForeground(m_theme.color(column >= memoryColumn ? Role::error : Role::textTertiary));
        if (column != layoutColumn && column != againstColumn)
            item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
        item->setToolTip(texts[column]);
        m_table->setItem(row, column, item);
    }
}

void ProposalView::setSampled(int row, const SnapshotPtr& snapshot)
{
    if (row < 0 || row >= static_cast<int>(m_rows.size()) || !snapshot || !snapshot->valid())
        return;
    m_sampled[static_cast<std::size_t>(row)] = snapshot;
    const QSignalBlocker quiet(m_table);
    for (int i = 0; i < m_table->rowCount(); ++i)
        fillRow(i, m_ownSecond && i == 1);
    if (row == chosen())
        showChosen();
}

int ProposalView::chosen() const
{
    return std::clamp(m_table->currentRow(), 0, std::max(0, static_cast<int>(m_rows.size()) - 1));
}

QString ProposalView::headline() const
{
    return m_name->text();
}

void ProposalView::showChosen()
{
    if (m_rows.empty())
        return;
    const LayoutOption& option = m_rows[static_cast<std::size_t>(chosen())];
    m_name->setText(layoutName(option.scenario));
    m_peak->setText(tr("%1 of %2").arg(format::number(option.peakGib), format::gib(option.capacityGib).text()));
    const SnapshotPtr& s = m_sampled[static_cast<std::size_t>(chosen())];
    if (!s) { // a chart of another layout does not apply to this one
        clearCharts();
        for (PlotBase* chart : std::initializer_list<PlotBase*>{m_memory, m_curve})
            chart->setMessage(option.fits() ? tr("Computing …") : tr("Does not fit: the steps of this layout are not sampled."));
        return;
    }
    m_memory->setMemory(s->costed->memory);
    StepCurves data;
    data.noiseFreeSeconds = s->samples->noiseFreeSeconds;
    data.markedShare = 0.95;
    data.curves.push_back(
        {u"chosen"_s, layoutName(option.scenario), 0, false, false, false, {}, cdfCurve(s->sortedAcrossSeconds, kCurvePoints)});
    m_curve->setData(data);
    ChartText text;
    text.title =
        tr("Step time: p50 %1, p95 %2, p99 %3")
            .arg(format::seconds(s->across.p50).text(), format::seconds(s->across.p95).text(), format::seconds(s->across.p99).text());
    text.footer << format::samplesAndSeed(static_cast<std::int64_t>(s->across.samples), s->seed, tr("steps, across jobs"));
    m_curve->setText(text);
}

} // namespace prism::ui
