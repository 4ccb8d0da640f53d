// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/headlinestrip.h"

#include "ui/look/format.h"
#include "ui/theme/morebutton.h"
#include "ui/theme/plaintext.h"
#include "ui/window/assumptionstrip.h"

#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QToolButton>
#include <QToolTip>

#include <algorithm>
#include <numeric>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui {

namespace {

constexpr int kLargeCell = 152, kLeastOwn = 180; // at scale 1: of a figure where there is room, and of the scenario's name where not
constexpr int kAroundOwn = 28;                   // beside the words of the scenario
constexpr int kLarge = 3;                        // step time at p50, p95 and p99
constexpr int kMostExtra = 24;                   // between the smaller figures, beyond what they need

} // namespace

HeadlineStrip::HeadlineStrip(Workspace& workspace, ChangesCache& cache, const Theme& theme, QWidget* parent)
    : QWidget(parent),
      m_workspace(workspace),
      m_cache(cache),
      m_theme(theme),
      m_dockWidth(theme.px(metric::dock)),
      m_ownWidth(m_dockWidth)
{
    setObjectName(u"headline"_s);
    setAccessibleName(tr("Figures of the current scenario"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setMouseTracking(true);
    m_more = makeMoreButton(theme, tr("More figures"), this);
    m_assumptions = new AssumptionStrip(workspace, theme, this);
    connect(&workspace, &Workspace::contextChanged, this, &HeadlineStrip::refresh);
    const auto restyleStrip = [this] {
        layoutCells();
        update();
    };
    connect(&theme, &Theme::changed, this, restyleStrip);
    restyleStrip();
}

void HeadlineStrip::setDockWidth(int width)
{
    if (m_dockWidth == width)
        return;
    m_dockWidth = width;
    layoutCells();
    update();
}

QSize HeadlineStrip::sizeHint() const
{
    return {900, m_theme.px(metric::headline)};
}

void HeadlineStrip::refresh()
{
    const PageContext& context = m_workspace.context();
    const ShownScenario* current = context.current();
    m_badge = current && current->snapshot ? headlineBadge(*current->snapshot) : HeadlineBadge();
    m_badgeRect = {};
    m_lines = linesOf(context);
    m_cells = headlineCells(context, m_cache, m_workspace.bridge().result(context.currentId), m_workspace.fieldProblems(context.currentId));
    QStringList readings;
    for (const HeadlineCell& cell : m_cells)
        readings << cell.reading();
    readings << m_badge.reasons;
    setAccessibleDescription(readings.join(u"; "_s));
    layoutCells();
    update();
}

ScenarioLines HeadlineStrip::linesOf(const PageContext& context) const
{
    ScenarioLines lines;
    const ShownScenario *s = context.current(), *baseline = context.baseline();
    if (!s)
        return lines;
    FigureRuns comparison, samples;
    if (s->isBaseline || !baseline) {
        lines.plain = {{s->isBaseline ? tr("Baseline of this study") : tr("No baseline is pinned"), Type::body, Role::textSecondary}};
        comparison = {{tr("%1 scenarios").arg(context.scenarios.size()), Type::body, Role::textSecondary}};
    } else {
        lines.against = baseline->name;
        if (s->snapshot && baseline->snapshot)
            comparison = comparisonRuns(*baseline->snapshot, *s->snapshot, m_cache.changes(baseline->snapshot, s->snapshot, false));
    }
    if (s->snapshot)
        samples = {
            {tr("n %1, 95 %").arg(format::count(static_cast<std::int64_t>(s->snapshot->across.samples))), Type::tick, Role::textTertiary}};
    lines.third = comparisonForms(comparison, samples);
    return lines;
}

void HeadlineStrip::layoutCells()
{
    m_rects.clear();
    const double rowHeight = m_theme.px(metric::headline), right = width() - m_theme.px(8);
    double least = 0, wanted = m_theme.px(kLargeCell);
    for (const HeadlineCell& cell : m_cells.mid(0, kLarge)) {
        least = std::max(least, leastWidth(cell, m_theme.look(), true));
        wanted = std::max(wanted, wantedWidth(cell, m_theme.look()));
    }
    const double most = std::max(least, wanted);
    const QSize button = m_more->sizeHint();
    const double room = right - button.width() - m_theme.px(20); // the button stands beside them where nothing else fits
    const double own = std::max<double>(m_theme.px(kLeastOwn), m_lines.least(m_theme.look()) + badgeWidth() + m_theme.px(kAroundOwn));
    const int beside = std::clamp(static_cast<int>((room - own) / least), 1, kLarge);
    m_ownWidth = static_cast<int>(std::max(own, std::min<double>(m_dockWidth, room - beside * most)));
    const double left = m_ownWidth + m_theme.px(16), large = std::clamp((room - m_ownWidth) / beside, least, most);
    for (int i = 0; i < beside; ++i)
        m_rects << QRectF(left + i * large, 0, large, rowHeight);
    const int rows = layoutRest(beside, left + beside * large + m_theme.px(4), right);
    setFixedHeight(static_cast<int>(rowHeight) * rows + placeAssumptions(rows));
    m_more->setVisible(m_rects.size() < m_cells.size());
    m_more->setGeometry(width() - button.width() - m_theme.px(8), m_theme.px(10), button.width(), button.height());
    m_more->menu()->clear();
    for (qsizetype i = m_rects.size(); i < m_cells.size(); ++i)
        m_more->menu()->addAction(m_cells[i].reading());
}

int HeadlineStrip::placeAssumptions(int rows)
{
    constexpr int kLeastWidth = 240; // at scale 1
    m_assumptions->setVisible(m_theme.presentation());
    if (!m_theme.presentation())
        return 0;
    m_assumptions->refresh();
    const int row = m_theme.px(metric::headline), edge = m_theme.px(metric::pageMargin);
    const int from = rows > 1 && !m_rects.isEmpty() ? static_cast<int>(m_rects.back().right()) + edge : 0;
    const int beside = width() - edge - from;
    if (from > 0 && beside >= m_theme.px(kLeastWidth) && m_assumptions->heightFor(beside, 3) <= row) {
        m_assumptions->setGeometry(from, row, beside, row);
        return 0;
    }
    const int high = m_assumptions->heightFor(width() - 2 * edge, 2); // no more: the charts need their room
    m_assumptions->setGeometry(edge, row * rows, width() - 2 * edge, high);
    return high;
}

int HeadlineStrip::layoutRest(int beside, double from, double right)
{
    QList<double> needs;
    for (int i = beside; i < m_cells.size(); ++i)
        needs << leastWidth(m_cells[i], m_theme.look(), i < kLarge);
    const double all = std::accumulate(needs.begin(), needs.end(), 0.0);
    const bool beneath = m_theme.presentation() && all > right - from; // nothing is left out before an audience
    const double x = beneath ? m_theme.px(16) : from, y = beneath ? m_theme.px(metric::headline) : 0;
    const double room = right - x - (all > right - x ? m_more->sizeHint().width() + m_theme.px(4) : 0);
    double used = 0;
    qsizetype fitting = 0;
    while (fitting < needs.size() && used + needs[fitting] <= room)
        used += needs[fitting++];
    const double extra = fitting > 0 ? std::min<double>((room - used) / static_cast<double>(fitting), m_theme.px(kMostExtra)) : 0;
    double at = x;
    for (qsizetype i = 0; i < fitting; at += needs[i++] + extra)
        m_rects << QRectF(at, y, needs[i] + extra, m_theme.px(metric::headline));
    return beneath ? 2 : 1;
}

void HeadlineStrip::resizeEvent(QResizeEvent* /*event*/)
{
    layoutCells();
}

QString HeadlineStrip::tipAt(const QPoint& at) const
{
    const ShownScenario* s = m_workspace.context().current();
    if (m_badgeRect.contains(at))
        return m_badge.reasons.join(u'\n');
    if (s && at.x() < m_ownWidth && at.y() < m_theme.px(metric::headline)) {
        const ShownScenario* baseline = m_workspace.context().baseline();
        QStringList lines{s->name};
        if (!s->isBaseline && baseline)
            lines << tr("compared with %1").arg(baseline->name);
        return (lines << m_lines.reading()).join(u'\n');
    }
    for (int i = 0; i < m_rects.size() && i < m_cells.size(); ++i) {
        if (!m_rects[i].contains(at))
            continue;
        QStringList lines{m_cells[i].reading()};
        if (s && s->snapshot)
            lines << format::receipt(static_cast<std::int64_t>(s->snapshot->across.samples), s->snapshot->seed, tr("95 % interval"));
        if (!m_cells[i].model.isEmpty())
            lines << tr("±: what more samples would narrow. Model: the error that held 90 % of the published runs; it does not shrink.");
        if (!m_cells[i].delta.isEmpty())
            lines << tr("Click: which edits moved it.");
        return lines.join(u'\n');
    }
    return {};
}

QString HeadlineStrip::figureAt(const QPoint& at) const
{
    for (int i = 0; i < m_rects.size() && i < m_cells.size(); ++i)
        if (m_rects[i].contains(at))
            return m_cells[i].key;
    return {};
}

bool HeadlineStrip::hasChangeAt(const QPoint& at) const
{
    for (int i = 0; i < m_rects.size() && i < m_cells.size(); ++i)
        if (m_rects[i].contains(at))
            return !m_cells[i].delta.isEmpty();
    return false;
}

void HeadlineStrip::mouseReleaseEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton && hasChangeAt(event->position().toPoint()))
        Q_EMIT whyWanted();
}

