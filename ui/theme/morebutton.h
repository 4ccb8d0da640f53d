// SPDX-License-Identifier: GPL-3.0-or-later
// The button at the end of a row whose menu holds the items that do not fit.
#pragma once

#include "ui/theme/theme.h"

class QToolButton;

namespace prism::ui {

/// Hidden, with an empty menu; its icon follows the theme. `name` is its tip and what a screen reader reads.
[[nodiscard]] QToolButton* makeMoreButton(const Theme& theme, const QString& name, QWidget* parent);

} // namespace prism::ui
