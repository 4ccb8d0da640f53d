// SPDX-License-Identifier: GPL-3.0-or-later
// Runs prism-cli as a user would and collects its output.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace prism::test {

struct CliRun {
    int exitCode = -1; ///< 128 + signal when it was killed
    std::string out, err;
};

/// A folder of this process for the files of a test.
inline std::filesystem::path scratch()
{
    const auto folder = std::filesystem::temp_directory_path() / ("prism-cli-test-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    return folder;
}

inline std::string slurp(const std::filesystem::path& file)
{
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

/// `arguments` is a shell command line after the program's name. Address space and CPU seconds are bounded, so that a run that
/// takes more shows as a failure; under AddressSanitizer, which reserves address space and slows, the seconds alone, and ten times as many.
inline CliRun runCli(const std::string& arguments, [[maybe_unused]] int memoryMib = 4096, int cpuSeconds = 120)
{
    const auto out = scratch() / "out", err = scratch() / "err";
#ifdef __SANITIZE_ADDRESS__
    const std::string limits = "ulimit -t " + std::to_string(cpuSeconds * 10) + "; ";
#else
    const std::string limits = "ulimit -t " + std::to_string(cpuSeconds) + "; ulimit -v " + std::to_string(memoryMib * 1024) + "; ";
#endif
    const std::string state = "XDG_STATE_HOME=" + scratch().string() + "/state "; // backups of studies stay here
    const std::string command = limits + state + "\"" PRISM_CLI "\" " + arguments + " >" + out.string() + " 2>" + err.string();
    const int status = std::system(command.c_str());
    CliRun run;
    run.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    run.out = slurp(out);
    run.err = slurp(err);
    return run;
}

} // namespace prism::test