void HeadlineStrip::mouseMoveEvent(QMouseEvent* event)
{
    setCursor(hasChangeAt(event->position().toPoint()) ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

void HeadlineStrip::contextMenuEvent(QContextMenuEvent* event)
{
    const QString key = figureAt(event->pos());
    if (key.isEmpty())
        return;
    QMenu menu;
    menu.addAction(tr("What this figure is"), this, [this, key] { Q_EMIT figureWanted(key); });
    menu.exec(event->globalPos());
}

bool HeadlineStrip::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        if (const QString tip = tipAt(help->pos()); !tip.isEmpty()) {
            QToolTip::showText(help->globalPos(), plainTip(tip), this);
            return true;
        }
    }
    return QWidget::event(event);
}

void HeadlineStrip::paintEvent(QPaintEvent* /*event*/)
{
    ++m_paints;
    QPainter p(this);
    const Look& look = m_theme.look();
    p.fillRect(rect(), look[Role::panel]);
    p.fillRect(QRect(0, 0, width(), 1), look[Role::separator]);
    p.fillRect(QRect(0, height() - 1, width(), 1), look[Role::separator]);
    const int row = look.px(metric::headline);
    p.fillRect(QRect(m_ownWidth, look.px(10), 1, row - look.px(20)), look[Role::separator]);
    paintScenario(p, QRectF(look.px(16), 0, m_ownWidth - look.px(kAroundOwn), row));
    for (int i = 0; i < m_rects.size() && i < m_cells.size(); ++i) {
        if (i == kLarge && m_rects[i].top() == 0)
            p.fillRect(QRectF(m_rects[i].left() - look.px(12), look.px(10), 1, row - look.px(20)), look[Role::separator]);
        paintCell(p, m_rects[i], m_cells[i], i < kLarge);
    }
}

