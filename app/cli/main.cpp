// SPDX-License-Identifier: GPL-3.0-or-later
// prism-cli: batch and scripts. Parses the command line, runs one command, turns errors into exit codes.
#include "app/cli/frame/commands.h"
#include "app/cli/frame/suggestion.h"
#include "core/base/logging.h"
#include "core/base/platform/startup.h"
#include "core/base/printable.h"
#include "core/study/study.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <new>

namespace {

using namespace prism::cli;

/// CLI11's own output, help and errors, counts as done where it could be printed.
int printed(const CLI::App& app, const CLI::ParseError& e)
{
    const int code = app.exit(e, std::cout, std::cerr) == 0 ? exitDone : exitUsage;
    if (std::cout.flush())
        return code;
    std::cerr << "error: standard output: The output cannot be written. Accepted: a writable place.\n";
    return exitInvalidInput;
}

void complain(const Cli& cli, const prism::Diagnostics& diagnostics, const std::string& file = {})
{
    std::cerr << (cli.json ? prism::printableLines(diagnosticsJson(diagnostics, file))
                           : diagnosticsText(diagnostics, Style(prism::StandardStream::error), file));
}

int runCommandLine(int argc, char** argv)
{
    Cli cli;
    CLI::App app{"PRISM Explorer: the distribution of training-step time of large models, from the command line."};
    app.name("prism-cli");
    app.set_version_flag("--version", std::string("prism-cli ") + PRISM_VERSION);
    app.require_subcommand(1);
    prism::logQuietly();
    app.add_flag_callback("--verbose", prism::logToTerminal, "Log every computation and the preset folder on standard error");
    app.add_option_function<std::string>(
        "--log-file", [](const std::string& file) { (void)prism::require(prism::logToFile(file)); }, "Append the same log to FILE");
    app.footer("Exit codes: 0 done, 1 the input is wrong, 2 usage, 3 internal error.\n"
               "Examples: prism-cli new | prism-cli check -\n          prism-cli predict llama3-405b-16k-h100 --set "
               "training.global_batch_size=4096 --json");
    std::vector<std::string> words;
    try {
        addCommands(app, cli);
        Arguments arguments = withTodaysNames({argv + 1, argv + argc});
        if (std::find(arguments.words.begin(), arguments.words.end(), "--quiet") == arguments.words.end())
            std::cerr << arguments.note;
        words = arguments.words;
        callOnlyTheLast(app, words);
        std::reverse(arguments.words.begin(), arguments.words.end()); // CLI11 takes them from the end
        app.parse(std::move(arguments.words));
        return cli.exitCode;
    } catch (const CLI::ParseError& e) {
        const std::string meant = e.get_exit_code() == 0 ? "" : suggestion(app, words);
        if (meant.empty())
            return printed(app, e);
        std::cerr << meant;
        return exitUsage;
    } catch (const prism::InputError& e) {
        complain(cli, e.diagnostics(), e.file());
        return exitInvalidInput;
    } catch (const std::bad_alloc&) {
        complain(cli, {{.message = "There is not enough memory for this.",
                        .accepted = "more memory, a smaller input, fewer samples or fewer threads"}});
        return exitInvalidInput;
    }
}

/// Runs the command line; any exception becomes an exit code.
int exitCodeOf(int argc, char** argv)
{
    try {
        return runCommandLine(argc, argv);
    } catch (const std::bad_alloc&) {
        std::fputs("error: There is not enough memory for this program.\n", stderr);
        return exitInvalidInput;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "internal error: %s\n", prism::printable(e.what()).c_str());
        return exitInternal;
    }
}

} // namespace

int main(int argc, char** argv)
{
    prism::prepareProcess();
    if (const std::optional<int> code = prism::salvageHelper(argc, argv))
        return *code;
    return prism::withEnoughStack([=] { return exitCodeOf(argc, argv); });
}
