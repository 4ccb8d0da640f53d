// SPDX-License-Identifier: GPL-3.0-or-later
// Logs of training steps and traces of jobs that are dropped on the window or chosen go to the pages Validate and Trace.
#pragma once

#include <QByteArray>
#include <QString>

namespace prism::ui {

class MainWindow;

/// Shows the log on its page. False when the text is not a log: nothing happened.
[[nodiscard]] bool openStepLog(MainWindow& window, const QString& path, const QByteArray& text);
/// Reads traces of a job (a file or a folder) on the page Trace; false where the path holds none.
[[nodiscard]] bool openTrace(MainWindow& window, const QString& path);
/// File > Validate against a log…, and the page's own button for it.
void addLogActions(MainWindow& window);

} // namespace prism::ui
