// SPDX-License-Identifier: GPL-3.0-or-later
// The options with which prism-explorer does its work and leaves: screenshots, exports, reports, scripts.
#pragma once

#include "ui/theme/theme.h"

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

} // namespace prism::explorer
