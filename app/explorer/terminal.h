// SPDX-License-Identifier: GPL-3.0-or-later
// All output to standard output and standard error (texts of files steer no terminal), and the options that log what is computed.
#pragma once

#include "core/base/result.h"

#include <QString>

class QCommandLineParser;

namespace prism::explorer {

void printLine(const QString& text); ///< on standard output, at once
void complain(const QString& text);  ///< on standard error
void complain(const Diagnostics& errors);

void addLogOptions(QCommandLineParser& parser);
/// Writes the log where the options say instead of to the terminal. False where a file cannot be written; the reason is printed on
/// standard error. Once, before work begins.
[[nodiscard]] bool startLog(const QCommandLineParser& parser);

} // namespace prism::explorer