void HeadlineStrip::paintScenario(QPainter& p, const QRectF& rect)
{
    const Look& look = m_theme.look();
    const ShownScenario* s = m_workspace.context().current();
    if (!s)
        return;
    drawSeriesSample(p, QRectF(rect.left(), look.px(10), look.px(30), look.px(28)), look, s->colour, s->isBaseline);
    drawRuns(p, QRectF(rect.left() + look.px(38), look.px(10), rect.width() - look.px(38), look.px(28)),
             {{s->name, Type::title, Role::text, false, true}}, look);
    const double badge = m_badge.label.isEmpty() ? 0 : paintBadge(p, QRectF(rect.left(), look.px(39), rect.width(), look.px(20)));
    const QRectF second(rect.left(), look.px(38), rect.width() - badge, look.px(22));
    const QRectF third(rect.left(), look.px(62), rect.width(), look.px(20));
    drawRuns(p, second, m_lines.second(look, second.width()), look);
    drawRuns(p, third, firstThatFits(m_lines.third, look, third.width()), look, s->stale);
}

QString HeadlineStrip::badgeText() const
{
    const auto more = m_badge.reasons.size() - 1;
    return more > 0 ? tr("%1 +%2").arg(m_badge.label).arg(more) : m_badge.label;
}

double HeadlineStrip::badgeWidth() const
{
    const Look& look = m_theme.look();
    return m_badge.label.isEmpty() ? 0 : QFontMetricsF(look.font(Type::tickStrong)).horizontalAdvance(badgeText()) + look.px(24);
}

