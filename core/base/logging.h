// SPDX-License-Identifier: GPL-3.0-or-later
// Configures the log of the programs. Off until a program turns it on; nothing leaves the machine.
//
// Code logs through spdlog's default logger: debug for what was computed and from where, warn for what a user should know and no result
// shows.
#pragma once

#include "core/base/result.h"

#include <string>

namespace prism {

/// Takes the default logger's output away from the terminal; the first call of a program. Any later call below adds a place.
void logQuietly();
/// Everything from debug on to standard error.
void logToTerminal();
/// Everything from debug on to a file: appended to, or rotating within `rotatingBytes` and two older files. Errors: a file that cannot be
/// opened.
[[nodiscard]] Result<std::string> logToFile(const std::string& path, std::size_t rotatingBytes = 0);

} // namespace prism
