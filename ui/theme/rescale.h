// SPDX-License-Identifier: GPL-3.0-or-later
// What changes in a whole window while it runs: the scale of the interface, and presentation mode.
#pragma once

#include "ui/theme/theme.h"

class QWidget;

namespace prism::ui {

/// Property of a widget that looks after its fixed width itself.
inline constexpr const char* kOwnWidth = "ownWidth";

/// Scales what layouts and buttons under `root` were given at scale `from` to scale `to`. Sizes at scale 1 are remembered, so
/// that going there and back changes nothing. GUI thread.
void rescale(QWidget& root, double from, double to);

/// Shows the widget only while the study can be changed and the window does not present; for widgets that nothing else shows or hides.
void showWhileEditable(QWidget& editing, const Theme& theme);

} // namespace prism::ui
