// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/heatmap.h"

#include "ui/look/format.h"

#include <QImage>

#include <algorithm>
#include <cmath>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr int kMaxProfileRows = 3; // more lines would cross each other
}

QRectF HeatMap::Layout::cell(int item, int columns) const
{
    const int row = item / columns, column = item % columns;
    return {grid.left() + cellWidth * column, grid.top() + cellHeight * row, cellWidth, cellHeight};
}

bool HeatMap::hasProfile() const
{
    return m_data.rows <= kMaxProfileRows
           && std::any_of(m_data.cells.begin(), m_data.cells.end(), [](const HeatCell& cell) { return cell.halfWidth > 0; });
}

double HeatMap::minPlotHeight() const
{
    constexpr double kLabels = 70, kProfile = 140, kRow = 64, kMinRow = 14, kMax = 320, kMaxInPresentation = 150;
    if (m_data.rows <= kMaxProfileRows) // the profile gives way where the whole map is to be seen at once
        return kLabels
               + (theme().presentation() ? std::min(kRow * m_data.rows, kMaxInPresentation)
                                         : kRow * m_data.rows + (hasProfile() ? kProfile : 0));
    return kLabels + std::clamp(kMinRow * m_data.rows, 120.0, theme().presentation() ? kMaxInPresentation : kMax);
}

HeatMap::Layout HeatMap::layout(const Canvas& canvas, const QRectF& area) const
{
    Layout at;
    double labels = 0;
    for (const QString& label : m_data.rowLabels)
        labels = std::max(labels, canvas.width(label, Type::tick));
    labels = std::min(labels, area.width() * 0.25);
    const double left = area.left() + canvas.px(20) + labels + canvas.px(8), scale = canvas.px(76);
    const double top = area.top() + 2 * canvas.lineHeight(Type::tick) + canvas.px(6), key = canvas.px(34);
    const double width = std::max(area.right() - scale - left, canvas.px(40)), height = std::max(area.bottom() - key - top, canvas.px(20));
    at.cellWidth = std::min(width / std::max(m_data.columns, 1), canvas.px(220));
    at.cellHeight = std::min(height / std::max(m_data.rows, 1), canvas.px(64)); // a map of few rows does not become a wall
    at.grid = QRectF(left, top, at.cellWidth * m_data.columns, at.cellHeight * m_data.rows);
    at.bar = QRectF(at.grid.right() + canvas.px(26), top, canvas.px(14), at.grid.height());
    const double below = top + height - at.grid.bottom();
    if (!hasProfile() || below < canvas.px(140))
        return at;
    const double caption = canvas.px(48);
    at.profile = QRectF(left, at.grid.bottom() + caption, at.grid.width(), below - caption);
    at.bar.setTop(at.profile.top());
    at.bar.setBottom(at.profile.bottom());
    return at;
}

void HeatMap::paintCells(Canvas& canvas, const Layout& at) const
{
    const Look& look = canvas.look;
    const double gap = at.cellWidth >= canvas.px(8) && at.cellHeight >= canvas.px(8) ? 1 : 0;
    const bool small = gap == 0;
    const bool numbers =
        at.cellWidth >= canvas.width(u"0.00"_s, Type::tick) + canvas.px(4) && at.cellHeight >= canvas.lineHeight(Type::tick);
    if (small && !canvas.isVector()) {
        // One image for all cells: thousands of rectangles cost ten times as much.
        QImage image(m_data.columns, m_data.rows, QImage::Format_RGB32);
        for (int item = 0; item < itemCount(); ++item) {
            const HeatCell& cell = cellOf(item);
            const QColor color = cell.present ? look.palette().heatAt(position(cell.ratio)) : look[Role::derivedField];
            image.setPixelColor(item % m_data.columns, item / m_data.columns, color);
        }
        canvas.painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
        canvas.painter.drawImage(at.grid, image);
        return;
    }
    for (int item = 0; item < itemCount(); ++item) {
        const HeatCell& cell = cellOf(item);
        const QRectF raw = at.cell(item, m_data.columns);
        const QRectF rect(QPointF(std::round(raw.left()), std::round(raw.top())),
                          QPointF(std::round(raw.right()) - gap, std::round(raw.bottom()) - gap));
        if (!cell.present) {
            canvas.fill(rect, look[Role::derivedField]);
            canvas.hatch(rect, kMissingHatch, Role::hatch);
            continue;
        }
        const QColor fill = look.palette().heatAt(position(cell.ratio));
        canvas.fill(rect, fill);
        if (numbers)
            canvas.text(rect.center(), format::fixed(cell.ratio, cell.ratio >= 10 ? 1 : 2), Type::tick, readableOn(fill),
                        Qt::AlignHCenter | Qt::AlignVCenter);
    }
}

