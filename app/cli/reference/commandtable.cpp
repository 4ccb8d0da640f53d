// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/reference/commandtable.h"

#include "core/base/text.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cctype>

namespace prism::cli {

namespace {

std::string capitals(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return text;
}

/// CLI11 appends what a check accepts to the type: "TEXT:{a,b,c}", "INT in [2 - 10000000]".
OptionEntry optionEntry(const CLI::Option& option)
{
    OptionEntry entry;
    entry.positional = option.get_positional();
    entry.required = option.get_required();
    entry.help = option.get_description();
    if (!entry.help.empty())
        entry.help.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(entry.help.front())));
    entry.standard = option.get_default_str();
    std::string type = option.get_items_expected_max() > 0 ? option.get_type_name() : "";
    if (const std::size_t list = type.find(":{"); list != std::string::npos && type.ends_with('}')) {
        entry.choices = split(std::string_view(type).substr(list + 2, type.size() - list - 3), ',');
        type.resize(list);
    }
    entry.value = type.substr(0, type.find(':'));
    if (entry.positional) {
        entry.names = {capitals(option.get_single_name())};
        return entry;
    }
    for (const std::string& name : option.get_snames())
        entry.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames())
        entry.names.push_back("--" + name);
    return entry;
}

/// CLI11 gives a command without a footer the footer of the program; such a command gets none here.
CommandEntry commandEntry(const CLI::App& app, const std::string& before)
{
    const bool isOwn = app.get_parent() == nullptr || app.get_footer() != app.get_parent()->get_footer();
    CommandEntry entry{.name = before + app.get_name(), .help = app.get_description(), .footer = isOwn ? app.get_footer() : ""};
    if (entry.help.ends_with('.'))
        entry.help.pop_back();
    for (const CLI::Option* option : app.get_options())
        entry.options.push_back(optionEntry(*option));
    std::stable_partition(entry.options.begin(), entry.options.end(), [](const OptionEntry& o) { return o.positional; });
    for (const CLI::App* sub : app.get_subcommands({}))
        entry.commands.push_back(commandEntry(*sub, entry.name + " "));
    std::sort(entry.commands.begin(), entry.commands.end(), [](const CommandEntry& a, const CommandEntry& b) { return a.name < b.name; });
    return entry;
}

} // namespace

CommandEntry commandTable(const CLI::App& program)
{
    return commandEntry(program, "");
}

std::vector<const CommandEntry*> allCommands(const CommandEntry& root)
{
    std::vector<const CommandEntry*> all{&root};
    for (const CommandEntry& sub : root.commands)
        for (const CommandEntry* below : allCommands(sub))
            all.push_back(below);
    return all;
}

std::string synopsis(const CommandEntry& command)
{
    std::string text = command.name;
    if (!command.commands.empty() && !command.takesWords())
        text += " COMMAND";
    for (const OptionEntry& o : command.options)
        if (o.positional)
            text += o.required ? " " + o.longest() : " [" + o.longest() + "]";
    for (const OptionEntry& o : command.options)
        if (!o.positional && o.required)
            text += " " + o.longest() + " " + o.value;
    return text + " [OPTIONS]";
}

} // namespace prism::cli
