// SPDX-License-Identifier: GPL-3.0-or-later
// The small windows: differences between scenarios, list of keys, history, import preview, help, about, tour.
#pragma once

#include "core/base/result.h"
#include "ui/workspace/workspace.h"
#include "ui/theme/theme.h"

#include <QString>

#include <optional>

class QWidget;

namespace prism::ui {

class Actions;
class MainWindow;

/// Result of an import, before it changes anything.
struct ImportPreview {
    QString kind;                     ///< "Scenario", "Hugging Face model configuration", ...
    std::optional<Scenario> scenario; ///< what would come in; empty when nothing was recognised
    Diagnostics notes;                ///< errors, assumptions, what was ignored
    bool requestsLayout = false;      ///< a model without its machines: the user enters both
};

/// Finds out what a text is and reads it on top of `base`. Pure but for the preset library.
[[nodiscard]] ImportPreview previewImport(const QString& fileName, const QByteArray& text, const Scenario& base);

/// Parameters in which a scenario differs from the baseline, each with "copy this value over" in both directions.
/// The missing input where there is nothing to compare; empty = shown.
QString showDifferences(Workspace& workspace, const Theme& theme, QWidget* parent);
void showHistory(Workspace& workspace, const Theme& theme, QWidget* parent);
void showKeys(const Actions& actions, const Theme& theme, QWidget* parent);
void showArchived(Workspace& workspace, const Theme& theme, QWidget* parent);
/// Asks whether the import is as meant; adds the scenario when it is.
void showImport(Workspace& workspace, const Theme& theme, const ImportPreview& preview, const QString& fileName, QWidget* parent);
/// Help pages from resources/help; `topic` is a page ("distribution"), a parameter id or a metric ("figure:mfu").
void showHelp(const QString& topic, const Theme& theme, QWidget* parent);
void showAbout(const Theme& theme, QWidget* parent);
/// Points at the parts of the window, in sequence.
void startTour(MainWindow& window);

} // namespace prism::ui
