// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/frame/suggestion.h"

#include "core/base/diagnostictext.h"
#include "core/base/printable.h"
#include "core/base/text.h"

#include <algorithm>

namespace prism::cli {

namespace {

/// With the commands that it belongs to: "prism-cli study add".
std::string calledAs(const CLI::App& command)
{
    const CLI::App* parent = command.get_parent();
    return (parent == nullptr ? "" : calledAs(*parent) + " ") + command.get_name();
}

std::string sentence(const std::string& what, const std::string& word, const std::vector<std::string>& known, const CLI::App& command)
{
    std::string text = "There is no " + what + " \"" + printable(word, 80) + "\".";
    if (const std::string near = nearestName(word, known); !near.empty())
        text += " Did you mean \"" + near + "\"?";
    return text + "\nRun \"" + calledAs(command) + " --help\" for all there are.\n";
}

const CLI::App* subcommand(const CLI::App& command, const std::string& name)
{
    for (const CLI::App* sub : command.get_subcommands({}))
        if (sub->get_name() == name)
            return sub;
    return nullptr;
}

/// The option of the command, or of the program, where it may be too.
const CLI::Option* knownOption(const CLI::App& program, const CLI::App& command, const std::string& name)
{
    const CLI::Option* found = command.get_option_no_throw(name);
    return found != nullptr ? found : program.get_option_no_throw(name);
}

std::vector<std::string> optionNames(const CLI::App& program, const CLI::App& command)
{
    std::vector<std::string> names;
    for (const CLI::App* app : {&command, &program})
        for (const CLI::Option* o : app->get_options())
            for (const std::string& name : o->get_lnames())
                names.push_back("--" + name);
    return names;
}

bool takesWords(const CLI::App& command)
{
    const std::vector<const CLI::Option*> options = command.get_options();
    return std::any_of(options.begin(), options.end(), [](const CLI::Option* option) { return option->get_positional(); });
}

std::vector<std::string> commandNames(const CLI::App& command)
{
    std::vector<std::string> names;
    for (const CLI::App* sub : command.get_subcommands({}))
        names.push_back(sub->get_name());
    return names;
}

} // namespace

std::string suggestion(const CLI::App& program, const std::vector<std::string>& words)
{
    const CLI::App* command = &program;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& word = words[i];
        if (word == "--")
            return {};
        if (word.starts_with("--")) {
            const std::size_t equals = word.find('=');
            const std::string name = word.substr(0, equals);
            const CLI::Option* known = knownOption(program, *command, name);
            if (known == nullptr)
                return sentence("option", name, optionNames(program, *command), *command);
            if (equals == std::string::npos && known->get_items_expected_min() > 0)
                ++i; // its value
            continue;
        }
        if (word.starts_with("-") || command->get_subcommands({}).empty())
            continue;
        const CLI::App* sub = subcommand(*command, word);
        if (sub == nullptr && takesWords(*command))
            continue;
        if (sub == nullptr)
            return sentence("command", word, commandNames(*command), *command);
        command = sub;
    }
    return {};
}

CLI::Validator oneOf(const std::vector<std::string>& words)
{
    return CLI::Validator(
        [words](const std::string& word) {
            if (std::find(words.begin(), words.end(), word) != words.end())
                return std::string();
            Diagnostic unknown = unknownName("", "value", word, words);
            unknown.found.clear(); // the message has it
            return printable(sentence(unknown));
        },
        "{" + joined(words, ",") + "}");
}

} // namespace prism::cli
