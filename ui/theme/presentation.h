// SPDX-License-Identifier: GPL-3.0-or-later
// Hides the controls that edit the study while a window is in presentation mode.
#pragma once

#include "ui/theme/theme.h"

class QWidget;

namespace prism::ui {

/// Hides the widget while the window presents and shows it again after; for widgets that nothing else shows or hides.
void hideInPresentation(QWidget& editing, const Theme& theme);

} // namespace prism::ui
