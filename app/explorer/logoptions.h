// SPDX-License-Identifier: GPL-3.0-or-later
// The options that log what the program computes, to the terminal or to a file; the same as those of prism-cli.
#pragma once

class QCommandLineParser;

namespace prism::explorer {

void addLogOptions(QCommandLineParser& parser);
/// Writes the log where the options say instead of to the terminal. False where a file cannot be written; the reason is printed on
/// standard error. Once, before work begins.
[[nodiscard]] bool startLog(const QCommandLineParser& parser);

} // namespace prism::explorer
