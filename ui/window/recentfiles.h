// SPDX-License-Identifier: GPL-3.0-or-later
// The studies that were open last, and their menu: missing files are offered for removal.
#pragma once

#include <QStringList>

#include <functional>

class QMenu;

namespace prism::ui {

/// Newest first, kept in the user's settings. GUI thread only.
[[nodiscard]] QStringList recentFiles();
void rememberRecent(const QString& path); ///< puts it in front; the oldest of more than eight goes
void forgetRecent(const QString& path);
/// Fills the menu again: `open` with the path of the chosen one; one whose file is gone is only taken off the list.
void fillRecent(QMenu& menu, const std::function<void(const QString&)>& open);

} // namespace prism::ui