void HeatMap::paintLabels(Canvas& canvas, const QRectF& area, const Layout& at) const
{
    canvas.text({at.grid.center().x(), area.top()}, m_data.columnTitle, Type::tick, Role::textSecondary, Qt::AlignHCenter | Qt::AlignTop);
    double widest = 0;
    for (const QString& label : m_data.columnLabels)
        widest = std::max(widest, canvas.width(label, Type::tick));
    const int stride = std::max(1, static_cast<int>(std::ceil((widest + canvas.px(6)) / std::max(at.cellWidth, 0.01))));
    for (int column = 0; column < m_data.columns; column += stride)
        canvas.text({at.grid.left() + at.cellWidth * (column + 0.5), at.grid.top() - canvas.px(10)}, m_data.columnLabels.value(column),
                    Type::tick, column == m_data.brushedColumn ? Role::text : Role::textSecondary, Qt::AlignHCenter | Qt::AlignVCenter);
    const int rowStride = std::max(1, static_cast<int>(std::ceil(canvas.lineHeight(Type::tick) / std::max(at.cellHeight, 0.01))));
    const double width = at.grid.left() - area.left() - canvas.px(28);
    for (int row = 0; row < m_data.rows; row += rowStride)
        canvas.text({at.grid.left() - canvas.px(8), at.grid.top() + at.cellHeight * (row + 0.5)},
                    canvas.elidedName(m_data.rowLabels.value(row), Type::tick, width), Type::tick,
                    row == m_data.brushedRow ? Role::text : Role::textSecondary, Qt::AlignRight | Qt::AlignVCenter);
    if (at.grid.height() > canvas.width(m_data.rowTitle, Type::tick))
        canvas.rotatedText({area.left() + canvas.px(6), at.grid.center().y()}, m_data.rowTitle, Type::tick, Role::textSecondary);
}

void HeatMap::paintScale(Canvas& canvas, const Layout& at) const
{
    QLinearGradient ramp(at.bar.bottomLeft(), at.bar.topLeft());
    for (int stop = 0; stop < kHeatStops; ++stop)
        ramp.setColorAt(static_cast<double>(stop) / (kHeatStops - 1), canvas.look.palette().heat[static_cast<std::size_t>(stop)]);
    canvas.painter.fillRect(at.bar, ramp);
    canvas.outline(at.bar.adjusted(0.5, 0.5, -0.5, -0.5), canvas.look.pen(Role::axis));
    const double end = scaleEnd();
    constexpr int kLabels = 5;
    for (int i = 0; i <= kLabels; ++i) {
        const double value = 1 + (end - 1) * i / kLabels, y = at.bar.bottom() - at.bar.height() * i / kLabels;
        const double inside = std::clamp(y, at.bar.top() + 0.5, at.bar.bottom() - 1);
        canvas.horizontal(at.bar.right(), at.bar.right() + canvas.px(4), inside, canvas.look.pen(Role::axis));
        canvas.text({at.bar.right() + canvas.px(8), inside}, format::fixed(value, end < 10 ? 2 : 0) + QChar(0xD7), Type::tick,
                    Role::textSecondary, Qt::AlignLeft | Qt::AlignVCenter);
    }
}

