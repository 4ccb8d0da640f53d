// SPDX-License-Identifier: GPL-3.0-or-later
// Placement of the labels of curves: next to their lines, and over nothing else.
#pragma once

#include <QPolygonF>
#include <QRectF>

#include <vector>

namespace prism::ui {

/// A text that belongs to a line: its size, and the line in pixels from left to right.
struct CurveLabel {
    QSizeF size;
    QPolygonF line;
    double shortWidth = 0; ///< of a shorter text that is used where the whole one is not next to its line; 0 = none
};

/// Place of a label, and the point of its line that it names.
struct LabelPlace {
    QRectF rect;
    QPointF anchor;
    bool isFar = false;   ///< a leader to the anchor is needed
    bool isShort = false; ///< the shorter text
    bool isOver = false;  ///< there was no free place: it covers a line
};

/// Pixels that labels may not cover.
struct LabelObstacles {
    QRectF plot; ///< labels stay inside
    std::vector<QPolygonF> lines;
    std::vector<QRectF> taken;
    bool mayCover = false; ///< a label without a free place covers lines; else it is omitted
};

/// Height of a line (left to right) at `x`; that of its nearest end outside.
[[nodiscard]] double heightOn(const QPolygonF& line, double x);
/// Whether a line passes through `rect`.
[[nodiscard]] bool passesThrough(const QPolygonF& line, const QRectF& rect);

/// A place for each label: `gap` pixels from its line or a few more, else with the shorter text, else farther away with a leader, else
/// null. No two overlap. A few thousand comparisons a label.
[[nodiscard]] std::vector<LabelPlace> placeLabels(const std::vector<CurveLabel>& labels, LabelObstacles obstacles, double gap);
/// The same for the readings of the points at `x`: right or left of it, shifted up or down where lines or labels are in the way.
[[nodiscard]] std::vector<LabelPlace> placeReadings(const std::vector<CurveLabel>& labels, LabelObstacles obstacles, double x, double gap);

} // namespace prism::ui
