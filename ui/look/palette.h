// SPDX-License-Identifier: GPL-3.0-or-later
// The colours of the application as named roles: the only file (with palette.cpp) that knows a colour value.
#pragma once

#include <QColor>

#include <array>

namespace prism::ui {

/// Roles of colours. Widgets and charts name roles, never values.
enum class Role {
    window,
    panel,
    header,
    field,
    derivedField,
    separator,
    grid,
    controlOutline,
    axis,
    selection,
    beyondLimit,
    text,
    textSecondary,
    textTertiary,
    accent,
    onAccent,
    good,
    bad,
    error,
    errorFill,
    warning,
    warningFill,
    noteFill,
    hatch, ///< lines of the missing-cell and outside-calibration hatches
    comm,
    commFill, ///< Gantt: lines and ground of the communication hatch
    bubble,   ///< Gantt: lines of the bubble hatch, on panel
    grey,     ///< bars that stand for "all", against one colour
    count
};

inline constexpr int kSeriesCount = 8;
inline constexpr int kHeatStops = 6;

/// One set of values for all roles. A value; any thread.
struct Palette {
    bool dark = false;
    std::array<QColor, static_cast<std::size_t>(Role::count)> roles;
    std::array<QColor, kSeriesCount> series;
    std::array<QColor, kHeatStops> heat;
    std::array<QColor, 2> forward, backward, weight; ///< Gantt fills by chunk parity
    QColor optimizer;
    std::array<QColor, 5> memory; ///< weights, gradients, optimizer, activations, buffers

    [[nodiscard]] QColor operator[](Role role) const { return roles[static_cast<std::size_t>(role)]; }
    /// Colour of the heat ramp; position in [0, 1] from 1.00x to the end of the scale, clamped.
    [[nodiscard]] QColor heatAt(double position) const;
    /// Series colour; index counts on from the start after the eighth.
    [[nodiscard]] QColor seriesAt(int index) const;
    /// A series colour's tint: 37 % over panel, for the other half of a pair of bars.
    [[nodiscard]] QColor tint(const QColor& color) const;
};

[[nodiscard]] const Palette& lightPalette();
[[nodiscard]] const Palette& darkPalette();

/// `share` of `over` on `under`, opaque.
[[nodiscard]] QColor blend(const QColor& over, const QColor& under, double share);
/// WCAG 2.1 contrast ratio, 1 to 21 (relative luminance of sRGB, https://www.w3.org/TR/WCAG21/#dfn-contrast-ratio).
[[nodiscard]] double contrastRatio(const QColor& a, const QColor& b);
/// Black or white, whichever has the higher contrast on `fill`.
[[nodiscard]] QColor readableOn(const QColor& fill);

} // namespace prism::ui
