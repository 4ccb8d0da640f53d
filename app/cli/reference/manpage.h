// SPDX-License-Identifier: GPL-3.0-or-later
// The commands as man pages (man(7) macros), as the help page resources/help/command-line.md, and as completions of shells.
#pragma once

#include "app/cli/reference/commandtable.h"

namespace prism::cli {

/// "prism-cli-study-add.1"
[[nodiscard]] std::string manPageName(const CommandEntry& command);
/// One command with its options; `program` names the version in the footer. No date is in it: the same program writes the same page.
[[nodiscard]] std::string manPage(const CommandEntry& command, const std::string& version);
/// All commands and options as Markdown.
[[nodiscard]] std::string referencePage(const CommandEntry& program);

/// Completion scripts: commands, options, the words of options with choices, presets where a scenario is, files elsewhere.
[[nodiscard]] std::string bashCompletion(const CommandEntry& program);
[[nodiscard]] std::string zshCompletion(const CommandEntry& program);
[[nodiscard]] std::string fishCompletion(const CommandEntry& program);

} // namespace prism::cli
