// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/plotbase.h"

#include "ui/look/format.h"

#include <QAccessible>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QResizeEvent>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr double kMinWidth = 280, kMinHeight = 160; // of a card, at scale 1
} // namespace

PlotBase::PlotBase(const Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme)
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_OpaquePaintEvent, false);
    connect(&theme, &Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
}

void PlotBase::prepareDevice(QImage& device)
{
    device.setDotsPerMeterX(kPictureDotsPerMetre);
    device.setDotsPerMeterY(kPictureDotsPerMetre);
}

void PlotBase::setText(const ChartText& text)
{
    if (text == m_text)
        return; // a chart that stays as it is need not be drawn again
    m_text = text;
    setAccessibleName(text.subtitle.isEmpty() ? text.title : text.title + u". "_s + text.subtitle);
    updateGeometry();
    update();
}

void PlotBase::setStale(const QString& note)
{
    if (note == m_stale)
        return;
    m_stale = note;
    updateGeometry(); // beneath the title it takes a line
    update();
}

void PlotBase::setMessage(const QString& message)
{
    if (message == m_message)
        return;
    m_message = message;
    dataChanged();
}

void PlotBase::setReach(const std::optional<Reach>& reach)
{
    if (reach == m_reach)
        return;
    m_reach = reach;
    reachChanged();
}

void PlotBase::setFocusItem(int item)
{
    const int next = item < itemCount() ? std::max(item, -1) : -1;
    if (next == m_focusItem)
        return;
    m_focusItem = next;
    setAccessibleDescription(next >= 0 ? itemText(next) : m_message);
    QAccessibleEvent event(this, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&event);
    Q_EMIT focusItemChanged(next);
    update();
}

QStringList PlotBase::itemReading(int /*item*/) const
{
    return {};
}

QPointF PlotBase::placeOf(int item) const
{
    return measured([&](const Canvas& canvas, const QRectF& area) { return itemAnchor(canvas, area, item); });
}

QString PlotBase::itemText(int item) const
{
    return itemReading(item).join(u", "_s);
}

QString PlotBase::tableText() const
{
    const TableData table = asTable();
    QStringList lines;
    for (const QStringList& row : table.rows.mid(0, kMaxReadRows)) {
        QStringList cells;
        for (qsizetype c = 0; c < row.size(); ++c)
            if (!row[c].isEmpty())
                cells << (c == 0 ? row[c] : u"%1 %2"_s.arg(format::tableHeader(table.header.value(c)), format::tableCell(row[c])));
        lines << cells.join(u", "_s);
    }
    if (table.rows.size() > kMaxReadRows)
        lines << tr("and %1 more rows").arg(table.rows.size() - kMaxReadRows);
    return lines.join(u'\n');
}

void PlotBase::dataChanged()
{
    if (m_focusItem >= itemCount())
        m_focusItem = -1;
    m_hoverItem = -1;
    m_hover.reset();
    setAccessibleDescription(m_focusItem >= 0 ? itemText(m_focusItem) : m_message.isEmpty() ? m_text.footer.join(u' ') : m_message);
    updateGeometry();
    update();
}

QSize PlotBase::minimumSizeHint() const
{
    const QRectF card(0, 0, std::max(width(), m_theme.px(kMinWidth)), 1e4);
    const double around = measured([&](const Canvas& canvas, const QRectF&) { return card.height() - plotArea(canvas, card).height(); });
    return {m_theme.px(kMinWidth),
            std::max(m_theme.px(kMinHeight), static_cast<int>(std::ceil(around + m_theme.look().pxF(minPlotHeight()))))};
}

int PlotBase::itemAt(const Canvas& /*canvas*/, const QRectF& /*area*/, QPointF /*at*/) const
{
    return -1;
}

int PlotBase::itemUnder(QPointF point) const
{
    return measured([&](const Canvas& canvas, const QRectF& area) { return itemAt(canvas, area, point); });
}

QPointF PlotBase::itemAnchor(const Canvas& /*canvas*/, const QRectF& area, int /*item*/) const
{
    return area.center();
}

int PlotBase::neighbour(int item, int key) const
{
    if (key == Qt::Key_Up || key == Qt::Key_Left)
        return std::max(item - 1, 0);
    return std::min(item + 1, itemCount() - 1);
}

QList<LegendEntry> PlotBase::legend(const Look& /*look*/) const
{
    return {};
}

void PlotBase::paintEvent(QPaintEvent* /*event*/)
{
    QPainter painter(this);
    paintChart(painter, rect(), look(), true);
}

void PlotBase::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    if (event->size().width() != event->oldSize().width())
        updateGeometry(); // what is written around the chart takes other lines
}

void PlotBase::mouseMoveEvent(QMouseEvent* event)
{
    const int item = itemUnder(event->position());
    m_hover = event->position();
    if (item >= 0 || m_hoverItem >= 0)
        update();
    m_hoverItem = item;
}

void PlotBase::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton)
        return QWidget::mousePressEvent(event);
    const int item = itemUnder(event->position());
    setFocusItem(item);
    if (item >= 0)
        Q_EMIT itemPicked(item);
}

void PlotBase::leaveEvent(QEvent* event)
{
    m_hover.reset();
    m_hoverItem = -1;
    update();
    QWidget::leaveEvent(event);
}

void PlotBase::keyPressEvent(QKeyEvent* event)
{
    const int count = itemCount();
    switch (event->key()) {
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_Left:
    case Qt::Key_Right:
        if (count > 0)
            setFocusItem(m_focusItem < 0 ? 0 : neighbour(m_focusItem, event->key()));
        return;
    case Qt::Key_Home:
        setFocusItem(count > 0 ? 0 : -1);
        return;
    case Qt::Key_End:
        setFocusItem(count - 1);
        return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space:
        if (m_focusItem >= 0) {
            Q_EMIT itemPicked(m_focusItem);
            return;
        }
        break;
    case Qt::Key_Escape:
        if (m_focusItem >= 0) {
            setFocusItem(-1);
            return;
        }
        break;
    default:
        break;
    }
    QWidget::keyPressEvent(event);
}

void PlotBase::focusInEvent(QFocusEvent* event)
{
    if (m_focusItem < 0 && m_message.isEmpty()) // made when it is requested: a table may be long
        setAccessibleDescription(m_text.footer.join(u' ') + u'\n' + tableText());
    update();
    QWidget::focusInEvent(event);
}

void PlotBase::focusOutEvent(QFocusEvent* event)
{
    update();
    QWidget::focusOutEvent(event);
}

QString tableNumber(double value)
{
    if (!std::isfinite(value))
        return {};
    char buffer[40];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
    return QString::fromLatin1(buffer, end - buffer);
}

} // namespace prism::ui
