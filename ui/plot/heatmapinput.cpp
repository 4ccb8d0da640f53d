// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/heatmap.h"

#include <QDragEnterEvent>
#include <QKeyEvent>
#include <QMimeData>
#include <QMouseEvent>

#include <algorithm>
#include <cmath>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {
const QString kNodeType = u"application/x-prism-slow-node"_s;
}

QMimeData* HeatMap::mimeDataOf(int node)
{
    auto* data = new QMimeData;
    data->setData(kNodeType, QByteArray::number(node));
    return data;
}

int HeatMap::itemAt(const Canvas& canvas, const QRectF& area, QPointF point) const
{
    const Layout at = layout(canvas, area);
    if (m_data.cells.empty() || !(at.grid.contains(point) || at.profile.contains(point)))
        return -1;
    const int column = std::min(static_cast<int>((point.x() - at.grid.left()) / at.cellWidth), m_data.columns - 1);
    if (at.grid.contains(point))
        return std::min(static_cast<int>((point.y() - at.grid.top()) / at.cellHeight), m_data.rows - 1) * m_data.columns + column;
    int nearest = -1;
    double best = canvas.px(16);
    for (int row = 0; row < m_data.rows; ++row) {
        const int item = row * m_data.columns + column;
        const HeatCell& cell = cellOf(item);
        const double distance = std::abs(profilePoint(at, item, cell.ratio).y() - point.y());
        if (cell.present && distance < best) {
            best = distance;
            nearest = item;
        }
    }
    return nearest;
}

QPointF HeatMap::itemAnchor(const Canvas& canvas, const QRectF& area, int item) const
{
    return layout(canvas, area).cell(item, std::max(m_data.columns, 1)).center();
}

int HeatMap::neighbour(int item, int key) const
{
    const int columns = std::max(m_data.columns, 1), row = item / columns, column = item % columns;
    switch (key) {
    case Qt::Key_Left:
        return row * columns + std::max(column - 1, 0);
    case Qt::Key_Right:
        return row * columns + std::min(column + 1, columns - 1);
    case Qt::Key_Up:
        return std::max(row - 1, 0) * columns + column;
    default:
        return std::min(row + 1, m_data.rows - 1) * columns + column;
    }
}

void HeatMap::mousePressEvent(QMouseEvent* event)
{
    const int item = itemUnder(event->position());
    if (event->button() == Qt::LeftButton && theme().isEditable() && m_data.marked.contains(item)) {
        m_dragged = item;
        m_dragAt = event->position();
        setFocusItem(item);
        return;
    }
    PlotBase::mousePressEvent(event);
}

void HeatMap::mouseMoveEvent(QMouseEvent* event)
{
    if (m_dragged >= 0) {
        m_dragAt = event->position();
        update();
    }
    PlotBase::mouseMoveEvent(event);
}

void HeatMap::mouseReleaseEvent(QMouseEvent* event)
{
    if (m_dragged >= 0) {
        const int from = std::exchange(m_dragged, -1);
        const int to = itemUnder(event->position());
        update();
        if (to == from)
            Q_EMIT itemPicked(from);
        else if (to >= 0)
            Q_EMIT itemMoved(from, to);
        return;
    }
    PlotBase::mouseReleaseEvent(event);
}

void HeatMap::mouseDoubleClickEvent(QMouseEvent* event)
{
    const int item = itemUnder(event->position());
    m_dragged = -1;
    if (item >= 0)
        Q_EMIT itemActivated(item);
}

void HeatMap::dragEnterEvent(QDragEnterEvent* event)
{
    if (event->mimeData()->hasFormat(kNodeType))
        event->acceptProposedAction();
}

void HeatMap::dragMoveEvent(QDragMoveEvent* event)
{
    const int item = itemUnder(event->position());
    setFocusItem(item);
    event->setAccepted(item >= 0);
}

void HeatMap::dropEvent(QDropEvent* event)
{
    const int item = itemUnder(event->position());
    bool known = false;
    const int node = event->mimeData()->data(kNodeType).toInt(&known);
    if (item < 0 || !known)
        return event->ignore();
    event->acceptProposedAction();
    Q_EMIT nodeDropped(node, item);
}

void HeatMap::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_F)
        return fitScale();
    const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter || event->key() == Qt::Key_Space;
    const int item = focusItem();
    PlotBase::keyPressEvent(event);
    if (enter && item >= 0)
        Q_EMIT itemActivated(item);
}

} // namespace prism::ui
