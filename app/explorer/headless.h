// SPDX-License-Identifier: GPL-3.0-or-later
// The options with which prism-explorer does its work and leaves: screenshots, exports, reports, scripts.
#pragma once

#include "core/base/table.h"
#include "ui/theme/theme.h"

#include <QString>
#include <optional>

class QCommandLineParser;

namespace prism::explorer {

/// Whether one of them, or a question for help or version, is among the arguments; known before the application is made, since they need no
/// display.
[[nodiscard]] bool wantsNoDisplay(int argc, char** argv);
/// Whether the window system has somewhere to show a window, by the environment and the arguments of Qt.
[[nodiscard]] bool canOpenWindows(int argc, char** argv);
/// Whether they ask for work without a user, which must not touch the user's session; whether that stores anything but the named study.
[[nodiscard]] bool isBatch(const QCommandLineParser& parser);
[[nodiscard]] bool needsFolder(const QCommandLineParser& parser);
void addHeadlessOptions(QCommandLineParser& parser);
/// Does what was requested; nothing when the window is to be shown. Exit codes: 0 done, 1 input or output is wrong, 2 usage, 3 not in time.
[[nodiscard]] std::optional<int> runHeadless(const QCommandLineParser& parser, ui::Theme& theme);

struct BatchOptions {
    QString screenshots, exports; ///< folders; empty = not requested
    QString format;               ///< of the exports: csv, tsv, png, svg, pdf
    QString study;                ///< empty = the sample study
    QString size;                 ///< "1440x900"
    double uiScale = 1;           ///< of type and spacing, as View, Larger sets it
    TableText texts = TableText::forSheets;
};

/// Exit code: 0 done, 1 the study or a folder is wrong, 3 a page did not finish in time.
[[nodiscard]] int runBatch(ui::Theme& theme, const BatchOptions& options);

struct ReportOptions {
    QString study;    ///< a study (.prism), a scenario, a configuration to import, or the name of a preset; empty = the sample study
    QString output;   ///< .pdf or .html
    QString question; ///< empty = made from the study
    bool slides = false;
    bool bundle = false; ///< its pictures and values too, as PNG and CSV in a folder next to it
    int samples = 2'000;
    quint64 seed = 1;
    TableText texts = TableText::forSheets; ///< of the bundle's tables
};

/// Computes and writes it. The file that is read stays as it is. Exit code: 0 written, 1 the input is wrong or the output cannot be
/// written.
[[nodiscard]] int runReport(const ReportOptions& options);

} // namespace prism::explorer
