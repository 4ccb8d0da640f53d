// SPDX-License-Identifier: GPL-3.0-or-later
// The frame of a side card and the texts in it.
#pragma once

#include "ui/theme/theme.h"

class QFrame;
class QLabel;
class QVBoxLayout;

namespace prism::ui {

/// Makes a frame a card; the layout that its parts go into.
QVBoxLayout* makeCard(QFrame& frame, const Theme& theme);
/// A text that wraps and can be selected; type and role as the style sheet reads them.
[[nodiscard]] QLabel* cardText(const QString& type, const QString& role = {}, const QString& text = {});

} // namespace prism::ui
