// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/insightpage.h"

#include "ui/look/format.h"
#include "ui/pages/card.h"
#include "ui/theme/flowlayout.h"
#include "ui/theme/barelayout.h"

#include <QEvent>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QPainter>

#include <algorithm>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

/// Frame of a picture of the page: around the exported charts, with nothing next to them.
QRect areaOf(const QWidget& page, const QList<PlotBase*>& charts)
{
    QRect area;
    for (const PlotBase* chart : charts)
        if (!chart->isHidden())
            area |= QRect(chart->mapTo(&page, QPoint()), chart->size());
    return area.isEmpty() ? page.rect() : area;
}

/// Whether an edit so far only made the shown results those of the previous values: there is nothing to ask and nothing to
/// draw but the word for it.
bool isOnlyStale(const PageContext& before, const PageContext& now)
{
    const ShownScenario *was = before.current(), *is = now.current();
    const auto drawnEqually = [](const ShownScenario& a, const ShownScenario& b) {
        return a.id == b.id && a.snapshot == b.snapshot && a.name == b.name && a.colour == b.colour && a.visible == b.visible
               && a.isBaseline == b.isBaseline && a.invalid == b.invalid && a.cancelled == b.cancelled;
    };
    return was && is && is->stale && is->snapshot && before.evaluator == now.evaluator && before.selection == now.selection
           && before.insights == now.insights && before.currentId == now.currentId && before.baselineId == now.baselineId
           && before.limitSeconds == now.limitSeconds && before.lowerLimitSeconds == now.lowerLimitSeconds
           && before.sameScale == now.sameScale && before.scenarios.size() == now.scenarios.size()
           && std::equal(before.scenarios.begin(), before.scenarios.end(), now.scenarios.begin(), drawnEqually);
}

} // namespace

InsightPage::InsightPage(const Theme& theme, QWidget* parent)
    : Page(parent),
      m_theme(theme),
      m_tools(new QWidget(this)),
      m_toolGroups(new FlowLayout(m_tools)),
      m_grid(new QGridLayout(this))
{
    m_toolGroups->setContentsMargins(0, 0, 0, 0);
    m_toolGroups->setSpacing(theme.px(16));
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setSpacing(theme.px(metric::cardGap));
    connect(&theme, &Theme::changed, this, [this] {
        if (m_main)
            arrange();
    });
}

void InsightPage::addTools(const QList<QWidget*>& group)
{
    auto* together = new QWidget;
    auto* line = bareLayout<QHBoxLayout>(together, m_theme.px(8));
    for (QWidget* tool : group)
        line->addWidget(tool);
    const auto size = [this, together] { together->setFixedHeight(m_theme.px(metric::button)); }; // the row is as high on every page
    connect(&m_theme, &Theme::changed, together, size);
    size();
    m_toolGroups->addWidget(together);
}

void InsightPage::addEndTool(QWidget* tool)
{
    m_toolGroups->addWidget(tool);
    m_toolGroups->setAlignment(tool, Qt::AlignRight);
}

void InsightPage::setCards(QWidget* main, QWidget* side, double sideShare)
{
    m_main = main;
    m_side = side;
    m_sideShare = sideShare;
    arrange();
}

void InsightPage::showSide(bool shown)
{
    if (!m_side || shown == !m_side->isHidden())
        return;
    m_side->setVisible(shown);
    m_arranged = false;
    arrange();
}

bool InsightPage::fitsNextTo() const
{
    if (!m_theme.presentation() || !parentWidget())
        return true;
    const int smallest = m_side->minimumSizeHint().height();
    const int wide = std::max(static_cast<int>((width() - m_grid->spacing()) * m_sideShare), m_side->minimumSizeHint().width());
    const int side =
        m_side->hasHeightForWidth() ? std::max(smallest, m_side->heightForWidth(wide)) : smallest; // its words take other lines
    return std::max(m_main->minimumSizeHint().height(), side) <= parentWidget()->height();
}

