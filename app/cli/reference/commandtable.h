// SPDX-License-Identifier: GPL-3.0-or-later
// The commands and options of the program as data: the one source of man pages, completions and the reference page.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace prism::cli {

struct OptionEntry {
    std::vector<std::string> names;   ///< "--samples", "-h"; of a positional its one name
    std::string value;                ///< "COUNT"; empty = a flag
    std::string help, standard;       ///< standard = what holds without it; may be empty
    std::vector<std::string> choices; ///< where only some words are accepted
    bool positional = false, required = false;
    [[nodiscard]] const std::string& longest() const { return names.back(); }
};

struct CommandEntry {
    std::string name; ///< "prism-cli study add"
    std::string help, footer;
    std::vector<OptionEntry> options; ///< positionals first
    std::vector<CommandEntry> commands;
    [[nodiscard]] std::string word() const { return name.substr(name.rfind(' ') + 1); }
    [[nodiscard]] bool takesWords() const { return !options.empty() && options.front().positional; }
};

/// The whole program, its commands sorted by name.
[[nodiscard]] CommandEntry commandTable(const CLI::App& program);
/// The command and all below it, in the order of a table of contents.
[[nodiscard]] std::vector<const CommandEntry*> allCommands(const CommandEntry& root);
/// "prism-cli predict SCENARIO [OPTIONS]"
[[nodiscard]] std::string synopsis(const CommandEntry& command);

} // namespace prism::cli
