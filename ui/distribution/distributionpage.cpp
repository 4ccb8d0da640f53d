// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/distribution/distributionpage.h"

#include "core/insight/guarantee/guarantee.h"
#include "ui/distribution/distributiontable.h"
#include "ui/distribution/scenariolegend.h"
#include "ui/model/selection.h"
#include "ui/model/studymodel.h"
#include "ui/theme/flowlayout.h"
#include "ui/look/format.h"
#include "ui/theme/segmented.h"
#include "ui/theme/plaintext.h"

#include <QLabel>
#include <QVBoxLayout>

#include <algorithm>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui {

DistributionPage::DistributionPage(const Theme& theme, ChangesCache& cache, QWidget* parent) : Page(parent), m_theme(theme)
{
    m_tools = new QWidget(this);
    auto* tools = new FlowLayout(m_tools);
    tools->setContentsMargins(0, 0, 0, 0);
    tools->setSpacing(theme.px(16));
    m_modes = new SegmentedControl(theme, m_tools);
    m_modes->setChoices({tr("CDF"), tr("Density"), tr("Exceedance (log)")});
    m_spread = new SegmentedControl(theme, m_tools);
    m_spread->setChoices({tr("Across jobs"), tr("Within one job")});
    m_modes->setAccessibleName(tr("Kind of chart"));
    m_spread->setAccessibleName(tr("Which spread"));
    tools->addWidget(m_modes);
    tools->addWidget(m_spread);

    auto* page = new QVBoxLayout(this);
    page->setContentsMargins(0, 0, 0, 0);
    page->setSpacing(theme.px(metric::cardGap));
    auto* card = new QFrame;
    card->setProperty("card", true);
    auto* cardLayout = new QVBoxLayout(card);
    const int padding = theme.px(metric::cardPadding);
    cardLayout->setContentsMargins(padding, theme.px(12), padding, theme.px(8));
    cardLayout->setSpacing(theme.px(4));
    auto* head = new QHBoxLayout;
    m_title = plainLabel();
    m_title->setProperty("type", u"title"_s);
    m_legend = new ScenarioLegend(theme, card);
    m_note = plainLabel();
    m_note->setProperty("type", u"tick"_s);
    m_note->setProperty("role", u"warning"_s);
    head->addWidget(m_title, 0, Qt::AlignTop);
    head->addWidget(m_note, 0, Qt::AlignTop);
    head->addWidget(m_legend, 1);
    cardLayout->addLayout(head);
    m_chart = new CdfChart(theme);
    cardLayout->addWidget(m_chart, 1);
    auto* line = new QFrame;
    line->setProperty("separator", true);
    cardLayout->addWidget(line);
    auto* foot = new QHBoxLayout;
    m_footer = plainLabel();
    m_footerRight = plainLabel();
    for (QLabel* label : {m_footer, m_footerRight}) {
        label->setProperty("type", u"tick"_s);
        label->setProperty("role", u"tertiary"_s);
    }
    m_footer->setWordWrap(true);
    foot->addWidget(m_footer, 1);
    foot->addWidget(m_footerRight, 0, Qt::AlignTop);
    cardLayout->addLayout(foot);
    page->addWidget(card, 1);

    auto* tableCard = new QFrame;
    tableCard->setProperty("card", true);
    auto* tableLayout = new QVBoxLayout(tableCard);
    tableLayout->setContentsMargins(1, 1, 1, 1);
    m_model = new DistributionModel(cache, this);
    m_table = new DistributionTable(theme, m_model);
    tableLayout->addWidget(m_table);
    page->addWidget(tableCard);

    connect(m_modes, &SegmentedControl::chosen, this, [this](int) { refresh(); });
    connect(m_spread, &SegmentedControl::chosen, this, [this](int) { refresh(); });
    connect(m_chart, &CdfChart::limitMoved, this, &DistributionPage::moveLimit);
    connect(m_chart, &CdfChart::limitReleased, this, [this] { m_context.study->endMerge(); });
    connect(m_chart, &CdfChart::limitTyped, this, &DistributionPage::typeLimit);
    connect(m_chart, &CdfChart::curveClicked, this, [this](int id) { m_context.selection->setScenario(id); });
    connect(m_table, &QTableView::clicked, this,
            [this](const QModelIndex& index) { m_context.study->setCurrent(m_model->idAt(index.row())); });
    connect(&theme, &Theme::changed, this, &DistributionPage::refresh);
}