void InsightPage::arrange()
{
    const bool sided = m_side && !m_side->isHidden(), nextTo = !sided || (width() >= m_theme.px(metric::sideCardsUnder) && fitsNextTo());
    if (m_arranged && nextTo == m_nextTo)
        return giveSideItsHeight();
    m_nextTo = nextTo;
    m_arranged = true;
    for (QWidget* part : {m_main, m_side})
        if (part)
            m_grid->removeWidget(part);
    m_grid->addWidget(m_main, 0, 0);
    if (m_side)
        m_grid->addWidget(m_side, nextTo ? 0 : 1, nextTo ? 1 : 0);
    const int side = static_cast<int>(m_sideShare * 100);
    m_grid->setColumnStretch(0, 100 - (sided && nextTo ? side : 0));
    m_grid->setColumnStretch(1, sided && nextTo ? side : 0);
    m_grid->setRowStretch(0, 6);
    m_grid->setRowStretch(1, sided && !nextTo ? 4 : 0);
    giveSideItsHeight();
}

void InsightPage::giveSideItsHeight()
{
    const bool beneath = m_side && !m_side->isHidden() && !m_nextTo && m_side->hasHeightForWidth();
    const int height = beneath ? m_side->heightForWidth(width()) : 0;
    if (m_grid->rowMinimumHeight(1) != height)
        m_grid->setRowMinimumHeight(1, height);
}

bool InsightPage::event(QEvent* event)
{
    if (event->type() == QEvent::LayoutRequest && m_main) // words of a card have changed
        arrange();
    return Page::event(event);
}

void InsightPage::resizeEvent(QResizeEvent* event)
{
    Page::resizeEvent(event);
    if (m_main)
        arrange();
}

void InsightPage::setContext(const PageContext& context)
{
    const bool onlyStale = isOnlyStale(m_context, context);
    m_context = context;
    listenTo(context);
    if (!onlyStale) {
        contextChanged();
        selectionChanged();
        if (m_main)
            arrange(); // the charts know how high they must be
    }
    for (const Presented& chart : m_presented)
        showMessage(chart);
    statesShown();
}

void InsightPage::listenTo(const PageContext& context)
{
    if (context.selection != m_selection) {
        if (m_selection)
            m_selection->disconnect(this);
        m_selection = context.selection;
        if (m_selection)
            connect(m_selection, &Selection::changed, this, [this] { selectionChanged(); });
    }
    if (context.insights == m_insights)
        return;
    if (m_insights)
        m_insights->disconnect(this);
    m_insights = context.insights;
    if (!m_insights)
        return;
    connect(m_insights, &InsightRunner::started, this, &InsightPage::reportStates);
    connect(m_insights, &InsightRunner::progress, this, &InsightPage::reportStates);
    connect(m_insights, &InsightRunner::finished, this, &InsightPage::reportStates);
}

void InsightPage::present(const Presented& shown)
{
    const auto known = std::find_if(m_presented.begin(), m_presented.end(), [&](const Presented& p) { return p.view == shown.view; });
    if (known != m_presented.end())
        *known = shown;
    else
        m_presented << shown;
    showMessage(shown);
    Q_EMIT shownChanged();
}

void InsightPage::alsoAnswers(const Status& status)
{
    m_others << status;
}

InsightStatus InsightPage::statusOf(const Presented& shown) const
{
    if (shown.status)
        return shown.status();
    const ResultToken of{snapshot() ? snapshot()->hash : ContentHash(), 0, {}};
    return {.hasAnswer = snapshot() != nullptr, .isCurrent = true, .shown = of, .requested = of};
}

void InsightPage::showMessage(const Presented& shown) const
{
    const InsightStatus status = statusOf(shown);
    const PageState state = shown.status ? stateOf(scenario(), status) : stateOf(scenario());
    const StateText text = textOf(state, status.hasAnswer, shown.doing, status);
    shown.view->setProperty("resultOf",
                            status.shown.scenario == ContentHash() ? QString() : QString::fromStdString(status.shown.scenario.text()));
    auto* chart = qobject_cast<PlotBase*>(shown.view);
    if (!chart)
        return setCardStale(*shown.view, status.shown == ResultToken() && !text.note.isEmpty() ? wordOf(state) : text.note);
    chart->setMessage(!text.message.isEmpty() ? text.message : status.hasAnswer ? shown.nothingToShow : QString());
    const bool shows = !status.hasAnswer || shown.nothingToShow.isEmpty();
    chart->setStale(shows || text.note.isEmpty() ? text.note : wordOf(state)); // there is no "last result" where nothing was asked
}

