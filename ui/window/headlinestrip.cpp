// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/headlinestrip.h"

#include "ui/look/format.h"
#include "ui/theme/icons.h"
#include "ui/theme/plaintext.h"

#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QToolButton>
#include <QToolTip>

#include <algorithm>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui {

namespace {

constexpr int kLargeCell = 152, kSmallCell = 100; // at scale 1: what a figure with its change and intervals needs

} // namespace

HeadlineStrip::HeadlineStrip(Workspace& workspace, ChangesCache& cache, const Theme& theme, QWidget* parent)
    : QWidget(parent),
      m_workspace(workspace),
      m_cache(cache),
      m_theme(theme),
      m_dockWidth(theme.px(metric::dock))
{
    setObjectName(u"headline"_s);
    setAccessibleName(tr("Figures of the current scenario"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setMouseTracking(true);
    m_more = new QToolButton(this);
    m_more->setAccessibleName(tr("More figures"));
    m_more->setToolTip(tr("More figures"));
    m_more->setPopupMode(QToolButton::InstantPopup);
    m_more->setMenu(new QMenu(m_more));
    m_more->hide();
    connect(&workspace, &Workspace::contextChanged, this, &HeadlineStrip::refresh);
    const auto restyleStrip = [this] {
        m_more->setIcon(icon(Icon::more, m_theme.look(), Role::textSecondary));
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
    m_cells = headlineCells(context, m_cache, m_workspace.bridge().result(context.currentId), m_workspace.fieldProblems(context.currentId));
    QStringList readings;
    for (const HeadlineCell& cell : m_cells)
        readings << cell.reading();
    readings << m_badge.reasons;
    setAccessibleDescription(readings.join(u"; "_s));
    layoutCells();
    update();
}

void HeadlineStrip::layoutCells()
{
    m_rects.clear();
    const double rowHeight = m_theme.px(metric::headline), large = m_theme.px(kLargeCell), small = m_theme.px(kSmallCell);
    const double left = m_dockWidth + m_theme.px(16), right = width() - m_theme.px(8);
    const double room = right - left - 3 * large - m_theme.px(4);
    const bool twoRows = m_theme.presentation() && room < 6 * small; // nothing is left out before an audience
    int smallCells = twoRows ? 6 : std::clamp(static_cast<int>(room / small), 0, 6);
    m_more->setVisible(smallCells < 6);
    if (smallCells < 6)
        smallCells = std::clamp(static_cast<int>((room - m_theme.px(28)) / small), 0, 6);
    double x = left;
    for (int i = 0; i < 3; ++i, x += large)
        m_rects << QRectF(x, 0, large, rowHeight);
    x = twoRows ? m_theme.px(16) : x + m_theme.px(4);
    const double space = twoRows ? right - x : room - (smallCells < 6 ? m_theme.px(28) : 0);
    const double step = smallCells > 0 ? std::min(twoRows ? small * 2 : small * 1.25, space / smallCells) : small;
    for (int i = 0; i < smallCells; ++i, x += step)
        m_rects << QRectF(x, twoRows ? rowHeight : 0, step, rowHeight);
    setFixedHeight(static_cast<int>(rowHeight) * (twoRows ? 2 : 1));
    m_more->setGeometry(width() - m_theme.px(32), m_theme.px(10), m_theme.px(24), m_theme.px(24));
    if (m_more->isVisible()) {
        m_more->menu()->clear();
        for (int i = static_cast<int>(m_rects.size()); i < m_cells.size(); ++i)
            m_more->menu()->addAction(m_cells[i].reading());
    }
}

void HeadlineStrip::resizeEvent(QResizeEvent*)
{
    layoutCells();
}

QString HeadlineStrip::tipAt(const QPoint& at) const
{
    const ShownScenario* s = m_workspace.context().current();
    if (m_badgeRect.contains(at))
        return m_badge.reasons.join(u'\n');
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

void HeadlineStrip::paintEvent(QPaintEvent*)
{
    ++m_paints;
    QPainter p(this);
    const Look& look = m_theme.look();
    p.fillRect(rect(), look[Role::panel]);
    p.fillRect(QRect(0, 0, width(), 1), look[Role::separator]);
    p.fillRect(QRect(0, height() - 1, width(), 1), look[Role::separator]);
    const int row = look.px(metric::headline);
    p.fillRect(QRect(m_dockWidth, look.px(10), 1, row - look.px(20)), look[Role::separator]);
    paintScenario(p, QRectF(look.px(16), 0, m_dockWidth - look.px(28), row));
    for (int i = 0; i < m_rects.size() && i < m_cells.size(); ++i) {
        if (i == 3 && m_rects[i].top() == 0)
            p.fillRect(QRectF(m_rects[i].left() - look.px(12), look.px(10), 1, row - look.px(20)), look[Role::separator]);
        paintCell(p, m_rects[i], m_cells[i], i < 3);
    }
}

void HeadlineStrip::paintScenario(QPainter& p, const QRectF& rect)
{
    const Look& look = m_theme.look();
    const PageContext& context = m_workspace.context();
    const ShownScenario* s = context.current();
    if (!s)
        return;
    drawSeriesSample(p, QRectF(rect.left(), look.px(10), look.px(30), look.px(28)), look, s->colour, s->isBaseline);
    drawRuns(p, QRectF(rect.left() + look.px(38), look.px(10), rect.width() - look.px(38), look.px(28)), {{s->name, Type::title}}, look);
    const double badge = m_badge.label.isEmpty() ? 0 : paintBadge(p, QRectF(rect.left(), look.px(39), rect.width(), look.px(20)));
    const ShownScenario* baseline = context.baseline();
    const QRectF second(rect.left(), look.px(38), rect.width() - badge, look.px(22));
    const QRectF third(rect.left(), look.px(62), rect.width(), look.px(20));
    FigureRuns line;
    if (s->isBaseline || !baseline) {
        drawRuns(p, second, {{tr("Baseline of this study"), Type::body, Role::textSecondary}}, look);
        line = {{tr("%1 scenarios").arg(context.scenarios.size()), Type::body, Role::textSecondary}};
    } else {
        drawRuns(p, second, {{tr("compared with "), Type::body, Role::textSecondary}, {baseline->name}}, look);
        if (s->snapshot && baseline->snapshot)
            line = comparisonRuns(*baseline->snapshot, *s->snapshot, m_cache.changes(baseline->snapshot, s->snapshot, false));
    }
    if (s->snapshot) {
        if (!line.isEmpty())
            line << FigureRun{u"  ·  "_s, Type::tick, Role::textTertiary};
        line << FigureRun{tr("n %1, 95 %").arg(format::count(static_cast<std::int64_t>(s->snapshot->across.samples))), Type::tick,
                          Role::textTertiary};
    }
    drawRuns(p, third, line, look, s->stale);
}

double HeadlineStrip::paintBadge(QPainter& p, const QRectF& line)
{
    const Look& look = m_theme.look();
    const QFont font = look.font(Type::tickStrong);
    const auto more = m_badge.reasons.size() - 1;
    const QString text = more > 0 ? tr("%1 +%2").arg(m_badge.label).arg(more) : m_badge.label;
    const double width = QFontMetricsF(font).horizontalAdvance(text) + look.px(16);
    m_badgeRect = QRectF(line.right() - width, line.top(), width, line.height());
    p.setRenderHint(QPainter::Antialiasing);
    p.setPen(Qt::NoPen);
    p.setBrush(look[m_badge.impossible ? Role::errorFill : Role::warningFill]);
    p.drawRoundedRect(m_badgeRect, look.px(metric::radius), look.px(metric::radius));
    p.setFont(font);
    p.setPen(look[m_badge.impossible ? Role::error : Role::warning]);
    p.drawText(m_badgeRect, Qt::AlignCenter, text);
    return width + look.px(8);
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
    QList<FigureRuns> under;
    if (!cell.delta.isEmpty())
        under << FigureRuns{{cell.delta, Type::tickStrong, cell.deltaRole}};
    const bool notice = cell.stale && cell.staleNote != tr("computing");
    if (cell.stale)
        under << FigureRuns{{cell.staleNote, Type::tick, notice ? Role::warning : Role::textTertiary}};
    else if (under.isEmpty() && !cell.model.isEmpty()) // room for two lines
        under << FigureRuns{{cell.note, Type::tick, cell.noteRole}} << FigureRuns{{cell.model, Type::tick, Role::textTertiary}};
    else
        under << FigureRuns{{cell.note.isEmpty() || cell.model.isEmpty() ? cell.note + cell.model : cell.note + u", "_s + cell.model,
                             Type::tick, cell.noteRole}};
    for (int i = 0; i < under.size(); ++i)
        drawRuns(p, line(54 + 16 * i, 16), under[i], look, cell.stale && !notice);
}

} // namespace prism::ui
