// SPDX-License-Identifier: GPL-3.0-or-later
// Horizontal bars around a zero line, a labelled row for each cause: what such charts share, for any content of the rows.
#pragma once

#include "ui/plot/plotbase.h"
#include "ui/plot/ticks.h"

namespace prism::ui {

/// Derived charts return where their bars are and draw them; rows are brushed by their id. GUI thread.
class RowChart : public PlotBase {
    Q_OBJECT
public:
    using PlotBase::PlotBase;
    /// The brushed row; empty = none. Stays until it is set again.
    void setHighlighted(const QString& id);
    [[nodiscard]] const QString& highlighted() const { return m_highlighted; }

protected:
    struct Layout {
        double top = 0, bottom = 0, rowHeight = 0; ///< rows are in [top, bottom]
        double labelWidth = 0;                     ///< column of names at the left
        double left = 0, right = 0;                ///< what the bars may take
        double zero = 0, perUnit = 0;
        [[nodiscard]] double middle(int item) const { return top + rowHeight * (item + 0.5); }
        /// Puts [low, high] on [left, right].
        void scale(double low, double high);
    };
    /// The axis under the rows; labels are at value / perUnit.
    struct Axis {
        Ticks ticks;
        double perUnit = 1;
        bool isSigned = false;
        QString title;
    };

    [[nodiscard]] virtual Layout layout(const Canvas& canvas, const QRectF& area) const = 0;
    [[nodiscard]] virtual const QString& rowId(int item) const = 0;
    [[nodiscard]] bool isHighlighted(int item) const { return !m_highlighted.isEmpty() && rowId(item) == m_highlighted; }

    /// Sizes at scale 1: what is above the rows, and the lowest row that can be read.
    [[nodiscard]] virtual double headHeight() const = 0;
    [[nodiscard]] virtual double minRow() const = 0;
    [[nodiscard]] double minPlotHeight() const final;
    /// Head, rows as high as there is room, axis; the columns are left open.
    [[nodiscard]] Layout rows(const Canvas& canvas, const QRectF& area) const;
    /// Room for names on two lines.
    [[nodiscard]] static bool isRoomy(const Canvas& canvas, const Layout& at) { return at.rowHeight >= canvas.px(30); }
    void paintBands(Canvas& canvas, const QRectF& area, const Layout& at, bool interactive) const;
    static void paintAxis(Canvas& canvas, const Layout& at, const Axis& axis);
    void paintName(Canvas& canvas, const QRectF& area, const Layout& at, int item, const QString& name) const;

    [[nodiscard]] int itemAt(const Canvas& canvas, const QRectF& area, QPointF point) const override;
    [[nodiscard]] QPointF itemAnchor(const Canvas& canvas, const QRectF& area, int item) const override;

private:
    QString m_highlighted;
};

} // namespace prism::ui