InsightStatus InsightPage::otherResult() const
{
    for (const Presented& shown : m_presented)
        if (const InsightStatus status = statusOf(shown); status.hasAnswer && !(status.shown == status.requested))
            return status;
    return Page::otherResult();
}

void InsightPage::reportStates()
{
    if (!isVisible())
        return;
    for (const Presented& chart : m_presented)
        showMessage(chart);
    statesShown();
    Q_EMIT shownChanged();
}

PageState InsightPage::state() const
{
    PageState all = m_presented.isEmpty() ? stateOf(scenario()) : PageState::empty;
    for (const Presented& chart : m_presented)
        all = worse(all, chart.status ? stateOf(scenario(), chart.status()) : stateOf(scenario()));
    for (const Status& other : m_others)
        if (const InsightStatus status = other(); status.waits || status.runs)
            all = worse(all, stateOf(scenario(), status));
    return all;
}

bool InsightPage::hasContent() const
{
    return std::any_of(m_exported.begin(), m_exported.end(),
                       [this](const PlotBase* chart) { return chart->isVisibleTo(this) && chart->message().isEmpty(); });
}

bool InsightPage::isComputing() const
{
    const auto busy = [](const InsightStatus& status) { return status.waits || status.runs; };
    return std::any_of(m_presented.begin(), m_presented.end(), [&](const Presented& p) { return p.status && busy(p.status()); })
           || std::any_of(m_others.begin(), m_others.end(), [&](const Status& status) { return busy(status()); });
}

SnapshotPtr InsightPage::snapshot() const
{
    const ShownScenario* s = scenario();
    return s && s->snapshot && s->snapshot->valid() && s->snapshot->costed ? s->snapshot : nullptr;
}

ResultToken InsightPage::token(const QString& inputs) const
{
    const ShownScenario* s = scenario();
    return s ? ResultToken{s->hash, s->snapshot ? s->snapshot->seed : 0, inputs, s->name} : ResultToken{{}, 0, inputs};
}

QString InsightPage::levelNote(std::size_t known, int drawn)
{
    return static_cast<int>(known) == drawn ? QString()
                                            : tr(" Level: the headline's, n = %1.").arg(format::count(static_cast<std::int64_t>(known)));
}

void InsightPage::shareScale(PlotBase& chart, const QString& mode)
{
    auto& reaches = m_reaches[{&chart, mode}];
    if (const std::optional<Reach> own = chart.ownReach(); own && scenario())
        reaches[scenario()->id] = *own;
    std::erase_if(reaches, [this](const auto& known) { return !m_context.find(known.first); });
    std::optional<Reach> all;
    if (m_context.sameScale)
        for (const auto& [id, reach] : reaches)
            all = all ? Reach{std::min(all->low, reach.low), std::max(all->high, reach.high)} : reach;
    chart.setReach(all);
}

const QWidget* InsightPage::mainChart() const
{
    for (const PlotBase* chart : m_exported)
        if (!chart->isHidden())
            return chart;
    return nullptr;
}

QSize InsightPage::exportSize() const
{
    return areaOf(*this, m_exported).size().expandedTo({640, 420});
}

void InsightPage::paintExport(QPainter& painter)
{
    const Look look(lightPalette(), m_theme.look().scale());
    const QSize paper = exportSize();
    const QRect area = areaOf(*this, m_exported);
    painter.fillRect(QRect(QPoint(), paper), look[Role::window]);
    const double wider = static_cast<double>(paper.width()) / area.width(), higher = static_cast<double>(paper.height()) / area.height();
    for (const PlotBase* chart : m_exported) {
        if (chart->isHidden())
            continue;
        const QPoint at = chart->mapTo(this, QPoint()) - area.topLeft();
        const QRectF card(at.x() * wider, at.y() * higher, chart->width() * wider, chart->height() * higher);
        chart->paintChart(painter, card, look);
    }
}

} // namespace prism::ui
