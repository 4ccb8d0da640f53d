// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/frame/oldnames.h"

#include "core/base/text.h"

#include <algorithm>
#include <map>

namespace prism::cli {

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
