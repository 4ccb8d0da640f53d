// SPDX-License-Identifier: GPL-3.0-or-later
// Suggestions for a command, an option or a value of an option that does not exist.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace prism::cli {

/// "There is no command predct. Did you mean predict?" for the first unknown command or option of the line; empty when there is none.
/// `words` are the arguments behind the program's name.
[[nodiscard]] std::string suggestion(const CLI::App& program, const std::vector<std::string>& words);

/// The option takes one of these words; the error for another one names the nearest.
[[nodiscard]] CLI::Validator oneOf(const std::vector<std::string>& words);

} // namespace prism::cli
