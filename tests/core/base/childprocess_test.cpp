// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/platform/childprocess.h"
#include "core/base/platform/process.h"

#include <gtest/gtest.h>

#include <chrono>

namespace prism {
namespace {

TEST(ChildProcess, ReportsWhatTheProgramPrintsAndHowItEnded)
{
    const auto run = runChild({.words = {"sh", "-c", "cat; echo \"$1\"; echo aside >&2; exit 3", "sh", "a b; $HOME"}});
    ASSERT_TRUE(run);
    EXPECT_EQ(run->output, "a b; $HOME\n"); // no shell reads the words, standard input is empty, standard error goes nowhere
    EXPECT_EQ(run->exitCode, 3);
    EXPECT_GT(run->peakMib, 0);
    EXPECT_GE(run->wallSeconds, 0);
}

TEST(ChildProcess, AProgramThatIsNotThereIsNoRun)
{
    EXPECT_FALSE(runChild({.words = {"prism-no-such-program"}}));
    EXPECT_FALSE(runChild({}));
}

TEST(ChildProcess, IsEndedWhenItsTimeIsOver)
{
    const auto run = runChild({.words = {"sleep", "600"}, .timeoutSeconds = 0.05});
    ASSERT_TRUE(run);
    EXPECT_EQ(run->exitCode, 128 + 9); // SIGKILL
    const auto silent = runChild({.words = {"sh", "-c", "exec >&-; exec sleep 600"}, .timeoutSeconds = 0.05});
    ASSERT_TRUE(silent);
    EXPECT_EQ(silent->exitCode, 128 + 9) << "a program that closes its output is ended too";
}

TEST(ChildProcess, DropsOutputBeyondItsBound)
{
    const auto run = runChild({.words = {"sh", "-c", "yes | head -c 100000"}, .outputBytes = 1'000});
    ASSERT_TRUE(run);
    EXPECT_EQ(run->output.size(), 1'000U);
    EXPECT_EQ(run->exitCode, 0);
}

TEST(Machine, NamesCarryNoQuotesAndNoBlanksAround)
{
    for (const std::string& name : {processorName(), systemName()}) {
        EXPECT_EQ(name.find('"'), std::string::npos);
        EXPECT_TRUE(name.empty() || (name.front() != ' ' && name.back() != ' ')) << name;
    }
}

} // namespace
} // namespace prism
