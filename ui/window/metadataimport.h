// SPDX-License-Identifier: GPL-3.0-or-later
// Opens the state that an exported picture or a report of the command line came from.
#pragma once

#include "ui/plot/export.h"

#include <QByteArray>

#include <optional>

namespace prism::ui {

class MainWindow;

/// The export metadata in a PNG (text chunks) or in a JSON report (scenario, hash, seed, samples); nothing for other files.
[[nodiscard]] std::optional<ExportMetadata> metadataIn(const QString& path, const QByteArray& content);
/// Shows the scenario of export metadata: the one of this study that has its hash, else the scenario that the picture carries, else the
/// preset that has its hash; with its seed, number of samples and page. False, and a banner with the reason, when none is known.
bool openExported(MainWindow& window, const ExportMetadata& metadata, const QString& fileName);

} // namespace prism::ui
