// SPDX-License-Identifier: GPL-3.0-or-later
// Diagnostics of inputs: an error at its place, and a diagnostic in words, the same on the command line and in Python.
#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>
#include <utility>

namespace prism {

[[nodiscard]] std::string_view severityName(Severity severity); ///< "error", "warning" or "note"

/// "PATH: MESSAGE. Found: FOUND. Accepted: ACCEPTED." without what is empty. Text from files is in it as it was: see printable().
[[nodiscard]] std::string sentence(const Diagnostic& diagnostic);

/// An error: where it is, what is wrong, what was found and what is accepted there.
[[nodiscard]] inline Diagnostic errorAt(std::string path, std::string message, std::string found, std::string accepted)
{
    return {Severity::error, std::move(path), std::move(message), std::move(found), std::move(accepted), "", ""};
}

} // namespace prism
