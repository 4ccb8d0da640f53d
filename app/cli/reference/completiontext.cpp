// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/reference/manpage.h"

#include "core/base/text.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <map>

namespace prism::cli {

namespace {

/// The command that the shell calls for the names of scenarios and the paths of parameters.
constexpr const char* kScenarios = "prism-cli presets list --kind scenario --names 2>/dev/null";
constexpr const char* kParameters = "prism-cli help parameters --names 2>/dev/null";

std::string below(const CommandEntry& c)
{
    const std::size_t space = c.name.find(' ');
    return space == std::string::npos ? "" : c.name.substr(space + 1);
}

std::vector<std::string> longNames(const CommandEntry& c)
{
    std::vector<std::string> names;
    for (const OptionEntry& o : c.options)
        if (!o.positional)
            names.push_back(o.longest());
    return names;
}

std::vector<std::string> subcommandWords(const CommandEntry& c)
{
    std::vector<std::string> names;
    for (const CommandEntry& sub : c.commands)
        names.push_back(sub.word());
    return names;
}

bool takesScenario(const CommandEntry& c)
{
    return std::any_of(c.options.begin(), c.options.end(), [](const OptionEntry& o) { return o.longest() == "SCENARIO"; });
}

/// The choices of each option that has some, wherever it is.
std::map<std::string, std::vector<std::string>> choicesOf(const CommandEntry& program)
{
    std::map<std::string, std::vector<std::string>> choices;
    for (const CommandEntry* c : allCommands(program))
        for (const OptionEntry& o : c->options)
            if (!o.positional && !o.choices.empty())
                for (const std::string& word : o.choices)
                    if (auto& known = choices[o.longest()]; std::find(known.begin(), known.end(), word) == known.end())
                        known.push_back(word);
    return choices;
}

/// A text in single quotes of a shell, or of fish.
std::string quoted(const std::string& text, const char* quote)
{
    std::string out = "'";
    for (const char c : text)
        out += c == '\'' ? std::string(quote) : std::string(1, c);
    return out + "'";
}

/// The case pattern of a command's words: themselves, also with more words after them.
std::string pattern(const std::string& name)
{
    return name.empty() ? "''" : fmt::format("'{0}'|'{0} '*", name);
}

/// Options whose values are choices, scenarios or parameters, as branches of a case.
std::string valueBranches(const CommandEntry& program, const std::string& give, const std::string& end)
{
    std::string text;
    for (const auto& [name, words] : choicesOf(program))
        text += fmt::format("    {}) {}\"{}\"{}\n", name, give, joined(words, " "), end);
    text += std::string("    --set|--b-set) ") + give + "\"$(" + kParameters + ")\"" + end + "\n";
    return text;
}

} // namespace

std::string bashCompletion(const CommandEntry& program)
{
    std::string text = "# Completion of prism-cli for bash; made by: prism-cli help completion bash\n"
                       "_prism_cli() {\n"
                       "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command= word\n"
                       "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
                       "    [[ $word == -* ]] && break\n"
                       "    command+=${command:+ }$word\n"
                       "  done\n"
                       "  local words= files=1\n"
                       "  case $previous in\n";
    text += valueBranches(program, "words=", "; files= ;;");
    text += "    *) case \"$command\" in\n";
    std::vector<const CommandEntry*> all = allCommands(program);
    std::reverse(all.begin(), all.end()); // "study add" is before "study", "study" before the empty command
    for (const CommandEntry* c : all) {
        const std::string name = below(*c);
        std::string words = joined(longNames(*c), " ");
        if (!c->commands.empty())
            words += " " + joined(subcommandWords(*c), " ");
        if (takesScenario(*c))
            words += std::string(" $(") + kScenarios + ")";
        text +=
            fmt::format("      {}) words=\"{}\"{} ;;\n", pattern(name), words, c->commands.empty() || c->takesWords() ? "" : "; files=");
    }
    return text
           + "    esac ;;\n"
             "  esac\n"
             "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\"; [[ -n $files && $current != -* ]] && compgen -f -- "
             "\"$current\")\n"
             "}\n"
             "complete -o filenames -F _prism_cli prism-cli\n";
}

std::string zshCompletion(const CommandEntry& program)
{
    std::string text = "#compdef prism-cli\n# Completion of prism-cli for zsh; made by: prism-cli help completion zsh\n"
                       "_prism_cli() {\n"
                       "  local command= word files=1\n"
                       "  local -a given\n"
                       "  for word in \"${words[@]:1:$((CURRENT-2))}\"; do\n"
                       "    [[ $word == -* ]] && break\n"
                       "    command+=${command:+ }$word\n"
                       "  done\n"
                       "  case ${words[CURRENT-1]} in\n";
    for (const auto& [name, words] : choicesOf(program))
        text += "    " + name + ") compadd -- " + joined(words, " ") + "; return ;;\n";
    text += std::string("    --set|--b-set) compadd -S = -- $(") + kParameters + "); return ;;\n  esac\n  case $command in\n";
    std::vector<const CommandEntry*> all = allCommands(program);
    std::reverse(all.begin(), all.end());
    for (const CommandEntry* c : all) {
        const std::string name = below(*c);
        text += fmt::format("    {})\n      given=(", pattern(name));
        for (const CommandEntry& sub : c->commands)
            text += "\n        " + quoted(sub.word() + ":" + sub.help, "'\\''");
        for (const OptionEntry& o : c->options)
            if (!o.positional)
                text += "\n        " + quoted(o.longest() + ":" + o.help, "'\\''");
        text += ")\n      _describe prism-cli given\n";
        if (takesScenario(*c))
            text += std::string("      compadd -- $(") + kScenarios + ")\n";
        text += std::string("      ") + (c->commands.empty() || c->takesWords() ? "_files" : ":") + " ;;\n";
    }
    return text + "  esac\n}\n_prism_cli \"$@\"\n";
}

std::string fishCompletion(const CommandEntry& program)
{
    std::string text = "# Completion of prism-cli for fish; made by: prism-cli help completion fish\n";
    for (const CommandEntry* c : allCommands(program)) {
        const std::vector<std::string> words = split(below(*c), ' ');
        const bool isProgram = below(*c).empty();
        std::string when = "__fish_use_subcommand";
        if (!isProgram) {
            when = "__fish_seen_subcommand_from " + words.front();
            if (words.size() > 1)
                when += "; and __fish_seen_subcommand_from " + words.back();
            else if (!c->commands.empty())
                when += "; and not __fish_seen_subcommand_from " + joined(subcommandWords(*c), " ");
        }
        const std::string start = "complete -c prism-cli -n " + quoted(when, "\\'");
        for (const CommandEntry& sub : c->commands)
            text += start + " -f -a " + sub.word() + " -d " + quoted(sub.help, "\\'") + "\n";
        for (const OptionEntry& o : c->options) {
            if (o.positional || !o.longest().starts_with("--"))
                continue;
            text += start + " -l " + o.longest().substr(2) + (o.value.empty() ? "" : " -r") + " -d " + quoted(o.help, "\\'");
            if (!o.choices.empty())
                text += " -f -a " + quoted(joined(o.choices, " "), "\\'");
            text += "\n";
        }
        if (takesScenario(*c))
            text += start + " -a " + quoted(std::string("(") + kScenarios + ")", "\\'") + "\n";
    }
    return text;
}

} // namespace prism::cli
