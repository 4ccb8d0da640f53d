// SPDX-License-Identifier: GPL-3.0-or-later
// What the program says about its use: help, man pages, completions and the page of the command line.
#include "core/scenario/parameternames.h"
#include "run_cli.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <vector>

namespace prism {
namespace {

using test::CliRun;
using test::runCli;
using test::scratch;
using test::slurp;
namespace fs = std::filesystem;

/// Completions of bash for the words of a line, the last of which is being typed.
std::string completed(const std::string& words)
{
    const fs::path script = scratch() / "completion.bash", out = scratch() / "completed";
    EXPECT_EQ(runCli("help completion bash --output " + script.string()).exitCode, 0);
    const std::string folder = fs::path(PRISM_CLI).parent_path().string();
    const std::string line = "PATH=" + folder + ":$PATH bash -c 'source " + script.string() + "; COMP_WORDS=(" + words
                             + "); COMP_CWORD=$((${#COMP_WORDS[@]}-1)); _prism_cli; echo \" ${COMPREPLY[*]} \"' >" + out.string();
    EXPECT_EQ(std::system(line.c_str()), 0);
    return slurp(out);
}

TEST(CliHelp, NamesEveryCommandAndShowsOne)
{
    const CliRun all = runCli("help");
    ASSERT_EQ(all.exitCode, 0) << all.err;
    EXPECT_NE(all.out.find("predict"), std::string::npos);
    EXPECT_NE(runCli("help study add").out.find("--replace"), std::string::npos);
    const CliRun invalid = runCli("help predct");
    EXPECT_EQ(invalid.exitCode, 1);
    EXPECT_NE(invalid.err.find("predict"), std::string::npos);
}

TEST(CliHelp, WritesAManPageForEveryCommand)
{
    const fs::path folder = scratch() / "man";
    ASSERT_EQ(runCli("help --man --output " + folder.string()).exitCode, 0);
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder))
        names.insert(entry.path().filename().string());
    for (const char* name : {"prism-cli.1", "prism-cli-predict.1", "prism-cli-study-add.1", "prism-cli-trace-export.1"})
        EXPECT_TRUE(names.contains(name)) << name;
    const std::string page = slurp(folder / "prism-cli-predict.1");
    EXPECT_EQ(page.substr(0, 4), ".TH ");
    EXPECT_NE(page.find("\\-\\-samples\\-out"), std::string::npos);
    EXPECT_NE(page.find(".SH EXIT STATUS"), std::string::npos);
    // Each command that the program's page names has a separate page.
    const std::string program = slurp(folder / "prism-cli.1");
    EXPECT_GE(std::count(program.begin(), program.end(), '\n'), 60);
    EXPECT_GE(names.size(), 45U);
}

TEST(CliHelp, PrintsAPageOfAllCommands)
{
    const std::string page = runCli("help --markdown").out;
    EXPECT_EQ(page.substr(0, 18), "# The command line");
    for (const char* command : {"## prism-cli predict", "## prism-cli study add", "## prism-cli trace export"})
        EXPECT_NE(page.find(command), std::string::npos) << command;
    EXPECT_NE(page.find("| `--samples COUNT` |"), std::string::npos) << page.substr(0, 4000);
}

/// Sections of the page: the heading's command, and its lines.
std::map<std::string, std::vector<std::string>> commandSections()
{
    std::map<std::string, std::vector<std::string>> sections;
    std::istringstream page(runCli("help --markdown").out);
    std::string command;
    for (std::string line; std::getline(page, line);)
        if (line.starts_with("## "))
            command = line.substr(3);
        else
            sections[command].push_back(line);
    return sections;
}

TEST(CliHelp, ExamplesUseOnlyWhatTheCommandTakes)
{
    const auto sections = commandSections();
    std::map<std::string, std::set<std::string>> options;
    for (const auto& [command, lines] : sections)
        for (const std::string& line : lines)
            if (line.starts_with("| `--"))
                options[command].insert(line.substr(3, line.find_first_of("` ,", 3) - 3));
    int examples = 0;
    for (const auto& [section, lines] : sections)
        for (const std::string& line : lines) {
            const auto at = line.find("Example: prism-cli ");
            if (at == std::string::npos)
                continue;
            const std::string example = line.substr(at + 9, line.find(" | ", at) - at - 9); // up to the next program of a pipe
            std::string command;                                                            // the longest that the example begins with
            for (const auto& [name, unused] : sections)
                if (example.starts_with(name + " ") && name.size() > command.size())
                    command = name;
            ++examples;
            std::istringstream words(example);
            std::string option, changes;
            for (std::string word; words >> word && word != "&&"; option = word) {
                EXPECT_TRUE(!word.starts_with("--") || options[command].contains(word)) << command << " has no " << word;
                if (option == "--set" || option == "--a-set" || option == "--b-set" || option == "--parameter" || option == "--axis") {
                    EXPECT_NE(parameterByName(word.substr(0, word.find('='))), nullptr) << command << ": " << word;
                }
                if (option == "--set" || option == "--b-set")
                    changes += " --set " + word;
            }
            if (!changes.empty()) {
                EXPECT_EQ(runCli("check sample-baseline" + changes).exitCode, 0) << command << changes;
            }
        }
    EXPECT_GE(examples, 30);
}

TEST(CliHelp, WithoutACommandListsThem)
{
    const std::string all = runCli("help").out;
    for (const char* command : {"\n  predict ", "\n  validate ", "\n  help "})
        EXPECT_NE(all.find(command), std::string::npos) << all;
}

TEST(CliHelp, UsageNamesTheWholeCommand)
{
    EXPECT_NE(runCli("help study add").out.find("prism-cli study add"), std::string::npos);
    EXPECT_NE(runCli("study add --help").out.find("prism-cli study add"), std::string::npos);
}

TEST(CliCompletion, OffersCommandsOptionsChoicesScenariosAndParameters)
{
    EXPECT_NE(completed("prism-cli pred").find(" predict "), std::string::npos);
    EXPECT_NE(completed("prism-cli study a").find(" add "), std::string::npos);
    EXPECT_NE(completed("prism-cli predict --samp").find(" --samples "), std::string::npos);
    EXPECT_NE(completed("prism-cli predict llama3-405b").find(" llama3-405b-16k-h100 "), std::string::npos);
    EXPECT_NE(completed("prism-cli scale x --mode w").find(" weak "), std::string::npos);
    EXPECT_NE(completed("prism-cli predict x --set parallelism.tensor").find(" parallelism.tensor_model_parallel_size "),
              std::string::npos);
}

TEST(CliCompletion, IsMadeForEachShell)
{
    EXPECT_EQ(runCli("help completion zsh").out.substr(0, 18), "#compdef prism-cli");
    EXPECT_NE(runCli("help completion fish").out.find("-l samples-out"), std::string::npos);
    EXPECT_EQ(runCli("help completion tcsh").exitCode, 2);
}

} // namespace
} // namespace prism