bool DistributionPage::within() const
{
    return m_spread->current() == 1;
}

const ShownScenario* DistributionPage::readScenario() const
{
    const ShownScenario* baseline = m_context.baseline();
    return baseline && baseline->snapshot && baseline->visible ? baseline : m_context.current();
}

const std::vector<double>* DistributionPage::readSamples() const
{
    const ShownScenario* read = readScenario();
    if (!read || !read->snapshot)
        return nullptr;
    const auto& sorted = within() ? read->snapshot->sortedWithinSeconds : read->snapshot->sortedAcrossSeconds;
    return sorted.empty() ? nullptr : &sorted;
}

double DistributionPage::limitSeconds() const
{
    if (m_context.limitSeconds > 0)
        return m_context.limitSeconds;
    const std::vector<double>* samples = readSamples();
    return samples ? quantileOfSorted(*samples, 0.95) : 0;
}

PageState DistributionPage::state() const
{
    PageState all = stateOf(m_context.current());
    for (const ShownScenario& s : m_context.scenarios)
        if (!s.snapshot && !s.invalid && !s.cancelled) // another scenario's first curve is still missing
            all = worse(all, stateOf(&s));
    return all;
}

void DistributionPage::setContext(const PageContext& context)
{
    if (context.selection && context.selection != m_context.selection)
        connect(context.selection, &Selection::changed, this, [this] { m_chart->setBrushed(m_context.selection->picked().scenario); });
    const bool onlyLimit =
        !m_context.scenarios.isEmpty() && context.currentId == m_context.currentId && context.baselineId == m_context.baselineId
        && context.limitSeconds != m_context.limitSeconds && context.scenarios.size() == m_context.scenarios.size()
        && std::equal(context.scenarios.begin(), context.scenarios.end(), m_context.scenarios.begin(), [](const auto& a, const auto& b) {
               return a.snapshot == b.snapshot && stateOf(&a) == stateOf(&b) && a.visible == b.visible && a.name == b.name
                      && a.colour == b.colour;
           });
    m_context = context;
    if (onlyLimit)
        refreshLimit();
    else
        refresh();
}

void DistributionPage::refresh()
{
    if (m_context.scenarios.isEmpty())
        return;
    const auto mode = static_cast<CdfChart::Mode>(m_modes->current());
    std::vector<Reduced> kept;
    QList<ChartCurve> curves;
    int dropped = 0;
    for (const ShownScenario& s : m_context.scenarios) {
        if (!s.visible || !s.snapshot)
            continue;
        auto known = std::find_if(m_reduced.begin(), m_reduced.end(),
                                  [&](const Reduced& r) { return r.snapshot == s.snapshot && r.within == within(); });
        Reduced reduced = known != m_reduced.end() ? *known : Reduced{s.snapshot, within(), {}, {}, 0};
        const auto& sorted = within() ? s.snapshot->sortedWithinSeconds : s.snapshot->sortedAcrossSeconds;
        if (reduced.cdf.empty())
            reduced.cdf = cdfCurve(sorted, 512, &reduced.dropped);
        if (mode == CdfChart::Mode::density && reduced.density.empty())
            reduced.density = densityCurve(sorted);
        dropped += reduced.dropped;
        if (sorted.empty())
            continue;
        const double noiseFree = s.snapshot->samples ? s.snapshot->samples->noiseFreeSeconds : 0;
        ChartCurve c{s.id,
                     s.name,
                     s.colour,
                     s.isBaseline,
                     s.stale,
                     s.isCurrent,
                     reduced.cdf,
                     reduced.density,
                     quantileOfSorted(sorted, 0.001),
                     quantileOfSorted(sorted, mode == CdfChart::Mode::exceedance ? 1.0 : 0.999),
                     noiseFree};
        if (s.isBaseline && noiseFree > 0)
            c.axisLow = std::min(c.axisLow, noiseFree);
        curves << c;
        kept.push_back(std::move(reduced));
    }
    m_reduced = std::move(kept);
    m_title->setText(mode == CdfChart::Mode::cdf       ? tr("Step time, cumulative distribution")
                     : mode == CdfChart::Mode::density ? tr("Step time, density")
                                                       : tr("Step time, share of steps that take longer"));
    m_legend->setScenarios(m_context.scenarios);
    m_chart->setMode(mode);
    m_chart->setCurves(std::move(curves));
    const ShownScenario* current = m_context.current();
    const StateText said = textOf(stateOf(current), current && current->snapshot, tr("Computing the first samples"));
    m_chart->setNotice(said.message);
    m_note->setText(said.note);
    const ShownScenario* read = readScenario();
    if (read && read->snapshot) {
        const auto n = within() ? read->snapshot->within.samples : read->snapshot->across.samples;
        QString text = format::receipt(static_cast<std::int64_t>(n), read->snapshot->seed, tr("steps per scenario"))
                       + tr(", Monte Carlo with common random numbers. Bands: 95 %, whole curve.");
        if (dropped > 0)
            text += tr(" %1 samples without a finite time are left out.").arg(dropped);
        m_footer->setText(text);
        m_footer->setToolTip(text);
    }
    m_footerRight->setText(within() ? tr("Within one job") : tr("Across jobs"));
    refreshLimit();
}

