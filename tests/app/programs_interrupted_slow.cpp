// SPDX-License-Identifier: GPL-3.0-or-later
// Ctrl+C in the middle of a search: what it had computed is in its file, and the same command resumes from there to the same bytes.
#include "run_cli.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace prism::test {
namespace {

namespace fs = std::filesystem;

/// Starts the search, and interrupts it as the terminal does once its file is there. Its wait status.
int interrupted(const std::string& scenario, const std::string& file)
{
    const pid_t child = ::fork();
    if (child == 0) {
        std::signal(SIGINT, SIG_DFL); // a shell's job in the background has it ignored
        ::execl(PRISM_CLI, PRISM_CLI, "explore", scenario.c_str(), "--output", "/dev/null", "--records", file.c_str(), nullptr);
        ::_exit(127);
    }
    int status = 0;
    std::error_code none;
    while (!fs::exists(file, none) && ::waitpid(child, &status, WNOHANG) == 0)
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ::kill(child, SIGINT);
    ::waitpid(child, &status, 0);
    return status;
}

TEST(ExploreInterrupted, GoesOnFromItsFileToTheSameBytes)
{
    const std::string scenario = "llama3-405b-16k-h100";
    const fs::path half = scratch() / "half.jsonl", whole = scratch() / "whole.jsonl";
    const int status = interrupted(scenario, half.string());
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) << status;
    const std::string before = slurp(half);
    EXPECT_FALSE(before.empty());
    EXPECT_EQ(before.find("\"end\""), std::string::npos);
    ASSERT_EQ(runCli("explore " + scenario + " --records " + half.string()).exitCode, 0);
    ASSERT_EQ(runCli("explore " + scenario + " --records " + whole.string()).exitCode, 0);
    const std::string text = slurp(whole);
    EXPECT_LT(before.size(), text.size());
    EXPECT_EQ(text.substr(0, before.size()), before); // what was there is not computed again
    EXPECT_EQ(slurp(half), text);
}

} // namespace
} // namespace prism::test
