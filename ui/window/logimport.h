// SPDX-License-Identifier: GPL-3.0-or-later
// Logs of training steps and traces of jobs that are dropped on the window or chosen go to the pages Validate and Trace.
#pragma once

#include "ui/plot/export.h"

#include <QByteArray>
#include <QString>
#include <optional>

namespace prism::ui {

class MainWindow;

/// Shows the log on its page. False when the text is not a log: nothing happened.
[[nodiscard]] bool openStepLog(MainWindow& window, const QString& path, const QByteArray& text);
/// Reads traces of a job (a file or a folder) on the page Trace; false where the path holds none.
[[nodiscard]] bool openTrace(MainWindow& window, const QString& path);
/// File > Validate against a log…, and the page's own button for it.
void addLogActions(MainWindow& window);

class MainWindow;

/// The export metadata in a PNG (text chunks) or in a JSON report (scenario, hash, seed, samples); nothing for other files.
[[nodiscard]] std::optional<ExportMetadata> metadataIn(const QString& path, const QByteArray& content);
/// Shows the scenario of export metadata: the one of this study that has its hash, else the scenario that the picture carries, else the
/// preset that has its hash; with its seed, number of samples and page. False, and a banner with the reason, when none is known.
bool openExported(MainWindow& window, const ExportMetadata& metadata, const QString& fileName);

} // namespace prism::ui
