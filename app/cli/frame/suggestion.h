// SPDX-License-Identifier: GPL-3.0-or-later
// Suggestions for a command, an option or a value of an option that does not exist, and command names of earlier versions.
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

/// The arguments behind the program's name with today's names of commands. Where an old name was given, `note` is the line that names the
/// new one; else it is empty. Options of the program that are behind the command come first.
struct Arguments {
    std::vector<std::string> words;
    std::string note;
};
[[nodiscard]] Arguments withTodaysNames(std::vector<std::string> words);

} // namespace prism::cli
