// SPDX-License-Identifier: GPL-3.0-or-later
// The look of all drawings as one value: palette, fonts, metrics, pens and hatches at one scale.
#pragma once

#include "ui/look/palette.h"

#include <QBrush>
#include <QFont>
#include <QPen>

class QPainter;

namespace prism::ui {

/// The type scale, in points at scale 1: 18 semibold, 13.5 semibold, 11.25 semibold, 9.75, 9.75 semibold, 9, 9 semibold, 8.25, 8.25
/// semibold.
enum class Type { headline, value, title, body, bodyStrong, small, smallStrong, tick, tickStrong };

/// Sizes of parts in device-independent pixels at scale 1; take them through Look::px.
namespace metric {
inline constexpr int grid = 4, cardPadding = 16, cardGap = 12, pageMargin = 16, row = 28, field = 24, button = 24, closingButton = 32,
                     radius = 4, menuRow = 32, headline = 92, dock = 352, dockMinimum = 300, labelColumn = 164, fieldColumn = 156,
                     tabRow = 36, toolRow = 40, jobBar = 34, focusRing = 2, brushBar = 3, sideCardsUnder = 980;
inline constexpr double line = 1, limitLine = 1.5, curve = 2, baselineCurve = 3, outlinedCell = 2, bandOpacity = 0.24, staleOpacity = 0.42;
} // namespace metric

/// A hatch: 45 degrees, rising or falling, spacing and line width in pixels at scale 1.
struct Hatch {
    bool rising = true;
    double spacing = 6, width = 1;
};
inline constexpr Hatch kCommunicationHatch{true, 5, 1.6}, kBubbleHatch{false, 7, 1}, kMissingHatch{true, 6, 1},
    kUncalibratedHatch{true, 8, 1};

/// A value; GUI thread (fonts). Charts draw with the look they are given, so that exports can use the light one.
class Look final {
public:
    explicit Look(const Palette& palette = lightPalette(), double scale = 1.0) : m_palette(palette), m_scale(scale) {}

    [[nodiscard]] const Palette& palette() const { return m_palette; }
    [[nodiscard]] QColor operator[](Role role) const { return m_palette[role]; }
    [[nodiscard]] bool isDark() const { return m_palette.dark; }
    [[nodiscard]] double scale() const { return m_scale; }
    /// Pixels for a size given at scale 1, rounded to whole pixels.
    [[nodiscard]] int px(double size) const;
    [[nodiscard]] double pxF(double size) const { return size * m_scale; }

    /// Font of the type scale: Inter with tabular figures, then Noto Sans, then the system's.
    [[nodiscard]] QFont font(Type type) const;
    /// Curve pen of a scenario: colour and dash belong together. The baseline is thicker.
    [[nodiscard]] QPen seriesPen(int series, bool baseline = false) const;
    [[nodiscard]] QPen pen(Role role, double width = metric::line, Qt::PenStyle style = Qt::SolidLine) const;

    /// Draws a hatch inside `rect`, in phase across rectangles. `asLines` for vector devices, else a texture.
    void drawHatch(QPainter& painter, const QRectF& rect, const Hatch& hatch, const QColor& color, bool asLines = false) const;
    /// The hatch as a brush for raster devices of this device pixel ratio.
    [[nodiscard]] QBrush hatchBrush(const Hatch& hatch, const QColor& color, double devicePixelRatio) const;

private:
    Palette m_palette;
    double m_scale;
};

/// Dash pattern of a series in pen widths; empty = solid.
[[nodiscard]] QList<qreal> seriesDash(int series);

} // namespace prism::ui
