// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/frame/suggestion.h"

#include "core/base/diagnostictext.h"
#include "core/base/printable.h"
#include "core/base/text.h"

#include <algorithm>
#include <map>

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

namespace {

/// The old name of a command, and today's.
const std::map<std::string, std::vector<std::string>, std::less<>>& todaysNames()
{
    static const std::map<std::string, std::vector<std::string>, std::less<>> kNames{
        {"attribution", {"sensitivity", "attribution"}},
        {"completion", {"help", "completion"}},
        {"figures", {"help", "metrics"}},
        {"fit", {"calibrate", "fit"}},
        {"fleet", {"job", "fleet"}},
        {"follow", {"validate", "follow"}},
        {"join-calibration", {"calibrate", "join"}},
        {"limits", {"help", "limits"}},
        {"merge", {"explore", "merge"}},
        {"parameters", {"help", "parameters"}},
        {"pool-fits", {"calibrate", "pool"}},
        {"simulate", {"graph", "simulate"}},
        {"studies", {"presets", "studies"}},
        {"validate-collectives", {"validate", "collectives"}},
        {"validate-operators", {"validate", "operators"}},
        {"validate-published", {"validate", "published"}},
        {"validate-steps", {"validate", "steps"}},
    };
    return kNames;
}

/// Moves --verbose and --log-file FILE to the front: they are options of the program.
std::vector<std::string> programOptionsFirst(const std::vector<std::string>& words)
{
    std::vector<std::string> first, rest;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i] == "--") {
            rest.insert(rest.end(), words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
            break;
        }
        const bool hasValue = words[i] == "--log-file" && i + 1 < words.size();
        const bool isOfProgram = hasValue || words[i] == "--verbose" || words[i].starts_with("--log-file=");
        (isOfProgram ? first : rest).push_back(words[i]);
        if (hasValue)
            first.push_back(words[++i]);
    }
    first.insert(first.end(), rest.begin(), rest.end());
    return first;
}

} // namespace

Arguments withTodaysNames(std::vector<std::string> words)
{
    Arguments arguments{.words = programOptionsFirst(words), .note = {}};
    auto at = std::find_if(arguments.words.begin(), arguments.words.end(), [&](const std::string& word) {
        return !word.starts_with("-") && (&word == arguments.words.data() || *(&word - 1) != "--log-file");
    });
    const bool isHelp = at != arguments.words.end() && *at == "help" && at + 1 != arguments.words.end();
    at += isHelp ? 1 : 0;
    const auto name = at == arguments.words.end() ? todaysNames().end() : todaysNames().find(*at);
    if (name == todaysNames().end() || (isHelp && name->second.front() == "help"))
        return arguments;
    arguments.note = "note: \"prism-cli " + name->first + "\" is now \"prism-cli " + joined(name->second, " ")
                     + "\". The old name will be removed in the next release.\n";
    at = arguments.words.erase(at);
    arguments.words.insert(at, name->second.begin(), name->second.end());
    return arguments;
}

} // namespace prism::cli
