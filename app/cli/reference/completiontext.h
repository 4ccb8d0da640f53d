// SPDX-License-Identifier: GPL-3.0-or-later
// The commands as completions of shells.
#pragma once

#include "app/cli/reference/commandtable.h"

namespace prism::cli {

/// Completion scripts: commands, options, the words of options with choices, presets where a scenario is, files elsewhere.
[[nodiscard]] std::string bashCompletion(const CommandEntry& program);
[[nodiscard]] std::string zshCompletion(const CommandEntry& program);
[[nodiscard]] std::string fishCompletion(const CommandEntry& program);

} // namespace prism::cli
