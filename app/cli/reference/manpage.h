// SPDX-License-Identifier: GPL-3.0-or-later
// The commands as man pages (man(7) macros) and as the help page resources/help/command-line.md.
#pragma once

#include "app/cli/reference/commandtable.h"

namespace prism::cli {

/// "prism-cli-study-add.1"
[[nodiscard]] std::string manPageName(const CommandEntry& command);
/// One command with its options; `program` names the version in the footer. No date is in it: the same program writes the same page.
[[nodiscard]] std::string manPage(const CommandEntry& command, const std::string& version);
/// All commands and options as Markdown.
[[nodiscard]] std::string referencePage(const CommandEntry& program);

} // namespace prism::cli