void DistributionPage::refreshLimit()
{
    const double limit = limitSeconds();
    LimitReading reading;
    QString accessible;
    if (const std::vector<double>* samples = readSamples(); samples && limit > 0) {
        const Estimate over = exceedance(*samples, limit);
        const ShownScenario* read = readScenario();
        reading = {limit, 1 - over.value,
                   tr("P(step > %1) = %2").arg(format::seconds(limit).text(), shareRuns(over.value, over.halfWidth).front().text),
                   tr("± %1 points, %2").arg(format::number(over.halfWidth * 100, 1), read->isBaseline ? tr("baseline") : read->name)};
        accessible = reading.sentence;
    }
    m_chart->setLimit(reading);
    m_chart->setAccessibleName(m_title->text());
    m_chart->setAccessibleDescription(accessible);
    m_model->setContext(m_context, limit, within());
    m_table->fit();
}

void DistributionPage::moveLimit(double seconds, double probability)
{
    const std::vector<double>* samples = readSamples();
    if (samples && probability > 0)
        seconds = quantileOfSorted(*samples, probability);
    if (seconds > 0)
        m_context.study->setLimit(seconds);
}

void DistributionPage::typeLimit(const QString& text)
{
    QString number = text.trimmed();
    number.remove(u' ');
    double factor = 1;
    bool share = false;
    for (const auto& [suffix, scale] : {std::pair{u"ms"_s, 1e-3}, {u"µs"_s, 1e-6}, {u"us"_s, 1e-6}, {u"s"_s, 1.0}})
        if (number.endsWith(suffix)) {
            number.chop(suffix.size());
            factor = scale;
            break;
        }
    if (number.endsWith(u'%')) {
        number.chop(1);
        share = true;
    }
    bool ok = false;
    const double value = number.replace(u',', QString()).toDouble(&ok);
    if (!ok || !(value > 0))
        return;
    const std::vector<double>* samples = readSamples();
    if (share && samples && value < 100)
        m_context.study->setLimit(quantileOfSorted(*samples, 1 - value / 100));
    else if (!share)
        m_context.study->setLimit(value * factor);
    m_context.study->endMerge();
}

QJsonObject DistributionPage::saveState() const
{
    return {{u"mode"_s, m_modes->current()}, {u"within"_s, within()}};
}

void DistributionPage::restoreState(const QJsonObject& state)
{
    m_modes->setCurrent(std::clamp(state[u"mode"_s].toInt(), 0, 2));
    m_spread->setCurrent(state[u"within"_s].toBool() ? 1 : 0);
    refresh();
}

} // namespace prism::ui
