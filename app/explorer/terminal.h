// SPDX-License-Identifier: GPL-3.0-or-later
// All output to standard output and standard error: texts of files steer no terminal.
#pragma once

#include "core/base/result.h"

#include <QString>

namespace prism::explorer {

void printLine(const QString& text); ///< on standard output, at once
void complain(const QString& text);  ///< on standard error
void complain(const Diagnostics& errors);

} // namespace prism::explorer
