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

/// Hides the widget while the window presents and shows it again after; for widgets that nothing else shows or hides.
void hideInPresentation(QWidget& editing, const Theme& theme);

} // namespace prism::ui