QPointF HeatMap::profilePoint(const Layout& at, int item, double ratio) const
{
    return {at.grid.left() + at.cellWidth * (item % m_data.columns + 0.5), at.profile.bottom() - position(ratio) * at.profile.height()};
}

void HeatMap::paintProfile(Canvas& canvas, const Layout& at) const
{
    const Look& look = canvas.look;
    canvas.text({at.profile.left(), at.profile.top() - canvas.px(14)}, u"The same cells along the scale, with their 95 % intervals"_s,
                Type::tick, Role::textSecondary, Qt::AlignLeft | Qt::AlignVCenter);
    constexpr int kLines = 5;
    for (int i = 0; i <= kLines; ++i) {
        const double y = at.profile.bottom() - at.profile.height() * i / kLines;
        canvas.horizontal(at.profile.left(), at.profile.right(), y, look.pen(i == 0 ? Role::axis : Role::grid));
    }
    for (int item = 0; item < itemCount(); ++item) {
        const HeatCell& cell = cellOf(item);
        if (!cell.present)
            continue;
        const QPointF point = profilePoint(at, item, cell.ratio);
        if (item % m_data.columns > 0 && cellOf(item - 1).present) {
            canvas.painter.setPen(look.pen(Role::axis));
            canvas.painter.drawLine(profilePoint(at, item - 1, cellOf(item - 1).ratio), point);
        }
    }
    for (int item = 0; item < itemCount(); ++item) {
        const HeatCell& cell = cellOf(item);
        if (!cell.present)
            continue;
        const QPointF point = profilePoint(at, item, cell.ratio);
        const double high = profilePoint(at, item, cell.ratio + cell.halfWidth).y(),
                     low = profilePoint(at, item, cell.ratio - cell.halfWidth).y(), cap = canvas.px(4);
        if (low - high >= 2) {
            canvas.vertical(point.x(), high, low, look.pen(Role::text));
            canvas.horizontal(point.x() - cap, point.x() + cap, high, look.pen(Role::text));
            canvas.horizontal(point.x() - cap, point.x() + cap, low, look.pen(Role::text));
        }
        const bool marked = item == m_data.best || item == m_data.worst;
        canvas.painter.setPen(look.pen(Role::text, marked ? metric::outlinedCell : metric::line));
        canvas.painter.setBrush(look.palette().heatAt(position(cell.ratio)));
        canvas.painter.drawEllipse(point, canvas.px(5), canvas.px(5));
    }
}

