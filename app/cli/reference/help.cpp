// SPDX-License-Identifier: GPL-3.0-or-later
// help: what the commands take, on the terminal, as man pages and as the help page; completion: the same for shells.
#include "app/cli/frame/commands.h"
#include "app/cli/frame/suggestion.h"
#include "app/cli/reference/manpage.h"
#include "core/base/text.h"

#include <CLI/CLI.hpp>

#include <filesystem>
#include <memory>

namespace prism::cli {

namespace {

struct HelpOptions : CommonOptions {
    std::vector<std::string> command;
    bool man = false, markdown = false;
    std::string shell;
};

/// The command that is named, or the program.
const CommandEntry& namedCommand(const CommandEntry& program, const std::vector<std::string>& words)
{
    const CommandEntry* found = &program;
    for (const std::string& word : words) {
        std::vector<std::string> known;
        const CommandEntry* next = nullptr;
        for (const CommandEntry& sub : found->commands) {
            known.push_back(sub.word());
            next = sub.word() == word ? &sub : next;
        }
        if (next == nullptr)
            throw InputError({unknownName("help", "command", word, known)});
        found = next;
    }
    return *found;
}

/// Writes each man page to a separate file in a folder.
void writeManPages(const CommandEntry& program, const std::string& folder)
{
    std::error_code error;
    std::filesystem::create_directories(folder, error); // writing reports the error
    for (const CommandEntry* c : allCommands(program)) {
        CommonOptions file;
        file.output = (std::filesystem::path(folder) / manPageName(*c)).string();
        writeOutput(file, manPage(*c, PRISM_VERSION));
    }
}

void help(const CLI::App& app, const HelpOptions& options)
{
    const CommandEntry program = commandTable(app);
    if (options.markdown)
        return writeOutput(options, referencePage(program));
    const CommandEntry& command = namedCommand(program, options.command);
    if (options.man && options.command.empty() && !options.output.empty())
        return writeManPages(program, options.output);
    if (options.man)
        return writeOutput(options, manPage(command, PRISM_VERSION));
    const CLI::App* found = &app;
    std::string name = app.get_name();
    for (const std::string& word : options.command) {
        found = found->get_subcommand(word);
        name += " " + word;
    }
    // Not App::help(): it describes the given command, and here that is `help` itself.
    writeOutput(options, found->get_formatter()->make_help(found, name, CLI::AppFormatMode::Normal));
}

} // namespace

void addHelp(CLI::App& app, Cli& /*cli*/)
{
    auto options = std::make_shared<HelpOptions>();
    CLI::App* command = app.add_subcommand("help", "Usage of a command as text or man page; reference tables");
    command->add_option("command", options->command, "The command, for example: study add");
    auto* man = command->add_flag("--man", options->man, "A man page; without COMMAND all of them, into the folder --output");
    command->add_flag("--markdown", options->markdown, "Print the help page resources/help/command-line.md")->excludes(man);
    command->add_option("--output", options->output, "Write to this file (with --man and no command: folder)");
    command->callback([options, &app] { help(app, *options); });
}

void addCompletion(CLI::App& app, Cli& /*cli*/)
{
    auto options = std::make_shared<HelpOptions>();
    CLI::App* command = app.add_subcommand("completion", "Shell completion of commands and options");
    command->add_option("shell", options->shell, "bash, zsh or fish")->required()->check(oneOf({"bash", "zsh", "fish"}));
    command->add_option("--output", options->output, "Write to this file instead of standard output");
    command->footer("Example: source <(prism-cli help completion bash)");
    command->callback([options, &app] {
        const CLI::App* root = &app;
        while (root->get_parent() != nullptr)
            root = root->get_parent();
        const CommandEntry program = commandTable(*root);
        writeOutput(*options, options->shell == "bash"  ? bashCompletion(program)
                              : options->shell == "zsh" ? zshCompletion(program)
                                                        : fishCompletion(program));
    });
}

} // namespace prism::cli
