// SPDX-License-Identifier: GPL-3.0-or-later
// The frame of a side card, the texts in it, and common parts of its tables.
#pragma once

#include "ui/theme/theme.h"

class QFrame;
class QLabel;
class QTableView;
class QTableWidget;
class QVBoxLayout;
class QWidget;

namespace prism::ui {

/// Makes a frame a card; the layout that its parts go into.
QVBoxLayout* makeCard(QFrame& frame, const Theme& theme);
/// A text that wraps and can be selected; type and role as the style sheet reads them.
[[nodiscard]] QLabel* cardText(const QString& type, const QString& role = {}, const QString& text = {});

void dim(QWidget& part, bool on);
/// Dims a card and shows the reason at its upper right; an empty note ends it.
void setCardStale(QWidget& card, const QString& note);
/// Keeps the columns as wide as their contents when the size of the type changes.
void keepColumnsFitted(QTableView& table, const Theme& theme);
/// Headings are over what they head: words at the left, numbers at the right. `words`: columns of words.
void alignHeadings(QTableWidget& table, const QList<int>& words);

} // namespace prism::ui
