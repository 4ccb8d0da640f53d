// SPDX-License-Identifier: GPL-3.0-or-later
// Fields and buttons of a row of controls: a field's width, and the menu of what does not fit.
#pragma once

#include "ui/theme/theme.h"

class QLineEdit;
class QToolButton;

namespace prism::ui {

/// Keeps `field` this wide (pixels at scale 1), or as wide as its hint, or a number next to its unit, needs where that is more,
/// at every scale. Set hint and unit before.
void keepFieldWidth(QLineEdit& field, const Theme& theme, double width);

/// Pixels that a field needs for this text, with what is around it.
[[nodiscard]] int fieldWidthFor(const QString& text, const Theme& theme);

/// Hidden, with an empty menu; its icon follows the theme. `name` is its tip and what a screen reader reads.
[[nodiscard]] QToolButton* makeMoreButton(const Theme& theme, const QString& name, QWidget* parent);

} // namespace prism::ui
