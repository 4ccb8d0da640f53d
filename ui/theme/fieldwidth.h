// SPDX-License-Identifier: GPL-3.0-or-later
// The width of a field that does not grow: what it usually holds, and all of the hint that is in it while it is empty.
#pragma once

#include "ui/theme/theme.h"

class QLineEdit;

namespace prism::ui {

/// Keeps `field` this wide (pixels at scale 1), or as wide as its hint, or a number next to its unit, needs where that is more,
/// at every scale. Set hint and unit before.
void keepFieldWidth(QLineEdit& field, const Theme& theme, double width);

/// Pixels that a field needs for this text, with what is around it.
[[nodiscard]] int fieldWidthFor(const QString& text, const Theme& theme);

} // namespace prism::ui