double HeadlineStrip::paintBadge(QPainter& p, const QRectF& line)
{
    const Look& look = m_theme.look();
    const QFont font = look.font(Type::tickStrong);
    const double width = badgeWidth() - look.px(8); // a gap stands before it
    m_badgeRect = QRectF(line.right() - width, line.top(), width, line.height());
    p.setRenderHint(QPainter::Antialiasing);
    p.setPen(Qt::NoPen);
    p.setBrush(look[m_badge.impossible ? Role::errorFill : Role::warningFill]);
    p.drawRoundedRect(m_badgeRect, look.px(metric::radius), look.px(metric::radius));
    p.setFont(font);
    p.setPen(look[m_badge.impossible ? Role::error : Role::warning]);
    p.drawText(m_badgeRect, Qt::AlignCenter, badgeText());
    return badgeWidth();
}

void HeadlineStrip::paintCell(QPainter& p, const QRectF& rect, const HeadlineCell& cell, bool large) const
{
    const Look& look = m_theme.look();
    const auto line = [&](double top, double height) {
        return QRectF(rect.left(), rect.top() + look.px(top), rect.width() - look.px(6), look.px(height));
    };
    drawRuns(p, line(8, 18), {{cell.label, Type::tick, Role::textSecondary}}, look);
    drawRuns(p, large ? line(24, 30) : line(27, 26),
             {{cell.number, large ? Type::headline : Type::value, Role::text, cell.struck},
              {cell.unit.isEmpty() ? QString() : u" "_s + cell.unit, Type::small, Role::textSecondary, cell.struck}},
             look, cell.stale || cell.struck);
    const double room = line(0, 0).width();
    QList<FigureRuns> under;
    if (!cell.delta.isEmpty())
        under << FigureRuns{{firstThatFits(changeForms(cell.delta), look, Type::tickStrong, room), Type::tickStrong, cell.deltaRole}};
    const bool notice = cell.stale && cell.staleNote != tr("computing");
    if (cell.stale)
        under << FigureRuns{{cell.staleNote, Type::tick, notice ? Role::warning : Role::textTertiary}};
    else if (under.isEmpty() && !cell.model.isEmpty()) // room for two lines
        under << FigureRuns{{cell.note, Type::tick, cell.noteRole}} << FigureRuns{{cell.model, Type::tick, Role::textTertiary}};
    else
        under << FigureRuns{{firstThatFits(errorForms(cell), look, Type::tick, room), Type::tick, cell.noteRole}};
    for (int i = 0; i < under.size(); ++i)
        drawRuns(p, line(54 + 16 * i, 16), under[i], look, cell.stale && !notice);
}

} // namespace prism::ui
