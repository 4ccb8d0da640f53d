// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/frame/commands.h"

#include "app/inputerror.h"
#include "core/base/outputfile.h"
#include "core/base/platform/newfile.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace prism::cli {

namespace {

/// Options that name a file to write.
constexpr std::array<std::string_view, 9> kOutputs{
    "output", "samples-out", "within-samples-out", "scenario-out", "records", "slurm", "hostfile", "trace", "log-file"};
/// Arguments that are words and no files, and the one file that is brought up to date.
constexpr std::array<std::string_view, 9> kNoInputs{"base", "name", "note", "NAME", "a", "b", "command", "shell", "goal"};

template <std::size_t n>
bool holds(const std::array<std::string_view, n>& names, const CLI::Option& option)
{
    const std::string name = option.get_single_name();
    return std::find(names.begin(), names.end(), name) != names.end();
}

const CLI::App& programOf(const CLI::App& command)
{
    return command.get_parent() == nullptr ? command : programOf(*command.get_parent());
}

/// All options of the program and of the command that was called, with what the command line gives them.
void addGiven(const CLI::App& command, std::vector<const CLI::Option*>& given)
{
    for (const CLI::Option* option : command.get_options())
        if (option->count() > 0)
            given.push_back(option);
    for (const CLI::App* below : command.get_subcommands())
        addGiven(*below, given);
}

/// The files that an argument may mean: itself, the file of PATH=FILE, the study of STUDY.prism:NAME, standard input.
std::vector<std::string> filesOf(const std::string& argument)
{
    std::vector<std::string> files{argument == "-" ? "/dev/stdin" : argument};
    if (const auto equals = argument.find('='); equals != std::string::npos)
        files.push_back(argument.substr(equals + 1));
    constexpr std::string_view kStudy = ".prism:";
    if (const auto study = argument.find(kStudy); study != std::string::npos)
        files.push_back(argument.substr(0, study + kStudy.size() - 1));
    return files;
}

bool isSamePlace(const std::string& a, const std::string& b)
{
    namespace fs = std::filesystem;
    std::error_code none;
    return placeOf(a) == Place::file && fs::weakly_canonical(a, none) == fs::weakly_canonical(b, none);
}

/// `new` annotates a scenario file in place: it has read the whole file before the new one replaces it. A study is not such a file.
bool isAnnotated(const CLI::App& command, const CLI::Option& input, const std::string& file)
{
    return command.get_name() == "new" && input.get_single_name() == "scenario" && input.results().front() == file
           && !file.ends_with(".prism");
}

void requireOwnFile(const CLI::App& command, const CLI::Option& output, const std::string& path)
{
    std::vector<const CLI::Option*> given;
    addGiven(programOf(command), given);
    for (const CLI::Option* option : given) {
        if (option == &output || holds(kNoInputs, *option))
            continue;
        for (const std::string& argument : option->results())
            for (const std::string& file : filesOf(argument))
                if (!isAnnotated(command, *option, file)
                    && (wouldReplace(path, file) || (holds(kOutputs, *option) && isSamePlace(path, file))))
                    throw InputError(
                        {{.path = output.get_name(),
                          .message = "The file would take the place of what this command reads or writes as " + option->get_name() + ".",
                          .found = path,
                          .accepted = "another file"}});
    }
}

} // namespace

void guardOutputs(CLI::App& command)
{
    for (CLI::Option* option : command.get_options())
        if (holds(kOutputs, *option))
            option->check([&command, option](const std::string& path) {
                requireOwnFile(command, *option, path);
                return std::string();
            });
    for (CLI::App* below : command.get_subcommands({}))
        guardOutputs(*below);
}

} // namespace prism::cli
