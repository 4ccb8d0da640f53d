// SPDX-License-Identifier: GPL-3.0-or-later
// Common parts of the dialogs: their margins, and the foot of one that sets something in the study.
#pragma once

#include "ui/theme/theme.h"

#include <QString>

class QDialog;
class QLabel;
class QVBoxLayout;

namespace prism::ui {

/// The dialog's column, with the margins of a card.
QVBoxLayout* makeDialogLayout(QDialog& dialog, const Theme& theme);

/// Adds to the dialog's layout an empty line for problems, which is returned, then `set` and Cancel, which accept and reject it.
[[nodiscard]] QLabel* addSetButtons(QDialog& dialog, const QString& set);

} // namespace prism::ui
