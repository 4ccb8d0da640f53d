// SPDX-License-Identifier: GPL-3.0-or-later
// A diagnostic in words, the same on the command line and in Python.
#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>

namespace prism {

[[nodiscard]] std::string_view severityName(Severity severity); ///< "error", "warning" or "note"

/// "PATH: MESSAGE. Found: FOUND. Accepted: ACCEPTED." without what is empty. Text from files is in it as it was: see printable().
[[nodiscard]] std::string sentence(const Diagnostic& diagnostic);

} // namespace prism
