// SPDX-License-Identifier: GPL-3.0-or-later
// What edits the study is out of the way while a window presents.
#pragma once

#include "ui/theme/theme.h"

class QWidget;

namespace prism::ui {

/// Hides the widget while the window presents and shows it again after; for widgets that nothing else shows or hides.
void hideInPresentation(QWidget& editing, const Theme& theme);

} // namespace prism::ui
