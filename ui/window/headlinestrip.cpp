#include "ui/window/headlinestrip.h"

#include "ui/look/format.h"
#include "ui/theme/icons.h"

#include <QHelpEvent>
#include <QMenu>
#include <QPainter>
#include <QToolButton>
#include <QToolTip>

#include <algorithm>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui {

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
    m_more = new QToolButton(this);
    m_more->setAccessibleName(tr("More figures"));
    m_more->setToolTip(tr("More figures"));
    m_more->setPopupMode(QToolButton::InstantPopup);
    m_more->setMenu(new QMenu(m_more));
    m_more->hide();
    connect(&workspace, &Workspace::contextChanged, this, &HeadlineStrip::refresh);
    const auto restyleStrip = [this] {
        setFixedHeight(m_theme.px(metric::headline));
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
    m_cells = headlineCells(context, m_cache, m_workspace.bridge().result(context.currentId), m_workspace.fieldProblems(context.currentId));
    QStringList readings;
    for (const HeadlineCell& cell : m_cells)
        readings << cell.reading();
    setAccessibleDescription(readings.join(u"; "_s));
    layoutCells();
    update();
}

void HeadlineStrip::layoutCells()
{
    m_rects.clear();
    const double left = m_dockWidth + m_theme.px(16), right = width() - m_theme.px(8);
    const double large = m_theme.px(125), small = m_theme.px(110);
    double room = right - left - 3 * large - m_theme.px(4);
    int smallCells = std::clamp(static_cast<int>(room / small), 0, 6);
    m_more->setVisible(smallCells < 6);
    if (smallCells < 6)
        smallCells = std::clamp(static_cast<int>((room - m_theme.px(28)) / small), 0, 6);
    const double step = smallCells > 0 ? std::min(small * 1.25, (room - (smallCells < 6 ? m_theme.px(28) : 0)) / smallCells) : small;
    double x = left;
    for (int i = 0; i < 3 + smallCells; ++i) {
        const double w = i < 3 ? large : step;
        if (i == 3)
            x += m_theme.px(4);
        m_rects << QRectF(x, 0, w, height());
        x += w;
    }
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

bool HeadlineStrip::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        for (int i = 0; i < m_rects.size() && i < m_cells.size(); ++i)
            if (m_rects[i].contains(help->pos())) {
                const ShownScenario* s = m_workspace.context().current();
                QString text = m_cells[i].reading();
                if (s && s->snapshot)
                    text +=
                        u"\n"_s
                        + format::receipt(static_cast<std::int64_t>(s->snapshot->across.samples), s->snapshot->seed, tr("95 % interval"));
                QToolTip::showText(help->globalPos(), text, this);
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
    p.fillRect(QRect(m_dockWidth, look.px(10), 1, height() - look.px(20)), look[Role::separator]);
    paintScenario(p, QRectF(look.px(16), 0, m_dockWidth - look.px(28), height()));
    for (int i = 0; i < m_rects.size() && i < m_cells.size(); ++i) {
        if (i == 3)
            p.fillRect(QRectF(m_rects[i].left() - look.px(12), look.px(10), 1, height() - look.px(20)), look[Role::separator]);
        paintCell(p, m_rects[i], m_cells[i], i < 3);
    }
}

void HeadlineStrip::paintScenario(QPainter& p, const QRectF& rect) const
{
    const Look& look = m_theme.look();
    const PageContext& context = m_workspace.context();
    const ShownScenario* s = context.current();
    if (!s)
        return;
    drawSeriesSample(p, QRectF(rect.left(), look.px(10), look.px(30), look.px(28)), look, s->colour, s->isBaseline);
    drawRuns(p, QRectF(rect.left() + look.px(38), look.px(10), rect.width() - look.px(38), look.px(28)), {{s->name, Type::title}}, look);
    const ShownScenario* baseline = context.baseline();
    const QRectF second(rect.left(), look.px(38), rect.width(), look.px(22)), third(rect.left(), look.px(62), rect.width(), look.px(20));
    if (s->isBaseline || !baseline) {
        drawRuns(p, second, {{tr("Baseline of this study"), Type::body, Role::textSecondary}}, look);
        drawRuns(p, third, {{tr("%1 scenarios").arg(context.scenarios.size()), Type::body, Role::textSecondary}}, look);
    } else {
        drawRuns(p, second, {{tr("compared with "), Type::body, Role::textSecondary}, {baseline->name}}, look);
        if (s->snapshot && baseline->snapshot) {
            const HeadlineChanges& c = m_cache.changes(baseline->snapshot, s->snapshot, false);
            if (c.paired)
                drawRuns(p, third,
                         {{tr("Faster in "), Type::body, Role::textSecondary},
                          {plainText(shareRuns(c.probabilityFaster.value, c.probabilityFaster.halfWidth)), Type::bodyStrong},
                          {tr(" of steps"), Type::body, Role::textSecondary}},
                         look, s->stale);
        }
    }
    if (s->snapshot) {
        p.setFont(look.font(Type::tick));
        p.setPen(look[Role::textTertiary]);
        p.drawText(third, Qt::AlignRight | Qt::AlignVCenter,
                   tr("n %1, 95 %").arg(format::count(static_cast<std::int64_t>(s->snapshot->across.samples))));
    }
}

void HeadlineStrip::paintCell(QPainter& p, const QRectF& rect, const HeadlineCell& cell, bool large) const
{
    const Look& look = m_theme.look();
    const QRectF r = rect.adjusted(0, 0, -look.px(6), 0);
    drawRuns(p, QRectF(r.left(), look.px(8), r.width(), look.px(18)), {{cell.label, Type::tick, Role::textSecondary}}, look);
    const double top = look.px(large ? 24 : 27), height = look.px(large ? 30 : 26);
    drawRuns(p, QRectF(r.left(), top, r.width(), height),
             {{cell.number, large ? Type::headline : Type::value, Role::text},
              {cell.unit.isEmpty() ? QString() : u" "_s + cell.unit, Type::small, Role::textSecondary}},
             look, cell.stale);
    double y = look.px(54);
    if (!cell.delta.isEmpty()) {
        drawRuns(p, QRectF(r.left(), y, r.width(), look.px(16)), {{cell.delta, Type::tickStrong, cell.deltaRole}}, look, cell.stale);
        y += look.px(16);
    }
    const bool notice = cell.stale && cell.staleNote != tr("computing");
    drawRuns(p, QRectF(r.left(), y, r.width(), look.px(16)),
             {{cell.stale ? cell.staleNote : cell.note, Type::tick, notice ? Role::warning : Role::textTertiary}}, look);
}

} // namespace prism::ui
