// SPDX-License-Identifier: GPL-3.0-or-later
// Running another tool's program or Python and reading what it prints.
#pragma once

#include "core/base/platform/childprocess.h"

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace prism::cli {

/// The run with the least processor time of some; nothing where one fails.
[[nodiscard]] std::optional<ChildRun> bestChild(const ChildCommand& command, int runs = 1);
/// The last line that a script printed, as JSON; null where it is not JSON.
[[nodiscard]] nlohmann::json lastLine(const std::string& output);
/// A number of an object, 0 where it has none of this name.
[[nodiscard]] double numberAt(const nlohmann::json& object, const char* key);
/// The Python that can load this module: the one in PATH or the system's; empty where there is none.
[[nodiscard]] std::string pythonWith(const std::string& module);

} // namespace prism::cli
