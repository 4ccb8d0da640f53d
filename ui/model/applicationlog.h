// SPDX-License-Identifier: GPL-3.0-or-later
// The application's log in its data folder, and the part of a bug report about program and machine. Nothing leaves the machine.
#pragma once

#include "core/base/result.h"

#include <QString>

namespace prism::ui {

/// Path of the log: log/prism-explorer.log in the application's data folder.
[[nodiscard]] QString applicationLogPath();
/// Writes what the program computes to that file too from now on, within 1 MiB and two older files. Errors: a file that cannot be opened.
/// GUI thread, once, before work begins and after logQuietly().
[[nodiscard]] Result<std::string> startApplicationLog();
/// Program, system, processor, memory, Qt and the last lines of the log, for the clipboard. GUI thread.
[[nodiscard]] QString diagnosticInformation();

} // namespace prism::ui
