// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/distribution/distributionpage.h"

#include "core/insight/empirical.h"
#include "core/scenario/parameters.h"
#include "core/scenario/quantity.h"
#include "ui/bridge/ghostpreview.h"
#include "ui/model/selection.h"
#include "ui/model/stepmarks.h"
#include "ui/model/studymodel.h"
#include "ui/theme/rescale.h"
#include "ui/theme/flowlayout.h"
#include "ui/look/change.h"
#include "ui/look/textruns.h"
#include "ui/look/format.h"
#include "ui/workspace/curvepick.h"
#include "ui/workspace/distributiondata.h"
#include "ui/theme/segmented.h"
#include "ui/theme/plaintext.h"
#include "ui/theme/barelayout.h"

#include <QLabel>
#include <QPushButton>
#include <QRegularExpression>
#include <QVBoxLayout>

#include <algorithm>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui {

namespace {

/// A time ("9.3 s", "930 ms", "9.3") in seconds, or a share ("5 %") as -share; 0 where it is neither.
double limitFrom(const QString& text)
{
    const QString typed = text.trimmed();
    if (!typed.endsWith(u'%'))
        return secondsFrom(typed);
    const Result<double> share = quantityFromText(typed.toStdString(), "", false);
    return share.ok() && *share > 0 && *share < 1 ? -*share : 0;
}

/// The error of p95, and whether it is small enough: for the precision that was requested, or for what most decisions need.
QString knownTo(double share, double requested)
{
    if (requested > 0)
        return (share <= requested ? QObject::tr(" p95 ± %1 %: within the ± %2 % wanted, so sampling stopped.")
                                   : QObject::tr(" p95 ± %1 %: not yet within the ± %2 % wanted."))
            .arg(format::number(100 * share, share <= requested ? 2 : 3), format::number(100 * requested, 2));
    constexpr double kEnough = 0.01;
    const QString known = format::number(100 * share, share <= kEnough ? 1 : 3); // the digits show what is missing
    return share <= kEnough ? QObject::tr(" p95 ± %1 %: enough for ± 1 %.").arg(known)
                            : QObject::tr(" p95 ± %1 %: not enough for ± 1 %.").arg(known);
}

} // namespace

DistributionPage::DistributionPage(const Theme& theme, ChangesCache& cache, QWidget* parent) : Page(parent), m_theme(theme), m_cache(cache)
{
    makeTools();
    auto* page = new QVBoxLayout(this);
    page->setContentsMargins(0, 0, 0, 0);
    page->addWidget(makeChartCard());

    connect(m_modes, &SegmentedControl::chosen, this, [this](int) { refresh(); });
    connect(m_spread, &SegmentedControl::chosen, this, [this](int) { refresh(); });
    connect(m_between, &QPushButton::clicked, this, &DistributionPage::setBetween);
    connect(m_chart, &CdfChart::limitMoved, this, &DistributionPage::moveLimit);
    connect(m_chart, &CdfChart::lowerLimitMoved, this, &DistributionPage::moveLowerLimit);
    connect(m_chart, &CdfChart::limitReleased, this, [this] { m_context.study->endMerge(); });
    connect(m_chart, &CdfChart::goalDropped, this, &Page::goalRequested);
    connect(m_chart, &CdfChart::markRequested, this, &Page::markRequested);
    connect(m_chart, &CdfChart::limitTyped, this, &DistributionPage::typeLimit);
    connect(m_chart, &CdfChart::curveClicked, this, [this](int id) { m_context.selection->setScenario(id); });
    connect(m_chart, &CdfChart::metricRequested, this, &Page::metricRequested);
    connect(&theme, &Theme::changed, this, &DistributionPage::refresh);
    showWhileEditable(*m_between, theme);
}

