// SPDX-License-Identifier: GPL-3.0-or-later
// Command names of earlier versions: they work for one release and name the command of today.
#pragma once

#include <string>
#include <vector>

namespace prism::cli {

/// The arguments behind the program's name with today's names of commands. Where an old name was given, `note` is the line that names the
/// new one; else it is empty. Options of the program that are behind the command come first.
struct Arguments {
    std::vector<std::string> words;
    std::string note;
};
[[nodiscard]] Arguments withTodaysNames(std::vector<std::string> words);

} // namespace prism::cli
