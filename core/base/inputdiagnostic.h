// SPDX-License-Identifier: GPL-3.0-or-later
// A diagnostic of an input, without a fix.
#pragma once

#include "core/base/result.h"

#include <string>
#include <utility>

namespace prism {

/// An error: where it is, what is wrong, what was found and what is accepted there.
[[nodiscard]] inline Diagnostic errorAt(std::string path, std::string message, std::string found, std::string accepted)
{
    return {Severity::error, std::move(path), std::move(message), std::move(found), std::move(accepted), "", ""};
}

} // namespace prism
