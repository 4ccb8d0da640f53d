// SPDX-License-Identifier: GPL-3.0-or-later
// What a user probably meant who typed a command or option that does not exist.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace prism::cli {

/// "There is no command predct. Did you mean predict?" for the first unknown command or option of the line; empty when there is none.
/// `words` are the arguments behind the program's name.
[[nodiscard]] std::string suggestion(const CLI::App& program, const std::vector<std::string>& words);

} // namespace prism::cli