void DistributionPage::makeTools()
{
    m_tools = new QWidget(this);
    auto* tools = bareLayout<FlowLayout>(m_tools, m_theme.px(16));
    m_modes = new SegmentedControl(m_theme, m_tools);
    m_modes->setChoices({tr("CDF"), tr("Density"), tr("Exceedance (log)")});
    m_spread = new SegmentedControl(m_theme, m_tools);
    m_spread->setChoices({tr("Across jobs"), tr("Within one job")});
    m_modes->setAccessibleName(tr("Kind of chart"));
    m_spread->setAccessibleName(tr("Which spread"));
    m_between = new QPushButton(tr("Two limits"), m_tools);
    m_between->setObjectName(u"twoLimits"_s);
    m_between->setCheckable(true);
    m_between->setToolTip(tr("A second limit, and the share of steps between both"));
    for (QWidget* tool : {static_cast<QWidget*>(m_modes), static_cast<QWidget*>(m_spread), static_cast<QWidget*>(m_between)})
        tools->addWidget(tool);
}

QWidget* DistributionPage::makeChartCard()
{
    auto* card = new QFrame;
    card->setProperty("card", true);
    auto* cardLayout = new QVBoxLayout(card);
    const int padding = m_theme.px(metric::cardPadding);
    cardLayout->setContentsMargins(padding, m_theme.px(12), padding, m_theme.px(8));
    cardLayout->setSpacing(m_theme.px(4));
    auto* head = new QHBoxLayout;
    m_title = plainLabel({}, {}, u"title"_s);
    m_note = plainLabel({}, u"warning"_s, u"tick"_s);
    m_note->setWordWrap(true);
    head->setSpacing(m_theme.px(16));
    head->addWidget(m_title);
    head->addWidget(m_note, 1);
    cardLayout->addLayout(head);
    m_chart = new CdfChart(m_theme);
    cardLayout->addWidget(m_chart, 1);
    auto* line = new QFrame;
    line->setProperty("separator", true);
    cardLayout->addWidget(line);
    auto* foot = new QHBoxLayout;
    foot->setSpacing(m_theme.px(24));
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
    return card;
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

bool DistributionPage::sharesMuch() const
{
    constexpr double kMuch = 1.5; // times the interval of the samples' own
    const ShownScenario* read = readScenario();
    const std::vector<double>* samples = readSamples();
    const StepLimits at = limits();
    return samples && at.upper > 0
           && m_cache.share(read->snapshot, within(), {0, at.upper}).halfWidth > kMuch * exceedance(*samples, at.upper).halfWidth;
}

const std::vector<double>* DistributionPage::readSamples() const
{
    const ShownScenario* read = readScenario();
    if (!read || !read->snapshot)
        return nullptr;
    const auto& sorted = within() ? read->snapshot->sortedWithinSeconds : read->snapshot->sortedAcrossSeconds;
    return sorted.empty() ? nullptr : &sorted;
}

StepLimits DistributionPage::limits() const
{
    if (m_context.limitSeconds > 0)
        return {m_context.lowerLimitSeconds, m_context.limitSeconds};
    const std::vector<double>* samples = readSamples();
    return {0, samples ? quantileOfSorted(*samples, 0.95) : 0};
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
        connect(context.selection, &Selection::changed, this, [this] {
            if (drawableCount(m_context) > kMaxCurves)
                refresh(); // the picked one is drawn
            m_chart->setBrushed(m_context.selection->picked().scenario);
        });
    if (context.ghost && context.ghost != m_context.ghost)
        connect(context.ghost, &GhostPreview::changed, this, [this] { refreshGhost(); });
    if (context.study && context.study != m_context.study)
        connect(context.study, &StudyModel::readOnlyChanged, this, &DistributionPage::refreshLimit);
    const bool onlyLimit =
        !m_context.scenarios.isEmpty() && context.currentId == m_context.currentId && context.baselineId == m_context.baselineId
        && (context.limitSeconds != m_context.limitSeconds || context.lowerLimitSeconds != m_context.lowerLimitSeconds)
        && context.marks == m_context.marks && context.scenarios.size() == m_context.scenarios.size()
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

DistributionPage::Reduced DistributionPage::reducedOf(const ShownScenario& s, CdfChart::Mode mode) const
{
    const auto known = std::find_if(m_reduced.begin(), m_reduced.end(),
                                    [&](const Reduced& r) { return r.snapshot == s.snapshot && r.within == within(); });
    Reduced reduced = known != m_reduced.end() ? *known : Reduced{s.snapshot, within(), {}, {}, 0, false};
    const auto& sorted = within() ? s.snapshot->sortedWithinSeconds : s.snapshot->sortedAcrossSeconds;
    if (reduced.cdf.empty())
        reduced.cdf = cdfCurve(sorted, 512, &reduced.dropped);
    if (mode == CdfChart::Mode::exceedance && !reduced.hasIntervals) {
        addPointIntervals(reduced.cdf, sorted.size() - static_cast<std::size_t>(reduced.dropped));
        reduced.hasIntervals = true;
    }
    if (mode == CdfChart::Mode::density && reduced.density.empty())
        reduced.density = densityCurve(sorted);
    return reduced;
}

double axisEnd(const std::vector<double>& sortedSeconds)
{
    constexpr double kBody = 0.9, kBodyRoom = 1.0 / 6, kShown = 0.95;
    const auto at = [&](double share) { return quantileOfSorted(sortedSeconds, share); };
    const double first = at(1 - kAxisShare), room = (at(kBody) - first) / kBodyRoom;
    return std::min(at(kAxisShare), std::max(first + room, at(kShown)));
}

QString DistributionPage::changeOf(const ShownScenario& s) const
{
    const ShownScenario* baseline = m_context.baseline();
    if (s.isBaseline)
        return tr("baseline");
    if (!baseline || !isCompared(baseline->snapshot, s.snapshot))
        return {};
    const HeadlineChange& p95 = m_cache.changes(baseline->snapshot, s.snapshot, within()).p95;
    return p95.delta.significant() ? format::percentChange(p95.relative) : QString();
}

ChartCurve DistributionPage::curveOf(const ShownScenario& s, const Reduced& reduced, CdfChart::Mode mode) const
{
    const auto& sorted = within() ? s.snapshot->sortedWithinSeconds : s.snapshot->sortedAcrossSeconds;
    const double noiseFree = s.snapshot->samples ? s.snapshot->samples->noiseFreeSeconds : 0;
    ChartCurve c{s.id,
                 s.name,
                 s.colour,
                 s.isBaseline,
                 s.stale,
                 s.isCurrent,
                 reduced.cdf,
                 reduced.density,
                 quantileOfSorted(sorted, 1 - kAxisShare),
                 mode == CdfChart::Mode::exceedance ? sorted.back() : axisEnd(sorted),
                 noiseFree,
                 !outsideCalibration(*s.snapshot).isEmpty(),
                 changeOf(s),
                 u"p95 %1"_s.arg(format::seconds(within() ? s.snapshot->within.p95 : s.snapshot->across.p95).text())};
    if (s.isBaseline && noiseFree > 0)
        c.axisLow = std::min(c.axisLow, noiseFree);
    return c;
}

void DistributionPage::refresh()
{
    if (m_context.scenarios.isEmpty())
        return;
    const auto mode = static_cast<CdfChart::Mode>(m_modes->current());
    std::vector<Reduced> kept;
    QList<ChartCurve> curves;
    int dropped = 0;
    const int picked = m_context.selection ? m_context.selection->picked().scenario : -1;
    const QList<ShownScenario> drawn = drawnScenarios(m_context, picked);
    for (const ShownScenario& s : drawn) {
        Reduced reduced = reducedOf(s, mode);
        dropped += reduced.dropped;
        if (reduced.cdf.empty())
            continue;
        curves << curveOf(s, reduced, mode);
        kept.push_back(std::move(reduced));
    }
    m_reduced = std::move(kept);
    QList<ChartMark> marks;
    for (const TimeMark& mark : m_context.marks)
        marks << ChartMark{mark.seconds, letterOf(static_cast<std::size_t>(marks.size())), QString::fromStdString(mark.text)};
    m_chart->setMarks(marks);
    m_chart->setMode(mode);
    m_chart->setCurves(std::move(curves));
    refreshTexts(mode, dropped);
    refreshLimit();
}

void DistributionPage::refreshGhost()
{
    ChartGhost drawn;
    const Ghost tried = m_context.ghost ? m_context.ghost->ghost() : Ghost();
    const Parameter* p = findParameter(tried.parameterId.toStdString());
    const ShownScenario* s = m_context.find(tried.scenarioId);
    if (p && s) {
        const QString name = u"%1 %2"_s.arg(QString::fromStdString(p->shortName.empty() ? p->label : p->shortName), tried.value);
        drawn.colour = s->colour;
        drawn.text = tried.problem.isEmpty() ? tr("%1: computing").arg(name) : u"%1: %2"_s.arg(name, tried.problem);
        const std::vector<double> none;
        const auto& sorted = !tried.snapshot ? none : within() ? tried.snapshot->sortedWithinSeconds : tried.snapshot->sortedAcrossSeconds;
        if (!sorted.empty()) {
            constexpr int kGhostPoints = 200;
            drawn.cdf = cdfCurve(sorted, kGhostPoints);
            const double p95 = quantileOfSorted(sorted, 0.95);
            drawn.text =
                s->snapshot
                    ? u"%1: p95 %2"_s.arg(name, format::comparedSeconds(p95, within() ? s->snapshot->within.p95 : s->snapshot->across.p95))
                    : u"%1: p95 %2"_s.arg(name, format::seconds(p95).text());
            if (!tried.snapshot->costed->memory.fits)
                drawn.text += tr(", does not fit into memory");
        }
    }
    m_chart->setGhost(std::move(drawn));
}

void DistributionPage::refreshTexts(CdfChart::Mode mode, int dropped)
{
    m_title->setText(mode == CdfChart::Mode::cdf       ? tr("Step time, cumulative distribution")
                     : mode == CdfChart::Mode::density ? tr("Step time, density")
                                                       : tr("Step time, share of steps that take longer"));
    const ShownScenario* current = m_context.current();
    const StateText printed = textOf(stateOf(current), current && current->snapshot, tr("Computing the first samples"));
    m_chart->setNotice(printed.message);
    QString note = printed.note;
    if (const int drawable = drawableCount(m_context); note.isEmpty() && drawable > kMaxCurves)
        note = (m_context.baseline() ? tr("%1 of %2 curves: current, baseline, fastest per token")
                                     : tr("%1 of %2 curves: current, fastest per token"))
                   .arg(kMaxCurves)
                   .arg(drawable);
    m_note->setText(note);
    m_note->setVisible(!note.isEmpty());
    const ShownScenario* read = readScenario();
    if (read && read->snapshot) {
        const auto n = within() ? read->snapshot->within.samples : read->snapshot->across.samples;
        QString text = format::samplesAndSeed(static_cast<std::int64_t>(n), read->snapshot->seed, tr("steps per scenario"))
                       + tr(", Monte Carlo with common random numbers.");
        if (mode != CdfChart::Mode::density)
            text += (mode == CdfChart::Mode::cdf ? tr(" Bands: 95 %, whole curve") : tr(" Bands: 95 % at each time"))
                    + (sharesMuch() ? tr("; what all samples share is in the intervals alone.") : u"."_s);
        for (const ShownScenario& s : m_context.scenarios)
            if (const QString missing = s.visible && s.snapshot ? outsideCalibration(*s.snapshot) : QString(); !missing.isEmpty()) {
                text += tr(" Hatched: %1, %2.").arg(s.name, missing);
                break; // the headline names the others
            }
        const DistributionSummary& summary = within() ? read->snapshot->within : read->snapshot->across;
        if (summary.p95 > 0)
            text += knownTo(summary.ciP95 / summary.p95, within() ? 0 : m_context.precision);
        const auto& sorted = within() ? read->snapshot->sortedWithinSeconds : read->snapshot->sortedAcrossSeconds;
        if (const double end = axisEnd(sorted); mode != CdfChart::Mode::exceedance && end < quantileOfSorted(sorted, kAxisShare))
            text += tr(" %1 of the steps take longer than %2, up to %3.")
                        .arg(format::percent(exceedance(sorted, end).value), format::seconds(end).text(),
                             format::seconds(sorted.back()).text());
        if (dropped > 0)
            text += tr(" %1 samples without a finite time are omitted.").arg(dropped);
        if (!m_context.marks.empty())
            text += tr(" Marks: %1.").arg(keyOf(m_context.marks));
        m_footer->setText(text);
        m_footer->setToolTip(text);
    }
    m_footerRight->setText(within() ? tr("Within one job") : tr("Across jobs"));
}

void DistributionPage::refreshLimit()
{
    const StepLimits at = limits();
    LimitReading reading;
    QString accessible;
    if (const std::vector<double>* samples = readSamples(); samples && at.upper > 0) {
        const ShownScenario* read = readScenario();
        const Estimate share = m_cache.share(read->snapshot, within(), at);
        reading.seconds = at.upper;
        reading.probability = 1 - exceedance(*samples, at.upper).value;
        if (at.between()) {
            reading.lowerSeconds = at.lower;
            reading.lowerProbability = 1 - exceedance(*samples, at.lower).value;
        }
        reading.sentence = tr("%1 = %2").arg(shareName(at), shareRuns(share.value, share.halfWidth).front().text);
        reading.note = tr("± %1 points, %2").arg(format::number(share.halfWidth * 100, 1), read->isBaseline ? tr("baseline") : read->name);
        accessible = reading.sentence;
        for (const ChartCurve& c : m_chart->curves()) {
            const ShownScenario* s = m_context.find(c.id);
            const Estimate own = s && s->snapshot ? m_cache.share(s->snapshot, within(), at) : Estimate();
            reading.shares[c.id] =
                (at.between() ? tr("between %1") : tr("misses %1")).arg(shareRuns(own.value, own.halfWidth).front().text);
        }
    }
    m_between->setChecked(at.between());
    const bool fixed = m_context.study && m_context.study->isReadOnly();
    m_between->setEnabled(!fixed);
    m_chart->setFixed(fixed);
    m_chart->setLimit(reading);
    m_chart->setAccessibleName(m_title->text());
    m_chart->setAccessibleDescription(accessible);
}

void DistributionPage::setBetween(bool on)
{
    const std::vector<double>* samples = readSamples();
    const StepLimits at = limits();
    if (samples && m_context.study && at.upper > 0) {
        m_context.study->endMerge();
        const double lower = std::min(quantileOfSorted(*samples, 0.05), at.upper * 0.99);
        m_context.study->setLimits(on ? lower : 0, at.upper);
        m_context.study->endMerge();
    }
    m_between->setChecked(limits().between());
}

double DistributionPage::secondsOf(double seconds, double probability) const
{
    const std::vector<double>* samples = readSamples();
    return samples && probability > 0 ? quantileOfSorted(*samples, probability) : seconds;
}

void DistributionPage::moveLowerLimit(double seconds, double probability)
{
    if (const double lower = secondsOf(seconds, probability); lower > 0)
        m_context.study->setLimits(lower, limits().upper);
}

void DistributionPage::moveLimit(double seconds, double probability)
{
    if (const double upper = secondsOf(seconds, probability); upper > 0)
        m_context.study->setLimit(upper);
}

void DistributionPage::typeLimit(const QString& text)
{
    static const QRegularExpression separator(u"\\s+(?:to|bis|and)\\s+|\\s*(?:–|\\.\\.)\\s*"_s);
    const QStringList parts = text.split(separator);
    const std::vector<double>* samples = readSamples();
    const double first = limitFrom(parts.front()), second = parts.size() == 2 ? limitFrom(parts.back()) : 0;
    if (parts.size() == 2 && first > 0 && second > 0)
        m_context.study->setLimits(std::min(first, second), std::max(first, second));
    else if (parts.size() == 1 && first < 0 && samples)
        m_context.study->setLimit(quantileOfSorted(*samples, 1 + first));
    else if (parts.size() == 1 && first > 0)
        m_context.study->setLimit(first);
    else
        return m_chart->showLimitProblem(tr("\"%1\" is not a limit. %2").arg(text.left(40), CdfChart::limitHint()));
    m_chart->showLimitProblem({});
    m_context.study->endMerge();
}

TableData DistributionPage::asTable() const
{
    return distributionTable(m_context, m_cache, limits(), within());
}

QSize DistributionPage::exportSize() const
{
    constexpr int kMinWidth = 640, kMinHeight = 420; // at scale 1
    return {std::max(width(), m_theme.px(kMinWidth)), std::max(height(), m_theme.px(kMinHeight))};
}

void DistributionPage::paintExport(QPainter& painter)
{
    const QSize before = size(), paper = exportSize();
    m_chart->setPaper(true);
    setMinimumSize(paper); // the scroll area around it would take the size back
    resize(paper);
    layout()->activate();
    render(&painter, {}, {}, DrawChildren);
    m_chart->setPaper(false);
    setMinimumSize(0, 0);
    resize(before);
    layout()->activate();
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
