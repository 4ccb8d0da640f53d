// SPDX-License-Identifier: GPL-3.0-or-later
// The options that say what the program computes: to the terminal, to a file; the same as those of prism-cli.
#pragma once

class QCommandLineParser;

namespace prism::explorer {

void addLogOptions(QCommandLineParser& parser);
/// Takes the log away from the terminal and puts it where the options say. False where a file cannot be written; that is reported on
/// standard error. Once, before work begins.
[[nodiscard]] bool startLog(const QCommandLineParser& parser);

} // namespace prism::explorer