void HeatMap::paintKey(Canvas& canvas, const QRectF& area, const Layout& at, bool interactive) const
{
    double x = at.grid.left();
    const double y = std::min(area.bottom() - canvas.px(8), std::max(at.grid.bottom(), at.bar.bottom()) + canvas.px(20));
    const auto entry = [&](const QString& label, auto&& mark) {
        const QRectF box(std::round(x), std::round(y - canvas.px(6)), canvas.px(16), canvas.px(12));
        mark(box);
        canvas.text({box.right() + canvas.px(7), y}, label, Type::tick, Role::textSecondary, Qt::AlignLeft | Qt::AlignVCenter);
        x = box.right() + canvas.px(28) + canvas.width(label, Type::tick);
    };
    if (std::any_of(m_data.cells.begin(), m_data.cells.end(), [](const HeatCell& c) { return !c.present; }))
        entry(m_data.missingLabel, [&](const QRectF& box) {
            canvas.fill(box, canvas[Role::derivedField]);
            canvas.hatch(box, kMissingHatch, Role::hatch);
        });
    if (m_data.best >= 0 || m_data.worst >= 0)
        entry(u"best, worst"_s,
              [&](const QRectF& box) { canvas.outline(box.adjusted(1, 1, -1, -1), canvas.look.pen(Role::text, metric::outlinedCell)); });
    if (!m_data.marked.isEmpty())
        entry(m_data.markedLabel.isEmpty() ? u"slow node now"_s : m_data.markedLabel, [&](const QRectF& box) {
            QPen pen = canvas.look.pen(Role::text, metric::outlinedCell);
            pen.setDashPattern({2, 1.5});
            canvas.outline(box.adjusted(1, 1, -1, -1), pen);
        });
    if (const int above = cellsAboveScale(); above > 0) {
        const QString note = tr("%1 above the scale%2").arg(above).arg(interactive ? tr(" (F fits it)") : QString());
        canvas.text({x, y}, note, Type::tick, Role::warning, Qt::AlignLeft | Qt::AlignVCenter);
        x += canvas.width(note, Type::tick) + canvas.px(21);
    }
    const QString hint = u"Arrow keys read the cells, F fits the scale"_s;
    if (interactive && x + canvas.width(hint, Type::tick) < at.grid.right())
        canvas.text({at.grid.right(), y}, hint, Type::tick, Role::textTertiary, Qt::AlignRight | Qt::AlignVCenter);
}

void HeatMap::paintMarks(Canvas& canvas, const Layout& at, bool interactive) const
{
    const auto outlined = [&](int item, const QPen& pen) {
        if (item >= 0 && item < itemCount())
            canvas.outline(at.cell(item, m_data.columns).adjusted(0, 0, -1, -1), pen);
    };
    // Outlines are read against the cell, not against the page: text colour with a halo of the panel.
    const auto haloed = [&](int item, const QPen& pen) {
        outlined(item, canvas.look.pen(Role::panel, metric::outlinedCell + 2));
        outlined(item, pen);
    };
    if (interactive && m_data.brushedColumn >= 0 && m_data.brushedColumn < m_data.columns) {
        const QRectF column(at.grid.left() + at.cellWidth * m_data.brushedColumn, at.grid.top() - canvas.px(3), at.cellWidth - 1,
                            canvas.px(metric::brushBar));
        canvas.fill(column, canvas[Role::accent]);
    }
    if (interactive && m_data.brushedRow >= 0 && m_data.brushedRow < m_data.rows)
        canvas.fill(QRectF(at.grid.left() - canvas.px(4), at.grid.top() + at.cellHeight * m_data.brushedRow, canvas.px(metric::brushBar),
                           at.cellHeight - 1),
                    canvas[Role::accent]);
    haloed(m_data.best, canvas.look.pen(Role::text, metric::outlinedCell));
    haloed(m_data.worst, canvas.look.pen(Role::text, metric::outlinedCell));
    QPen dashed = canvas.look.pen(Role::text, metric::outlinedCell);
    dashed.setDashPattern({2, 1.5});
    for (const int item : m_data.marked)
        haloed(item, dashed);
    if (interactive && hasFocus() && focusItem() >= 0)
        haloed(focusItem(), canvas.look.pen(Role::accent, metric::focusRing + 1));
    if (interactive && m_dragged >= 0) {
        const QRectF ghost(m_dragAt - QPointF(at.cellWidth / 2, at.cellHeight / 2), QSizeF(at.cellWidth, at.cellHeight));
        canvas.outline(ghost, dashed);
    }
}

void HeatMap::paintPlot(Canvas& canvas, const QRectF& area, bool interactive) const
{
    if (m_data.cells.empty() || m_data.columns <= 0)
        return;
    const Layout at = layout(canvas, area);
    paintCells(canvas, at);
    paintLabels(canvas, area, at);
    paintScale(canvas, at);
    if (!at.profile.isEmpty())
        paintProfile(canvas, at);
    paintKey(canvas, area, at, interactive);
    paintMarks(canvas, at, interactive);
}

} // namespace prism::ui
